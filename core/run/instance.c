#include "run/instance.h"
#include "plan/parts.h"

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
        .plan = &plan->for_plugin,
        .buffers = {state->views, plan->plugin->about.fields.count, sizeof state->views[0]},
        .stream = plan->device->stream,
        .first_step = state->step,
        .steps = steps,
        .current = state->current,
        .result = plan->impl->flags & ENGINE_IN_PLACE ? state->current : 1 - state->current,
    };
    memcpy(call.end, state->views[0].shape->extent, sizeof call.end);
    if (plan->slab.count > 0) {
        call.begin[plan->slab.axis] = plan->slab.margin;
        call.end[plan->slab.axis] = plan->slab.margin + plan->slab.count;
    }
    return call;
}

/* ---- Opening and closing -------------------------------------------------------------------------------------- */

static int create(struct instance *instance, struct engine_error *error)
{
    struct state *state = instance->state;
    const struct engine_impl *impl = state->plan->impl;
    host_init(&instance->host, state->plan->context, state->plan->plugin->about.name, state->plan->for_plugin.threads,
              state->plan->device);
    if (impl->create) {
        struct engine_call call = call_for(instance, 0);
        host_enter(&instance->host, "create");
        const int code = impl->create(&call, &instance->self);
        host_leave(&instance->host);
        if (code != 0) {
            char text[192];
            return host_error(&instance->host, code, who(instance, "create", text), error);
        }
    }
    instance->created = true;
    return 0;
}

static void destroy(struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    for (int i = 0; i < RECORDINGS_MAX; i++)
        if (instance->recordings[i].handle)
            plan->device->forget(plan->device, instance->recordings[i].handle);
    if (instance->created && plan->impl->destroy) {
        host_enter(&instance->host, "destroy");
        plan->impl->destroy(instance->self);
        host_leave(&instance->host);
    }
    host_release(&instance->host);
    free(instance->parts);
    free(instance);
}

static struct instance *new_instance(struct state *state, struct engine_error *error)
{
    struct instance *instance = calloc(1, sizeof *instance);
    if (!instance) {
        error_memory(error, sizeof *instance, "an instance");
        return NULL;
    }
    instance->state = state;
    instance->fresh = true;
    return instance;
}

/* The initial state has no margins yet, and create may look at it. */
static int create_parts(struct instance *instance, struct engine_error *error)
{
    struct state *state = instance->state;
    const uint32_t count = state->plan->settings.parts;
    instance->parts = calloc(count, sizeof *instance->parts);
    if (!instance->parts)
        return error_memory(error, count * sizeof *instance->parts, "the instances of the parts");
    if (state_exchange(state, true, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < count; i++) {
        state->parts[i]->step = state->step;
        if (!parts_is_here(state->plan, i))
            continue;
        instance->parts[i] = new_instance(state->parts[i], error);
        if (!instance->parts[i] || create(instance->parts[i], error) != 0)
            return error_prefix(error, "part %u of %u: ", i + 1, count);
    }
    return 0;
}

int instance_open(struct state *state, struct instance **out, struct engine_error *error)
{
    struct instance *instance = new_instance(state, error);
    *out = NULL;
    if (!instance)
        return error->status;
    int status = ranks_tell(state->ranks, (struct ranks_command){.kind = RANKS_CREATE, .step = state->step}, error);
    if (status == 0)
        status = (state->parts ? create_parts : create)(instance, error);
    status = ranks_finish(state->ranks, status, NULL, error);
    if (status != 0) {
        instance_close(instance);
        return status;
    }
    *out = instance;
    return 0;
}

void instance_close(struct instance *instance)
{
    struct engine_error ignored;
    if (!instance)
        return;
    ranks_tell(instance->state->ranks, (struct ranks_command){.kind = RANKS_DESTROY}, &ignored);
    for (uint32_t i = 0; instance->parts && i < instance->state->plan->settings.parts; i++)
        if (instance->parts[i])
            destroy(instance->parts[i]);
    destroy(instance);
}

const struct host *instance_host(const struct instance *instance)
{
    return instance->parts && instance->parts[0] ? &instance->parts[0]->host : &instance->host;
}

/* ---- A call --------------------------------------------------------------------------------------------------- */

/* Calls advance. *result is the buffer that holds the result. */
static int call_advance(struct instance *instance, uint64_t steps, uint32_t *result, bool *lost,
                        struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    struct engine_call call = call_for(instance, steps);
    char text[192];
    host_enter(&instance->host, "advance");
    const int code = plan->impl->advance(instance->self, &call);
    host_leave(&instance->host);
    *lost = code < 0;
    *result = call.result;
    if (code != 0)
        return host_error(&instance->host, code, who(instance, "advance", text), error);
    if (call.result > 1)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s reported that buffer %u holds the result, expected 0 or 1",
                         who(instance, "advance", text), call.result);
    return 0;
}

static int wrap_and_advance(struct instance *instance, uint64_t steps, uint32_t *result, bool *lost,
                            struct engine_error *error)
{
    if (state_wrap(instance->state, error) != 0)
        return error->status;
    return call_advance(instance, steps, result, lost, error);
}

/* ---- Recordings --------------------------------------------------------------------------------------------- */

/* Finds the entry for such a call, or a new one that replaces the least used. */
static struct recording *find_recording(struct instance *instance, uint64_t steps)
{
    const struct state *state = instance->state;
    const uint32_t parity = state->step % 2;
    struct recording *least = &instance->recordings[0];
    for (int i = 0; i < RECORDINGS_MAX; i++) {
        struct recording *entry = &instance->recordings[i];
        if (entry->seen && entry->steps == steps && entry->current == state->current && entry->parity == parity)
            return entry;
        least = entry->seen < least->seen ? entry : least;
    }
    if (least->handle)
        state->plan->device->forget(state->plan->device, least->handle);
    *least = (struct recording){.steps = steps, .current = state->current, .parity = parity};
    return least;
}

