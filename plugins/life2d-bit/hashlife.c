/* life2d-bit `hashlife`: hashlife/hashlife.h for cells that are bits.
 *
 *   hashlife_kernel.c  the results of the smallest squares, computed in vector registers
 *   hashlife_words.c   the tree of such a grid, and back
 *   hashlife_tree.c    grids without edges: the tree without an array
 *   hashlife_advice.c  whether it pays for an initial state */
#include "life2d.h"

#include "hashlife.h"

#include <common/isa_choice.h>
#include <life/population.h>
#include <string.h>

static const struct isa_kernel *const kernels[] = ISA_KERNELS(hashlife_kernel);

/* A thread's form of the rule. The network and the code of the first thread are those of all. */
struct thread_rule {
    _Alignas(HASHLIFE_RULE_ALIGN) char form[HASHLIFE_RULE_BYTES];
    struct life2d_square_network network;
    struct life2d_square_code code;
};

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

struct hashlife *life2d_hashlife_new(const struct engine_call *call, uint64_t bytes)
{
    const struct engine_host *host = call->host;
    const struct life2d_kernel *kernel =
        (const struct life2d_kernel *) isa_choose(kernels, call->plan, LIFE2D_INSTRUCTIONS);
    struct hashlife *life = hashlife_new(
        call, &kernel->squares, bytes, (uint64_t) engine_param_integer(call->plan, LIFE2D_MEMORY), "life2d-bit.memory");
    if (!life)
        return NULL;
    struct thread_rule *rules =
        (struct thread_rule *) host->scratch(host, life->threads * sizeof *rules, ENGINE_HOST_MEMORY);
    if (!rules) {
        hashlife_close(life);
        return NULL;
    }
    life->rules = rules;
    life->rule_bytes = sizeof *rules;
    rules->code.row = NULL;
    const struct life_rule rule = life_plan_rule(call->plan);
    if (!rule.counts) {
        rules->network = life2d_find_square_network(&rule);
        if (strcmp(kernel->isa.name, "plain") != 0)
            rules->code = life2d_make_square_code(&rules->network, strcmp(kernel->isa.name, "avx512") == 0 ? 64 : 32);
        host->note(host, "operations of the rule", "%d", life2d_square_operations(&rules->network));
    }
    for (uint32_t i = 0; i < life->threads; i++)
        kernel->prepare(rule, &rules->network, rules->code.row, rules[i].form);
    host->note(host, "instructions", "%s", kernel->isa.name);
    return life;
}

void life2d_hashlife_close(void *self)
{
    life2d_free_square_code(&((struct thread_rule *) ((struct hashlife *) self)->rules)->code);
    hashlife_close(self);
}

int life2d_hashlife_create(const struct engine_call *call, void **self)
{
    const struct engine_shape *shape = engine_field_shape(call->plan, LIFE2D_CELLS);
    const uint64_t blocks = hashlife_blocks(shape->extent[0]) * hashlife_blocks(shape->extent[1]);
    void *alive = call->host->scratch(call->host, blocks * sizeof(uint64_t), ENGINE_HOST_MEMORY);
    struct hashlife *life = alive ? life2d_hashlife_new(call, 0) : NULL;
    if (!life)
        return ENGINE_NO_MEMORY;
    life->alive = (uint64_t *) alive;
    life->width = shape->extent[0];
    life->height = shape->extent[1];
    for (uint32_t axis = 0; axis < 2; axis++)
        life->dead[axis] = engine_plan_edge(call->plan, axis) == ENGINE_EDGE_DEAD;
    life->level = level_of(life->width, life->height);
    *self = life;
    return 0;
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
    values[0] += (double) (fresh ? life_population(call, LIFE2D_CELLS) : hashlife_population(life, 0));
    return 0;
}
