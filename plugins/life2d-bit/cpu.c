/* life2d-bit on the CPU.
 *
 *   cpu-serial   the reference: one thread, bytes of eight cells, neighbours counted one cell at a time. The engine
 *                fills ghosts, so that it wraps around no edge.
 *   cpu          cpu_kernel.c: bit-sliced sums, all vectors and threads, many steps a pass over the grid. */
#include "life2d.h"

#include "cpu_kernel.h"
#include "cpu_settled.h"
#include "square_network.h"

#include <common/isa_choice.h>
#include <common/param.h>
#include <life/edges.h>
#include <life/population.h>
#include <stdatomic.h>

/* ---- cpu-serial --------------------------------------------------------------------------------------------- */

/* Bytes with the leftmost cell in the highest bit, and a byte of ghosts on the left and on the right. Both cpu-serial
 * and cuda-bytes have it. */
int life2d_bytes_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                        struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = 1;
    layout->order = ENGINE_ORDER_REVERSED;
    layout->ghost[0] = 8;
    return 0;
}

/* The next state of the eight cells in the middle of three bytes, bits 15 … 8 of `here`. The neighbours of bit k are
 * bits k + 1, k and k - 1 of the three rows. */
static uint8_t next_byte(uint32_t above, uint32_t here, uint32_t below, const struct life_rule *rule)
{
    static const uint8_t alive[8] = {0, 1, 1, 2, 1, 2, 2, 3}; /* of three cells */
    uint32_t next = 0;
    for (int bit = 15; bit >= 8; bit--) {
        const uint32_t cell = here >> bit & 1;
        const uint32_t sides = (here >> (bit + 1) & 1) + (here >> (bit - 1) & 1);
        const uint32_t neighbours = alive[above >> (bit - 1) & 7] + sides + alive[below >> (bit - 1) & 7];
        next = next << 1 | ((cell ? rule->survive : rule->birth) >> neighbours & 1);
    }
    return (uint8_t) next;
}

/* The same for a rule that does not count neighbours: each square is looked up. */
static uint8_t next_byte_of_squares(uint32_t above, uint32_t here, uint32_t below, const struct life_rule *rule)
{
    uint32_t next = 0;
    for (int bit = 15; bit >= 8; bit--)
        next = next << 1 | life_rule_next(rule, (above >> (bit - 1) & 7) << 6 | (here >> (bit - 1) & 7) << 3 |
                                                    (below >> (bit - 1) & 7));
    return (uint8_t) next;
}

/* Makes `count` consecutive bytes. A window of three bytes of each row moves along; each step shifts the next byte in.
 */
static void next_bytes(const uint8_t *source, int64_t row_stride, uint8_t *result, uint64_t count,
                       const struct life_rule *rule)
{
    const uint8_t *rows[3] = {source - row_stride, source, source + row_stride};
    uint32_t window[3];
    for (int r = 0; r < 3; r++)
        window[r] = (uint32_t) * (rows[r] - 1) << 8 | rows[r][0];
    for (uint64_t i = 0; i < count; i++) {
        for (int r = 0; r < 3; r++)
            window[r] = window[r] << 8 | rows[r][i + 1];
        result[i] = (rule->counts ? next_byte : next_byte_of_squares)(window[0], window[1], window[2], rule);
    }
}

int life2d_serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    const struct life_rule rule = life_plan_rule(call->plan);
    const uint64_t stretch = param_or(call->plan, LIFE2D_BYTES_PER_THREAD, 128);
    const uint64_t row_bytes = (cells->shape->extent[0] + 7) / 8;
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++) {
        const int64_t row = (int64_t) y * cells->row_stride;
        const uint8_t *source = (const uint8_t *) cells->origin[call->current] + row;
        uint8_t *result = (uint8_t *) cells->origin[call->result] + row;
        for (uint64_t x = 0; x < row_bytes; x += stretch)
            next_bytes(source + x, cells->row_stride, result + x, row_bytes - x < stretch ? row_bytes - x : stretch,
                       &rule);
    }
    return 0;
}

/* Bytes of memory, which are not the limit here: a step reads and writes the grid once. */
int life2d_serial_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host, (void) plan;
    cost->operation = ENGINE_OPS_NONE;
    cost->bytes = 2.0 / 8;
    return 0;
}

/* ---- cpu ---------------------------------------------------------------------------------------------------- */

/* The instance. */
struct life2d_cpu {
    const struct life2d_kernel *kernel;
    uint32_t threads, steps_per_pass;
    uint32_t dead;   /* LIFE_DEAD_X and LIFE_DEAD_Y */
    void *workspace; /* of a batch that fits: batch_bytes for each thread */
    uint64_t batch_bytes;
    struct life_rule rule;
    struct life2d_square_network network; /* of a rule that does not count neighbours */
    struct life2d_square_code code;       /* of the network */
    struct life2d_square_network rows;    /* for tiles: the network whose lines are rows */
    struct life2d_settled *settled;       /* of each universe; NULL: all cells are computed */
};

