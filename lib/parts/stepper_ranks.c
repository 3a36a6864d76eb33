#include "parts/stepper_ranks.h"
#include "parts/divided.h"
#include "parts/halo_exchange.h"
#include "parts/halo_transfers.h"
#include "parts/parts.h"

#include <stdlib.h>

struct shared {
    struct stepper stepper;
    struct stepper *inner;
};

static struct stepper *inner_of(struct stepper *stepper)
{
    return ((struct shared *) stepper)->inner;
}

/* What this process does for a command, while its transport watches. */
struct watched {
    struct ranks *ranks;
    ranks_share *share;
    void *argument;
};

static int do_watched(void *argument, struct engine_error *error)
{
    const struct watched *watched = argument;
    if (!watched->share)
        return 0;
    device_transport_watch(watched->ranks->transport, true);
    const int status = watched->share(watched->argument, error);
    device_transport_watch(watched->ranks->transport, false);
    return status;
}

/* A command for all processes, and what this one does for it with the inner stepper. The others get the box of
 * particles, which each frame of a file may change. */
static int do_all(struct stepper *stepper, struct ranks_command command, ranks_share *share, void *argument,
                  struct engine_error *error)
{
    const struct state *state = stepper->state;
    struct watched watched = {state_ranks(state), share, argument};
    command.step = state->step;
    return ranks_do(watched.ranks, command, state->for_plugin.box, sizeof state->for_plugin.box, do_watched, &watched,
                    error);
}

/* ---- Opening and closing -------------------------------------------------------------------------------------- */

static int create_own(void *argument, struct engine_error *error)
{
    struct stepper *inner = argument;
    return inner->table->create(inner, error);
}

static int create(struct stepper *stepper, struct engine_error *error)
{
    return do_all(stepper, (struct ranks_command){.kind = RANKS_CREATE}, create_own, inner_of(stepper), error);
}

static void destroy(struct stepper *stepper)
{
    struct engine_error ignored;
    do_all(stepper, (struct ranks_command){.kind = RANKS_DESTROY}, NULL, NULL, &ignored);
    inner_of(stepper)->table->destroy(inner_of(stepper));
    halo_transfers_release(stepper->state);
}

static void close(struct stepper *stepper)
{
    inner_of(stepper)->table->close(inner_of(stepper));
    free(stepper);
}

/* ---- Steps ---------------------------------------------------------------------------------------------------- */

/* Waits for the steps of a device here, where other processes get answers meanwhile. An error that came before
 * stays. */
static int wait_for_devices(const struct state *state, int status, struct engine_error *error)
{
    const struct ranks *ranks = state_ranks(state);
    struct engine_error later;
    if (!device_transport_enqueues(ranks->transport) || link_is_broken(ranks->link))
        return status;
    const int waited = halo_exchange_wait(state, status ? &later : error);
    return status ? status : waited;
}

struct advancing {
    struct stepper *inner;
    uint64_t steps;
    bool *lost;
};

static int advance_own(void *argument, struct engine_error *error)
{
    const struct advancing *advancing = argument;
    struct stepper *inner = advancing->inner;
    const int status = inner->table->advance(inner, advancing->steps, advancing->lost, error);
    return wait_for_devices(inner->state, status, error);
}

static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = stepper->state;
    const uint64_t first = state->step;
    struct advancing advancing = {inner_of(stepper), steps, lost};
    const struct ranks_command command = {.kind = RANKS_ADVANCE, .count = steps, .fresh = state->fresh};
    const int status = do_all(stepper, command, advance_own, &advancing, error);
    if (status != 0) {
        *lost = *lost || !state_ranks(state)->serves; /* the processes cannot go back together */
        state->step = first;                          /* of the call that failed */
    }
    return status;
}

struct measuring {
    struct stepper *inner;
    double *numbers; /* what is measured */
};

static int measure_own(void *argument, struct engine_error *error)
{
    const struct measuring *measuring = argument;
    return measuring->inner->table->measure(measuring->inner, measuring->numbers, error);
}

/* Parts that share their work measure at the same time as those of the others. */
static int measure_together(struct stepper *stepper, double *values, struct engine_error *error)
{
    struct measuring measuring = {inner_of(stepper), values};
    return do_all(stepper, (struct ranks_command){.kind = RANKS_MEASURE_ALL}, measure_own, &measuring, error);
}

/* Other parts measure one after the other, and add to the numbers of those before. */
static int measure(struct stepper *stepper, double *values, struct engine_error *error)
{
    const struct state *state = stepper->state;
    if (plan_shares_work(state->plan))
        return measure_together(stepper, values, error);
    if (inner_of(stepper)->table->measure(inner_of(stepper), values, error) != 0)
        return error->status;
    return ranks_measure(state_ranks(state), state->step, values,
                         state->plan->settings.universes * state->plan->plugin->about.metrics.count, error);
}

static struct host *host(struct stepper *stepper)
{
    return inner_of(stepper)->table->host(inner_of(stepper));
}

static int time_own(void *argument, struct engine_error *error)
{
    const struct measuring *measuring = argument;
    return measuring->inner->table->time_exchange(measuring->inner, measuring->numbers, error);
}

/* Others take part in each exchange. Those that devices enqueue are timed apart from the steps; the host has timed its
 * own. */
static int time_exchange(struct stepper *stepper, double *seconds, struct engine_error *error)
{
    const struct state *state = stepper->state;
    const struct ranks *ranks = state_ranks(state);
    struct stepper *inner = inner_of(stepper);
    *seconds = 0;
    if (!inner->table->time_exchange)
        return 0;
    if (!device_transport_enqueues(ranks->transport)) {
        *seconds = ranks->exchanges ? ranks->exchange_seconds / (double) ranks->exchanges : 0;
        return 0;
    }
    struct measuring measuring = {inner, seconds};
    return do_all(stepper, (struct ranks_command){.kind = RANKS_TIME}, time_own, &measuring, error);
}

static const struct stepper_table table = {
    .create = create,
    .destroy = destroy,
    .close = close,
    .advance = advance,
    .measure = measure,
    .host = host,
    .time_exchange = time_exchange,
};

int stepper_ranks_open(struct stepper *inner, struct stepper **out, struct engine_error *error)
{
    *out = stepper_new(sizeof(struct shared), &table, inner->state, error);
    if (!*out) {
        inner->table->close(inner);
        return error->status;
    }
    ((struct shared *) *out)->inner = inner;
    return 0;
}
