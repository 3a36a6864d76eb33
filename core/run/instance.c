#include "run/instance.h"
#include "base/machine.h"
#include "plan/parts.h"
#include "run/ahead.h"
#include "run/exchange.h"
#include "run/parcels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMED_EXCHANGES = 32, MOST_RECORDED_TURNS = 1024 };

/* ---- Opening and closing -------------------------------------------------------------------------------------- */

static void forget_recordings(struct instance *instance)
{
    struct device *device = instance->state->plan->device;
    for (int i = 0; i < RECORDINGS_MAX; i++) {
        if (instance->recordings[i].handle)
            device->forget(device, instance->recordings[i].handle);
        instance->recordings[i] = (struct recording){.seen = 0};
    }
}

/* Gives back all that an instance has apart from its own memory. */
static void empty(struct instance *instance)
{
    forget_recordings(instance);
    turns_close(&instance->turns);
    team_close(instance->host.own_threads);
    host_release(&instance->host);
    meeting_close(instance->meeting);
    free(instance->values);
    free(instance->parts);
}

static void destroy(struct instance *instance)
{
    empty(instance);
    free(instance);
}

static int fill(struct instance *instance, struct state *state, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const uint64_t universes = plan->settings.universes, metrics = plan->plugin->about.metrics.count;
    *instance = (struct instance){.state = state, .fresh = true};
    host_init(&instance->host, plan->context, plan->plugin->about.name, plan->for_plugin.threads, plan->device);
    if (plan_is_batch(plan) && !(instance->values = calloc(universes, (metrics + 1) * sizeof *instance->values)))
        return error_memory(error, universes * (metrics + 1) * sizeof *instance->values,
                            "the metrics of the universes");
    return turns_open(&instance->turns, state, &instance->host, error);
}

static struct instance *new_instance(struct state *state, struct engine_error *error)
{
    struct instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        error_memory(error, sizeof *instance, "an instance");
    else if (fill(instance, state, error) == 0)
        return instance;
    else
        destroy(instance);
    return NULL;
}

static int create(struct instance *instance, struct engine_error *error)
{
    return turns_create(&instance->turns, instance->fresh, error);
}

/* Parts that run at the same time have threads of their own, and the service ENGINE_TEAM between them. */
static int join_meeting(struct instance *part, uint32_t index, struct meeting *meeting, struct engine_error *error)
{
    if (!meeting)
        return 0;
    meeting_seat(meeting, index, &part->host);
    if (part->host.threads > 1 && !(part->host.own_threads = team_open()))
        return error_memory(error, part->host.threads, "the threads of a part");
    return 0;
}

/* The initial state has no margins yet, and create may look at it. */
static int create_parts(struct instance *instance, struct engine_error *error)
{
    struct state *state = instance->state;
    const uint32_t count = state->plan->settings.parts, metrics = state->plan->plugin->about.metrics.count;
    instance->parts = calloc(count, sizeof *instance->parts);
    if (!instance->values) /* those of a batch are more */
        instance->values = calloc(count, (metrics + 1) * sizeof *instance->values);
    if (!instance->parts || !instance->values)
        return error_memory(error, count * sizeof *instance->parts, "the instances of the parts");
    if (plan_shares_work(state->plan) && meeting_open(state->plan, state->ranks, &instance->meeting, error) != 0)
        return error->status;
    if (exchange_open(state, error) != 0 || exchange_margins(state, true, error) != 0 ||
        exchange_wait(state, error) != 0)
        return error->status;
    instance->exchange_enqueues = exchange_enqueues(state);
    for (uint32_t i = 0; i < count; i++) {
        state->parts[i]->step = state->step;
        if (!parts_is_here(state->plan, i))
            continue;
        instance->parts[i] = new_instance(state->parts[i], error);
        if (!instance->parts[i] || join_meeting(instance->parts[i], i, instance->meeting, error) != 0 ||
            create(instance->parts[i], error) != 0)
            return error_prefix(error, "part %u of %u: ", i + 1, count);
    }
    return 0;
}

/* Calls create, here and in the other processes. */
static int create_all(struct instance *instance, struct engine_error *error)
{
    const struct state *state = instance->state;
    int status = ranks_tell_box(state->ranks, state->plan->for_plugin.box, error);
    if (status == 0)
        status = ranks_tell(state->ranks, (struct ranks_command){.kind = RANKS_CREATE, .step = state->step}, error);
    if (status == 0)
        status = (state->parts ? create_parts : create)(instance, error);
    return ranks_finish(state->ranks, status, NULL, error);
}

