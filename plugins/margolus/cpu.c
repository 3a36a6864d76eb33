/* margolus on the CPU: several steps in a pass over memory, in place, on all threads.
 *
 * The rows are cut into bands, which stay in the cache. First all bands take the steps of a pass: at each step, a band
 * loses a row on both sides, because the row beyond is not as far. Then the rows at the borders of bands take the steps
 * that they lack. No pair of rows is computed twice:
 *
 *     step 3     ‾‾\     /‾‾‾‾‾‾\     /‾‾
 *     step 2     ‾‾‾\   /‾‾‾‾‾‾‾‾\   /‾‾‾
 *     step 1     ‾‾‾‾\ /‾‾‾‾‾‾‾‾‾‾\ /‾‾‾‾
 *             rows of a band | of the next one | … */
#include "cpu_kernel.h"

#include <common/isa_choice.h>
#include <engine/bench.h>
#include <stdbool.h>
#include <string.h>

enum { STEPS = 16, BAND_BYTES = 1 << 18 };

/* What lies above the first row of the plan's grid and below its last one. OPEN: rows of which nothing is needed,
 * because the grid is a part with margins. */
enum vertical { RING, EDGE, OPEN };

struct cpu {
    struct margolus_vectors forms[2];
    struct margolus_grid grid;
    const struct margolus_kernel *kernel;
    int64_t height, bands, most_steps;
    enum vertical vertical;
    bool mirrors; /* a row beyond an edge is a copy of that at the edge, or consists of cells of the second value */
    uint64_t beyond[2]; /* cells beyond dead and fixed edges of both axes */
    uint64_t *spare;    /* three rows for each band */
};

/* A pass of several steps. */
struct pass {
    const struct cpu *cpu;
    const struct engine_buffer *cells;
    uint32_t buffer;
    uint32_t first[2]; /* the column and the row at which blocks begin at the first step */
    int64_t steps;
};

static const struct isa_kernel *const kernels[] = ISA_KERNELS(margolus_kernel);

int margolus_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    return isa_probe(kernels, host, plan, MARGOLUS_INSTRUCTIONS);
}

int margolus_bits_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                         struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = 8;
    layout->row_align = 64;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    return 0;
}

int margolus_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host, (void) plan;
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = 40. / 64; /* of two words: 8 for their neighbours, 16 for the next values of each */
    cost->bytes = 2. / 8 / STEPS;
    return 0;
}

/* ---- Pairs of rows ----------------------------------------------------------------------------------------------- */

static uint64_t *row_of(const struct pass *pass, int64_t y)
{
    const int64_t height = pass->cpu->height;
    return (uint64_t *) engine_row(pass->cells, pass->buffer, y < 0 ? y + height : y >= height ? y - height : y, 0);
}

/* Fills the row beyond an edge, of which the row y is at the edge. */
static uint64_t *fill_beyond(const struct pass *pass, int64_t y, uint64_t *row)
{
    const struct cpu *cpu = pass->cpu;
    for (int64_t i = 0; i < cpu->grid.words; i++)
        row[i] = cpu->mirrors ? row_of(pass, y)[i] : 0 - cpu->beyond[1];
    return row;
}

/* A step of the rows y and y + 1, of which one may lie beyond an edge. */
static void take_pair(const struct pass *pass, int64_t y, int64_t step, uint64_t *spare)
{
    const struct cpu *cpu = pass->cpu;
    uint64_t *outside = spare + 2 * (cpu->grid.words + 2 * MARGOLUS_VECTOR), *rows[2], beyond[2];
    for (int64_t i = 0; i < 2; i++) {
        const bool is_outside = cpu->vertical == EDGE && (i ? y + 1 == cpu->height : y < 0);
        rows[i] = is_outside ? fill_beyond(pass, y + 1 - i, outside) : row_of(pass, y + i);
        beyond[i] = cpu->beyond[is_outside && !cpu->mirrors];
    }
    cpu->kernel->pair(&cpu->grid, rows, beyond, (pass->first[0] + (uint32_t) step) & 1, spare);
}

static uint64_t *spare_of(const struct cpu *cpu, uint64_t band)
{
    return cpu->spare + (int64_t) band * 3 * (cpu->grid.words + 2 * MARGOLUS_VECTOR);
}

/* ---- Bands ------------------------------------------------------------------------------------------------------- */

/* The first row of a band. Borders are even. */
static int64_t border_of(const struct cpu *cpu, int64_t band)
{
    return band == cpu->bands ? cpu->height : cpu->height / 2 * band / cpu->bands * 2;
}

/* The rows of the pairs of a step: those of a band without its borders, and those about a border. A pair begins at the
 * row `begin`, and every second row up to `end`. */
static void take_band(void *argument, uint64_t band)
{
    const struct pass *pass = (const struct pass *) argument;
    const struct cpu *cpu = pass->cpu;
    const bool top = band == 0 && cpu->vertical != RING,
               bottom = (int64_t) band + 1 == cpu->bands && cpu->vertical != RING;
    const int64_t begin = border_of(cpu, (int64_t) band), end = border_of(cpu, (int64_t) band + 1),
                  first = pass->first[1];
    for (int64_t step = 0; step < pass->steps; step++) {
        const int64_t now = (first + step) & 1;
        const int64_t from = !top ? begin + first + step : cpu->vertical == EDGE ? -now : now;
        const int64_t to = !bottom ? end - first - step : cpu->vertical == EDGE ? end : end - 1;
        for (int64_t y = from; y < to; y += 2)
            take_pair(pass, y, step, spare_of(cpu, band));
    }
}

