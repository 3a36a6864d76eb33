#include "run/turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "life2d-bit/cpu: advance" */
static const char *who(const struct turns *turns, const char *function, char text[192])
{
    const struct plan *plan = turns->state->plan;
    snprintf(text, 192, "%s/%s: %s", plan->plugin->about.name, plan->impl->name, function);
    return text;
}

/* Moves the views of the state to universe `index` of a batch: its first cell is a step along the batch's axis away. */
static void view_universe(const struct state *state, uint64_t index, struct engine_buffer *views)
{
    const uint32_t count = state->plan->plugin->about.fields.count;
    memcpy(views, state->views, count * sizeof *views);
    for (uint32_t i = 0; i < count; i++)
        for (int b = 0; b < 2; b++)
            if (views[i].origin[b])
                views[i].origin[b] = views[i].shape->rank == 1
                                         ? engine_row(&state->views[i], (uint32_t) b, (int64_t) index, 0)
                                         : engine_row(&state->views[i], (uint32_t) b, 0, (int64_t) index);
}

static struct engine_call call_for(const struct turns *turns, bool fresh, uint64_t index, uint64_t steps)
{
    struct state *state = turns->state;
    const struct plan *plan = state->plan;
    const struct turn *turn = &turns->list[index];
    if (index == 0)
        state_update_views(state);
    if (turns->views)
        view_universe(state, index, turn->views);
    struct engine_call call = {
        .size = sizeof call,
        .flags = fresh ? ENGINE_CALL_FRESH : 0,
        .host = &turns->host->table,
        .plan = turn->plan,
        .buffers = {turn->views, plan->plugin->about.fields.count, sizeof state->views[0]},
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

/* Names the universe in front of an error. */
static int in_universe(const struct turns *turns, uint64_t index, struct engine_error *error)
{
    const unsigned long long universe = turns->state->plan->slab.first + index; /* of a part, or of the whole */
    return turns->count == 1 ? error->status : error_prefix(error, "universe %llu: ", universe);
}

/* Universe i of a batch has the seed of its run, and is alone. */
static void open_universe(struct turns *turns, uint64_t index)
{
    const struct plan *plan = turns->state->plan;
    struct engine_plan *own = &turns->plans[index];
    *own = plan->for_plugin;
    own->seed += index;
    own->universes = 1;
    turns->list[index].plan = own;
    turns->list[index].views = turns->views + index * plan->plugin->about.fields.count;
}

int turns_open(struct turns *turns, struct state *state, struct host *host, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const bool batch = plan_takes_turns(plan);
    const uint64_t count = batch ? plan->settings.universes : 1, fields = plan->plugin->about.fields.count;
    const uint64_t each = sizeof *turns->list + sizeof *turns->plans + fields * sizeof *turns->views;
    *turns = (struct turns){.state = state, .host = host};
    turns->list = calloc(count, sizeof *turns->list);
    turns->plans = batch ? calloc(count, sizeof *turns->plans) : NULL;
    turns->views = batch ? calloc(count * fields, sizeof *turns->views) : NULL;
    if (!turns->list || (batch && (!turns->plans || !turns->views)))
        return error_memory(error, count * each, "the universes");
    turns->count = count;
    turns->list[0] = (struct turn){.plan = &plan->for_plugin, .views = state->views};
    for (uint64_t i = 0; batch && i < count; i++)
        open_universe(turns, i);
    return 0;
}

static int create_turn(struct turns *turns, bool fresh, uint64_t index, struct engine_error *error)
{
    const struct engine_impl *impl = turns->state->plan->impl;
    struct turn *turn = &turns->list[index];
    if (impl->create) {
        struct engine_call call = call_for(turns, fresh, index, 0);
        host_enter(turns->host, "create");
        const int code = impl->create(&call, &turn->self);
        host_leave(turns->host);
        if (code != 0) {
            char text[192];
            return host_error(turns->host, code, who(turns, "create", text), error);
        }
    }
    turn->created = true;
    return 0;
}

int turns_create(struct turns *turns, bool fresh, struct engine_error *error)
{
    for (uint64_t i = 0; i < turns->count; i++)
        if (create_turn(turns, fresh, i, error) != 0)
            return in_universe(turns, i, error);
    return 0;
}

void turns_close(struct turns *turns)
{
    for (uint64_t i = 0; i < turns->count && turns->state->plan->impl->destroy; i++)
        if (turns->list[i].created) {
            host_enter(turns->host, "destroy");
            turns->state->plan->impl->destroy(turns->list[i].self);
            host_leave(turns->host);
        }
    free(turns->list);
    free(turns->plans);
    free(turns->views);
}

/* Calls settle, if the implementation has it. */
static int settle_call(const struct turns *turns, uint64_t index, const struct engine_call *call)
{
    const struct engine_impl *impl = turns->state->plan->impl;
    if (!impl->settle)
        return 0;
    host_enter(turns->host, "settle");
    const int code = impl->settle(turns->list[index].self, call);
    host_leave(turns->host);
    return code;
}

static int advance_turn(const struct turns *turns, bool fresh, uint64_t index, uint64_t steps, uint32_t *result,
                        bool *lost, struct engine_error *error)
{
    const struct plan *plan = turns->state->plan;
    struct engine_call call = call_for(turns, fresh, index, steps);
    char text[192];
    host_enter(turns->host, "advance");
    int code = plan->impl->advance(turns->list[index].self, &call);
    host_leave(turns->host);
    if (code == 0 && !turns->unsettled)
        code = settle_call(turns, index, &call);
    *lost = code < 0;
    *result = call.result;
    if (code != 0)
        return host_error(turns->host, code, who(turns, "advance", text), error);
    if (call.result > 1)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s reported that buffer %u holds the result, expected 0 or 1",
                         who(turns, "advance", text), call.result);
    return 0;
}

/* When one universe has gone ahead of the others, an error leaves no state of the whole. */
int turns_advance(struct turns *turns, bool fresh, uint64_t steps, uint32_t *result, bool *lost,
                  struct engine_error *error)
{
    for (uint64_t i = 0; i < turns->count; i++) {
        uint32_t own;
        if (advance_turn(turns, fresh, i, steps, &own, lost, error) != 0) {
            *lost = *lost || i > 0;
            return in_universe(turns, i, error);
        }
        if (i > 0 && own != *result) {
            char text[192];
            *lost = true;
            return error_set(
                error, ENGINE_STATUS_PLUGIN,
                "%s reported that buffer %u holds the result of universe 0, and buffer %u that of universe "
                "%llu; an implementation in a batch leaves all results in the same buffer",
                who(turns, "advance", text), *result, own, (unsigned long long) i);
        }
        *result = own;
    }
    return 0;
}

int turns_settle(struct turns *turns, uint64_t first, uint64_t steps, struct engine_error *error)
{
    struct engine_call call = call_for(turns, false, 0, steps);
    char text[192];
    call.first_step = first;
    const int code = settle_call(turns, 0, &call);
    return code != 0 ? host_error(turns->host, code, who(turns, "advance", text), error) : 0;
}

int turns_measure(struct turns *turns, bool fresh, double *values, struct engine_error *error)
{
    const struct plan *plan = turns->state->plan;
    for (uint64_t i = 0; i < turns->count; i++) {
        struct engine_call call = call_for(turns, fresh, i, 0);
        host_enter(turns->host, "measure");
        const int code =
            plan->impl->measure(turns->list[i].self, &call, values + i * plan->plugin->about.metrics.count);
        host_leave(turns->host);
        char text[192];
        if (code != 0 && host_error(turns->host, code, who(turns, "measure", text), error) != 0)
            return in_universe(turns, i, error);
    }
    return 0;
}

int turns_advise(struct turns *turns, uint64_t steps, char *text, uint64_t size, struct engine_error *error)
{
    const struct engine_call call = call_for(turns, true, 0, steps);
    char name[192];
    *text = '\0';
    host_enter(turns->host, "advise");
    const int code = turns->state->plan->impl->advise(turns->list[0].self, &call, text, size);
    host_leave(turns->host);
    text[size - 1] = '\0';
    return code != 0 ? host_error(turns->host, code, who(turns, "advise", name), error) : 0;
}
