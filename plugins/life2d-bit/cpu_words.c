/* `cpu-words`: rules that count neighbours on a grid with any edges. The engine fills the ghosts, so a call takes one
 * step. */
#include "life2d.h"

#include "cpu_words.h"
#include <common/isa_choice.h>

extern const struct life2d_words_kernel life2d_words_kernel_avx512, life2d_words_kernel_avx2, life2d_words_kernel_plain;

static const struct isa_kernel *const kernels[] = ISA_KERNELS(life2d_words_kernel);

struct instance {
    const struct life2d_words_kernel *kernel;
    struct life2d_words_job rule; /* without a grid */
};

int life2d_words_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    if (life_plan_rule(plan).counts)
        return isa_probe(kernels, host, plan, LIFE2D_INSTRUCTIONS);
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                       "it counts neighbours, which does not give the rule %s; cpu and cpu-serial take any rule",
                       engine_param_text(plan, LIFE2D_RULE));
}

/* The ghosts are those of the default layout: a cell on each side. */
int life2d_words_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                        struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = sizeof(uint64_t);
    layout->row_align = 64;
    return 0;
}

int life2d_words_create(const struct engine_call *call, void **self)
{
    struct instance *own = call->host->scratch(call->host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    const struct life_rule rule = life_plan_rule(call->plan);
    *own = (struct instance){.kernel = isa_choose(kernels, call->plan, LIFE2D_INSTRUCTIONS)};
    for (uint32_t total = 0; total < LIFE2D_TOTALS; total++) {
        own->rule.dead[total] = 0 - (uint64_t) (rule.birth >> total & 1);
        own->rule.differs[total] = own->rule.dead[total] ^ (0 - (uint64_t) ((rule.survive << 1) >> total & 1));
    }
    call->host->note(call->host, "instructions", "%s", own->kernel->isa.name);
    *self = own;
    return 0;
}

enum { ROWS = 32 }; /* of a task */

struct step {
    const struct life2d_words_kernel *kernel;
    struct life2d_words_job job;
    int64_t height;
};

static void take_rows(void *argument, uint64_t band)
{
    const struct step *step = argument;
    const int64_t begin = (int64_t) band * ROWS, end = begin + ROWS;
    step->kernel->next_rows(&step->job, begin, end < step->height ? end : step->height);
}

int life2d_words_advance(void *self, struct engine_call *call)
{
    const struct instance *own = self;
    const struct engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    struct step step = {own->kernel, own->rule, (int64_t) cells->shape->extent[1]};
    step.job.cells = cells->origin[call->current];
    step.job.result = cells->origin[call->result];
    step.job.row_words = cells->row_stride / (int64_t) sizeof(uint64_t);
    step.job.width = cells->shape->extent[0];
    call->host->parallel(call->host, (uint64_t) ((step.height + ROWS - 1) / ROWS), take_rows, &step);
    return 0;
}

/* The operations of a word of 64 cells, which is two words of 32: 2 for the columns, 12 shifts and their unions, 7 for the
 * sums, and 19 for the rule. A step reads and writes the grid once. */
int life2d_words_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host, (void) plan;
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = 40 * 2 / 64.0;
    cost->bytes = 2.0 / 8;
    return 0;
}