static void take_border(void *argument, uint64_t index)
{
    const struct pass *pass = (const struct pass *) argument;
    const int64_t border = border_of(pass->cpu, (int64_t) index + 1), first = pass->first[1];
    for (int64_t step = 0; step < pass->steps; step++)
        for (int64_t y = border - first - step; y < border + first + step; y += 2)
            take_pair(pass, y, step, spare_of(pass->cpu, index));
}

/* So many bands that each is in the cache, or that each thread has one, if they have enough rows for a pass. */
static void cut(struct cpu *cpu, const struct engine_plan *plan)
{
    const int64_t given = engine_param_integer(plan, MARGOLUS_STEPS), steps = given > 0 ? given : STEPS;
    const int64_t row_bytes = cpu->grid.words * 8, each = (cpu->height + plan->threads - 1) / plan->threads;
    int64_t rows = BAND_BYTES / row_bytes < each ? BAND_BYTES / row_bytes : each;
    rows = rows < 4 * steps ? 4 * steps : rows;
    cpu->bands = cpu->height < 2 * rows ? 1 : cpu->height / rows;
    cpu->most_steps = cpu->bands > 1 || cpu->height / 2 >= steps ? steps : cpu->height / 2;
    if (cpu->most_steps < 1 || (cpu->bands == 1 && cpu->vertical != RING))
        cpu->most_steps = steps;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static void spread(const struct margolus_form *form, struct margolus_vectors *vectors)
{
    const uint32_t *from = &form->c[0][0][0];
    uint64_t *to = &vectors->c[0][0][0][0];
    for (int i = 0; i < 2 * 4 * 4 * MARGOLUS_VECTOR; i++)
        to[i] = from[i / MARGOLUS_VECTOR] * UINT64_C(0x100000001);
}

static void describe(const struct engine_call *call, struct cpu *cpu)
{
    const struct engine_plan *plan = call->plan;
    const struct margolus_rule rule = margolus_plan_rule(plan);
    const struct engine_shape *shape = engine_field_shape(plan, MARGOLUS_CELLS);
    const uint32_t down = engine_plan_edge(plan, 1);
    for (uint32_t first = 0; first < 2; first++) {
        const struct margolus_form form = margolus_form_of(&rule, first ? 0xaaaaaaaa : 0x55555555);
        spread(&form, &cpu->forms[first]);
    }
    cpu->kernel = (const struct margolus_kernel *) isa_choose(kernels, plan, MARGOLUS_INSTRUCTIONS);
    cpu->height = (int64_t) shape->extent[1];
    cpu->vertical = down != ENGINE_EDGE_TORUS ? EDGE : plan->part.count > 1 ? OPEN : RING;
    cpu->mirrors = down == ENGINE_EDGE_MIRROR;
    for (uint32_t axis = 0; axis < 2; axis++)
        cpu->beyond[axis] =
            engine_plan_edge(plan, axis) == ENGINE_EDGE_FIXED && engine_plan_edges(plan)->value[MARGOLUS_CELLS] != 0;
    cpu->grid = (struct margolus_grid){.forms = cpu->forms,
                                       .width = (int64_t) shape->extent[0],
                                       .words = ((int64_t) shape->extent[0] + 511) / 512 * MARGOLUS_VECTOR,
                                       .edge = engine_plan_edge(plan, 0)};
    cut(cpu, plan);
}

int margolus_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    struct cpu *cpu = (struct cpu *) host->scratch(host, sizeof *cpu, ENGINE_HOST_MEMORY);
    if (!cpu)
        return ENGINE_NO_MEMORY;
    describe(call, cpu);
    const uint64_t bytes = (uint64_t) cpu->bands * 3 * (uint64_t) (cpu->grid.words + 2 * MARGOLUS_VECTOR) * 8;
    cpu->spare = (uint64_t *) host->scratch(host, bytes, ENGINE_HOST_MEMORY);
    host->note(host, "instructions", "%s", cpu->kernel->isa.name);
    *self = cpu;
    return cpu->spare ? (memset(cpu->spare, 0, bytes), 0) : ENGINE_NO_MEMORY;
}

int margolus_cpu_advance(void *self, struct engine_call *call)
{
    const struct cpu *cpu = (const struct cpu *) self;
    const uint64_t *offset = call->plan->part.offset;
    struct pass pass = {.cpu = cpu, .cells = engine_field_buffer(call, MARGOLUS_CELLS), .buffer = call->current};
    for (uint64_t taken = 0; taken < call->steps; taken += (uint64_t) pass.steps) {
        const uint64_t left = call->steps - taken, most = (uint64_t) cpu->most_steps;
        pass.steps = (int64_t) (left < most ? left : most);
        for (int axis = 0; axis < 2; axis++)
            pass.first[axis] = margolus_first(offset[axis], call->first_step + taken);
        call->host->parallel(call->host, (uint64_t) cpu->bands, take_band, &pass);
        call->host->parallel(call->host, (uint64_t) (cpu->bands - (cpu->vertical != RING)), take_border, &pass);
    }
    call->result = call->current;
    return 0;
}
