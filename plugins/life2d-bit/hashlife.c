/* life2d-bit `hashlife`: squares of cells that were seen before are not computed again.
 *
 *   hashlife_store.h       equal squares are one entry: the quadtree, its hash table, and bounded memory
 *   hashlife_step.c        steps of the grid, from results of squares
 *   hashlife_result.c      results of squares that are remembered, by one or several threads
 *   hashlife_kernel.c      the results of the smallest squares, computed in vector registers
 *   hashlife_words.c       the tree of a grid, and back
 *   hashlife_population.c  the live cells of a tree
 *   hashlife_tree.c        grids without edges: the tree without an array
 *   hashlife_advice.c      whether it pays for an initial state */
#include "life2d.h"

#include "hashlife.h"

#include <common/isa_choice.h>
#include <life/population.h>
#include <stdlib.h>

static const struct isa_kernel *const kernels[] = ISA_KERNELS(hashlife_kernel);

enum { WALL = 8 }; /* cells of a quarter of a leaf along an axis, which is wall or grid */

/* The least extent from n on that the tree takes along an axis. */
static uint64_t possible_extent(uint64_t n, bool dead)
{
    uint64_t power = 1;
    while (power < n && power <= UINT64_MAX / 2)
        power *= 2;
    return dead ? (n + WALL - 1) / WALL * WALL : power;
}

int life2d_hashlife_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const struct engine_shape *shape = engine_field_shape(plan, LIFE2D_CELLS);
    uint64_t possible[2];
    if (!life_plan_rule(plan).counts)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                           "it counts neighbours, which does not give the rule %s; cpu takes any rule",
                           engine_param_text(plan, LIFE2D_RULE));
    for (uint32_t axis = 0; axis < 2; axis++)
        possible[axis] = possible_extent(shape->extent[axis], engine_plan_edge(plan, axis) == ENGINE_EDGE_DEAD);
    if (shape->extent[0] != possible[0] || shape->extent[1] != possible[1])
        return ENGINE_FAIL(
            host, ENGINE_UNSUPPORTED,
            "it takes powers of two along the axes of a torus, and multiples of 8 between dead edges, not "
            "%llu x %llu; %llu x %llu is the next larger grid",
            (unsigned long long) shape->extent[0], (unsigned long long) shape->extent[1],
            (unsigned long long) possible[0], (unsigned long long) possible[1]);
    return isa_probe(kernels, host, plan, LIFE2D_INSTRUCTIONS);
}

/* Rows of 64-bit words. Blocks of 64 rows are read and written, so the rows of a block should be in different sets of
 * the cache. */
int life2d_hashlife_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                           struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = 8;
    layout->row_align = 64;
    layout->row_odd = 1;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    return 0;
}

static unsigned level_of(uint64_t width, uint64_t height)
{
    unsigned level = HASHLIFE_BLOCK_LEVEL;
    while (((uint64_t) 1 << level) < width || ((uint64_t) 1 << level) < height)
        level++;
    return level;
}

struct hashlife *hashlife_new(const struct engine_call *call, uint64_t blocks, uint64_t bytes)
{
    const struct engine_plan *plan = call->plan;
    const uint64_t most = bytes > 0 ? bytes >> 20 : (uint64_t) engine_param_integer(plan, LIFE2D_MEMORY);
    const uint32_t threads = plan->threads < HASHLIFE_THREADS ? plan->threads : HASHLIFE_THREADS;
    struct hashlife *life = (struct hashlife *) call->host->scratch(call->host, sizeof *life, ENGINE_HOST_MEMORY);
    void *workers = call->host->scratch(call->host, threads * sizeof *life->workers, ENGINE_HOST_MEMORY);
    void *rules = call->host->scratch(call->host, (uint64_t) threads * HASHLIFE_RULE_BYTES, ENGINE_HOST_MEMORY);
    uint64_t *alive = (uint64_t *) call->host->scratch(call->host, blocks * sizeof *alive, ENGINE_HOST_MEMORY);
    struct hashlife_count *counts =
        (struct hashlife_count *) call->host->scratch(call->host, HASHLIFE_COUNTS * sizeof *counts, ENGINE_HOST_MEMORY);
    if (!life || !workers || !rules || !alive || !counts)
        return NULL;
    life->kernel = (const struct hashlife_kernel *) isa_choose(kernels, plan, LIFE2D_INSTRUCTIONS);
    life->workers = (struct store_worker *) workers;
    life->rules = (char *) rules;
    life->threads = threads;
    life->host = call->host;
    life->memory = most;
    life->memory_key = bytes > 0 ? "run.memory" : "life2d-bit.memory";
    life->state = life->kept_count = 0;
    life->alive = alive;
    life->counts = counts;
    life->counted = UINT64_MAX; /* none: the memory is not cleared */
    life->rest = life->resting = life->shared_calls = life->lone_calls = 0;
    for (uint32_t i = 0; i < threads; i++)
        life->kernel->prepare(life_plan_rule(plan), life->rules + (size_t) i * HASHLIFE_RULE_BYTES);
    if (!store_open(&life->store, most << 20, life->workers, threads)) {
        ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no %llu MiB of memory for the nodes of the tree",
                    (unsigned long long) most);
        return NULL;
    }
    call->host->note(call->host, "instructions", "%s", life->kernel->isa.name);
    return life;
}

