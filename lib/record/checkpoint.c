#include "record/checkpoint.h"
#include "base/context.h"
#include "base/machine.h"
#include "record/checkpoint_files.h"
#include "record/checkpoint_record.h"
#include "record/section_checkpoint.h"
#include "record/snapshot.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

enum { RUN, ANALYSIS, SNAPSHOTS };

struct checkpoints {
    struct instance *instance;
    struct output *output;
    struct json_object *identity, *earlier;
    const struct until *until; /* NULL: no condition ends the run */
    double opened, deadline;
    struct snapshot_writing *writing[SNAPSHOTS]; /* NULL: none */
    uint64_t begun;                              /* the step of the last one that was begun; UINT64_MAX: none */
    double begun_at;
    double cost;                  /* seconds that the slowest one took; 0: none yet */
    struct checkpoint_steps kept; /* that are whole */
    struct engine_error left;     /* with another status than 0: checkpoints that are not needed could not be removed */
};

static const struct checkpoint_settings *settings_of(const struct checkpoints *checkpoints)
{
    return checkpoint_settings(checkpoints->instance->state->plan);
}

static uint64_t step_of(const struct checkpoints *checkpoints)
{
    return checkpoints->instance->state->step;
}

static const struct folder *folder_of(const struct checkpoints *checkpoints)
{
    return checkpoints->output->files.folder;
}

int checkpoints_open(struct instance *instance, struct output *output, struct json_object *identity,
                     struct json_object *earlier, const struct until *until, struct checkpoints **out,
                     struct engine_error *error)
{
    struct checkpoints *checkpoints = calloc(1, sizeof *checkpoints);
    *out = checkpoints;
    if (!checkpoints) {
        json_object_put(identity);
        return error_memory(error, sizeof *checkpoints, "checkpoints");
    }
    checkpoints->instance = instance;
    checkpoints->output = output;
    checkpoints->identity = identity;
    checkpoints->earlier = earlier;
    checkpoints->until = until;
    checkpoints->opened = checkpoints->begun_at = machine_clock();
    checkpoints->begun = UINT64_MAX;
    return 0;
}

void checkpoints_set_deadline(struct checkpoints *checkpoints, double deadline)
{
    if (!checkpoints)
        return;
    checkpoints->deadline = deadline;
}

void checkpoints_close(struct checkpoints *checkpoints)
{
    struct engine_error ignored;
    if (!checkpoints)
        return;
    checkpoints_settle(checkpoints, true, &ignored);
    json_object_put(checkpoints->identity);
    free(checkpoints->kept.at);
    free(checkpoints);
}

static bool keeps_all(const struct checkpoints *checkpoints)
{
    return settings_of(checkpoints)->keep == UINT64_MAX;
}

/* Removes the checkpoints that are not needed. An error does not end the run: the next checkpoint tries again, and
 * checkpoints_end. */
static void remove_others(struct checkpoints *checkpoints)
{
    checkpoints->left.status = 0;
    if (!keeps_all(checkpoints))
        checkpoint_remove_others(folder_of(checkpoints), &checkpoints->kept, &checkpoints->left);
}

/* Forgets all but the last `most` checkpoints. */
static void shorten(struct checkpoint_steps *kept, uint64_t most)
{
    if (kept->count <= most)
        return;
    memmove(kept->at, kept->at + (kept->count - most), most * sizeof *kept->at);
    kept->count = most;
}

int checkpoints_resumed(struct checkpoints *checkpoints, struct engine_error *error)
{
    checkpoints->begun = step_of(checkpoints);
    if (checkpoint_list(folder_of(checkpoints), checkpoints->begun, checkpoints->output->analysis, &checkpoints->kept,
                        error) != 0)
        return error->status;
    shorten(&checkpoints->kept, settings_of(checkpoints)->keep);
    remove_others(checkpoints); /* as a run that was not killed would have */
    return 0;
}

uint64_t checkpoints_last(const struct checkpoints *checkpoints)
{
    const struct checkpoint_steps *kept = &checkpoints->kept;
    return kept->count > 0 ? kept->at[kept->count - 1] : UINT64_MAX;
}

/* ---- When ------------------------------------------------------------------------------------------------------ */

