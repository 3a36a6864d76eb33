#include "run/loop.h"
#include "base/context.h"
#include "plan/source.h"

#include <signal.h>

/* A running loop. */
struct loop {
    struct instance *instance;
    const struct observers *observers;
    struct loop_result *result;
    uint64_t end; /* the step at which the loop ends */
    struct pace pace;
};

/* ---- Observers ---------------------------------------------------------------------------------------------- */

static const char *ended(const struct loop *loop)
{
    const char *why = NULL;
    for (uint32_t i = 0; i < loop->observers->count && !why; i++)
        if (loop->observers->at[i].ended)
            why = loop->observers->at[i].ended(loop->observers->at[i].self);
    return why;
}

static uint64_t next_due(const struct loop *loop)
{
    uint64_t due = loop->end;
    for (uint32_t i = 0; i < loop->observers->count; i++) {
        const struct observer *observer = &loop->observers->at[i];
        const uint64_t next = observer->next ? observer->next(observer->self) : UINT64_MAX;
        due = next < due ? next : due;
    }
    return due;
}

static bool is_urgent(const struct loop *loop)
{
    for (uint32_t i = 0; i < loop->observers->count; i++)
        if (loop->observers->at[i].is_urgent && loop->observers->at[i].is_urgent(loop->observers->at[i].self))
            return true;
    return false;
}

static int settle(const struct loop *loop, struct engine_error *error)
{
    for (uint32_t i = 0; i < loop->observers->count; i++)
        if (loop->observers->at[i].settle && loop->observers->at[i].settle(loop->observers->at[i].self, error) != 0)
            return error->status;
    return 0;
}

static void obey_observers(struct loop *loop)
{
    for (uint32_t i = 0; i < loop->observers->count && loop->result->signal == 0; i++)
        if (loop->observers->at[i].must_stop &&
            loop->observers->at[i].must_stop(loop->observers->at[i].self, loop->pace.call_seconds))
            loop->result->signal = SIGALRM;
}

/* Asks the context whether to stop, until it gives a reason. */
static bool is_stopped(struct loop *loop)
{
    if (loop->result->signal == 0)
        loop->result->signal = context_stop(loop->instance->state->plan->context);
    return loop->result->signal != 0;
}

static bool stopped(void *context)
{
    struct loop *loop = context;
    obey_observers(loop);
    return is_stopped(loop);
}

/* All see the state; at an ordinary step, none after one that ends the run. */
static int see(struct loop *loop, enum moment moment, struct engine_error *error)
{
    const struct loop_view view = {&loop->pace, stopped, loop};
    for (uint32_t i = 0; i < loop->observers->count; i++) {
        const struct observer *observer = &loop->observers->at[i];
        if ((moment == MOMENT_START || moment == MOMENT_DUE) && ended(loop))
            return 0;
        if (observer->see && observer->see(observer->self, moment, &view, error) != 0)
            return error->status;
    }
    return 0;
}

/* ---- Calls -------------------------------------------------------------------------------------------------- */

/* Reads the frame of the step, if the run reads frames from files. Frame 0 was loaded at the start. */
static int take_frame(struct instance *instance, struct engine_error *error)
{
    struct state *state = instance->state;
    if (state->plan->frames == 1 || state->step + state->frame == 0)
        return 0;
    if (state->step < state->frame)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "a run that has read frame %llu of a trajectory cannot go back to step %llu",
                         (unsigned long long) state->frame, (unsigned long long) state->step);
    if (state->step >= state->plan->frames)
        return error_set(error, ENGINE_STATUS_INPUT, "step %llu has no frame: the files have %llu",
                         (unsigned long long) state->step, (unsigned long long) state->plan->frames);
    instance_state_changed(instance);
    state->frame = state->step;
    return state->plan->source->next_frame(state, instance_overlaps(instance), error);
}

