#include "run/state.h"
#include "base/xxh.h"
#include "memory/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 }; /* bytes of the canonical array handled at a time */

static int allocate_field(struct state *state, uint32_t index, struct engine_error *error)
{
    const struct plan_field *field = &state->plan->fields[index];
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < field->buffers; i++)
        if (memory_allocate(state->plan->context, device, field->bytes, &state->memory[index][i], error) != 0)
            return error_prefix(error, "field %s: ", field->about->name);
    if (field->buffers == 1)
        state->memory[index][1] = state->memory[index][0];
    return 0;
}

int state_open(struct plan *plan, struct state **out, struct engine_error *error)
{
    struct state *state = calloc(1, sizeof *state);
    *out = NULL;
    if (!state)
        return error_memory(error, sizeof *state, "the state");
    state->plan = plan;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (allocate_field(state, i, error) != 0) {
            state_close(state);
            return error->status;
        }
    state_update_views(state);
    *out = state;
    return 0;
}

void state_close(struct state *state)
{
    if (!state)
        return;
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        for (uint32_t b = 0; b < state->plan->fields[i].buffers; b++)
            if (state->memory[i][b])
                memory_release(state->plan->context, device, state->memory[i][b], state->plan->fields[i].bytes);
    free(state);
}

const struct geometry *state_geometry(const struct state *state, uint32_t field)
{
    return &state->plan->fields[field].geometry[state->step % 2];
}

static void *current_buffer(const struct state *state, uint32_t field)
{
    return state->memory[field][state->plan->fields[field].about->role == ENGINE_STATE ? state->current : 0];
}

void state_bind(struct state *state, const struct state *run)
{
    state->step = run->step;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *bound = state->plan->sources[i].bound;
        if (bound && !state->plan->fields[i].converted)
            state->memory[i][0] = state->memory[i][1] = current_buffer(run, (uint32_t) (bound - run->plan->fields));
    }
}

int state_read(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *canonical,
               struct engine_error *error)
{
    struct device *device = state->plan->device;
    return device->read(device, state_geometry(state, field), current_buffer(state, field), begin, count, canonical,
                        error);
}

int state_write(struct state *state, uint32_t field, uint64_t begin, uint64_t count, const void *canonical,
                struct engine_error *error)
{
    struct device *device = state->plan->device;
    return device->write(device, state_geometry(state, field), current_buffer(state, field), begin, count, canonical,
                         error);
}

int state_copy_out(const struct state *state, uint32_t field, void *host, struct engine_error *error)
{
    struct device *device = state->plan->device;
    return device->copy_out(device, current_buffer(state, field), state_geometry(state, field)->bytes, host,
                            state->plan->for_plugin.threads, error);
}

int state_copy_in(struct state *state, uint32_t field, const void *host, struct engine_error *error)
{
    struct device *device = state->plan->device;
    return device->copy_in(device, current_buffer(state, field), state_geometry(state, field)->bytes, host,
                           state->plan->for_plugin.threads, error);
}

int state_wrap(struct state *state, struct engine_error *error)
{
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        if (!field->absent && field->about->kind == ENGINE_GRID &&
            device->wrap(device, state_geometry(state, i), current_buffer(state, i), state->plan->for_plugin.threads,
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
        view->shape = &geometry->shape;
        view->layout = &geometry->layout;
    }
}

static int hash_field(const struct state *state, uint32_t index, XXH3_state_t *hash, void *piece,
                      struct engine_error *error)
{
    const struct engine_shape *shape = &state_geometry(state, index)->shape;
    uint64_t count, bytes = type_bytes(shape->type);
    shape_elements(shape, &count);
    for (uint64_t begin = 0; begin < count;) {
        uint64_t n = count - begin < PIECE / bytes ? count - begin : PIECE / bytes;
        if (state_read(state, index, begin, n, piece, error) != 0)
            return error->status;
        XXH3_128bits_update(hash, piece, n * bytes);
        begin += n;
    }
    return 0;
}

/* Hashes the inputs that have memory of their own, or the states and outputs. */
static int hash_fields(const struct state *state, bool inputs, char text[HASH_TEXT], struct engine_error *error)
{
    XXH3_state_t *hash = XXH3_createState();
    void *piece = malloc(PIECE);
    int status = hash && piece ? 0 : error_memory(error, PIECE, "hashing");
    if (status == 0)
        XXH3_128bits_reset(hash);
    for (uint32_t i = 0; status == 0 && i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        const bool is_own_input = field->about->role == ENGINE_INPUT && field->buffers > 0;
        if (inputs ? is_own_input : plan_is_result(field->about))
            status = hash_field(state, i, hash, piece, error);
    }
    if (status == 0) {
        XXH128_hash_t digest = XXH3_128bits_digest(hash);
        snprintf(text, HASH_TEXT, "%016llx%016llx", (unsigned long long) digest.high64,
                 (unsigned long long) digest.low64);
    }
    XXH3_freeState(hash);
    free(piece);
    return status;
}

int state_hash(const struct state *state, char text[HASH_TEXT], struct engine_error *error)
{
    return hash_fields(state, false, text, error);
}

int state_hash_inputs(const struct state *state, char text[HASH_TEXT], struct engine_error *error)
{
    return hash_fields(state, true, text, error);
}
