/* The functions of engine.h for ensembles. */
#include "ensemble/api_ensemble.h"
#include "base/error.h"
#include "base/numeric.h"
#include "ensemble/batch.h"
#include "ensemble/scheduler.h"
#include "ensemble/worker.h"

#include <stdlib.h>
#include <string.h>

static struct engine_ensemble *new_ensemble(struct engine_error *error)
{
    struct engine_ensemble *ensemble = calloc(1, sizeof *ensemble);
    if (!ensemble)
        error_memory(error, sizeof *ensemble, "an ensemble");
    return ensemble;
}

int engine_ensemble_plan(const struct engine_config *config, struct engine_ensemble **out, struct engine_error *error)
{
    API_NUMBERS;
    *out = NULL;
    if (!ensemble_is_asked(config))
        return 0;
    struct engine_ensemble *ensemble = new_ensemble(error);
    if (!ensemble)
        return error->status;
    const int status = ensemble_plan(&ensemble->ensemble, config, error);
    if (status == 0)
        *out = ensemble;
    else
        engine_ensemble_close(ensemble);
    return status;
}

int engine_ensemble_resume(struct engine_context *context, const char *folder, const char *const *assignments,
                           uint32_t count, struct engine_ensemble **out, struct engine_error *error)
{
    API_NUMBERS;
    struct engine_ensemble *ensemble = new_ensemble(error);
    bool found;
    *out = NULL;
    if (!ensemble)
        return error->status;
    const int status = ensemble_resume(&ensemble->ensemble, context, folder, assignments, count, &found, error);
    if (status == 0 && found)
        *out = ensemble;
    else
        engine_ensemble_close(ensemble);
    return status;
}

void engine_ensemble_close(struct engine_ensemble *ensemble)
{
    API_NUMBERS;
    if (ensemble) {
        scheduler_close(ensemble->scheduler);
        worker_close(ensemble->worker);
        ensemble_release(&ensemble->ensemble);
    }
    free(ensemble);
}

void engine_ensemble_about(const struct engine_ensemble *ensemble, struct engine_ensemble_info *info)
{
    const struct ensemble *own = &ensemble->ensemble;
    const struct engine_ensemble_info filled = {.size = info->size,
                                                .at_once = own->at_once,
                                                .members = own->count,
                                                .found = own->found,
                                                .folder = engine_run_folder(own->first),
                                                .signal = engine_run_signal(own->first),
                                                .ranks = ensemble_ranks(own),
                                                .done = own->done,
                                                .failed = own->failed,
                                                .first_failed = own->first_failed,
                                                .why = own->first_failed ? &own->why : NULL,
                                                .together = own->together};
    memcpy(info, &filled, info->size < sizeof filled ? info->size : sizeof filled);
}

int engine_ensemble_print_plan(struct engine_ensemble *ensemble, int form, char **text, struct engine_error *error)
{
    API_NUMBERS;
    return ensemble_print_plan(&ensemble->ensemble, form == ENGINE_JSON, text, error);
}

int engine_ensemble_check_room(const struct engine_ensemble *ensemble, struct engine_error *error)
{
    API_NUMBERS;
    return ensemble_check_room(&ensemble->ensemble, error);
}

int engine_ensemble_open(struct engine_ensemble *ensemble, uint32_t flags, struct engine_error *error)
{
    API_NUMBERS;
    if (ensemble->ensemble.folder || ensemble->ensemble.elsewhere)
        return error_set(error, ENGINE_STATUS_USAGE, "the ensemble has its folder; engine_ensemble_open opens it once");
    return ensemble_open(&ensemble->ensemble, flags & ENGINE_RUN_FORCE, error);
}

/* ---- Members ---------------------------------------------------------------------------------------------------- */

static int check_member(const struct engine_ensemble *ensemble, uint64_t member, struct engine_error *error)
{
    return member >= 1 && member <= ensemble->ensemble.count
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE, "the ensemble has no member %llu; expected 1 to %llu",
                           (unsigned long long) member, (unsigned long long) ensemble->ensemble.count);
}

/* Checks that there are tables for results. */
static int check_tables(const struct engine_ensemble *ensemble, struct engine_error *error)
{
    return ensemble->ensemble.tables.done
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE, "the ensemble has no tables; call engine_ensemble_open first");
}

uint64_t engine_ensemble_missing(const struct engine_ensemble *ensemble, uint64_t member)
{
    return ensemble_missing(&ensemble->ensemble, member);
}

