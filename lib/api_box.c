/* engine_run_set_box: frames that a program feeds have boxes of their own. */
#include "api/handles.h"

#include <math.h>
#include <string.h>

/* A plan is for boxes that are periodic along the same axes. */
static int check_box(const struct state *state, const double box[6], struct engine_error *error)
{
    const double *now = state->for_plugin.box;
    for (int axis = 0; axis < 3; axis++) {
        if (!isfinite(box[axis]) || !isfinite(box[3 + axis]) || box[axis] < 0)
            return error_set(
                error, ENGINE_STATUS_USAGE,
                "the box is %g %g %g with the tilts %g %g %g; expected edges of 0 or more, and finite tilts", box[0],
                box[1], box[2], box[3], box[4], box[5]);
        if ((box[axis] > 0) != (now[axis] > 0))
            return error_set(error, ENGINE_STATUS_USAGE,
                             "the box %s along %c, and that of the run %s; open another run for boxes of this kind",
                             box[axis] > 0 ? "is periodic" : "is open", "xyz"[axis],
                             box[axis] > 0 ? "is open" : "is periodic");
    }
    return 0;
}

static bool has_states(const struct engine_plugin *about)
{
    for (uint32_t i = 0; i < about->fields.count; i++)
        if (about->fields.at[i].role == ENGINE_STATE)
            return true;
    return false;
}

/* A plugin without states takes frames, so its instance expects that each call has another box. */
static void tell_instance(const struct run *run)
{
    if (run->instance)
        (has_states(&run->plan->plugin->about) ? instance_input_written : instance_state_changed)(run->instance);
}

int engine_run_set_box(struct engine_run *run, const double box[6], struct engine_error *error)
{
    API_NUMBERS;
    double before[6];
    if (!run->prepared && run_check_state(run->run, error) != 0)
        return error->status;
    struct state *state = run->run->state;
    memcpy(before, state->for_plugin.box, sizeof before);
    int status = check_box(state, box, error);
    if (status == 0)
        status = state_change_box(state, box, error);
    if (status != 0)
        memcpy(state->for_plugin.box, before, sizeof before);
    else if (memcmp(before, box, sizeof before) != 0)
        tell_instance(run->run);
    return status;
}
