#include "record/rerun.h"
#include "record/section_checkpoint.h"
#include "record/snapshot.h"

#include <stdlib.h>

enum {
    KEPT_BYTES = 1 << 28, /* states up to this size are kept at the low end of a search */
    FEW_POINTS = 4        /* of a pass that begins there */
};

/* ---- Copies of a state ---------------------------------------------------------------------------------------- */

static int take_copies(const struct state *state, void *copies[PLAN_FIELDS_MAX], struct engine_error *error)
{
    if (state->store->keep)
        return state->store->keep(state, &copies[0], error);
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const uint64_t bytes = state_geometry(state, i)->bytes;
        if (!plan_is_saved(&state->plan->fields[i]))
            continue;
        copies[i] = malloc(bytes);
        if (!copies[i])
            return error_memory(error, bytes, "a copy of the state, to look for its cycle");
        if (state_copy(state, i, copies[i], NULL, error) != 0)
            return error->status;
    }
    return 0;
}

static int put_copies(struct instance *instance, uint64_t step, void *const copies[PLAN_FIELDS_MAX],
                      struct engine_error *error)
{
    struct state *state = instance->state;
    state->step = step;
    state_update_views(state);
    instance_state_changed(instance);
    if (state->store->keep)
        return copies[0] ? state->store->back(state, copies[0], error) : 0;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        if (copies[i] && state_copy(state, i, NULL, copies[i], error) != 0)
            return error->status;
    return 0;
}

static void free_copies(const struct state *state, void *copies[PLAN_FIELDS_MAX])
{
    if (state->store->keep && copies[0]) {
        state->store->drop(copies[0]);
        copies[0] = NULL;
    }
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++) {
        free(copies[i]);
        copies[i] = NULL;
    }
}

/* ---- The start ------------------------------------------------------------------------------------------------- */

int rerun_keep_start(struct instance *instance, struct rerun_start *start, struct engine_error *error)
{
    struct snapshot_writing *writing;
    start->step = instance->state->step;
    if (!start->folder)
        return take_copies(instance->state, start->copies, error);
    if (snapshot_start(instance, NULL, start->folder, FOLDER_START,
                       checkpoint_settings(instance->state->plan)->compressed, &writing, error) != 0)
        return error->status;
    return snapshot_finish(writing, error);
}

void rerun_drop_start(const struct instance *instance, struct rerun_start *start)
{
    free_copies(instance->state, start->copies);
}

static int go_to_start(struct rerun *rerun, struct engine_error *error)
{
    const struct rerun_start *start = rerun->start;
    struct snapshot *snapshot;
    bool damaged;
    if (!start->folder)
        return put_copies(rerun->instance, start->step, start->copies, error);
    int status = snapshot_open_in(start->folder, FOLDER_START, &snapshot, &damaged, error);
    if (status == 0) {
        status = snapshot_restore(snapshot, rerun->instance->state, &damaged, error);
        instance_state_changed(rerun->instance);
        snapshot_close(snapshot);
    }
    return status == 0 ? 0 : error_prefix(error, "[run] until: the start of the run, to find where the cycle began: ");
}

/* ---- The present ----------------------------------------------------------------------------------------------- */

int rerun_begin(struct rerun *rerun, struct engine_error *error)
{
    const int status = take_copies(rerun->instance->state, rerun->copies, error);
    if (status != 0)
        free_copies(rerun->instance->state, rerun->copies);
    return status;
}

int rerun_present(struct rerun *rerun, struct engine_error *error)
{
    struct state *state = rerun->instance->state;
    const int status = put_copies(rerun->instance, rerun->step, rerun->copies, error);
    state->lost = status != 0; /* the copies are whole, whatever has happened to the state meanwhile */
    return status;
}

int rerun_end(struct rerun *rerun, struct engine_error *error)
{
    const int status = rerun_present(rerun, error);
    free_copies(rerun->instance->state, rerun->copies);
    free_copies(rerun->instance->state, rerun->low);
    return status;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

int rerun_to(struct rerun *rerun, uint64_t target, struct engine_error *error)
{
    const struct state *state = rerun->instance->state;
    while (state->step < target) {
        rerun->abandoned = rerun->abandoned || rerun->stopped(rerun->context);
        if (rerun->abandoned)
            return 0;
        if (pace_take(rerun->pace, target, error) != 0)
            return error->status;
    }
    return 0;
}

/* Goes to a step that follows the start, or the step of the last call, and keeps the state there if it is small. */
static int go_to_low(struct rerun *rerun, uint64_t low, bool keeps, struct engine_error *error)
{
    const struct state *state = rerun->instance->state;
    const bool kept = rerun->has_low;
    if ((kept ? put_copies(rerun->instance, rerun->low_step, rerun->low, error) : go_to_start(rerun, error)) != 0 ||
        rerun_to(rerun, low, error) != 0)
        return error->status;
    if (rerun->abandoned || !keeps || (kept && low == rerun->low_step))
        return 0;
    free_copies(state, rerun->low);
    rerun->low_step = low;
    rerun->has_low = true;
    return take_copies(state, rerun->low, error);
}

int rerun_find_first(struct rerun *rerun, uint64_t low, uint64_t high, rerun_pass *pass, void *self, uint64_t *first,
                     struct engine_error *error)
{
    const bool keeps = rerun->instance->state->plan->bytes <= KEPT_BYTES;
    const uint64_t points = keeps ? FEW_POINTS : RERUN_POINTS;
    uint64_t found;
    while (low < high) {
        const uint64_t stride = (high - low + points - 1) / points;
        if (go_to_low(rerun, low, keeps, error) != 0 ||
            (!rerun->abandoned && pass(self, low, high, stride, &found, error) != 0))
            return error->status;
        if (rerun->abandoned)
            return 0;
        const uint64_t point = low + found * stride;
        low = found > 0 ? point - stride + 1 : low;
        high = point < high ? point : high;
    }
    *first = high;
    return 0;
}
