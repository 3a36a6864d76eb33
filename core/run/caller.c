#include "run/caller.h"
#include "base/thread_pool.h"

#include <stdio.h>
#include <string.h>

const char *caller_name(const struct caller *caller, const char *function, char text[CALLER_TEXT])
{
    const struct plan *plan = caller->state->plan;
    snprintf(text, CALLER_TEXT, "%s/%s: %s", plan->plugin->about.name, plan->impl->name, function);
    return text;
}

void caller_init_host(const struct state *state, struct host *host)
{
    const struct plan *plan = state->plan;
    host_init(host, plan->context, plan->plugin->about.name, plan->for_plugin.threads, plan->device);
}

void caller_renew_host(const struct state *state, struct host *host)
{
    thread_pool_close(host->own_pool);
    host_release(host);
    caller_init_host(state, host);
}

static struct engine_call call_for(const struct caller *caller, bool fresh, uint64_t steps)
{
    const struct state *state = caller->state;
    const struct plan *plan = state->plan;
    struct engine_call call = {
        .size = sizeof call,
        .flags = fresh ? ENGINE_CALL_FRESH : 0,
        .host = &caller->host->table,
        .plan = caller->plan,
        .buffers = {caller->views, plan->plugin->about.fields.count, sizeof state->views[0]},
        .stream = plan->device->stream,
        .first_step = state->step,
        .steps = steps,
        .current = state->current,
        .result = plan->impl->flags & ENGINE_IN_PLACE ? state->current : 1 - state->current,
    };
    memcpy(call.end, state->views[0].shape->extent, sizeof call.end);
    if (plan->slab.count > 0 && plan->slab.axis < plan->shapes[0].rank) {
        call.begin[plan->slab.axis] = plan->slab.before;
        call.end[plan->slab.axis] = plan->slab.before + plan->slab.count;
    }
    return call;
}

/* The error of a call that returned `code`. */
static int failed(const struct caller *caller, const char *function, int code, struct engine_error *error)
{
    char text[CALLER_TEXT];
    return host_error(caller->host, code, caller_name(caller, function, text), error);
}

int caller_create(struct caller *caller, struct engine_error *error)
{
    const struct engine_impl *impl = caller->state->plan->impl;
    if (impl->create) {
        struct engine_call call = call_for(caller, caller->state->fresh, 0);
        host_enter(caller->host, "create");
        const int code = impl->create(&call, &caller->self);
        host_leave(caller->host);
        if (code != 0)
            return failed(caller, "create", code, error);
    }
    caller->created = true;
    return 0;
}

void caller_destroy(struct caller *caller)
{
    const struct engine_impl *impl = caller->state->plan->impl;
    if (caller->created && impl->destroy) {
        host_enter(caller->host, "destroy");
        impl->destroy(caller->self);
        host_leave(caller->host);
    }
    caller->self = NULL;
    caller->created = false;
}

/* Calls settle, if the implementation has it. Its errors lose the state: `advance` has changed it. */
static int settle_call(const struct caller *caller, const struct engine_call *call)
{
    const struct engine_impl *impl = caller->state->plan->impl;
    if (!impl->settle)
        return 0;
    host_enter(caller->host, "settle");
    const int code = impl->settle(caller->self, call);
    host_leave(caller->host);
    return code > 0 ? -code : code;
}

int caller_advance(struct caller *caller, uint64_t steps, uint32_t *result, bool *lost, struct engine_error *error)
{
    struct engine_call call = call_for(caller, caller->state->fresh, steps);
    char text[CALLER_TEXT];
    host_enter(caller->host, "advance");
    int code = caller->state->plan->impl->advance(caller->self, &call);
    host_leave(caller->host);
    if (code == 0 && !caller->unsettled)
        code = settle_call(caller, &call);
    *lost = code < 0;
    *result = call.result;
    if (code != 0)
        return failed(caller, "advance", code, error);
    if (call.result > 1)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s reported that buffer %u holds the result, expected 0 or 1",
                         caller_name(caller, "advance", text), call.result);
    return 0;
}

int caller_settle(struct caller *caller, uint64_t first, uint64_t steps, struct engine_error *error)
{
    struct engine_call call = call_for(caller, false, steps);
    call.first_step = first;
    const int code = settle_call(caller, &call);
    return code != 0 ? failed(caller, "advance", code, error) : 0;
}

int caller_measure(struct caller *caller, double *values, struct engine_error *error)
{
    struct engine_call call = call_for(caller, caller->state->fresh, 0);
    host_enter(caller->host, "measure");
    const int code = caller->state->plan->impl->measure(caller->self, &call, values);
    host_leave(caller->host);
    return code != 0 ? failed(caller, "measure", code, error) : 0;
}

int caller_advise(struct caller *caller, uint64_t steps, char *text, uint64_t size, struct engine_error *error)
{
    const struct engine_call call = call_for(caller, true, steps);
    *text = '\0';
    host_enter(caller->host, "advise");
    const int code = caller->state->plan->impl->advise(caller->self, &call, text, size);
    host_leave(caller->host);
    text[size - 1] = '\0';
    return code != 0 ? failed(caller, "advise", code, error) : 0;
}
