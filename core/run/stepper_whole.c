#include "run/stepper_whole.h"
#include "run/caller.h"

#include <stdlib.h>

struct whole {
    struct stepper stepper;
    struct host host;
    struct caller caller;
};

static struct whole *whole_of(struct stepper *stepper)
{
    return (struct whole *) stepper;
}

static int create(struct stepper *stepper, struct engine_error *error)
{
    stepper->state->fresh = true;
    state_update_views(stepper->state);
    return caller_create(&whole_of(stepper)->caller, error);
}

static void destroy(struct stepper *stepper)
{
    struct whole *whole = whole_of(stepper);
    caller_destroy(&whole->caller);
    caller_renew_host(stepper->state, &whole->host);
}

static void close(struct stepper *stepper)
{
    host_release(&whole_of(stepper)->host);
    free(stepper);
}

/* Fills the ghosts and makes the call. */
static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct whole *whole = whole_of(stepper);
    struct state *state = stepper->state;
    uint32_t result = state->current;
    if (state_wrap(state, error) != 0)
        return error->status;
    state_update_views(state);
    whole->caller.unsettled = stepper->unsettled;
    if (caller_advance(&whole->caller, steps, &result, lost, error) != 0)
        return error->status;
    state->current = result;
    state->step += steps;
    state->fresh = false;
    return 0;
}

static int settle(struct stepper *stepper, uint64_t first, uint64_t steps, struct engine_error *error)
{
    state_update_views(stepper->state);
    return caller_settle(&whole_of(stepper)->caller, first, steps, error);
}

static int measure(struct stepper *stepper, double *values, struct engine_error *error)
{
    state_update_views(stepper->state);
    return caller_measure(&whole_of(stepper)->caller, values, error);
}

static int advise(struct stepper *stepper, uint64_t steps, char *text, uint64_t size, struct engine_error *error)
{
    state_update_views(stepper->state);
    return caller_advise(&whole_of(stepper)->caller, steps, text, size, error);
}

static struct host *host(struct stepper *stepper)
{
    return &whole_of(stepper)->host;
}

/* ---- Recordings --------------------------------------------------------------------------------------------- */

static bool possible(const struct stepper *stepper)
{
    (void) stepper;
    return true;
}

static void size(const struct stepper *stepper, uint64_t *launches, uint64_t *multiple)
{
    (void) stepper;
    *launches = *multiple = 1;
}

static const struct stepper_recording recording = {
    .possible = possible, .size = size, .place = stepper_place_current, .go = stepper_go_current};

static const struct stepper_table table = {
    .create = create,
    .destroy = destroy,
    .close = close,
    .advance = advance,
    .measure = measure,
    .host = host,
    .settle = settle,
    .advise = advise,
    .recording = &recording,
};

int stepper_whole_open(struct state *state, struct stepper **out, struct engine_error *error)
{
    *out = stepper_new(sizeof(struct whole), &table, state, error);
    if (!*out)
        return error->status;
    struct whole *whole = whole_of(*out);
    whole->caller =
        (struct caller){.state = state, .host = &whole->host, .plan = &state->for_plugin, .views = state->views};
    caller_init_host(state, &whole->host);
    return 0;
}