/* Do the universes of a batch share vectors? Larger ones are taken one after the other, each by all threads. */
static bool shares_vectors(const struct engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, LIFE2D_CELLS)->extent;
    return plan->universes > 1 && life2d_batch_fits(extent[0], extent[1]) && life_plan_rule(plan).counts;
}

/* Rows of 64-bit words from whole cache lines on, or, of universes that share vectors, from any word on. No ghosts: the
 * implementation wraps around the edges itself. */
int life2d_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout)
{
    (void) host, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = 8;
    layout->row_align = shares_vectors(plan) ? 8 : 64;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    return 0;
}

static const struct isa_kernel *const kernels[] = ISA_KERNELS(life2d_kernel);

int life2d_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    return isa_probe(kernels, host, plan, LIFE2D_INSTRUCTIONS);
}

/* Most rules stay the same if rows and columns are exchanged, and have one network for both. */
static struct life2d_square_network network_of_rows(const struct life2d_cpu *cpu)
{
    const struct life_rule columns = life2d_transposed_rule(&cpu->rule);
    if (memcmp(columns.table, cpu->rule.table, sizeof columns.table) == 0)
        return cpu->network;
    return life2d_find_square_network(&cpu->rule);
}

/* Prepares to skip settled regions, if the parameter allows it and each grid is large enough. The parts of a divided
 * run do not skip: their margins change from outside with each call. */
static int open_settled(const struct engine_call *call, struct life2d_cpu *cpu)
{
    const struct engine_host *host = call->host;
    const struct engine_plan *plan = call->plan;
    const struct engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    const uint64_t *extent = cells->shape->extent;
    const char *when = engine_param_text(plan, LIFE2D_SETTLED);
    struct life2d_settled one = {
        .always = strcmp(when, "yes") == 0, .threads = plan->threads, .rows = cpu->rule.counts ? NULL : &cpu->rows};
    if (strcmp(when, "no") == 0 || plan->part.count > 1 || cpu->batch_bytes || !settled_fits(extent[0], extent[1]))
        return 0;
    one.map = (struct settled){.axis = {{extent[0], SETTLED_EDGE, !(cpu->dead & LIFE_DEAD_X), 0},
                                        {extent[1], SETTLED_EDGE, !(cpu->dead & LIFE_DEAD_Y), 0},
                                        {1, 1, 0, 0}},
                               .reach = SETTLED_STEPS};
    if (!cpu->rule.counts)
        cpu->rows = network_of_rows(cpu);
    const uint64_t map_bytes = settled_bytes(&one.map);
    one.workspace_bytes = cpu->kernel->settled_workspace_bytes(&one.map, (uint64_t) cells->row_stride / 8);
    one.workspace = (char *) host->scratch(host, plan->threads * one.workspace_bytes, ENGINE_HOST_MEMORY);
    cpu->settled = (struct life2d_settled *) host->scratch(host, plan->universes * sizeof one, ENGINE_HOST_MEMORY);
    if (!one.workspace || !cpu->settled)
        return ENGINE_NO_MEMORY;
    for (uint64_t u = 0; u < plan->universes; u++) {
        void *maps = host->scratch(host, map_bytes, ENGINE_HOST_MEMORY);
        if (!maps)
            return ENGINE_NO_MEMORY;
        settled_open(&one.map, maps);
        cpu->settled[u] = one;
        settled_reset(&cpu->settled[u]);
    }
    return 0;
}

int life2d_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_plan *plan = call->plan;
    const struct engine_shape *shape = engine_field_shape(plan, LIFE2D_CELLS);
    const struct life2d_kernel *kernel = (const struct life2d_kernel *) isa_choose(kernels, plan, LIFE2D_INSTRUCTIONS);
    const uint32_t steps = (uint32_t) engine_param_integer(plan, LIFE2D_STEPS_PER_PASS);
    const uint64_t width = shape->extent[0], height = shape->extent[1];
    const uint32_t dead = life_dead_axes(plan);
    const uint64_t batch_bytes = shares_vectors(plan) ? life2d_batch_workspace(width, height) : 0;
    const uint64_t bytes =
        batch_bytes ? plan->threads * batch_bytes : kernel->workspace_bytes(width, height, dead, plan->threads, steps);
    if (bytes == 0)
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "rows of %llu cells are too wide", (unsigned long long) width);
    struct life2d_cpu *cpu = (struct life2d_cpu *) call->host->scratch(call->host, sizeof *cpu, ENGINE_HOST_MEMORY);
    void *workspace = call->host->scratch(call->host, bytes, ENGINE_HOST_MEMORY);
    if (!cpu || !workspace)
        return ENGINE_NO_MEMORY;
    *cpu =
        (struct life2d_cpu){kernel, plan->threads, steps, dead, workspace, batch_bytes, .rule = life_plan_rule(plan)};
    if (!cpu->rule.counts) {
        const struct life_rule columns = life2d_transposed_rule(&cpu->rule); /* a step of a row moves across columns */
        cpu->network = life2d_find_square_network(&columns);
        if (strcmp(kernel->isa.name, "plain") != 0)
            cpu->code = life2d_make_square_code(&cpu->network, strcmp(kernel->isa.name, "avx512") == 0 ? 64 : 32);
        call->host->note(call->host, "operations of the rule", "%d", life2d_square_operations(&cpu->network));
    }
    call->host->note(call->host, "instructions", "%s", kernel->isa.name);
    *self = cpu;
    const int status = open_settled(call, cpu);
    if (status != 0)
        life2d_free_square_code(&cpu->code);
    return status;
}

