#include "run/state.h"
#include "memory/allocate.h"
#include "plan/parts.h"

#include <stdlib.h>
#include <string.h>

/* The bytes before a buffer in its allocation. Allocations begin at the same offset of a page. A processor that
 * compares the low twelve bits of addresses first takes the load of a cell for one that depends on the stores just made
 * to the other buffer, and waits for them (4K aliasing): a loop that reads one buffer and writes the other lost half of
 * its speed. */
static uint64_t skew(const struct plan *plan, uint32_t field, uint32_t buffer)
{
    enum { LINE = 64, PAGE = 4096 };
    const struct geometry *geometry = plan->fields[field].geometry;
    const bool guarded = plan->context && plan->context->memory; /* by the conformance suite, from the first byte on */
    const bool skewed = plan->device->memory == ENGINE_HOST_MEMORY && !guarded &&
                        geometry[0].layout.row_align <= LINE && geometry[1].layout.row_align <= LINE;
    return skewed ? (buffer * 33 + field * 17) * LINE % PAGE : 0;
}

static int allocate_field(struct state *state, uint32_t index, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const struct plan_field *field = &plan->fields[index];
    for (uint32_t i = 0; i < field->buffers; i++) {
        const uint64_t before = skew(plan, index, i);
        void *memory;
        if (memory_allocate(plan->context, plan->device, before + field->bytes, &memory, error) != 0)
            return error_prefix(error, "field %s: ", field->about->name);
        state->memory[index][i] = (char *) memory + before;
    }
    if (field->buffers == 1)
        state->memory[index][1] = state->memory[index][0];
    return 0;
}

static int allocate_fields(struct state *state, struct engine_error *error)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        if (allocate_field(state, i, error) != 0)
            return error->status;
    return 0;
}

static struct state *new_state(struct plan *plan, struct engine_error *error)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        error_memory(error, sizeof *state, "the state");
    else
        state->plan = plan;
    return state;
}

static int open_parts(struct state *state, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const uint32_t count = plan->settings.parts;
    state->parts = calloc(count, sizeof *state->parts);
    state->piece = malloc(STATE_PIECE);
    if (!state->parts || !state->piece)
        return error_memory(error, STATE_PIECE, "the parts of the state");
    for (uint32_t i = 0; i < count; i++) {
        state->parts[i] = new_state(plan->parts[i], error);
        if (!state->parts[i] || (parts_is_here(plan, i) && allocate_fields(state->parts[i], error) != 0))
            return error_prefix(error, "part %u of %u: ", i + 1, count);
        state_update_views(state->parts[i]);
    }
    return 0;
}

int state_open(struct plan *plan, struct state **out, struct engine_error *error)
{
    struct state *state = new_state(plan, error);
    *out = NULL;
    if (!state)
        return error->status;
    int status = ranks_open(plan, &state->ranks, error);
    if (status == 0)
        status = (plan->parts ? open_parts : allocate_fields)(state, error);
    status = ranks_finish(state->ranks, status, NULL, error);
    if (status != 0) {
        state_close(state);
        return status;
    }
    state_update_views(state);
    *out = state;
    return 0;
}

static void free_state(struct state *state)
{
    const struct plan *plan = state->plan;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        for (uint32_t b = 0; b < plan->fields[i].buffers; b++)
            if (state->memory[i][b]) {
                const uint64_t before = skew(plan, i, b);
                memory_release(plan->context, plan->device, (char *) state->memory[i][b] - before,
                               before + plan->fields[i].bytes);
            }
    free(state->parts);
    free(state->piece);
    free(state);
}

void state_close(struct state *state)
{
    if (!state)
        return;
    for (uint32_t i = 0; state->parts && i < state->plan->settings.parts; i++)
        if (state->parts[i])
            free_state(state->parts[i]);
    ranks_close(state->ranks);
    free_state(state);
}

const struct geometry *state_geometry(const struct state *state, uint32_t field)
{
    return &state->plan->fields[field].geometry[state->step % 2];
}

