#include "loop.h"
#include "init.h"
#include "progress.h"
#include "stop.h"

/* What a loop is about. */
struct loop {
    struct instance *instance;
    struct analysis *analysis;
    struct output *output;
    struct checkpoints *checkpoints;
    struct loop_result *result;
    uint64_t call_steps; /* of the last call */
    double call_seconds; /* that it took */
};

/* The number of steps a call should take before a signal is heard and progress shown: a multiple of what the
 * implementation does best. */
static uint64_t paced(const struct engine_impl *impl, uint64_t steps, double seconds)
{
    const uint64_t batch = impl->batch ? impl->batch : 1;
    if (steps == 0 || seconds <= 0)
        return batch;
    double most = 4.0 * (double) steps; /* early measurements mislead */
    double wanted = progress_pace() / (seconds / (double) steps);
    uint64_t pace = (uint64_t) (wanted < most ? wanted : most);
    return pace < batch ? batch : pace / batch * batch;
}

/* Of files of frames each step takes one; the first stands there since the start. */
static int take_frame(struct instance *instance, struct error *error)
{
    struct state *state = instance->state;
    if (state->plan->frames == 1 || state->step == 0)
        return 0;
    instance_state_changed(instance);
    return init_next_frame(state, 1, error);
}

/* As many steps as one call may take. */
static uint64_t steps_of_call(const struct loop *loop, uint64_t target)
{
    const struct plan *plan = loop->instance->state->plan;
    const uint64_t pace = paced(plan->impl, loop->call_steps, loop->call_seconds);
    uint64_t steps = target - loop->instance->state->step;
    steps = steps < plan->most_steps ? steps : plan->most_steps;
    steps = steps < pace ? steps : pace;
    return plan->frames > 1 ? 1 : steps;
}

static int take_call(struct loop *loop, uint64_t steps, struct error *error)
{
    struct state *state = loop->instance->state;
    struct device *device = state->plan->device;
    bool lost;
    const double begin = progress_now();
    int status = instance_advance(loop->instance, steps, &lost, error);
    if (status == 0)
        status = device->synchronise(device, error);
    if (status != 0)
        return error_prefix(error, "at step %llu: ", (unsigned long long) state->step);
    loop->call_steps = steps;
    loop->call_seconds = progress_now() - begin;
    loop->result->steps += steps;
    loop->result->seconds += loop->call_seconds;
    return 0;
}

/* Takes steps until `target`, or until the run is to be stopped, or saved. */
static int advance_to(struct loop *loop, uint64_t target, struct error *error)
{
    const struct state *state = loop->instance->state;
    const struct plan *plan = state->plan;
    bool save = false;
    while (state->step < target && !save && stop_signal() == 0) {
        if (take_frame(loop->instance, error) != 0 || take_call(loop, steps_of_call(loop, target), error) != 0 ||
            checkpoints_settle(loop->checkpoints, false, error) != 0)
            return error->status;
        progress_show(state->step, plan->settings.steps, loop->result->steps, loop->result->seconds,
                      plan->work.per_step, plan->work.unit);
        save = checkpoints_due(loop->checkpoints);
        if (checkpoints_time_is_up(loop->checkpoints, loop->call_seconds))
            stop_for_time();
    }
    return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The analysis comes first: what is written holds this step. */
static int look_and_write(const struct loop *loop, bool final, struct error *error)
{
    const int status = analysis_take(loop->analysis, final, error);
    return status != 0 ? status : output_write(loop->output, final, error);
}

/* To the next step at which something is due. */
static int go_on(struct loop *loop, struct error *error)
{
    const struct state *state = loop->instance->state;
    const uint64_t due = least(analysis_next(loop->analysis), output_next(loop->output));
    const uint64_t target = least(least(due, checkpoints_next(loop->checkpoints)), state->plan->settings.steps);
    if (advance_to(loop, target, error) != 0)
        return error->status;
    if (state->step == due && look_and_write(loop, false, error) != 0)
        return error->status;
    return checkpoints_due(loop->checkpoints) ? checkpoints_save(loop->checkpoints, error) : 0;
}

/* What is done at the final step alone comes after the checkpoint, from which a run of more steps can go on. Of a run
 * that is to outlast its machine all is on the disk when it has ended. */
static int end_run(struct loop *loop, struct error *error)
{
    const bool wanted = checkpoints_wanted(loop->checkpoints);
    if (wanted && checkpoints_save(loop->checkpoints, error) != 0)
        return error->status;
    if (look_and_write(loop, true, error) != 0 || checkpoints_settle(loop->checkpoints, true, error) != 0 ||
        (wanted && output_sync(loop->output, error) != 0))
        return error->status;
    checkpoints_end(loop->checkpoints);
    return 0;
}

static int stop_run(struct loop *loop, struct error *error)
{
    loop->result->signal = stop_signal();
    const int status = checkpoints_save(loop->checkpoints, error);
    return status != 0 ? status : checkpoints_settle(loop->checkpoints, true, error);
}

static int take_all(struct loop *loop, struct error *error)
{
    const struct state *state = loop->instance->state;
    const uint64_t end = state->plan->settings.steps;
    if (look_and_write(loop, false, error) != 0)
        return error->status;
    while (state->step < end && stop_signal() == 0)
        if (go_on(loop, error) != 0)
            return error->status;
    return state->step < end ? stop_run(loop, error) : end_run(loop, error);
}

int loop_run(struct instance *instance, struct analysis *analysis, struct output *output,
             struct checkpoints *checkpoints, struct loop_result *result, struct error *error)
{
    struct loop loop = {instance, analysis, output, checkpoints, result, 0, 0};
    const int signal = instance->state->plan->settings.checkpoint.signal;
    *result = (struct loop_result){0};
    stop_listen(signal);
    const int status = take_all(&loop, error);
    stop_deafen(signal);
    progress_clear();
    return status;
}
