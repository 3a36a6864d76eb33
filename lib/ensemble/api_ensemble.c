/* The functions of engine.h for ensembles. */
#include "ensemble/api_ensemble.h"
#include "base/error.h"
#include "base/numeric.h"
#include "ensemble/dealer.h"
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
        dealer_close(ensemble->dealer);
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
                                                .why = own->first_failed ? &own->why : NULL};
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
    return ensemble_open(&ensemble->ensemble, flags & ENGINE_RUN_FORCE, error);
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
    else if (ensemble->ensemble.transport && !ensemble->dealer)
        status = dealer_open(&ensemble->ensemble, &ensemble->dealer, error);
    if (ensemble->dealer)
        status = dealer_exchange(ensemble->dealer, stopping, &ended, error);
    *stop = stopping;
    *over = ended;
    return status;
}

int engine_ensemble_member(const struct engine_ensemble *ensemble, uint64_t member, struct engine_context *context,
                           struct engine_run **out, struct engine_error *error)
{
    API_NUMBERS;
    return ensemble_member(&ensemble->ensemble, member, context, out, error);
}

int engine_ensemble_record(struct engine_ensemble *ensemble, uint64_t member, const struct engine_run *run,
                           const struct engine_error *why, struct engine_error *error)
{
    API_NUMBERS;
    return ensemble_record(&ensemble->ensemble, member, run, why, error);
}

int engine_ensemble_finish(struct engine_ensemble *ensemble, struct engine_error *error)
{
    API_NUMBERS;
    return ensemble_finish(&ensemble->ensemble, error);
}

int engine_ensemble_print(const struct engine_ensemble *ensemble, int form, char **text, struct engine_error *error)
{
    API_NUMBERS;
    return ensemble_print(&ensemble->ensemble, form == ENGINE_JSON, text, error);
}
