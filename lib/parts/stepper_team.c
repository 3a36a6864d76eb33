#include "base/thread_pool.h"
#include "parts/stepper_parts.h"
#include "parts/team.h"

#include <stdlib.h>
#include <string.h>

struct shared_work {
    struct stepper_parts parts;
    struct team *team;
    double *values; /* what each part measures: all metrics of the first one, then … */
    uint64_t steps; /* of the present call */
};

static struct shared_work *work_of(struct stepper *stepper)
{
    return (struct shared_work *) stepper;
}

/* Parts that run at the same time have threads of their own, and the service ENGINE_TEAM between them. */
static int join(struct stepper_parts *parts, struct stepper *part, uint32_t index, struct engine_error *error)
{
    struct host *host = part->table->host(part);
    team_join(work_of(&parts->stepper)->team, index, host);
    if (host->threads > 1 && !(host->own_pool = thread_pool_open()))
        return error_memory(error, host->threads, "the threads of a part");
    return 0;
}

static int create(struct stepper *stepper, struct engine_error *error)
{
    struct shared_work *work = work_of(stepper);
    const struct plan *plan = stepper->state->plan;
    const uint64_t count = (uint64_t) plan->settings.parts * plan->plugin->about.metrics.count;
    work->values = calloc(count + 1, sizeof *work->values);
    if (!work->values)
        return error_memory(error, (count + 1) * sizeof *work->values, "the metrics of the parts");
    if (team_open(plan, state_ranks(stepper->state), &work->team, error) != 0)
        return error->status;
    return stepper_parts_create(&work->parts, join, error);
}

static void destroy(struct stepper *stepper)
{
    struct shared_work *work = work_of(stepper);
    stepper_parts_destroy(&work->parts);
    team_close(work->team);
    free(work->values);
    work->team = NULL;
    work->values = NULL;
}

static void close(struct stepper *stepper)
{
    free(stepper);
}

/* Tells the parts what has changed in the whole. */
static void prepare(struct stepper_parts *parts)
{
    const struct state *state = parts->stepper.state;
    const struct plan *plan = state->plan;
    for (uint32_t i = 0; i < plan->settings.parts; i++) {
        if (!parts->parts[i])
            continue;
        struct state *part = parts->parts[i]->state;
        part->step = state->step;
        part->fresh = part->fresh || state->fresh;
        memcpy(part->plan->for_plugin.box, plan->for_plugin.box, sizeof plan->for_plugin.box);
    }
}

/* All parts of this process must have put the result into the same buffer. */
static int check_currents(const struct stepper_parts *parts, bool *lost, struct engine_error *error)
{
    const struct state *state = parts->stepper.state;
    struct state *const *of = state_parts(state);
    uint32_t first = 0;
    while (!parts->parts[first])
        first++;
    for (uint32_t i = first + 1; i < state->plan->settings.parts; i++)
        if (parts->parts[i] && of[i]->current != of[first]->current) {
            *lost = true;
            return error_set(
                error, ENGINE_STATUS_PLUGIN,
                "%s/%s: advance reported that buffer %u holds the result of part %u, and buffer %u that of part %u",
                state->plan->plugin->about.name, state->plan->impl->name, of[first]->current, first + 1, of[i]->current,
                i + 1);
        }
    return 0;
}

static int advance_share(void *argument, uint32_t index, bool *lost, struct engine_error *error)
{
    struct shared_work *work = argument;
    return stepper_parts_take(&work->parts, index, work->steps, lost, error);
}

static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct shared_work *work = work_of(stepper);
    struct state *state = stepper->state;
    work->steps = steps;
    prepare(&work->parts);
    const int status = team_run(work->team, advance_share, work, lost, error);
    if (status != 0 || *lost) /* 0: another process reports the error of its part */
        return status;
    if (check_currents(&work->parts, lost, error) != 0)
        return error->status;
    state->step += steps;
    state->fresh = false;
    return 0;
}

static int measure_share(void *argument, uint32_t index, bool *lost, struct engine_error *error)
{
    const struct shared_work *work = argument;
    struct stepper *part = work->parts.parts[index];
    (void) lost;
    return part->table->measure(part, work->values + (uint64_t) index * part->state->plan->plugin->about.metrics.count,
                                error);
}

/* All parts measure the same. */
static int measure(struct stepper *stepper, double *values, struct engine_error *error)
{
    struct shared_work *work = work_of(stepper);
    const struct plan *plan = stepper->state->plan;
    const uint32_t count = plan->plugin->about.metrics.count;
    bool lost = false;
    prepare(&work->parts);
    memset(work->values, 0, (uint64_t) plan->settings.parts * count * sizeof *values);
    if (team_run(work->team, measure_share, work, &lost, error) != 0)
        return error->status;
    memcpy(values, work->values, count * sizeof *values); /* of the first part, which process 0 has */
    return 0;
}

static const struct stepper_table table = {
    .create = create,
    .destroy = destroy,
    .close = close,
    .advance = advance,
    .measure = measure,
    .host = stepper_parts_host,
};

int stepper_team_open(struct state *state, struct stepper **out, struct engine_error *error)
{
    *out = stepper_new(sizeof(struct shared_work), &table, state, error);
    return *out ? 0 : error->status;
}
