#include "record/edge.h"
#include "base/context.h"
#include "plan/edges.h"
#include "record/state_region.h"
#include "tiles/store_tiles.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 64, /* cells that are reduced to one number, where they are */
    SELDOM = 16 /* steps between two looks at least, so that looks at many steps cost little */
};

bool edge_can_be_met(const struct plan *plan)
{
    const struct engine_field *field = &plan->described[0];
    return field->kind == ENGINE_GRID && field->role == ENGINE_STATE && field->values > 0 &&
           plan->shapes[0].type == ENGINE_U8 && plan->shapes[0].components == 1 && !plan_is_batch(plan) &&
           (!plan_is_unbounded(plan) || plan_is_strip(plan));
}

/* Is a cell of this layer of an axis alive? */
static int look_at(const struct state *state, uint32_t axis, uint64_t layer, bool *met, struct engine_error *error)
{
    const struct engine_shape *shape = &state_geometry(state, 0)->shape;
    struct region region = {.block = {BLOCK, BLOCK, BLOCK}, .reduce = REGION_ANY};
    uint64_t count;
    memcpy(region.end, shape->extent, sizeof region.end);
    region.begin[axis] = layer;
    region.end[axis] = layer + 1;
    const struct engine_shape made = region_shape(&region, shape);
    shape_elements(&made, &count);
    uint8_t *cells = malloc(count);
    const int status = cells ? state_read_region(state, 0, &region, 0, count, cells, error)
                             : error_memory(error, count, "the edge of the grid");
    *met = status == 0 && memchr(cells, 1, count);
    free(cells);
    return status;
}

/* The same for a grid in tiles that has no edges along some axes: the box of its cells is known. */
static int box_meets(const struct state *state, uint32_t axes, bool *met, struct engine_error *error)
{
    uint64_t begin[3], end[3];
    if (tiles_bounds(state, begin, end, error) != 0)
        return error->status;
    for (uint32_t axis = 0; axis < state->plan->shapes[0].rank; axis++)
        *met = *met || (axes >> axis & 1 && (begin[axis] == 0 || end[axis] == state->plan->shapes[0].extent[axis]));
    return 0;
}

int edge_is_met(const struct state *state, uint32_t axes, bool *met, struct engine_error *error)
{
    const struct engine_shape *shape = &state_geometry(state, 0)->shape;
    int status = 0;
    *met = false;
    if (plan_is_unbounded(state->plan))
        return box_meets(state, axes & ~state->plan->open, met, error);
    for (uint32_t axis = 0; axis < shape->rank && status == 0; axis++)
        for (int end = 0; end < 2 && axes & 1u << axis && status == 0 && !*met; end++)
            status = look_at(state, axis, end ? shape->extent[axis] - 1 : 0, met, error);
    return status;
}

void edge_watch_start(struct edge_watch *watch, const struct state *state)
{
    const struct plan *plan = state->plan;
    const bool asked = plan->settings.edge_count > 0 || plan->found.grid[0] > 0;
    *watch = (struct edge_watch){.state = state};
    for (uint32_t axis = 0; plan->found.pattern && edge_can_be_met(plan) && axis < plan->shapes[0].rank; axis++) {
        if (plan->open >> axis & 1)
            continue;
        watch->dead |= (uint32_t) (plan->for_plugin.edges.kind[axis] == ENGINE_EDGE_DEAD) << axis;
        watch->torus |= (uint32_t) (!asked && plan->for_plugin.edges.kind[axis] == ENGINE_EDGE_TORUS) << axis;
    }
}

static void warn(const struct edge_watch *watch)
{
    context_message(
        watch->state->plan->context, ENGINE_LOG_WARNING,
        "at step %llu, live cells are at the seam of the torus: what leaves the grid at one end comes in at "
        "the other one; [grid] edges = unbounded has no seam, and edges = torus gives no warning",
        (unsigned long long) watch->state->step);
}

static int look(struct edge_watch *watch, bool start, struct engine_error *error)
{
    bool dead = false, torus = false;
    watch->looked = watch->state->step;
    if (edge_is_met(watch->state, watch->dead, &dead, error) != 0 ||
        edge_is_met(watch->state, watch->torus, &torus, error) != 0)
        return error->status;
    if (dead && !start) {
        watch->met = true;
        watch->step = watch->state->step;
    }
    if (torus && !start)
        warn(watch);
    watch->dead = dead ? 0 : watch->dead;
    watch->torus = torus ? 0 : watch->torus;
    return 0;
}

/* A resumed run takes what it finds at its start for something that has happened before. */
static int see(void *self, enum moment moment, const struct loop_view *view, struct engine_error *error)
{
    struct edge_watch *watch = self;
    const uint64_t step = watch->state->step;
    (void) view;
    if (!(watch->dead | watch->torus) || moment > MOMENT_END || (moment == MOMENT_DUE && step - watch->looked < SELDOM))
        return 0;
    return look(watch, moment == MOMENT_START && step == 0, error);
}

struct observer edge_observer(struct edge_watch *watch)
{
    return (struct observer){.self = watch, .see = see};
}