void *state_buffer(const struct state *state, uint32_t field)
{
    return state->memory[field][state->plan->fields[field].about->role == ENGINE_STATE ? state->current : 0];
}

void state_bind(struct state *state, const struct state *run)
{
    state->step = run->step;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *bound = state->plan->sources[i].bound;
        if (bound && !state->plan->fields[i].converted)
            state->memory[i][0] = state->memory[i][1] = state_buffer(run, (uint32_t) (bound - run->plan->fields));
    }
}

/* ---- Canonical elements ------------------------------------------------------------------------------------- */

/* Moves elements of the canonical array of a part, or of a state that is not divided, out of its buffer or, if `out` is
 * NULL, into it. The shapes of a part follow `step`, that of the whole. Several threads may move elements of a part, so
 * they leave its own step alone. */
static int move(const struct state *state, uint64_t step, uint32_t field, uint64_t begin, uint64_t count, void *out,
                const void *in, struct engine_error *error)
{
    struct device *device = state->plan->device;
    const struct geometry *geometry = &state->plan->fields[field].geometry[step % 2];
    void *buffer = state_buffer(state, field);
    return out ? device->read(device, geometry, buffer, begin, count, out, error)
               : device->write(device, geometry, buffer, begin, count, in, error);
}

/* Moves elements of a part, which begin at `begin` of the whole field and at `own` of the part's. */
static int move_part(const struct state *state, uint32_t index, uint32_t field, uint64_t begin, uint64_t own,
                     uint64_t count, void *out, const void *in, struct engine_error *error)
{
    if (parts_is_here(state->plan, index))
        return move(state->parts[index], state->step, field, own, count, out, in, error);
    if (state->own_only)
        return 0;
    return ranks_move(state->ranks, state->plan, parts_rank(state->plan, index), state->step, field, begin, count, out,
                      in, error);
}

/* The same for parts that share their work: reads the first part's copy, or writes all copies. Another process gets the
 * elements once, and writes the copies of its parts. */
static int move_copies(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *out,
                       const void *in, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const bool others = state->ranks && !state->ranks->serves && !state->own_only;
    for (uint32_t i = 0; i < (out ? 1 : plan->settings.parts); i++) {
        const uint32_t rank = parts_rank(plan, i);
        if (parts_is_here(plan, i) && move(state->parts[i], state->step, field, begin, count, out, in, error) != 0)
            return error->status;
        if (others && i > 0 && rank != parts_rank(plan, i - 1) &&
            ranks_move(state->ranks, plan, rank, state->step, field, begin, count, out, in, error) != 0)
            return error->status;
    }
    return 0;
}

/* The same for a divided state: moves what each part owns of the elements. */
static int move_parts(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *out,
                      const void *in, struct engine_error *error)
{
    if (plan_has_copies(state->plan))
        return move_copies(state, field, begin, count, out, in, error);
    const uint64_t bytes = type_bytes(state->plan->shapes[field].type);
    const uint64_t slab = parts_slab_elements(state->plan, field, state->step);
    for (uint32_t i = 0; i < state->plan->settings.parts; i++) {
        const struct plan_slab own = parts_slab(state->plan, i, field, state->step);
        const uint64_t first = own.first * slab, last = (own.first + own.count) * slab;
        const uint64_t from = first > begin ? first : begin, end = last < begin + count ? last : begin + count;
        const uint64_t skipped = (from - begin) * bytes;
        if (from < end &&
            move_part(state, i, field, from, from - first + own.before * slab, end - from,
                      out ? (char *) out + skipped : NULL, in ? (const char *) in + skipped : NULL, error) != 0)
            return error->status;
    }
    return 0;
}

int state_read(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *canonical,
               struct engine_error *error)
{
    return state->parts ? move_parts(state, field, begin, count, canonical, NULL, error)
                        : move(state, state->step, field, begin, count, canonical, NULL, error);
}