static int take_call(struct loop *loop, uint64_t target, struct engine_error *error)
{
    const bool overlaps = instance_overlaps(loop->instance);
    if ((overlaps ? pace_start : pace_take)(&loop->pace, target, error) != 0)
        return error->status;
    loop->result->steps += loop->pace.call_steps;
    loop->result->seconds += loop->pace.call_seconds;
    return 0;
}

static void report_progress(const struct loop *loop)
{
    const struct plan *plan = loop->instance->state->plan;
    const struct engine_progress progress = {.size = sizeof progress,
                                             .step = loop->instance->state->step,
                                             .steps = loop->end,
                                             .taken = loop->result->steps,
                                             .seconds = loop->result->seconds,
                                             .work_per_step = plan->work.per_step,
                                             .work_unit = plan->work.unit};
    context_progress(plan->context, &progress);
}

/* Takes calls until the state reaches `target`, the run must stop, or an observer is urgent. The last one may go on. */
static int take_calls(struct loop *loop, uint64_t target, struct engine_error *error)
{
    const struct state *state = loop->instance->state;
    bool urgent = false;
    while (state->step < target && !urgent && !is_stopped(loop)) {
        if (take_frame(loop->instance, error) != 0 || take_call(loop, target, error) != 0 || settle(loop, error) != 0)
            return error->status;
        report_progress(loop);
        urgent = is_urgent(loop);
        obey_observers(loop);
    }
    return 0;
}

/* The same, and waits for the last call, whose failure comes before that of reading the frame after it. */
static int advance_to(struct loop *loop, uint64_t target, struct engine_error *error)
{
    struct engine_error earlier;
    const int status = take_calls(loop, target, error);
    if (!loop->pace.started)
        return status;
    if (pace_settle(&loop->pace, &earlier) != 0) {
        *error = earlier;
        return error->status;
    }
    loop->result->seconds += loop->pace.call_seconds;
    return status;
}

/* ---- Loops -------------------------------------------------------------------------------------------------- */

/* Takes the steps up to the end, unless an observer ends the run or it is stopped. */
static int take_steps(struct loop *loop, struct engine_error *error)
{
    const struct state *state = loop->instance->state;
    int status = see(loop, MOMENT_START, error);
    while (status == 0 && state->step < loop->end && !ended(loop) && !is_stopped(loop)) {
        status = advance_to(loop, next_due(loop), error);
        if (status == 0)
            status = see(loop, MOMENT_DUE, error);
    }
    return status;
}

int loop_run(struct instance *instance, const struct observers *observers, struct loop_result *result,
             struct engine_error *error)
{
    const struct state *state = instance->state;
    struct loop loop = {.instance = instance,
                        .observers = observers,
                        .result = result,
                        .pace = {.instance = instance},
                        .end = state->plan->settings.steps};
    *result = (struct loop_result){0};
    report_progress(&loop); /* tells the caller that the steps begin */
    int status = take_steps(&loop, error);
    const bool over = state->step >= loop.end || ended(&loop);
    if (status == 0)
        status = see(&loop, over ? MOMENT_END : MOMENT_STOPPED, error);
    for (enum moment moment = MOMENT_FINAL; status == 0 && over && moment <= MOMENT_CLOSE; moment++)
        status = see(&loop, moment, error);
    if (status == 0 && over) {
        result->signal = 0; /* it came too late to stop the run */
        result->ended = ended(&loop);
    }
    context_idle(state->plan->context);
    return status;
}

int loop_check_steps(const struct state *state, uint64_t steps, struct engine_error *error)
{
    return steps <= UINT64_MAX - state->step
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE, "%llu steps after step %llu are more than a run can count",
                           (unsigned long long) steps, (unsigned long long) state->step);
}

int loop_advance(struct instance *instance, const struct observers *observers, uint64_t steps,
                 struct engine_error *error)
{
    const struct state *state = instance->state;
    struct loop_result result = {0};
    if (loop_check_steps(state, steps, error) != 0)
        return error->status;
    struct loop loop = {.instance = instance,
                        .observers = observers,
                        .result = &result,
                        .end = state->step + steps,
                        .pace = {.instance = instance}};
    return take_steps(&loop, error);
}
