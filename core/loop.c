#include "loop.h"
#include "init.h"
#include "progress.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t caught;

static void catch_signal(int number)
{
    caught = number;
}

static void listen(void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = (int) SA_RESETHAND; /* a second one ends the program at once */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

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
    return init_next_frame(state, error);
}

/* Takes steps until `target` or a signal. */
static int advance_to(struct instance *instance, uint64_t target, struct loop_result *result, struct error *error)
{
    struct state *state = instance->state;
    const struct plan *plan = state->plan;
    uint64_t last_steps = 0;
    double last_seconds = 0;
    bool lost;
    while (state->step < target && !caught) {
        uint64_t steps = target - state->step, pace = paced(plan->impl, last_steps, last_seconds);
        steps = steps < plan->most_steps ? steps : plan->most_steps;
        steps = steps < pace ? steps : pace;
        steps = plan->frames > 1 ? 1 : steps;
        if (take_frame(instance, error) != 0)
            return error->status;
        double begin = progress_now();
        int status = instance_advance(instance, steps, &lost, error);
        if (status == 0)
            status = plan->device->synchronise(plan->device, error);
        if (status != 0)
            return error_prefix(error, "at step %llu: ", (unsigned long long) state->step);
        last_steps = steps;
        last_seconds = progress_now() - begin;
        result->steps += steps;
        result->seconds += last_seconds;
        progress_show(state->step, plan->settings.steps, result->seconds, plan->work.per_step, plan->work.unit);
    }
    return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The analysis comes first: what is written holds this step. */
static int look_and_write(struct analysis *analysis, struct output *output, bool final, struct error *error)
{
    const int status = analysis_take(analysis, final, error);
    return status != 0 ? status : output_write(output, final, error);
}

static int steps_and_outputs(struct instance *instance, struct analysis *analysis, struct output *output,
                             struct loop_result *result, struct error *error)
{
    struct state *state = instance->state;
    const uint64_t end = state->plan->settings.steps;
    if (look_and_write(analysis, output, false, error) != 0)
        return error->status;
    while (state->step < end && !caught) {
        uint64_t due = least(analysis_next(analysis), output_next(output));
        if (advance_to(instance, least(due, end), result, error) != 0)
            return error->status;
        if (state->step == due && look_and_write(analysis, output, false, error) != 0)
            return error->status;
    }
    return look_and_write(analysis, output, true, error);
}

int loop_run(struct instance *instance, struct analysis *analysis, struct output *output, struct loop_result *result,
             struct error *error)
{
    *result = (struct loop_result){0};
    caught = 0;
    listen(catch_signal);
    int status = steps_and_outputs(instance, analysis, output, result, error);
    listen(SIG_DFL);
    progress_clear();
    result->signal = caught;
    return status;
}
