#include "instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "life2d-bit/cpu: advance" */
static const char *who(const struct instance *instance, const char *function, char text[192])
{
    const struct plan *plan = instance->state->plan;
    snprintf(text, 192, "%s/%s: %s", plan->plugin->about.name, plan->impl->name, function);
    return text;
}

static struct engine_call call_for(struct instance *instance, uint64_t steps)
{
    struct state *state = instance->state;
    const struct plan *plan = state->plan;
    state_update_views(state);
    struct engine_call call = {
        .size = sizeof call,
        .flags = instance->fresh ? ENGINE_CALL_FRESH : 0,
        .host = &instance->host.table,
        .plan = &plan->shared,
        .buffers = {state->views, plan->plugin->about.fields.count, sizeof state->views[0]},
        .stream = plan->device->stream,
        .first_step = state->step,
        .steps = steps,
        .current = state->current,
        .result = plan->impl->flags & ENGINE_IN_PLACE ? state->current : 1 - state->current,
    };
    memcpy(call.end, state->views[0].shape->extent, sizeof call.end);
    return call;
}

int instance_open(struct state *state, struct instance **out, struct error *error)
{
    const struct engine_impl *impl = state->plan->impl;
    struct instance *instance = calloc(1, sizeof *instance);
    *out = NULL;
    if (!instance)
        return error_memory(error, sizeof *instance, "an instance");
    instance->state = state;
    instance->fresh = true;
    host_init(&instance->host, state->plan->shared.threads, state->plan->device);
    if (impl->create) {
        struct engine_call call = call_for(instance, 0);
        int code = impl->create(&call, &instance->self);
        if (code != 0) {
            char text[192];
            host_error(&instance->host, code, who(instance, "create", text), error);
            instance_close(instance);
            return error->status;
        }
    }
    instance->created = true;
    *out = instance;
    return 0;
}

void instance_close(struct instance *instance)
{
    if (!instance)
        return;
    if (instance->created && instance->state->plan->impl->destroy)
        instance->state->plan->impl->destroy(instance->self);
    host_release(&instance->host);
    free(instance);
}

int instance_advance(struct instance *instance, uint64_t steps, bool *lost, struct error *error)
{
    struct state *state = instance->state;
    char text[192];
    if (lost)
        *lost = false;
    if (state_wrap(state, error) != 0)
        return error->status;
    struct engine_call call = call_for(instance, steps);
    host_clear(&instance->host);
    int code = state->plan->impl->advance(instance->self, &call);
    if (code != 0) {
        if (lost)
            *lost = code < 0;
        return host_error(&instance->host, code, who(instance, "advance", text), error);
    }
    if (call.result > 1)
        return error_set(error, STATUS_PLUGIN, "%s said that buffer %u holds the result; there are 0 and 1",
                         who(instance, "advance", text), call.result);
    state->current = call.result;
    state->step += steps;
    instance->fresh = false;
    return 0;
}

int instance_measure(struct instance *instance, double *values, bool *measured, struct error *error)
{
    const struct plan *plan = instance->state->plan;
    *measured = plan->impl->measure && plan->plugin->about.metrics.count > 0;
    if (!*measured)
        return 0;
    struct engine_call call = call_for(instance, 0);
    host_clear(&instance->host);
    int code = plan->impl->measure(instance->self, &call, values);
    char text[192];
    return code == 0 ? 0 : host_error(&instance->host, code, who(instance, "measure", text), error);
}

void instance_state_changed(struct instance *instance)
{
    instance->fresh = true;
}