bool checkpoints_wanted(const struct checkpoints *checkpoints)
{
    if (!checkpoints)
        return false;
    const struct checkpoint_settings *settings = settings_of(checkpoints);
    return settings->every > 0 || settings->seconds > 0;
}

uint64_t checkpoints_next(const struct checkpoints *checkpoints)
{
    if (!checkpoints)
        return UINT64_MAX;
    const uint64_t every = settings_of(checkpoints)->every;
    return every ? (step_of(checkpoints) / every + 1) * every : UINT64_MAX;
}

static bool is_writing(const struct checkpoints *checkpoints)
{
    return checkpoints->writing[RUN] || checkpoints->writing[ANALYSIS];
}

/* A checkpoint by time is not due while the last one is still being written. */
static bool is_due_by_time(const struct checkpoints *checkpoints)
{
    const double now = machine_clock(), seconds = settings_of(checkpoints)->seconds;
    const double given = checkpoints->deadline - checkpoints->opened;
    const bool cost_unknown = checkpoints->deadline > 0 && checkpoints->cost == 0;
    return !is_writing(checkpoints) && ((seconds > 0 && now - checkpoints->begun_at >= seconds) ||
                                        (cost_unknown && now - checkpoints->opened >= given / 10));
}

bool checkpoints_due(const struct checkpoints *checkpoints)
{
    if (!checkpoints)
        return false;
    const uint64_t every = settings_of(checkpoints)->every, step = step_of(checkpoints);
    if (checkpoints->begun == step)
        return false;
    return (every > 0 && step % every == 0) || is_due_by_time(checkpoints);
}

