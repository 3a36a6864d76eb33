/* engine_serve: a process that works for process 0. */
#include "api/handles.h"
#include "ensemble/api_ensemble.h"
#include "ensemble/worker.h"
#include "parts/link.h"
#include "parts/serve.h"

#include <stdlib.h>

/* The process, and the ensemble whose members it executes. */
struct members {
    struct engine_context *context;
    struct engine_ensemble *ensemble;
};

static int open_members(void *user, const char *texts, uint64_t bytes, struct engine_error *error)
{
    struct members *members = user;
    if (!members->context->context.hooks.members)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "the program here executes no members of ensembles, because it gives no hook `members`");
    engine_ensemble_close(members->ensemble); /* another process could not open it */
    struct engine_ensemble *ensemble = members->ensemble = calloc(1, sizeof *ensemble);
    if (!ensemble)
        return error_memory(error, sizeof *ensemble, "an ensemble");
    return worker_open(&ensemble->ensemble, members->context, texts, bytes, &ensemble->worker, error);
}

static int run_members(void *user, struct engine_error *error)
{
    struct members *members = user;
    const struct engine_hooks *hooks = &members->context->context.hooks;
    const int status = hooks->members(hooks->user, members->ensemble, error);
    engine_ensemble_close(members->ensemble);
    members->ensemble = NULL;
    return status;
}

int engine_serve(struct engine_context *context, struct engine_error *error)
{
    API_NUMBERS;
    struct members members = {.context = context};
    const struct serve_ensembles ensembles = {&members, open_members, run_members};
    struct link *link = context->context.link;
    if (link_rank(link) == 0)
        return error_set(error, ENGINE_STATUS_USAGE, "engine_serve is for the processes of a transport other than 0");
    const int status = serve(context->registry, link, &ensembles, error);
    engine_ensemble_close(members.ensemble);
    return status;
}
