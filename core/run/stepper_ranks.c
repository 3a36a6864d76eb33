#include "run/stepper_ranks.h"
#include "run/divided.h"
#include "run/exchange.h"
#include "run/parcels.h"

#include <stdlib.h>

struct shared {
    struct stepper stepper;
    struct stepper *inner;
};

static struct stepper *inner_of(struct stepper *stepper)
{
    return ((struct shared *) stepper)->inner;
}

static int tell(const struct state *state, struct ranks_command command, struct engine_error *error)
{
    command.step = state->step;
    return ranks_tell(state_ranks(state), command, error);
}

static int finish(const struct state *state, int status, bool *lost, struct engine_error *error)
{
    return ranks_finish(state_ranks(state), status, lost, error);
}

static int tell_box(const struct state *state, struct engine_error *error)
{
    return ranks_tell_box(state_ranks(state), state->plan->for_plugin.box, error);
}

/* Tells the others the box of particles, which each frame of a file may change. */
static int tell_new_box(const struct state *state, struct engine_error *error)
{
    return state->fresh && plan_shares_work(state->plan) ? tell_box(state, error) : 0;
}

/* ---- Opening and closing -------------------------------------------------------------------------------------- */

static int create(struct stepper *stepper, struct engine_error *error)
{
    int status = tell_box(stepper->state, error);
    if (status == 0)
        status = tell(stepper->state, (struct ranks_command){.kind = RANKS_CREATE}, error);
    if (status == 0)
        status = inner_of(stepper)->table->create(inner_of(stepper), error);
    return finish(stepper->state, status, NULL, error);
}

static void destroy(struct stepper *stepper)
{
    struct engine_error ignored;
    tell(stepper->state, (struct ranks_command){.kind = RANKS_DESTROY}, &ignored);
    inner_of(stepper)->table->destroy(inner_of(stepper));
    parcels_release(stepper->state);
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
    if (!carrier_enqueues(ranks->carrier) || link_is_broken(ranks->link))
        return status;
    const int waited = exchange_wait(state, status ? &later : error);
    return status ? status : waited;
}

static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = stepper->state;
    const uint64_t first = state->step;
    const bool fresh = state->fresh;
    int status = tell_new_box(state, error);
    if (status == 0)
        status = tell(state, (struct ranks_command){.kind = RANKS_ADVANCE, .count = steps, .fresh = fresh}, error);
    if (status == 0)
        status = inner_of(stepper)->table->advance(inner_of(stepper), steps, lost, error);
    status = wait_for_devices(state, status, error);
    status = finish(state, status, lost, error);
    if (status != 0)
        state->step = first; /* of the call that failed */
    return status;
}

/* Parts that share their work measure at the same time as those of the others. */
static int measure_together(struct stepper *stepper, double *values, struct engine_error *error)
{
    int status = tell_new_box(stepper->state, error);
    if (status == 0)
        status = tell(stepper->state, (struct ranks_command){.kind = RANKS_MEASURE_ALL}, error);
    if (status == 0)
        status = inner_of(stepper)->table->measure(inner_of(stepper), values, error);
    return finish(stepper->state, status, NULL, error);
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
    if (!carrier_enqueues(ranks->carrier)) {
        *seconds = ranks->exchanges ? ranks->exchange_seconds / (double) ranks->exchanges : 0;
        return 0;
    }
    int status = tell(state, (struct ranks_command){.kind = RANKS_TIME}, error);
    if (status == 0)
        status = inner->table->time_exchange(inner, seconds, error);
    return finish(state, status, NULL, error);
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
    struct shared *shared = calloc(1, sizeof *shared);
    *out = NULL;
    if (!shared) {
        inner->table->close(inner);
        return error_memory(error, sizeof *shared, "an instance");
    }
    shared->stepper = (struct stepper){.table = &table, .state = inner->state};
    shared->inner = inner;
    *out = &shared->stepper;
    return 0;
}
