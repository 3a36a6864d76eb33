#include "parts/stepper_universes.h"
#include "run/caller.h"
#include "run/stepper_whole.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDED = 1024 };

struct universes {
    struct stepper stepper;
    struct host host;
    uint64_t count;
    struct caller *list;
    struct engine_plan *plans;
    struct engine_buffer *views; /* for each universe, one for each field */
};

static struct universes *universes_of(const struct stepper *stepper)
{
    return (struct universes *) (uintptr_t) stepper;
}

/* Moves the views of the state to universe `index`: its first cell is a step along the batch's axis away. */
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

static void view_all(const struct universes *all)
{
    state_update_views(all->stepper.state);
    for (uint64_t i = 0; i < all->count; i++)
        view_universe(all->stepper.state, i, all->list[i].views);
}

/* Names the universe in front of an error. */
static int in_universe(const struct universes *all, uint64_t index, struct engine_error *error)
{
    const unsigned long long universe = all->stepper.state->plan->slab.first + index; /* of a part, or of the whole */
    return error_prefix(error, "universe %llu: ", universe);
}

static int create(struct stepper *stepper, struct engine_error *error)
{
    const struct universes *all = universes_of(stepper);
    stepper->state->fresh = true;
    view_all(all);
    for (uint64_t i = 0; i < all->count; i++)
        if (caller_create(&all->list[i], error) != 0)
            return in_universe(all, i, error);
    return 0;
}

static void destroy(struct stepper *stepper)
{
    struct universes *all = universes_of(stepper);
    for (uint64_t i = 0; i < all->count; i++)
        caller_destroy(&all->list[i]);
    caller_renew_host(stepper->state, &all->host);
}

static void close(struct stepper *stepper)
{
    struct universes *all = universes_of(stepper);
    host_release(&all->host);
    free(all->list);
    free(all->plans);
    free(all->views);
    free(all);
}

static int differ(const struct universes *all, uint64_t index, uint32_t own, uint32_t result,
                  struct engine_error *error)
{
    char text[CALLER_TEXT];
    return error_set(error, ENGINE_STATUS_PLUGIN,
                     "%s reported that buffer %u holds the result of universe 0, and buffer %u that of universe "
                     "%llu; an implementation in a batch leaves all results in the same buffer",
                     caller_name(&all->list[0], "advance", text), result, own, (unsigned long long) index);
}

/* They all leave the result in the same buffer. When one universe has gone ahead of the others, an error leaves no
 * state of the whole. */
static int advance_all(const struct universes *all, uint64_t steps, uint32_t *result, bool *lost,
                       struct engine_error *error)
{
    view_all(all);
    for (uint64_t i = 0; i < all->count; i++) {
        uint32_t own;
        if (caller_advance(&all->list[i], steps, &own, lost, error) != 0) {
            *lost = *lost || i > 0;
            return in_universe(all, i, error);
        }
        if (i > 0 && own != *result) {
            *lost = true;
            return differ(all, i, own, *result, error);
        }
        *result = own;
    }
    return 0;
}

static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = stepper->state;
    uint32_t result = state->current;
    if (state_wrap(state, error) != 0 || advance_all(universes_of(stepper), steps, &result, lost, error) != 0)
        return error->status;
    state->current = result;
    state->step += steps;
    state->fresh = false;
    return 0;
}

static int measure(struct stepper *stepper, double *values, struct engine_error *error)
{
    const struct universes *all = universes_of(stepper);
    view_all(all);
    for (uint64_t i = 0; i < all->count; i++)
        if (caller_measure(&all->list[i], values + i * stepper->state->plan->plugin->about.metrics.count, error) != 0)
            return in_universe(all, i, error);
    return 0;
}

static int advise(struct stepper *stepper, uint64_t steps, char *text, uint64_t size, struct engine_error *error)
{
    const struct universes *all = universes_of(stepper);
    view_all(all);
    return caller_advise(&all->list[0], steps, text, size, error);
}

static struct host *host(struct stepper *stepper)
{
    return &universes_of(stepper)->host;
}

/* ---- Recordings --------------------------------------------------------------------------------------------- */

static bool possible(const struct stepper *stepper)
{
    return universes_of(stepper)->count <= MOST_RECORDED;
}

static void size(const struct stepper *stepper, uint64_t *launches, uint64_t *multiple)
{
    *launches = universes_of(stepper)->count;
    *multiple = 1;
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
    .advise = advise,
    .recording = &recording,
};

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* A universe has the seed of its run, and is alone. */
static void open_universe(struct universes *all, uint64_t index)
{
    struct state *state = all->stepper.state;
    struct engine_plan *own = &all->plans[index];
    *own = engine_universe_plan(&state->for_plugin, index);
    all->list[index] = (struct caller){.state = state,
                                       .host = &all->host,
                                       .plan = own,
                                       .views = all->views + index * state->plan->plugin->about.fields.count};
}

static int allocate(struct universes *all, struct engine_error *error)
{
    const struct plan *plan = all->stepper.state->plan;
    const uint64_t count = plan->settings.universes, fields = plan->plugin->about.fields.count;
    all->list = calloc(count, sizeof *all->list);
    all->plans = calloc(count, sizeof *all->plans);
    all->views = calloc(count * fields, sizeof *all->views);
    if (!all->list || !all->plans || !all->views)
        return error_memory(error, count * (sizeof *all->list + sizeof *all->plans + fields * sizeof *all->views),
                            "the universes");
    all->count = count;
    for (uint64_t i = 0; i < count; i++)
        open_universe(all, i);
    return 0;
}

int stepper_universes_open(struct state *state, struct stepper **out, struct engine_error *error)
{
    *out = stepper_new(sizeof(struct universes), &table, state, error);
    if (!*out)
        return error->status;
    struct universes *all = universes_of(*out);
    caller_init_host(state, &all->host);
    if (allocate(all, error) == 0)
        return 0;
    close(*out);
    *out = NULL;
    return error->status;
}

int stepper_here_open(struct state *state, struct stepper **stepper, struct engine_error *error)
{
    return (plan_takes_one_universe(state->plan) ? stepper_universes_open : stepper_whole_open)(state, stepper, error);
}
