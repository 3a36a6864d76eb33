#include "base/machine.h"
#include "parts/halo_exchange.h"
#include "parts/sharing.h"
#include "parts/stepper_parts.h"
#include "parts/stepper_recorded.h"

#include <stdlib.h>

enum { TIMED_EXCHANGES = 32, MOST_RECORDED_UNIVERSES = 1024, MOST_RECORDED_PARTS = 64 };

struct cut {
    struct stepper_parts parts;
    bool enqueues; /* halo_exchange can be recorded */
};

static struct cut *cut_of(const struct stepper *stepper)
{
    return (struct cut *) (uintptr_t) stepper;
}

static int create(struct stepper *stepper, struct engine_error *error)
{
    struct cut *cut = cut_of(stepper);
    if (stepper_parts_create(&cut->parts, NULL, error) != 0)
        return error->status;
    cut->enqueues = halo_exchange_enqueues(stepper->state);
    return 0;
}

static void destroy(struct stepper *stepper)
{
    stepper_parts_destroy(&cut_of(stepper)->parts);
}

static void close(struct stepper *stepper)
{
    free(stepper);
}

/* ---- Steps ---------------------------------------------------------------------------------------------------- */

/* Takes steps in all parts of this process, for which their margins last. When one part has gone ahead of the others, an
 * error leaves no state of the whole. */
static int take_round(struct stepper_parts *parts, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = parts->stepper.state, **of = state_parts(state);
    for (uint32_t i = 0; i < state->plan->settings.parts; i++) {
        of[i]->step = state->step;
        if (!parts->parts[i])
            continue;
        of[i]->fresh = true; /* its margins have changed */
        if (stepper_parts_take(parts, i, steps, lost, error) != 0) {
            *lost = *lost || i > 0;
            return error_prefix(error, "part %u of %u: ", i + 1, state->plan->settings.parts);
        }
    }
    return 0;
}

/* Fills the margins and takes as many steps in all parts as these last, until all steps are taken. In a run that several
 * processes share, the others do not know of an error yet: this one goes on exchanging margins with them, and takes no
 * more steps. */
static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = stepper->state;
    const uint64_t most = state->plan->parts[0]->slab.steps;
    struct engine_error later;
    int status = 0;
    for (uint64_t n; steps > 0; steps -= n) {
        n = steps < most ? steps : most;
        if (halo_exchange(state, state->fresh, status ? &later : error) != 0)
            return error->status;
        if (status == 0)
            status = take_round(&cut_of(stepper)->parts, n, lost, error);
        if (status != 0 && !state_ranks(state))
            return status;
        state->step += n;
        state->fresh = false;
    }
    return status;
}

/* Parts of a batch have numbers of their own; those of others add to the same numbers. */
static int measure(struct stepper *stepper, double *values, struct engine_error *error)
{
    const struct stepper_parts *parts = &cut_of(stepper)->parts;
    const struct plan *plan = stepper->state->plan;
    const uint64_t each = plan_is_batch(plan) ? plan->plugin->about.metrics.count : 0;
    for (uint32_t i = 0; i < plan->settings.parts; i++) {
        struct stepper *part = parts->parts[i];
        if (!part)
            continue;
        part->state->step = stepper->state->step;
        if (part->table->measure(part, values + plan->parts[i]->slab.first * each, error) != 0)
            return error->status;
    }
    return 0;
}

/* ---- Recordings --------------------------------------------------------------------------------------------- */

/* A recording keeps the present buffers of all parts in the bits of a number. */
static bool possible(const struct stepper *stepper)
{
    const struct plan *plan = stepper->state->plan;
    return cut_of(stepper)->enqueues && plan->settings.parts <= MOST_RECORDED_PARTS &&
           (!plan_takes_one_universe(plan) || plan->settings.universes <= MOST_RECORDED_UNIVERSES);
}

