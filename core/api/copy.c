/* The functions of engine.h that copy the state of a run: to another run, and to host memory and back. */
#include "api/handles.h"

#include <stdlib.h>
#include <string.h>

/* ---- To another run -------------------------------------------------------------------------------------------- */

static bool is_result(const struct run *run, uint32_t field)
{
    return plan_is_result(run->plan->fields[field].about);
}

static uint32_t field_count(const struct run *run)
{
    return run->plan->plugin->about.fields.count;
}

static bool same_shape(const struct engine_shape *a, const struct engine_shape *b)
{
    return a->type == b->type && a->components == b->components && memcmp(a->extent, b->extent, sizeof a->extent) == 0;
}

/* Checks that the fields have the same shapes at the step of `from`. */
static int check_alike(const struct run *to, const struct run *from, struct engine_error *error)
{
    const uint64_t parity = from->state->step % 2;
    bool alike = strcmp(to->plan->plugin->about.name, from->plan->plugin->about.name) == 0 &&
                 to->state->store->keep == from->state->store->keep;
    for (uint32_t i = 0; alike && i < field_count(from); i++)
        alike = same_shape(&to->plan->fields[i].geometry[parity].shape, &from->plan->fields[i].geometry[parity].shape);
    return alike ? 0
                 : error_set(error, ENGINE_STATUS_USAGE,
                             "engine_run_copy: the runs have other plugins or fields of other shapes");
}

static int copy_field(struct state *to, const struct state *from, uint32_t field, void *piece,
                      struct engine_error *error)
{
    const struct engine_shape *shape = &state_geometry(from, field)->shape;
    const uint64_t most = STATE_PIECE / type_bytes(shape->type);
    uint64_t count;
    shape_elements(shape, &count);
    for (uint64_t begin = 0; begin < count; begin += most) {
        const uint64_t n = count - begin < most ? count - begin : most;
        if (state_read(from, field, begin, n, piece, error) != 0 || state_write(to, field, begin, n, piece, error) != 0)
            return error->status;
    }
    return 0;
}

int engine_run_copy(struct engine_run *to, const struct engine_run *from, struct engine_error *error)
{
    API_NUMBERS;
    if (run_check_state(to->run, error) != 0 || run_check_state(from->run, error) != 0 ||
        check_alike(to->run, from->run, error) != 0)
        return error->status;
    struct state *state = to->run->state;
    const struct store *store = state->store;
    void *piece = store->keep ? NULL : malloc(STATE_PIECE), *kept = NULL;
    int status = piece || store->keep ? 0 : error_memory(error, STATE_PIECE, "a copy of a state");
    state->step = from->run->state->step;
    if (store->keep && (status = store->keep(from->run->state, &kept, error)) == 0) {
        status = store->back(state, kept, error);
        store->drop(kept);
    }
    for (uint32_t i = 0; status == 0 && !store->keep && i < field_count(from->run); i++)
        if (is_result(from->run, i))
            status = copy_field(state, from->run->state, i, piece, error);
    free(piece);
    run_state_changed(to->run);
    return status;
}

/* ---- To host memory -------------------------------------------------------------------------------------------- */

struct engine_kept {
    const struct engine_context *context;
    uint64_t number, step;         /* of the run */
    void *fields[PLAN_FIELDS_MAX]; /* in their layouts; NULL: not kept */
    const struct store *store;     /* which made `own`; NULL: there is none */
    void *own;
};

static int keep(const struct run *run, struct engine_kept *kept, struct engine_error *error)
{
    kept->step = run->state->step;
    if (run->state->store->keep) {
        kept->store = run->state->store;
        return kept->store->keep(run->state, &kept->own, error);
    }
    for (uint32_t i = 0; i < field_count(run); i++) {
        const uint64_t bytes = state_geometry(run->state, i)->bytes;
        if (!is_result(run, i))
            continue;
        if (!(kept->fields[i] = malloc(bytes)))
            return error_memory(error, bytes, "a copy of a state");
        if (state_copy(run->state, i, kept->fields[i], NULL, error) != 0)
            return error->status;
    }
    return 0;
}

int engine_run_keep(const struct engine_run *run, struct engine_kept **out, struct engine_error *error)
{
    API_NUMBERS;
    *out = NULL;
    if (run_check_state(run->run, error) != 0)
        return error->status;
    struct engine_kept *kept = calloc(1, sizeof *kept);
    if (!kept)
        return error_memory(error, sizeof *kept, "a copy of a state");
    *kept = (struct engine_kept){.context = run->context, .number = run->number};
    if (keep(run->run, kept, error) != 0) {
        engine_kept_close(kept);
        return error->status;
    }
    *out = kept;
    return 0;
}

int engine_run_return(struct engine_run *run, const struct engine_kept *kept, struct engine_error *error)
{
    API_NUMBERS;
    if (kept->context != run->context || kept->number != run->number)
        return error_set(error, ENGINE_STATUS_USAGE, "engine_run_return: another run was kept");
    struct state *state = run->run->state;
    state->step = kept->step;
    state->lost = true; /* until all fields are back */
    if (kept->store && kept->store->back(state, kept->own, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < field_count(run->run); i++)
        if (kept->fields[i] && state_copy(state, i, NULL, kept->fields[i], error) != 0)
            return error->status;
    state->lost = false;
    run_state_changed(run->run);
    instance_input_written(run->run->instance);
    return instance_renew(run->run->instance, error) != 0 ? error->status : state_synchronise(state, error);
}

void engine_kept_close(struct engine_kept *kept)
{
    for (uint32_t i = 0; kept && i < PLAN_FIELDS_MAX; i++)
        free(kept->fields[i]);
    if (kept && kept->own)
        kept->store->drop(kept->own);
    free(kept);
}