/* Records the share of the cells' steps that were skipped. */
static void note_settled(const struct life2d_cpu *cpu, const struct engine_call *call)
{
    double taken = 0, skipped = 0;
    for (uint64_t u = 0; cpu->settled && u < call->plan->universes; u++)
        taken += cpu->settled[u].taken, skipped += cpu->settled[u].skipped;
    if (skipped > 0)
        call->host->note(call->host, "settled", "%.3f %% of the work was skipped", 100 * skipped / taken);
}

void life2d_cpu_destroy(void *self)
{
    struct life2d_cpu *cpu = (struct life2d_cpu *) self;
    life2d_free_square_code(&cpu->code);
}

/* Takes the steps of one universe after the other; of a run that is no batch there is one. */
static void advance_in_turn(const struct life2d_cpu *cpu, const struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    for (uint64_t u = 0; u < call->plan->universes; u++) {
        struct life2d_settled *settled = cpu->settled ? &cpu->settled[u] : NULL;
        if (settled && call->flags & ENGINE_CALL_FRESH)
            settled_reset(settled);
        const struct life2d_job job = {
            .cells = (uint64_t *) engine_row(cells, call->current, 0, (int64_t) u),
            .width = cells->shape->extent[0],
            .height = cells->shape->extent[1],
            .row_words = (uint64_t) cells->row_stride / 8,
            .dead = cpu->dead,
            .steps = call->steps,
            .birth = cpu->rule.birth,
            .survive = cpu->rule.survive,
            .network = cpu->rule.counts ? NULL : &cpu->network,
            .row_code = cpu->code.row,
            .threads = cpu->threads,
            .steps_per_pass = cpu->steps_per_pass,
            .workspace = cpu->workspace,
            .settled = settled,
        };
        cpu->kernel->advance(&job);
    }
}

/* What the threads share of a call for a batch. */
struct batch_work {
    const struct life2d_cpu *cpu;
    struct life2d_batch_job job;
    uint64_t universes;
    atomic_uint_least64_t next; /* universe that no thread has taken */
};

static void advance_some(void *argument, uint64_t thread)
{
    struct batch_work *work = (struct batch_work *) argument;
    void *workspace = (char *) work->cpu->workspace + thread * work->cpu->batch_bytes;
    for (;;) {
        const uint64_t first = atomic_fetch_add(&work->next, LIFE2D_BATCH_TOGETHER);
        if (first >= work->universes)
            return;
        const uint64_t left = work->universes - first;
        work->cpu->kernel->advance_batch(&work->job, first, left < LIFE2D_BATCH_TOGETHER ? left : LIFE2D_BATCH_TOGETHER,
                                         workspace);
    }
}

static void advance_together(const struct life2d_cpu *cpu, const struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    struct batch_work work = {
        .cpu = cpu,
        .job = {.cells = (uint64_t *) cells->origin[call->current],
                .width = cells->shape->extent[0],
                .height = cells->shape->extent[1],
                .row_words = (uint64_t) cells->row_stride / 8,
                .universe_words = (uint64_t) cells->plane_stride / 8,
                .dead = cpu->dead,
                .steps = call->steps,
                .birth = cpu->rule.birth,
                .survive = cpu->rule.survive},
        .universes = call->plan->universes,
    };
    call->host->parallel(call->host, cpu->threads, advance_some, &work);
}

int life2d_cpu_advance(void *self, struct engine_call *call)
{
    const struct life2d_cpu *cpu = (const struct life2d_cpu *) self;
    (cpu->batch_bytes ? advance_together : advance_in_turn)(cpu, call);
    note_settled(cpu, call);
    return 0;
}

/* Universe u of a batch is plane u. */
int life2d_cpu_measure(void *self, const struct engine_call *call, double *values)
{
    struct engine_call one = *call;
    if (call->plan->universes == 1)
        return life_measure(self, call, values);
    for (uint64_t u = 0; u < call->plan->universes; u++) {
        one.begin[2] = u, one.end[2] = u + 1;
        values[u] += (double) life_population(&one, LIFE2D_CELLS);
    }
    return 0;
}

/* Eight three-input operations on a word of 32 cells. A pass reads and writes the grid once. */
int life2d_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host;
    const double steps = (double) engine_param_integer(plan, LIFE2D_STEPS_PER_PASS);
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = 8.0 / 32;
    cost->bytes = 2.0 / 8 / (steps > 0 ? steps : 48);
    return 0;
}