bool checkpoints_time_is_up(const struct checkpoints *checkpoints, double call_seconds)
{
    const double left = checkpoints->deadline - machine_clock();
    const double margin = 1 + call_seconds; /* for the end of the program, and for one more call */
    const double saves = is_writing(checkpoints) ? 2.5 : 1.5;
    return checkpoints->deadline > 0 && left < saves * checkpoints->cost + margin;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* Waits for both snapshots. Reports the first error. */
static int finish_snapshots(struct checkpoints *checkpoints, struct engine_error *error)
{
    int status = 0;
    for (int which = 0; which < SNAPSHOTS; which++) {
        struct engine_error own;
        const int ended = checkpoints->writing[which] ? snapshot_finish(checkpoints->writing[which], &own) : 0;
        checkpoints->writing[which] = NULL;
        if (ended != 0 && status == 0) {
            *error = own;
            status = ended;
        }
    }
    return status;
}

/* Would a run that is not stopped have a checkpoint of that step? It has those that are due by steps; by time, any. */
static bool is_regular(const struct checkpoints *checkpoints, uint64_t step)
{
    const struct checkpoint_settings *settings = settings_of(checkpoints);
    const uint64_t every = settings->every;
    return every == 0 || settings->seconds > 0 || step % every == 0;
}

/* Keeps the checkpoint that was written. The others are the last regular ones, so that a run that was stopped in
 * between ends with the same checkpoints as one that was not. If there is none, a checkpoint of a stop has the last ones
 * beside it. */
static int keep_written(struct checkpoints *checkpoints, struct engine_error *error)
{
    struct checkpoint_steps *kept = &checkpoints->kept;
    uint64_t regular = kept->count;
    while (regular > 0 && !is_regular(checkpoints, kept->at[regular - 1]))
        regular--;
    if (!keeps_all(checkpoints) && (regular > 0 || is_regular(checkpoints, checkpoints->begun)))
        kept->count = regular;
    shorten(kept, settings_of(checkpoints)->keep - 1);
    return checkpoint_add_step(kept, checkpoints->begun, error);
}

int checkpoints_settle(struct checkpoints *checkpoints, bool wait, struct engine_error *error)
{
    bool done = checkpoints && is_writing(checkpoints);
    for (int which = 0; which < SNAPSHOTS && done && !wait; which++)
        done = done && (!checkpoints->writing[which] || snapshot_is_done(checkpoints->writing[which]));
    if (!done)
        return 0;
    if (finish_snapshots(checkpoints, error) != 0)
        return error_prefix(error, "checkpoint: ");
    const double seconds = machine_clock() - checkpoints->begun_at;
    checkpoints->cost = seconds > checkpoints->cost ? seconds : checkpoints->cost;
    if (keep_written(checkpoints, error) != 0)
        return error->status;
    remove_others(checkpoints); /* all others are older, or lack the file of the analysis */
    return 0;
}

static int begin_snapshot(struct checkpoints *checkpoints, int which, struct instance *instance, const char *text,
                          struct engine_error *error)
{
    char name[CHECKPOINT_NAME];
    checkpoint_name(step_of(checkpoints), which == ANALYSIS, name);
    return snapshot_start(instance, text, folder_of(checkpoints), name, settings_of(checkpoints)->compressed,
                          &checkpoints->writing[which], error);
}

/* Synchronises the outputs to disk before the checkpoint, which lists them. */
static int begin_all(struct checkpoints *checkpoints, const char *text, struct engine_error *error)
{
    struct analysis *analysis = checkpoints->output->analysis;
    if (output_sync(checkpoints->output, error) != 0)
        return error->status;
    if (analysis && begin_snapshot(checkpoints, ANALYSIS, analysis->instance, text, error) != 0)
        return error->status;
    return begin_snapshot(checkpoints, RUN, checkpoints->instance, text, error);
}

int checkpoints_save(struct checkpoints *checkpoints, struct engine_error *error)
{
    char *text;
    if (!checkpoints || checkpoints->begun == step_of(checkpoints))
        return 0;
    if (checkpoints_settle(checkpoints, true, error) != 0 ||
        record_text(checkpoints->output, checkpoints->identity, checkpoints->earlier, until_memory(checkpoints->until),
                    &text, error) != 0)
        return error->status;
    checkpoints->begun = step_of(checkpoints);
    checkpoints->begun_at = machine_clock();
    const int status = begin_all(checkpoints, text, error);
    free(text);
    struct engine_error ignored;
    if (status == 0)
        return checkpoints_settle(checkpoints, false, error); /* what several processes write is done now, or failed */
    finish_snapshots(checkpoints, &ignored);                  /* one snapshot without the other is not a checkpoint */
    return status;
}

void checkpoints_end(struct checkpoints *checkpoints, bool ended)
{
    if (!checkpoints)
        return;
    const bool keep = !ended || checkpoints_wanted(checkpoints);
    if (!keep && !keeps_all(checkpoints))
        checkpoints->kept.count = 0;
    if (!keep || checkpoints->left.status != 0)
        remove_others(checkpoints);
    if (checkpoints->left.status != 0)
        context_message(checkpoints->instance->state->plan->context, ENGINE_LOG_ERROR,
                        "%s; checkpoints that are not needed any more may be left", checkpoints->left.text);
}

/* ---- As an observer ----------------------------------------------------------------------------------------- */

static uint64_t observer_next(void *self)
{
    return checkpoints_next(self);
}

/* The last checkpoint is saved before the outputs of the final step, so that a run of more steps can continue from
 * it. */
static int observer_see(void *self, enum moment moment, const struct loop_view *view, struct engine_error *error)
{
    (void) view;
    if ((moment == MOMENT_DUE && checkpoints_due(self)) || (moment == MOMENT_END && checkpoints_wanted(self)) ||
        moment == MOMENT_STOPPED)
        if (checkpoints_save(self, error) != 0)
            return error->status;
    if (moment != MOMENT_CLOSE && moment != MOMENT_STOPPED)
        return 0;
    if (checkpoints_settle(self, true, error) != 0)
        return error->status;
    checkpoints_end(self, moment == MOMENT_CLOSE);
    return 0;
}

static int observer_settle(void *self, struct engine_error *error)
{
    return checkpoints_settle(self, false, error);
}

static bool observer_is_urgent(void *self)
{
    return checkpoints_due(self);
}

static bool observer_must_stop(void *self, double call_seconds)
{
    return checkpoints_time_is_up(self, call_seconds);
}

struct observer checkpoints_observer(struct checkpoints *checkpoints)
{
    return (struct observer){.self = checkpoints,
                             .next = observer_next,
                             .see = observer_see,
                             .settle = observer_settle,
                             .is_urgent = observer_is_urgent,
                             .must_stop = observer_must_stop};
}