static void destroy_parts(const struct instance *instance)
{
    struct engine_error ignored;
    ranks_tell(instance->state->ranks, (struct ranks_command){.kind = RANKS_DESTROY}, &ignored);
    for (uint32_t i = 0; instance->parts && i < instance->state->plan->settings.parts; i++)
        if (instance->parts[i])
            destroy(instance->parts[i]);
    parcels_release(instance->state);
}

int instance_open(struct state *state, struct instance **out, struct engine_error *error)
{
    struct instance *instance = new_instance(state, error);
    *out = NULL;
    if (!instance)
        return error->status;
    const int status = create_all(instance, error);
    if (status != 0) {
        instance_close(instance);
        return status;
    }
    *out = instance;
    return 0;
}

void instance_close(struct instance *instance)
{
    if (!instance)
        return;
    ahead_close(instance->ahead);
    destroy_parts(instance);
    destroy(instance);
}

int instance_renew(struct instance *instance, struct engine_error *error)
{
    struct ahead *const ahead = instance->ahead;
    const bool shared = instance->inputs_shared;
    if (!instance->inputs_written)
        return 0;
    destroy_parts(instance);
    empty(instance);
    int status = fill(instance, instance->state, error);
    instance->ahead = ahead;
    instance->inputs_shared = shared;
    if (status == 0)
        status = create_all(instance, error);
    instance->inputs_written = status != 0;
    return status;
}

const struct host *instance_host(const struct instance *instance)
{
    return instance->parts && instance->parts[0] ? &instance->parts[0]->host : &instance->host;
}

/* ---- A call --------------------------------------------------------------------------------------------------- */

/* Fills the ghosts and makes the calls of an instance that is not divided. */
static int take_call(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = instance->state;
    uint32_t result = state->current;
    if (state_wrap(state, error) != 0 ||
        turns_advance(&instance->turns, instance->fresh, steps, &result, lost, error) != 0)
        return error->status;
    state->current = result;
    state->step += steps;
    instance->fresh = false;
    return 0;
}

/* Takes steps of a part in as many calls as its ghosts ask for. */
static int take_part(struct instance *part, uint64_t steps, bool *lost, struct engine_error *error)
{
    const uint64_t most = part->state->plan->most_steps;
    for (uint64_t n, left = steps; left > 0; left -= n) {
        n = left < most ? left : most;
        if (take_call(part, n, lost, error) != 0) {
            *lost = *lost || left < steps;
            return error->status;
        }
    }
    return 0;
}

/* Fills the margins and takes as many steps in all parts as these last, until all steps are taken. When a part has gone
 * ahead of the others, an error leaves no state of the whole. In a run that several processes share, the others do not
 * know of the error yet: this one goes on exchanging margins with them, and takes no more steps. */