/* A recorded call begins with an exchange. */
static void size(const struct stepper *stepper, uint64_t *launches, uint64_t *multiple)
{
    const struct plan *plan = stepper->state->plan;
    *launches = plan_takes_one_universe(plan) ? plan->settings.universes : 1;
    *multiple = plan->parts[0]->slab.steps;
}

static struct stepper_place find_place(const struct stepper *stepper)
{
    struct state *const *parts = state_parts(stepper->state);
    const struct ranks *ranks = state_ranks(stepper->state);
    struct stepper_place place = {.phase = ranks ? device_transport_phase(ranks->transport) : 0};
    for (uint32_t i = 0; i < stepper->state->plan->settings.parts; i++)
        place.buffers |= (uint64_t) parts[i]->current << i;
    return place;
}

static void go(struct stepper *stepper, struct stepper_place place)
{
    struct state *const *parts = state_parts(stepper->state);
    const struct ranks *ranks = state_ranks(stepper->state);
    for (uint32_t i = 0; i < stepper->state->plan->settings.parts; i++)
        parts[i]->current = place.buffers >> i & 1;
    if (ranks)
        device_transport_set_phase(ranks->transport, place.phase);
}

static int gather(const struct stepper *stepper, bool before, struct engine_error *error)
{
    const struct plan *plan = stepper->state->plan;
    for (uint32_t i = 1; i < plan->settings.parts; i++) {
        struct device *first = plan->device, *other = plan->parts[i]->device;
        if (other != plan->parts[i - 1]->device &&
            sharing_of(first)->follow(before ? first : other, before ? other : first, error) != 0)
            return error->status;
    }
    return 0;
}

/* Exchanges margins for steps that this process does not take any more. */
static void keep_up(struct stepper *stepper, uint64_t steps)
{
    struct state *state = stepper->state;
    struct engine_error ignored;
    if (!state_ranks(state))
        return;
    const uint64_t most = state->plan->parts[0]->slab.steps; /* UINT64_MAX: there are no margins */
    for (uint64_t n; most < UINT64_MAX && steps > 0; steps -= n) {
        n = steps < most ? steps : most;
        if (halo_exchange(state, false, &ignored) != 0)
            return;
    }
}

static const struct stepper_recording recording = {
    .possible = possible,
    .size = size,
    .place = find_place,
    .go = go,
    .gather = gather,
    .keep_up = keep_up,
};

/* ---- The time of an exchange ------------------------------------------------------------------------------------ */

static int exchange_often(struct stepper *stepper, struct engine_error *error)
{
    for (int i = 0; i < TIMED_EXCHANGES; i++)
        if (halo_exchange(stepper->state, false, error) != 0)
            return error->status;
    return 0;
}

/* The first round fills caches. The state stays as it is. */
static int time_exchange(struct stepper *stepper, double *seconds, struct engine_error *error)
{
    const bool recorded = recording_is_possible(stepper);
    void *handle = NULL;
    int status = 0;
    if (recorded && (status = recording_begin(stepper, error)) == 0)
        status = recording_end(stepper, exchange_often(stepper, error), &handle, error);
    for (int round = 0; status == 0 && round < 2; round++) {
        const double begin = machine_clock();
        status = recorded ? recording_replay(stepper, handle, error) : exchange_often(stepper, error);
        if (status == 0)
            status = halo_exchange_wait(stepper->state, error);
        *seconds = (machine_clock() - begin) / TIMED_EXCHANGES;
    }
    if (handle)
        stepper->state->plan->device->forget(stepper->state->plan->device, handle);
    return status;
}

static const struct stepper_table table = {
    .create = create,
    .destroy = destroy,
    .close = close,
    .advance = advance,
    .measure = measure,
    .host = stepper_parts_host,
    .time_exchange = time_exchange,
    .recording = &recording,
};

int stepper_cut_open(struct state *state, struct stepper **out, struct engine_error *error)
{
    *out = stepper_new(sizeof(struct cut), &table, state, error);
    return *out ? 0 : error->status;
}