uint64_t engine_ensemble_take(struct engine_ensemble *ensemble, int *more)
{
    *more = ensemble->worker != NULL;
    return ensemble->worker ? worker_take(ensemble->worker) : ensemble_take(&ensemble->ensemble);
}

int engine_ensemble_exchange(struct engine_ensemble *ensemble, int *stop, int *over, struct engine_error *error)
{
    API_NUMBERS;
    bool stopping = *stop, ended = true;
    int status = 0;
    if (ensemble->worker)
        status = worker_exchange(ensemble->worker, &stopping, &ended, error);
    else if (ensemble->ensemble.transport && !ensemble->scheduler)
        status = scheduler_open(&ensemble->ensemble, &ensemble->scheduler, error);
    if (ensemble->scheduler)
        status = scheduler_exchange(ensemble->scheduler, stopping, &ended, error);
    *stop = stopping;
    *over = ended;
    return status;
}

int engine_ensemble_member(const struct engine_ensemble *ensemble, uint64_t member, struct engine_context *context,
                           struct engine_run **out, struct engine_error *error)
{
    API_NUMBERS;
    *out = NULL;
    return check_member(ensemble, member, error) != 0
               ? error->status
               : ensemble_member(&ensemble->ensemble, member, context, out, error);
}

int engine_ensemble_record(struct engine_ensemble *ensemble, uint64_t member, const struct engine_run *run,
                           const struct engine_error *why, struct engine_error *error)
{
    API_NUMBERS;
    if (check_member(ensemble, member, error) != 0 ||
        (!ensemble->ensemble.elsewhere && check_tables(ensemble, error) != 0))
        return error->status;
    if (ensemble->finished || tables_is_done(&ensemble->ensemble.tables, member))
        return error_set(error, ENGINE_STATUS_USAGE, "member %llu has been recorded, or the ensemble has been finished",
                         (unsigned long long) member);
    if (ensemble->ensemble.exchange > 0)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "the members exchange positions, so they have no runs of their own; call engine_batch_open");
    if (!run && !why)
        return error_set(error, ENGINE_STATUS_USAGE, "member %llu: expected its run, or why it failed",
                         (unsigned long long) member);
    return ensemble_record(&ensemble->ensemble, member, run, why, error);
}

/* ---- Batches of members ----------------------------------------------------------------------------------------- */

struct engine_batch {
    struct engine_ensemble *ensemble;
    struct batch *batch;
};

int engine_batch_open(struct engine_ensemble *ensemble, struct engine_context *context, struct engine_batch **out,
                      struct engine_error *error)
{
    API_NUMBERS;
    struct engine_batch *batch = calloc(1, sizeof *batch);
    *out = NULL;
    if (!batch)
        return error_memory(error, sizeof *batch, "a batch");
    batch->ensemble = ensemble;
    if (batch_open(&ensemble->ensemble, context, &batch->batch, error) == 0)
        *out = batch;
    else
        free(batch);
    return *out ? 0 : error->status;
}

void engine_batch_close(struct engine_batch *batch)
{
    API_NUMBERS;
    if (batch)
        batch_close(batch->batch);
    free(batch);
}

uint64_t engine_batch_room(const struct engine_batch *batch)
{
    return batch_room(batch->batch);
}

void engine_batch_add(struct engine_batch *batch, uint64_t member)
{
    batch_add(batch->batch, member);
}

uint64_t engine_batch_member(const struct engine_batch *batch)
{
    return batch_member(batch->batch);
}

void engine_batch_advance(struct engine_batch *batch)
{
    API_NUMBERS;
    batch_advance(batch->batch);
}

int64_t engine_batch_record(struct engine_batch *batch, struct engine_error *error)
{
    API_NUMBERS;
    struct ensemble *ensemble = &batch->ensemble->ensemble;
    const int64_t ended = batch_ended(batch->batch);
    return (!ensemble->elsewhere && check_tables(batch->ensemble, error) != 0) ||
                   batch_record(batch->batch, ensemble, error) != 0
               ? -1
               : ended;
}

int engine_ensemble_finish(struct engine_ensemble *ensemble, struct engine_error *error)
{
    API_NUMBERS;
    ensemble->finished = check_tables(ensemble, error) == 0;
    return ensemble->finished ? ensemble_finish(&ensemble->ensemble, error) : error->status;
}

int engine_ensemble_print(const struct engine_ensemble *ensemble, int form, char **text, struct engine_error *error)
{
    API_NUMBERS;
    *text = NULL;
    return check_tables(ensemble, error) != 0 ? error->status
                                              : ensemble_print(&ensemble->ensemble, form == ENGINE_JSON, text, error);
}
