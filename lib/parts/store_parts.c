#include "parts/divided.h"
#include "parts/hash_shares.h"
#include "parts/parts.h"

#include <stdlib.h>

/* ---- Opening and closing -------------------------------------------------------------------------------------- */

static int open_part(struct state *state, uint32_t index, struct engine_error *error)
{
    struct divided *divided = state->own;
    struct state **part = &divided->parts[index];
    if (!(*part = state_new(state->plan->parts[index], &store_whole, error)))
        return error->status;
    if (parts_is_here(state->plan, index) && store_whole.open(*part, error) != 0)
        return error->status;
    state_update_views(*part);
    return 0;
}

static int open_parts(void *argument, struct engine_error *error)
{
    struct state *state = argument;
    struct divided *divided = state->own;
    const uint32_t count = state->plan->settings.parts;
    divided->parts = calloc(count, sizeof *divided->parts);
    divided->piece = malloc(STATE_PIECE);
    if (!divided->parts || !divided->piece)
        return error_memory(error, STATE_PIECE, "the parts of the state");
    for (uint32_t i = 0; i < count; i++)
        if (open_part(state, i, error) != 0)
            return error_prefix(error, "part %u of %u: ", i + 1, count);
    return 0;
}

static int open(struct state *state, struct engine_error *error)
{
    struct divided *divided = state->own = calloc(1, sizeof *divided);
    if (!divided)
        return error_memory(error, sizeof *divided, "the parts of the state");
    if (ranks_open(state->plan, &divided->ranks, error) != 0)
        return error->status;
    return ranks_do_open(divided->ranks, open_parts, state, error);
}

static void close(struct state *state)
{
    struct divided *divided = state->own;
    if (!divided)
        return;
    for (uint32_t i = 0; divided->parts && i < state->plan->settings.parts; i++)
        state_close(divided->parts[i]);
    ranks_close(divided->ranks);
    free(divided->parts);
    free(divided->piece);
    free(divided);
}

/* ---- Elements --------------------------------------------------------------------------------------------------- */

/* Moves elements of a part, which begin at `begin` of the whole field and at `own` of the part's. Several threads may
 * move elements of a part, so they leave its own step alone. */
static int move_part(const struct state *state, uint64_t step, uint32_t index, uint32_t field, uint64_t begin,
                     uint64_t own, uint64_t count, void *out, const void *in, struct engine_error *error)
{
    const struct divided *divided = state->own;
    if (parts_is_here(state->plan, index))
        return store_whole.move(divided->parts[index], step, field, own, count, out, in, error);
    if (divided->own_only)
        return 0;
    return ranks_move(divided->ranks, state->plan, parts_rank(state->plan, index), step, field, begin, count, out, in,
                      error);
}

/* The same for parts that share their work: reads the first part's copy, or writes all copies. Another process gets the
 * elements once, and writes the copies of its parts. */
static int move_copies(const struct state *state, uint64_t step, uint32_t field, uint64_t begin, uint64_t count,
                       void *out, const void *in, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const struct divided *divided = state->own;
    const bool others = divided->ranks && !divided->ranks->serves && !divided->own_only;
    for (uint32_t i = 0; i < (out ? 1 : plan->settings.parts); i++) {
        const uint32_t rank = parts_rank(plan, i);
        if (parts_is_here(plan, i) &&
            store_whole.move(divided->parts[i], step, field, begin, count, out, in, error) != 0)
            return error->status;
        if (others && i > 0 && rank != parts_rank(plan, i - 1) &&
            ranks_move(divided->ranks, plan, rank, step, field, begin, count, out, in, error) != 0)
            return error->status;
    }
    return 0;
}

