/* A rule on a row of cells that takes a batch (ENGINE_BATCH): a sound implementation and, with the parameter `how`, one
 * that is broken. The new value of a cell is the parity of the cell and its neighbours, or its own value with the
 * seed's lowest bit where the seed's next bit is set. */
#define ENGINE_MINOR 7
#include <engine/plugin.h>

enum { CELLS };

enum how {
    RIGHT,
    MIXES,    /* the last cell of a universe has a neighbour in the next one */
    FIRST,    /* takes the steps of universe 0 alone */
    SEEDS,    /* all universes have the seed of the first */
    MEASURES, /* measures the sum in place of each universe */
    LAST      /* leaves out the last universe of more than ten */
};

static const char *const ways[] = {"right", "mixes", "first", "seeds", "measures", "last", NULL};

static const struct engine_param params[] = {{ENGINE_CHOICE_PARAM("how", "how it is broken", "right", ways)}};

static enum how how_of(const struct engine_plan *plan)
{
    return (enum how) engine_param_choice(plan, 0);
}

static unsigned char cell(const struct engine_call *call, uint64_t universe, int64_t x)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    return ((const unsigned char *) engine_row(cells, call->current, (int64_t) universe, 0))[x];
}

static void step(const struct engine_call *call, uint64_t universe)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const int64_t width = (int64_t) cells->shape->extent[0];
    const uint64_t universes = call->plan->universes;
    const enum how how = how_of(call->plan);
    const uint64_t seed = call->plan->seed + (how == SEEDS ? 0 : universe);
    unsigned char *result = engine_row(cells, call->result, (int64_t) universe, 0);
    for (int64_t x = 0; x < width; x++) {
        const int leaves = how == MIXES && x + 1 == width && universes > 1;
        const unsigned char left = cell(call, universe, x - 1);
        const unsigned char right = leaves ? cell(call, (universe + 1) % universes, 0) : cell(call, universe, x + 1);
        result[x] = (unsigned char) (left ^ cell(call, universe, x) ^ right ^ (x % 3 == 0 ? seed >> 1 & seed & 1 : 0));
    }
}

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    const enum how how = how_of(call->plan);
    const uint64_t universes = call->plan->universes;
    for (uint64_t u = 0; u < universes; u++)
        if (!(how == FIRST && u > 0) && !(how == LAST && u >= 10))
            step(call, u);
    return 0;
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const uint64_t width = engine_field_shape(call->plan, CELLS)->extent[0];
    for (uint64_t u = 0; u < call->plan->universes; u++)
        for (uint64_t x = 0; x < width; x++)
            values[how_of(call->plan) == MEASURES ? 0 : u] += cell(call, u, (int64_t) x);
    return 0;
}

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "0 or 1", ENGINE_STATE, ENGINE_U8, 1), .values = 2, .reach = {1}}};
static const struct engine_metric metrics[] = {{ENGINE_METRIC("ones", "cells", "cells of value 1")}};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "all universes in a call", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_SEEDED | ENGINE_BATCH),
     .advance = advance, .measure = measure}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("universes", "1", "takes a batch"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
