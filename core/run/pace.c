#include "run/pace.h"
#include "base/context.h"
#include "base/machine.h"

/* The number of steps that one call should take, so that requests to stop are heard and progress is shown often enough:
 * a multiple of the implementation's preferred steps. */
static uint64_t pace_of_call(const struct pace *pace)
{
    const struct plan *plan = pace->instance->state->plan;
    const uint64_t preferred = plan->impl->batch ? plan->impl->batch : 1;
    if (pace->call_steps == 0 || pace->call_seconds <= 0)
        return preferred;
    const double done = (double) pace->call_steps;
    const double most = 4.0 * done; /* the time of a short call is inexact: grow by a factor of at most four */
    const double pace_seconds = plan->context && plan->context->hooks.pace > 0 ? plan->context->hooks.pace : 0.25;
    const double wanted = pace_seconds / (pace->call_seconds / done);
    const uint64_t steps = (uint64_t) (wanted < most ? wanted : most);
    return steps < preferred ? preferred : steps / preferred * preferred;
}

/* The number of steps that the next call takes. */
static uint64_t steps_of_call(const struct pace *pace, uint64_t target)
{
    const struct plan *plan = pace->instance->state->plan;
    const uint64_t most = pace_of_call(pace);
    uint64_t steps = target - pace->instance->state->step;
    steps = steps < plan->most_steps ? steps : plan->most_steps;
    steps = steps < most ? steps : most;
    return plan->frames > 1 ? 1 : steps;
}

/* Settles the call of `steps` steps from step `first` on. Its error names its step, although the state may be at a
 * later one. */
static int settle(struct pace *pace, uint64_t first, uint64_t steps, struct engine_error *error)
{
    if (instance_settle(pace->instance, first, steps, error) == 0)
        return 0;
    return error_prefix(error, "at step %llu: ", (unsigned long long) first);
}

/* Starts a call, and settles the one before, whose failure comes first. After a failure no call goes on. */
static int start(struct pace *pace, uint64_t steps, struct engine_error *error)
{
    const uint64_t first = pace->instance->state->step, before = pace->started ? pace->call_steps : 0;
    struct engine_error earlier, ignored;
    int status = instance_start(pace->instance, steps, error);
    pace->started = status == 0;
    if (status != 0)
        error_prefix(error, "at step %llu: ", (unsigned long long) first);
    if (before == 0 || settle(pace, first - before, before, &earlier) == 0)
        return status;
    if (pace->started)
        instance_settle(pace->instance, first, steps, &ignored);
    pace->started = false;
    *error = earlier;
    return error->status;
}

int pace_start(struct pace *pace, uint64_t target, struct engine_error *error)
{
    const uint64_t steps = steps_of_call(pace, target);
    const double begin = pace->started ? pace->clock : machine_clock();
    const int status = start(pace, steps, error);
    pace->call_steps = steps;
    pace->clock = machine_clock();
    pace->call_seconds = pace->clock - begin;
    return status;
}

int pace_settle(struct pace *pace, struct engine_error *error)
{
    const struct state *state = pace->instance->state;
    if (!pace->started)
        return 0;
    pace->started = false;
    const int status = settle(pace, state->step - pace->call_steps, pace->call_steps, error);
    pace->call_seconds = machine_clock() - pace->clock;
    return status;
}

int pace_take(struct pace *pace, uint64_t target, struct engine_error *error)
{
    struct state *state = pace->instance->state;
    const uint64_t steps = steps_of_call(pace, target);
    const double begin = machine_clock();
    int status = instance_advance(pace->instance, steps, NULL, error);
    if (status == 0) {
        status = state_synchronise(state, error);
        state->lost = state->lost || status != 0; /* nobody knows which steps the device has taken */
    }
    if (status != 0)
        return error_prefix(error, "at step %llu: ", (unsigned long long) state->step);
    pace->call_steps = steps;
    pace->call_seconds = machine_clock() - begin;
    return 0;
}
