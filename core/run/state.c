#include "run/state.h"
#include "base/values.h"
#include "plan/source.h"

#include <stdlib.h>
#include <string.h>

struct state *state_new(const struct plan *plan, const struct store *store, struct engine_error *error)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state) {
        error_memory(error, sizeof *state, "the state");
        return NULL;
    }
    *state = (struct state){.plan = plan, .for_plugin = plan->for_plugin, .store = store};
    return state;
}

int state_change_box(struct state *state, const double box[6], struct engine_error *error)
{
    const struct plan *plan = state->plan;
    struct host host;
    if (memcmp(state->for_plugin.box, box, sizeof state->for_plugin.box) == 0)
        return 0;
    memcpy(state->for_plugin.box, box, sizeof state->for_plugin.box);
    host_init(&host, plan->context, plan->plugin->about.name, plan->settings.threads, NULL);
    const int status = plan_check_by_plugin(plan, &host, &state->for_plugin, error);
    host_release(&host);
    return status;
}

int state_open_in(const struct plan *plan, const struct store *store, struct state **out, struct engine_error *error)
{
    struct state *state = state_new(plan, store, error);
    *out = NULL;
    if (!state)
        return error->status;
    const int status = state->store->open(state, error);
    if (status != 0) {
        state_close(state);
        return status;
    }
    state_update_views(state);
    *out = state;
    return 0;
}

void state_close(struct state *state)
{
    if (!state)
        return;
    if (state->frames)
        state->plan->source->end_frames(state);
    state->store->close(state);
    free(state);
}

const struct geometry *state_geometry(const struct state *state, uint32_t field)
{
    return &state->plan->fields[field].geometry[state->step % 2];
}

void *state_buffer(const struct state *state, uint32_t field)
{
    return state->memory[field][state->plan->fields[field].about->role == ENGINE_STATE ? state->current : 0];
}

/* ---- Elements --------------------------------------------------------------------------------------------------- */

int state_read(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *canonical,
               struct engine_error *error)
{
    return state->store->move(state, state->step, field, begin, count, canonical, NULL, error);
}

int state_write(struct state *state, uint32_t field, uint64_t begin, uint64_t count, const void *canonical,
                struct engine_error *error)
{
    return state->store->move(state, state->step, field, begin, count, NULL, canonical, error);
}

/* A bit holds no other value than 0 and 1. What files give was checked when it was read. */
int state_check(const struct state *state, uint32_t field, const struct engine_file_array *array, uint64_t begin,
                uint64_t count, const void *elements, struct engine_error *error)
{
    const bool computed = plan_is_result(state->plan->fields[field].about);
    return computed && state_geometry(state, field)->layout.cell_bits != 1
               ? values_check(array, begin, count, elements, error)
               : 0;
}

int state_read_result(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *canonical,
                      struct engine_error *error)
{
    struct engine_file_array array = plan_array(state->plan, field);
    array.shape = state_geometry(state, field)->shape;
    return state_read(state, field, begin, count, canonical, error) != 0
               ? error->status
               : state_check(state, field, &array, begin, count, canonical, error);
}

bool state_makes(const struct state *state, uint32_t field, uint64_t begin, uint64_t count)
{
    return !state->store->makes || state->store->makes(state, field, begin, count);
}

int state_copy(const struct state *state, uint32_t field, void *out, const void *in, struct engine_error *error)
{
    return state->store->copy(state, field, out, in, error);
}

int state_view(const struct state *state, uint32_t field, struct engine_view *view, struct engine_error *error)
{
    return state->store->view(state, field, view, error);
}

int state_initialise(struct state *state, int (*make)(struct state *, struct engine_error *),
                     struct engine_error *error)
{
    return state->store->initialise ? state->store->initialise(state, make, error) : make(state, error);
}

int state_wrap(struct state *state, struct engine_error *error)
{
    return state->store->fill_edges ? state->store->fill_edges(state, error) : 0;
}

int state_synchronise(const struct state *state, struct engine_error *error)
{
    return state->store->synchronise(state, error);
}

/* ---- What plugins see --------------------------------------------------------------------------------------- */

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
