#include "record/settled_search.h"
#include "record/settled.h"

#include <stdlib.h>

enum { LEAST_STEPS = 64, MOST_STEPS = 1 << 16, SHARE = 16, GROWTH = 4 };

/* A tree may have so many cells that no list holds them. */
enum { MOST_CELLS = 1 << 24 };

struct searching {
    struct rerun *rerun;
    uint32_t rank;
    uint64_t reach; /* in a step */
    struct live_cells now, other;
    struct settled *settled;
    struct settled_found *found;
};

bool settled_is_due(uint64_t start, uint64_t step, uint64_t every)
{
    uint64_t due = start;
    while (due < step) {
        const uint64_t further = (due - start) / GROWTH;
        due += further > every ? further - further % every : every;
    }
    return due == step && step > start;
}

static int list_cells(struct searching *searching, uint64_t most, struct live_cells *cells, struct engine_error *error)
{
    return tiles_list_cells(searching->rerun->instance->state, 0, most, cells, error);
}

/* Takes steps until the state, after a period, is like the present one. The population comes first, because it is
 * compared soonest. */
static int find_period(struct searching *searching, struct engine_error *error)
{
    const uint64_t step = searching->rerun->step;
    const uint64_t wanted = LEAST_STEPS + (step - searching->rerun->start->step) / SHARE;
    const uint64_t most = wanted < MOST_STEPS ? wanted : MOST_STEPS;
    if (list_cells(searching, MOST_CELLS, &searching->now, error) != 0)
        return error->status;
    for (uint64_t period = 1; period <= most && searching->now.count <= MOST_CELLS && !searching->settled; period++) {
        if (rerun_to(searching->rerun, step + period, error) != 0)
            return error->status;
        if (searching->rerun->abandoned)
            return 0;
        if (list_cells(searching, searching->now.count, &searching->other, error) != 0 ||
            settled_compare(&searching->now, &searching->other, searching->rank, searching->reach * period, period,
                            &searching->settled, error) != 0)
            return error->status;
        searching->found->period = period;
    }
    return 0;
}

static int take_phases(struct searching *searching, struct engine_error *error)
{
    if (rerun_present(searching->rerun, error) != 0)
        return error->status;
    for (uint64_t phase = 0; phase < searching->found->period; phase++) {
        if (rerun_to(searching->rerun, searching->rerun->step + phase, error) != 0)
            return error->status;
        if (searching->rerun->abandoned)
            return 0;
        if (list_cells(searching, UINT64_MAX, &searching->other, error) != 0)
            return error->status;
        settled_take(searching->settled, phase, &searching->other);
    }
    return 0;
}

/* Has the grid settled at the step? Is a rerun_pass. */
static int check_points(void *self, uint64_t low, uint64_t high, uint64_t stride, uint64_t *found,
                        struct engine_error *error)
{
    struct searching *searching = self;
    const uint64_t count = (high - low + stride - 1) / stride;
    for (*found = 0; *found < count; ++*found) {
        const uint64_t step = low + *found * stride;
        if (rerun_to(searching->rerun, step, error) != 0)
            return error->status;
        if (searching->rerun->abandoned)
            return 0;
        if (list_cells(searching, MOST_CELLS, &searching->other, error) != 0)
            return error->status;
        if (settled_hash(&searching->other) != settled_before(searching->settled, searching->rerun->step - step))
            continue;
        searching->found->cells = searching->other.count;
        return 0;
    }
    return 0;
}

static int search(struct searching *searching, struct engine_error *error)
{
    struct settled_found *found = searching->found;
    struct rerun *rerun = searching->rerun;
    int status = find_period(searching, error);
    if (status != 0 || !searching->settled)
        return status;
    found->cells = searching->now.count;
    status = take_phases(searching, error);
    if (status == 0 && !rerun->abandoned)
        status =
            rerun_find_first(rerun, rerun->start->step, rerun->step, check_points, searching, &found->first, error);
    found->spaceships = settled_has_spaceships(searching->settled);
    found->period = settled_period(searching->settled);
    found->settled = status == 0 && !rerun->abandoned;
    return status;
}

int settled_search(struct rerun *rerun, struct settled_found *found, struct engine_error *error)
{
    const struct plan *plan = rerun->instance->state->plan;
    const struct engine_field *field = &plan->plugin->about.fields.at[0];
    struct searching searching = {.rerun = rerun, .rank = plan->shapes[0].rank, .reach = 1, .found = found};
    struct engine_error ignored;
    *found = (struct settled_found){.settled = false};
    for (uint32_t axis = 0; axis < searching.rank; axis++)
        searching.reach = field->reach[axis] > searching.reach ? field->reach[axis] : searching.reach;
    if (rerun_begin(rerun, error) != 0)
        return error->status;
    const int status = search(&searching, error);
    const int restored = rerun_end(rerun, status == 0 ? error : &ignored);
    settled_close(searching.settled);
    free(searching.now.at);
    free(searching.other.at);
    return status ? status : restored;
}