int life2d_hashlife_create(const struct engine_call *call, void **self)
{
    const struct engine_shape *shape = engine_field_shape(call->plan, LIFE2D_CELLS);
    struct hashlife *life =
        hashlife_new(call, hashlife_blocks(shape->extent[0]) * hashlife_blocks(shape->extent[1]), 0);
    if (!life)
        return ENGINE_NO_MEMORY;
    life->width = shape->extent[0];
    life->height = shape->extent[1];
    for (uint32_t axis = 0; axis < 2; axis++)
        life->dead[axis] = engine_plan_edge(call->plan, axis) == ENGINE_EDGE_DEAD;
    life->level = level_of(life->width, life->height);
    *self = life;
    return 0;
}

void life2d_hashlife_destroy(void *self)
{
    store_close(&((struct hashlife *) self)->store);
}

int hashlife_fail(const struct hashlife *life, const struct engine_call *call)
{
    return ENGINE_FAIL(
        call->host, ENGINE_NO_MEMORY,
        "%llu MiB do not hold what the nodes of one call need (%llu at the last collection); set %s to more MiB, or "
        "take the implementation cpu or cuda: this pattern may have too little order for hashlife",
        (unsigned long long) life->memory, (unsigned long long) store_used(&life->store), life->memory_key);
}

void hashlife_note(const struct hashlife *life)
{
    const struct engine_host *host = life->host;
    host->note(host, "nodes", "%llu, %llu collections", (unsigned long long) store_used(&life->store) - 1,
               (unsigned long long) life->store.collections);
    host->note(host, "settled", "unknown: results of squares that it remembers are not computed again");
    if (life->lone_calls > 0)
        host->note(host, "threads",
                   "a single thread finished %llu of %llu shared calls, because memory was full; more MiB in %s may "
                   "make the run faster",
                   (unsigned long long) life->lone_calls, (unsigned long long) life->shared_calls, life->memory_key);
}

void hashlife_begin(struct hashlife *life, const struct engine_call *call)
{
    life->host = call->host;
    life->resting -= life->resting > 0;
    life->has_shared = false;
    life->store.is_full = false;
    life->workers[0].root_count = 0;
}

/* The tree of the state is kept between calls. Memory may run out until the new state is written, so an error leaves
 * the state as it was. */
int life2d_hashlife_advance(void *self, struct engine_call *call)
{
    struct hashlife *life = (struct hashlife *) self;
    const struct engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    const struct hashlife_rows rows = {(uint64_t *) cells->origin[call->current], cells->row_stride / 8};
    hashlife_begin(life, call);
    uint32_t *state = hashlife_push(&life->workers[0], 1);
    *state = life->state = call->flags & ENGINE_CALL_FRESH || !life->state ? hashlife_read(life, rows) : life->state;
    const uint32_t after = *state ? hashlife_step(life, *state, call->steps) : 0;
    life->shared_calls += life->has_shared;
    if (!after)
        return hashlife_fail(life, call);
    hashlife_write(life, *state, after, rows);
    life->state = after;
    hashlife_note(life);
    return 0;
}

/* The instance knows the tree of a state that it made itself. */
int life2d_hashlife_measure(void *self, const struct engine_call *call, double *values)
{
    struct hashlife *life = (struct hashlife *) self;
    const bool fresh = call->flags & ENGINE_CALL_FRESH;
    values[0] += (double) (fresh ? life_population(call, LIFE2D_CELLS) : hashlife_population(life));
    return 0;
}