int state_write(struct state *state, uint32_t field, uint64_t begin, uint64_t count, const void *canonical,
                struct engine_error *error)
{
    return state->parts ? move_parts(state, field, begin, count, NULL, canonical, error)
                        : move(state, state->step, field, begin, count, NULL, canonical, error);
}

bool state_makes(const struct state *state, uint32_t field, uint64_t begin, uint64_t count)
{
    const bool some = state->own_only && !plan_has_copies(state->plan);
    const uint64_t slab = some ? parts_slab_elements(state->plan, field, state->step) : 0;
    for (uint32_t i = 0; some && i < state->plan->settings.parts; i++) {
        const struct plan_slab own = parts_slab(state->plan, i, field, state->step);
        if (parts_is_here(state->plan, i) && own.first * slab < begin + count && begin < (own.first + own.count) * slab)
            return true;
    }
    return !some;
}

int state_synchronise(const struct state *state, struct engine_error *error)
{
    struct device *device = state->plan->device;
    if (device->synchronise(device, error) != 0)
        return error->status;
    for (uint32_t i = 0; state->parts && i < state->plan->settings.parts; i++) {
        device = state->parts[i]->plan->device;
        if (device->synchronise(device, error) != 0)
            return error_prefix(error, "part %u of %u: ", i + 1, state->plan->settings.parts);
    }
    return 0;
}

/* ---- Whole buffers ------------------------------------------------------------------------------------------ */

/* Moves a field of a divided run between its parts and host memory, in the layout that the implementation would give
 * the whole field. */
static int copy_parts(const struct state *state, uint32_t field, void *out, const void *in, struct engine_error *error)
{
    const struct geometry *geometry = state_geometry(state, field);
    const uint64_t most = STATE_PIECE / type_bytes(geometry->shape.type);
    uint64_t count;
    shape_elements(&geometry->shape, &count);
    for (uint64_t begin = 0; begin < count; begin += most) {
        const uint64_t n = count - begin < most ? count - begin : most;
        if (in)
            geometry_read(geometry, in, begin, n, state->piece);
        if (move_parts(state, field, begin, n, in ? NULL : state->piece, in ? state->piece : NULL, error) != 0)
            return error->status;
        if (out)
            geometry_write(geometry, out, begin, n, state->piece);
    }
    return 0;
}

int state_copy_out(const struct state *state, uint32_t field, void *host, struct engine_error *error)
{
    struct device *device = state->plan->device;
    if (state->parts)
        return copy_parts(state, field, host, NULL, error);
    return device->copy_out(device, state_buffer(state, field), state_geometry(state, field)->bytes, host,
                            state->plan->for_plugin.threads, error);
}

int state_copy_in(struct state *state, uint32_t field, const void *host, struct engine_error *error)
{
    struct device *device = state->plan->device;
    if (state->parts)
        return copy_parts(state, field, NULL, host, error);
    return device->copy_in(device, state_buffer(state, field), state_geometry(state, field)->bytes, host,
                           state->plan->for_plugin.threads, error);
}

/* ---- What plugins see --------------------------------------------------------------------------------------- */

int state_wrap(struct state *state, struct engine_error *error)
{
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        if (!field->absent && field->about->kind == ENGINE_GRID &&
            device->wrap(device, state_geometry(state, i), state_buffer(state, i), state->plan->for_plugin.threads,
                         error) != 0)
            return error->status;
    }
    return 0;
}

void state_update_views(struct state *state)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct geometry *geometry = state_geometry(state, i);
        struct engine_buffer *view = &state->views[i];
        for (int b = 0; b < 2; b++)
            view->origin[b] = state->memory[i][b] ? (char *) state->memory[i][b] + geometry->origin : NULL;
        view->row_stride = geometry->row_stride;
        view->plane_stride = geometry->plane_stride;
        view->component_stride = geometry->component_stride;
        view->bytes = state->plan->fields[i].bytes;
        view->shape = &state->plan->fields[i].shape[state->step % 2];
        view->layout = &geometry->layout;
    }
}
