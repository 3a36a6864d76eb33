#include "run/loop.h"
#include "base/context.h"
#include "run/ahead.h"

#include <signal.h>

/* A running loop. */
struct loop {
    struct instance *instance;
    struct analysis *analysis;
    struct output *output;
    struct checkpoints *checkpoints; /* NULL: the loop saves none */
    struct until *until;             /* NULL: no condition ends the loop */
    struct loop_result *result;
    uint64_t end; /* the step at which the loop ends */
    struct pace pace;
};

/* Reads the next frame, if the run reads frames from files. Frame 0 was loaded at the start. */
static int take_frame(struct instance *instance, struct engine_error *error)
{
    struct state *state = instance->state;
    if (state->plan->frames == 1 || state->step == 0)
        return 0;
    if (state->step >= state->plan->frames)
        return error_set(error, ENGINE_STATUS_INPUT, "step %llu has no frame: the files have %llu",
                         (unsigned long long) state->step, (unsigned long long) state->plan->frames);
    instance_state_changed(instance);
    return ahead_next_frame(&instance->ahead, state, instance_overlaps(instance), error);
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

/* Asks the context whether to stop, until it gives a reason. */
static bool is_stopped(struct loop *loop)
{
    if (loop->result->signal == 0)
        loop->result->signal = context_stop(loop->instance->state->plan->context);
    return loop->result->signal != 0;
}

static void obey_deadline(struct loop *loop)
{
    if (loop->checkpoints && checkpoints_time_is_up(loop->checkpoints, loop->pace.call_seconds) &&
        loop->result->signal == 0)
        loop->result->signal = SIGALRM;
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

/* Takes calls until the state reaches `target`, the run must stop, or a checkpoint is due. The last one may go on. */
static int take_calls(struct loop *loop, uint64_t target, struct engine_error *error)
{
    const struct state *state = loop->instance->state;
    struct checkpoints *checkpoints = loop->checkpoints;
    bool save = false;
    while (state->step < target && !save && !is_stopped(loop)) {
        if (take_frame(loop->instance, error) != 0 || take_call(loop, target, error) != 0 ||
            checkpoints_settle(checkpoints, false, error) != 0)
            return error->status;
        report_progress(loop);
        save = checkpoints_due(checkpoints);
        obey_deadline(loop);
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

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Runs the analysis, if it is due, and then writes the outputs, which include the analysis of this step. */
static int analyse_and_write(const struct loop *loop, bool final, struct engine_error *error)
{
    const int status = analysis_take(loop->analysis, final, error);
    return status != 0 ? status : output_write(loop->output, final, error);
}

static bool must_stop(void *context)
{
    struct loop *loop = context;
    obey_deadline(loop);
    return is_stopped(loop);
}

/* Finds out whether a condition ends the run at the present step. */
static int look(struct loop *loop, struct engine_error *error)
{
    return until_look(loop->until, &loop->pace, must_stop, loop, error);
}

/* Advances to the next step at which anything is due, and does it. Where the run ends, end_run writes. */
static int advance_to_next_due(struct loop *loop, struct engine_error *error)
{
    const struct state *state = loop->instance->state;
    const uint64_t due = least(analysis_next(loop->analysis), output_next(loop->output));
    const uint64_t saved = least(checkpoints_next(loop->checkpoints), loop->end);
    if (advance_to(loop, least(least(due, saved), until_next(loop->until)), error) != 0 || look(loop, error) != 0)
        return error->status;
    if (until_ended(loop->until))
        return 0;
    if (state->step == due && analyse_and_write(loop, false, error) != 0)
        return error->status;
    return checkpoints_due(loop->checkpoints) ? checkpoints_save(loop->checkpoints, error) : 0;
}

/* Saves the last checkpoint before the outputs of the final step, so that a run of more steps can continue from it.
 * Synchronises the outputs to disk before the summary is written, which says that the run has ended. */
static int end_run(struct loop *loop, struct engine_error *error)
{
    if (checkpoints_wanted(loop->checkpoints) && checkpoints_save(loop->checkpoints, error) != 0)
        return error->status;
    if (analyse_and_write(loop, true, error) != 0 || checkpoints_settle(loop->checkpoints, true, error) != 0 ||
        output_sync(loop->output, error) != 0 || output_check(loop->output, error) != 0)
        return error->status;
    checkpoints_end(loop->checkpoints, true);
    loop->result->signal = 0; /* it came too late to stop the run */
    loop->result->ended = until_ended(loop->until);
    return 0;
}

static int stop_run(struct loop *loop, struct engine_error *error)
{
    if (checkpoints_save(loop->checkpoints, error) != 0 || checkpoints_settle(loop->checkpoints, true, error) != 0)
        return error->status;
    checkpoints_end(loop->checkpoints, false);
    return 0;
}

static int take_steps(struct loop *loop, struct engine_error *error)
{
    const struct state *state = loop->instance->state;
    if (look(loop, error) != 0 || (!until_ended(loop->until) && analyse_and_write(loop, false, error) != 0))
        return error->status;
    while (state->step < loop->end && !until_ended(loop->until) && !is_stopped(loop))
        if (advance_to_next_due(loop, error) != 0)
            return error->status;
    return state->step < loop->end && !until_ended(loop->until) ? stop_run(loop, error) : end_run(loop, error);
}

int loop_run(struct instance *instance, struct analysis *analysis, struct output *output,
             struct checkpoints *checkpoints, struct until *until, struct loop_result *result,
             struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    struct loop loop = {.instance = instance,
                        .analysis = analysis,
                        .output = output,
                        .checkpoints = checkpoints,
                        .until = until,
                        .result = result,
                        .pace = {.instance = instance},
                        .end = plan->settings.steps};
    *result = (struct loop_result){0};
    report_progress(&loop); /* tells the caller that the steps begin */
    const int status = take_steps(&loop, error);
    context_idle(plan->context);
    return status;
}

int loop_advance(struct instance *instance, struct analysis *analysis, uint64_t steps, struct engine_error *error)
{
    const struct state *state = instance->state;
    struct loop_result result = {0};
    if (steps > UINT64_MAX - state->step)
        return error_set(error, ENGINE_STATUS_USAGE, "%llu steps after step %llu are more than a run can count",
                         (unsigned long long) steps, (unsigned long long) state->step);
    struct loop loop = {.instance = instance,
                        .analysis = analysis,
                        .result = &result,
                        .end = state->step + steps,
                        .pace = {.instance = instance}};
    int status = analysis_take(analysis, false, error);
    while (status == 0 && state->step < loop.end && !is_stopped(&loop)) {
        status = advance_to(&loop, least(analysis_next(analysis), loop.end), error);
        if (status == 0)
            status = analysis_take(analysis, false, error);
    }
    return status;
}