static int take_parts(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = instance->state;
    const uint32_t count = state->plan->settings.parts;
    const uint64_t most = state->plan->parts[0]->slab.steps;
    struct engine_error later;
    int status = 0;
    for (uint64_t n; steps > 0; steps -= n) {
        n = steps < most ? steps : most;
        if (exchange_margins(state, instance->fresh, status ? &later : error) != 0)
            return error->status;
        for (uint32_t i = 0; i < count && status == 0; i++) {
            state->parts[i]->step = state->step;
            if (!instance->parts[i])
                continue;
            instance->parts[i]->fresh = true; /* its margins have changed */
            if (take_part(instance->parts[i], n, lost, error) != 0) {
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

/* What the parts do at the same time. */
struct together {
    struct instance *instance;
    uint64_t steps;
};

static int advance_share(void *argument, uint32_t index, bool *lost, struct engine_error *error)
{
    const struct together *together = argument;
    return take_part(together->instance->parts[index], together->steps, lost, error);
}

/* Tells the parts what has changed in the whole. */
void instance_prepare_parts(struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    for (uint32_t i = 0; i < plan->settings.parts; i++) {
        struct instance *part = instance->parts[i];
        if (!part)
            continue;
        part->state->step = instance->state->step;
        part->fresh = part->fresh || instance->fresh;
        memcpy(part->state->plan->for_plugin.box, plan->for_plugin.box, sizeof plan->for_plugin.box);
    }
}

/* All parts of this process must have put the result into the same buffer. */
static int check_currents(struct instance *instance, bool *lost, struct engine_error *error)
{
    const struct state *state = instance->state;
    uint32_t first = 0;
    while (!instance->parts[first])
        first++;
    for (uint32_t i = first + 1; i < state->plan->settings.parts; i++)
        if (instance->parts[i] && state->parts[i]->current != state->parts[first]->current) {
            *lost = true;
            return error_set(
                error, ENGINE_STATUS_PLUGIN,
                "%s/%s: advance reported that buffer %u holds the result of part %u, and buffer %u that of part %u",
                state->plan->plugin->about.name, state->plan->impl->name, state->parts[first]->current, first + 1,
                state->parts[i]->current, i + 1);
        }
    return 0;
}

static int take_together(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = instance->state;
    struct together together = {instance, steps};
    instance_prepare_parts(instance);
    const int status = meeting_run(instance->meeting, advance_share, &together, lost, error);
    if (status != 0 || *lost) /* 0: another process reports the error of its part */
        return status;
    if (check_currents(instance, lost, error) != 0)
        return error->status;
    state->step += steps;
    instance->fresh = false;
    return 0;
}

/* Exchanges margins for steps that this process does not take any more, because the others do not know of its error
 * yet. */
static void keep_up(struct instance *instance, uint64_t steps)
{
    struct state *state = instance->state;
    struct engine_error ignored;
    if (!state->ranks || !instance->parts || instance->meeting)
        return;
    const uint64_t most = state->plan->parts[0]->slab.steps; /* UINT64_MAX: there are no margins */
    for (uint64_t n; most < UINT64_MAX && steps > 0; steps -= n) {
        n = steps < most ? steps : most;
        if (exchange_margins(state, false, &ignored) != 0)
            return;
    }
}

static int take(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    if (instance->meeting)
        return take_together(instance, steps, lost, error);
    return (instance->parts ? take_parts : take_call)(instance, steps, lost, error);
}

/* ---- Recordings --------------------------------------------------------------------------------------------- */

/* Which buffers hold the present states: bit i for part i, or bit 0 for a run that is not divided. */
static uint64_t currents(const struct instance *instance)
{
    const struct state *state = instance->state;
    uint64_t bits = 0;
    for (uint32_t i = 0; state->parts && i < state->plan->settings.parts; i++)
        bits |= (uint64_t) state->parts[i]->current << i;
    return state->parts ? bits : state->current;
}

static void set_currents(const struct instance *instance, uint64_t bits)
{
    struct state *state = instance->state;
    for (uint32_t i = 0; state->parts && i < state->plan->settings.parts; i++)
        state->parts[i]->current = bits >> i & 1;
    if (!state->parts)
        state->current = (uint32_t) bits;
}

static uint32_t phase_of(const struct state *state)
{
    return state->ranks ? carrier_phase(state->ranks->carrier) : 0;
}

static void set_phase(const struct state *state, uint32_t phase)
{
    if (state->ranks)
        carrier_set_phase(state->ranks->carrier, phase);
}

/* Finds the entry for such a call, or a new one that replaces the least used. */
static struct recording *find_recording(struct instance *instance, uint64_t steps)
{
    const struct state *state = instance->state;
    const uint64_t current = currents(instance);
    const uint32_t parity = state->step % 2, phase = phase_of(state);
    struct recording *least = &instance->recordings[0];
    for (int i = 0; i < RECORDINGS_MAX; i++) {
        struct recording *entry = &instance->recordings[i];
        if (entry->seen && entry->steps == steps && entry->current == current && entry->parity == parity &&
            entry->phase == phase)
            return entry;
        least = entry->seen < least->seen ? entry : least;
    }
    if (least->handle)
        state->plan->device->forget(state->plan->device, least->handle);
    *least = (struct recording){.steps = steps, .current = current, .parity = parity, .phase = phase};
    return least;
}

/* The first device makes the recordings. The devices of the other parts follow it, or it follows them. */
static int gather(const struct instance *instance, bool before, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    for (uint32_t i = 1; instance->parts && i < plan->settings.parts; i++) {
        struct device *other = plan->parts[i]->device;
        if (other != plan->parts[i - 1]->device && (before ? plan->device->follow(plan->device, other, error)
                                                           : other->follow(other, plan->device, error)) != 0)
            return error->status;
    }
    return 0;
}

/* Ends a recording that was begun, also after an error, `status`. */
static int end_recording(const struct instance *instance, int status, void **handle, struct engine_error *error)
{
    struct device *device = instance->state->plan->device;
    struct engine_error ignored;
    if (status == 0)
        status = gather(instance, true, error);
    const int ended = device->record_end(device, handle, status ? &ignored : error);
    return status ? status : ended;
}

static int begin_recording(const struct instance *instance, struct engine_error *error)
{
    struct device *device = instance->state->plan->device;
    void *none;
    if (gather(instance, true, error) != 0 || device->record_begin(device, error) != 0)
        return error->status;
    return gather(instance, false, error) == 0 ? 0 : end_recording(instance, error->status, &none, error);
}

/* Records what a call enqueues. The state is then as if the call had been made; after an error it is as before. */
static int record(struct instance *instance, struct recording *entry, bool *lost, struct engine_error *error)
{
    struct state *state = instance->state;
    const uint64_t first = state->step;
    if (begin_recording(instance, error) != 0)
        return error->status;
    const int status = take(instance, entry->steps, lost, error);
    entry->result = currents(instance);
    entry->next = phase_of(state);
    if (end_recording(instance, status, &entry->handle, error) == 0)
        return 0;
    set_currents(instance, entry->current);
    set_phase(state, entry->phase);
    state->step = first;
    keep_up(instance, entry->steps);
    return error->status;
}

static int replay(const struct instance *instance, void *handle, struct engine_error *error)
{
    struct device *device = instance->state->plan->device;
    if (gather(instance, true, error) != 0 || device->replay(device, handle, error) != 0 ||
        gather(instance, false, error) != 0)
        return error->status;
    return 0;
}

static int take_recorded(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = instance->state;
    if (instance->fresh) /* what the plugin derives from a changed state or input may be part of them */
        forget_recordings(instance);
    struct recording *entry = find_recording(instance, steps);
    if (entry->seen++ == 0 || instance->fresh)
        return take(instance, steps, lost, error);
    if (!entry->handle)
        return record(instance, entry, lost, error) != 0 ? error->status : replay(instance, entry->handle, error);
    if (replay(instance, entry->handle, error) != 0)
        return error->status;
    set_currents(instance, entry->result);
    set_phase(state, entry->next);
    state->step += steps;
    return 0;
}

/* ---- Running ------------------------------------------------------------------------------------------------ */

/* Can calls be recorded? A recording keeps the present buffers of all parts in the bits of a number. */
static bool is_recorded(const struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    if (!(plan->impl->flags & ENGINE_ENQUEUES) || plan->impl->settle || !plan->device->record_begin ||
        instance->meeting || instance->turns.count > MOST_RECORDED_TURNS)
        return false;
    return !instance->parts || (plan->settings.parts <= 64 && instance->exchange_enqueues);
}

/* The most steps of a recorded call: it has some hundred launches, so that the cost of a replay does not matter. In a
 * divided run it is a multiple of the steps for which the margins last. Universes that take turns share the
 * launches. */
static uint64_t most_recorded(const struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    const uint64_t batch = plan->impl->batch ? plan->impl->batch : 1;
    const uint64_t launches = instance->turns.count < 256 ? 256 / instance->turns.count : 1, most = launches * batch;
    const uint64_t round = instance->parts ? plan->parts[0]->slab.steps : 1;
    /* Margins last for a step at least. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    return round < most ? most / round * round : round;
}

static int advance(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    const bool recorded = is_recorded(instance);
    const uint64_t most = recorded ? most_recorded(instance) : UINT64_MAX;
    for (uint64_t n; steps > 0; steps -= n) {
        n = steps < most ? steps : most;
        if ((recorded ? take_recorded : take)(instance, n, lost, error) != 0) {
            keep_up(instance, steps - n);
            return error->status;
        }
    }
    return 0;
}

/* Tells the other processes the box of particles, which each frame of a file may change. */
int instance_tell_box(const struct instance *instance, struct engine_error *error)
{
    const struct state *state = instance->state;
    return instance->fresh && instance->meeting ? ranks_tell_box(state->ranks, state->plan->for_plugin.box, error) : 0;
}

/* Waits for the steps of a device here, where other processes get answers meanwhile. An error that came before
 * stays. */
static int wait_for_ranks(const struct instance *instance, int status, struct engine_error *error)
{
    const struct state *state = instance->state;
    struct engine_error later;
    if (!state->ranks || !carrier_enqueues(state->ranks->carrier) || link_is_broken(state->ranks->link))
        return status;
    const int waited = exchange_wait(state, status ? &later : error);
    return status ? status : waited;
}

int instance_advance(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = instance->state;
    const uint64_t first = state->step;
    const struct ranks_command command = {
        .kind = RANKS_ADVANCE, .step = first, .count = steps, .fresh = instance->fresh};
    bool ignored = false;
    lost = lost ? lost : &ignored;
    *lost = false;
    int status = instance_renew(instance, error);
    if (status != 0)
        return status;
    status = instance_tell_box(instance, error);
    if (status == 0)
        status = ranks_tell(state->ranks, command, error);
    if (status == 0)
        status = advance(instance, steps, lost, error);
    status = wait_for_ranks(instance, status, error);
    status = ranks_finish(state->ranks, status, lost, error);
    if (status != 0 && state->ranks)
        state->step = first; /* of the call that failed */
    state->lost = state->lost || (status != 0 && *lost);
    return status;
}

bool instance_overlaps(const struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    return plan->impl->settle && plan->device->upload_beside && plan->frames > 1 && !instance->parts &&
           instance->turns.count == 1;
}

int instance_start(struct instance *instance, uint64_t steps, struct engine_error *error)
{
    if (instance_renew(instance, error) != 0) /* it makes the turns again */
        return error->status;
    instance->turns.unsettled = true;
    const int status = instance_advance(instance, steps, NULL, error);
    instance->turns.unsettled = false;
    return status;
}

int instance_settle(struct instance *instance, uint64_t first, uint64_t steps, struct engine_error *error)
{
    const int status = turns_settle(&instance->turns, first, steps, error);
    instance->state->lost = instance->state->lost || status != 0; /* the device may have taken the next call too */
    return status;
}

/* ---- Measuring ---------------------------------------------------------------------------------------------- */

static int exchange_often(struct instance *instance, struct engine_error *error)
{
    for (int i = 0; i < TIMED_EXCHANGES; i++)
        if (exchange_margins(instance->state, false, error) != 0)
            return error->status;
    return 0;
}

/* The first round fills caches. */
static int time_exchange(struct instance *instance, double *seconds, struct engine_error *error)
{
    const bool recorded = is_recorded(instance);
    void *handle = NULL;
    int status = 0;
    if (recorded && (status = begin_recording(instance, error)) == 0)
        status = end_recording(instance, exchange_often(instance, error), &handle, error);
    for (int round = 0; status == 0 && round < 2; round++) {
        const double begin = machine_clock();
        status = recorded ? replay(instance, handle, error) : exchange_often(instance, error);
        if (status == 0)
            status = exchange_wait(instance->state, error);
        *seconds = (machine_clock() - begin) / TIMED_EXCHANGES;
    }
    if (handle)
        instance->state->plan->device->forget(instance->state->plan->device, handle);
    return status;
}

/* Others take part in each exchange. Those that devices enqueue are timed apart from the steps; the host has timed its
 * own. */
static int time_with_ranks(struct instance *instance, double *seconds, struct engine_error *error)
{
    const struct state *state = instance->state;
    struct ranks *ranks = state->ranks;
    if (!carrier_enqueues(ranks->carrier)) {
        *seconds = ranks->exchanges ? ranks->exchange_seconds / (double) ranks->exchanges : 0;
        return 0;
    }
    int status = ranks_tell(ranks, (struct ranks_command){.kind = RANKS_TIME, .step = state->step}, error);
    if (status == 0)
        status = time_exchange(instance, seconds, error);
    return ranks_finish(ranks, status, NULL, error);
}

int instance_time_exchange(struct instance *instance, double *seconds, struct engine_error *error)
{
    *seconds = 0;
    if (!instance->parts || instance->meeting)
        return 0;
    if (instance_renew(instance, error) != 0)
        return error->status;
    return (instance->state->ranks ? time_with_ranks : time_exchange)(instance, seconds, error);
}

void instance_state_changed(struct instance *instance)
{
    instance->fresh = true;
}

void instance_input_written(struct instance *instance)
{
    instance->fresh = instance->inputs_written = true;
}