/* Moves what each part owns of the elements. */
static int move(const struct state *state, uint64_t step, uint32_t field, uint64_t begin, uint64_t count, void *out,
                const void *in, struct engine_error *error)
{
    if (plan_has_copies(state->plan))
        return move_copies(state, step, field, begin, count, out, in, error);
    const uint64_t bytes = type_bytes(state->plan->shapes[field].type);
    const uint64_t slab = parts_slab_elements(state->plan, field, step);
    for (uint32_t i = 0; i < state->plan->settings.parts; i++) {
        const struct plan_slab own = parts_slab(state->plan, i, field, step);
        const uint64_t first = own.first * slab, last = (own.first + own.count) * slab;
        const uint64_t from = first > begin ? first : begin, end = last < begin + count ? last : begin + count;
        const uint64_t skipped = (from - begin) * bytes;
        if (from < end &&
            move_part(state, step, i, field, from, from - first + own.before * slab, end - from,
                      out ? (char *) out + skipped : NULL, in ? (const char *) in + skipped : NULL, error) != 0)
            return error->status;
    }
    return 0;
}

/* Moves a field between the parts and host memory, in the layout that the implementation would give the whole field. */
static int copy(const struct state *state, uint32_t field, void *out, const void *in, struct engine_error *error)
{
    const struct divided *divided = state->own;
    const struct geometry *geometry = state_geometry(state, field);
    const uint64_t most = STATE_PIECE / type_bytes(geometry->shape.type);
    uint64_t count;
    shape_elements(&geometry->shape, &count);
    for (uint64_t begin = 0; begin < count; begin += most) {
        const uint64_t n = count - begin < most ? count - begin : most;
        if (in)
            geometry_read(geometry, in, begin, n, divided->piece);
        if (move(state, state->step, field, begin, n, in ? NULL : divided->piece, in ? divided->piece : NULL, error) !=
            0)
            return error->status;
        if (out)
            geometry_write(geometry, out, begin, n, divided->piece);
    }
    return 0;
}

static int view(const struct state *state, uint32_t field, struct engine_view *view, struct engine_error *error)
{
    (void) field, (void) view;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "the run is divided into %u parts, so no field lies in one buffer; read it with "
                     "engine_run_read, or leave out [run] parts",
                     state->plan->settings.parts);
}

static int synchronise(const struct state *state, struct engine_error *error)
{
    const struct divided *divided = state->own;
    if (store_whole.synchronise(state, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < state->plan->settings.parts; i++)
        if (store_whole.synchronise(divided->parts[i], error) != 0)
            return error_prefix(error, "part %u of %u: ", i + 1, state->plan->settings.parts);
    return 0;
}

/* ---- The initial state ------------------------------------------------------------------------------------------ */

struct making {
    struct state *state;
    int (*make)(struct state *, struct engine_error *);
};

static int make_own(void *argument, struct engine_error *error)
{
    const struct making *making = argument;
    struct divided *divided = making->state->own;
    divided->own_only = true;
    const int status = making->make(making->state, error);
    divided->own_only = false;
    return status;
}

/* Every process makes the cells of its own parts, unless they come from files, which process 0 reads. */
static int initialise(struct state *state, int (*make)(struct state *, struct engine_error *),
                      struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    struct making making = {state, make};
    if (!ranks || plan_starts_from_files(state->plan))
        return make(state, error);
    return ranks_do(ranks, (struct ranks_command){.kind = RANKS_INIT, .step = state->step}, NULL, 0, make_own, &making,
                    error);
}

static bool makes(const struct state *state, uint32_t field, uint64_t begin, uint64_t count)
{
    const struct divided *divided = state->own;
    const bool some = divided->own_only && !plan_has_copies(state->plan);
    const uint64_t slab = some ? parts_slab_elements(state->plan, field, state->step) : 0;
    for (uint32_t i = 0; some && i < state->plan->settings.parts; i++) {
        const struct plan_slab own = parts_slab(state->plan, i, field, state->step);
        if (parts_is_here(state->plan, i) && own.first * slab < begin + count && begin < (own.first + own.count) * slab)
            return true;
    }
    return !some;
}

const struct store store_parts = {
    .divided = true,
    .open = open,
    .close = close,
    .move = move,
    .copy = copy,
    .rows = store_parts_rows,
    .view = view,
    .hash = hash_shares,
    .synchronise = synchronise,
    .initialise = initialise,
    .makes = makes,
};