/* Records what the call enqueues. A recording that was begun is always ended. */
static int record(struct instance *instance, struct recording *entry, bool *lost, struct engine_error *error)
{
    struct device *device = instance->state->plan->device;
    struct engine_error ending;
    if (device->record_begin(device, error) != 0)
        return error->status;
    int status = wrap_and_advance(instance, entry->steps, &entry->result, lost, error);
    int ended = device->record_end(device, &entry->handle, status ? &ending : error);
    return status ? status : ended;
}

static int advance_recorded(struct instance *instance, uint64_t steps, uint32_t *result, bool *lost,
                            struct engine_error *error)
{
    struct device *device = instance->state->plan->device;
    struct recording *entry = find_recording(instance, steps);
    if (entry->seen++ == 0 || instance->fresh)
        return wrap_and_advance(instance, steps, result, lost, error);
    if (!entry->handle && record(instance, entry, lost, error) != 0)
        return error->status;
    *result = entry->result;
    return device->replay(device, entry->handle, error);
}

/* ---- Running ------------------------------------------------------------------------------------------------ */

static int advance_undivided(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = instance->state;
    const struct plan *plan = state->plan;
    const bool recorded = plan->impl->flags & ENGINE_ENQUEUES && plan->device->record_begin;
    /* A recorded call has some hundred launches, so that the cost of a replay does not matter. */
    const uint64_t batch = plan->impl->batch ? plan->impl->batch : 1, most = recorded ? 256 * batch : UINT64_MAX;
    while (steps > 0) {
        uint64_t n = steps < most ? steps : most;
        uint32_t result = state->current;
        int status = recorded ? advance_recorded(instance, n, &result, lost, error)
                              : wrap_and_advance(instance, n, &result, lost, error);
        if (status != 0)
            return status;
        state->current = result;
        state->step += n;
        steps -= n;
        instance->fresh = false;
    }
    return 0;
}

/* Takes steps in as many calls as the ghosts ask for. */
static int advance_part(struct instance *part, uint64_t steps, bool *lost, struct engine_error *error)
{
    const uint64_t most = part->state->plan->most_steps;
    for (uint64_t n, left = steps; left > 0; left -= n) {
        n = left < most ? left : most;
        if (advance_undivided(part, n, lost, error) != 0) {
            *lost = *lost || left < steps;
            return error->status;
        }
    }
    return 0;
}

/* When a part has gone ahead of the others, an error leaves no state of the whole. In a run that several processes
 * share, the others do not know of it yet: this one goes on exchanging margins with them, and takes no more steps. */
static int advance_parts(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = instance->state;
    const uint32_t count = state->plan->settings.parts;
    struct engine_error link;
    int status = 0;
    for (uint64_t n; steps > 0; steps -= n) {
        const uint64_t most = state->plan->parts[0]->slab.steps;
        n = steps < most ? steps : most;
        if (state_exchange(state, instance->fresh, status ? &link : error) != 0)
            return error->status;
        for (uint32_t i = 0; i < count && status == 0; i++) {
            state->parts[i]->step = state->step;
            if (!instance->parts[i])
                continue;
            instance->parts[i]->fresh = true; /* its margins have changed */
            if (advance_part(instance->parts[i], n, lost, error) != 0) {
                *lost = *lost || i > 0;
                status = error_prefix(error, "part %u of %u: ", i + 1, count);
            }
        }
        if (status != 0 && !state->ranks)
            return status;
        state->step += n;
        instance->fresh = false;
    }
    return status;
}

static int advance_ranks(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct ranks *ranks = instance->state->ranks;
    const struct ranks_command command = {
        .kind = RANKS_ADVANCE, .step = instance->state->step, .count = steps, .fresh = instance->fresh};
    const uint64_t first = instance->state->step;
    int status = ranks_tell(ranks, command, error);
    if (status == 0)
        status = advance_parts(instance, steps, lost, error);
    status = ranks_finish(ranks, status, lost, error);
    if (status != 0 && ranks)
        instance->state->step = first; /* of the call that failed */
    return status;
}

int instance_advance(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    bool ignored = false;
    lost = lost ? lost : &ignored;
    *lost = false;
    return (instance->parts ? advance_ranks : advance_undivided)(instance, steps, lost, error);
}

static int measure(struct instance *instance, double *values, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    struct engine_call call = call_for(instance, 0);
    host_enter(&instance->host, "measure");
    const int code = plan->impl->measure(instance->self, &call, values);
    host_leave(&instance->host);
    char text[192];
    return code == 0 ? 0 : host_error(&instance->host, code, who(instance, "measure", text), error);
}

int instance_measure_parts(struct instance *instance, double *values, struct engine_error *error)
{
    for (uint32_t i = 0; i < instance->state->plan->settings.parts; i++) {
        if (!instance->parts[i])
            continue;
        instance->parts[i]->state->step = instance->state->step;
        if (measure(instance->parts[i], values, error) != 0)
            return error->status;
    }
    return 0;
}

int instance_measure(struct instance *instance, double *values, bool *measured, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    const uint32_t count = plan->plugin->about.metrics.count;
    *measured = plan->impl->measure && count > 0;
    if (!*measured)
        return 0;
    memset(values, 0, count * sizeof *values);
    if (!instance->parts)
        return measure(instance, values, error);
    if (instance_measure_parts(instance, values, error) != 0)
        return error->status;
    return ranks_measure(instance->state->ranks, instance->state->step, values, count, error);
}

void instance_state_changed(struct instance *instance)
{
    instance->fresh = true;
}
