/* old-brain: a plugin for interface 1.11. It is compiled with the frozen header of 1.11 in tests/abi/1.11, and with the
 * present one. Its results must not change. It includes engine/plugin.h alone, and uses what 1.3 to 1.11 added for grids
 * and what is retired since. Do not change it.
 *
 * Brian's Brain: a dead cell with two live neighbours is born, and a live cell dies in states - 1 steps. */
#define ENGINE_MINOR 11
#include <engine/plugin.h>

#include <string.h>

enum { CELLS };
enum { STATES, NAME, TABLE };
enum { ALIVE };
enum { DEAD, LIVE };

static const struct engine_field fields[] = {
    [CELLS] = {ENGINE_GRID_FIELD("cells", "0 dead, 1 alive, then dying", ENGINE_STATE, ENGINE_U8, 2), .values = 256,
               .reach = {1, 1, 0}, .reduction = ENGINE_REDUCE_NONE},
};

static int check_name(const struct engine_host *host, const struct engine_value *value)
{
    return strcmp(value->text, "brain") == 0 ? 0 : ENGINE_FAIL(host, ENGINE_INVALID, "'%s' is no name", value->text);
}

static int spell(const char *value, char *text, uint64_t size)
{
    (void) value;
    if (size < sizeof "old:brain")
        return 1;
    memcpy(text, "old:brain", sizeof "old:brain");
    return 0;
}

static const struct engine_param params[] = {
    [STATES] = {ENGINE_INTEGER_PARAM("states", "of a cell", "3", 3, 256)},
    [NAME] = {ENGINE_TEXT_PARAM("name", "of the rule", "brain"), .check = check_name, .file_key = "rule",
              .spell = spell},
    [TABLE] = {ENGINE_TEXT_PARAM("table", "a file", ""), .flags = ENGINE_PARAM_PATH},
};

static const struct engine_metric metrics[] = {[ALIVE] = {ENGINE_METRIC("alive", "cells", "cells that are alive")}};

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("blinks", "live and dead cells"), .flags = ENGINE_GENERATOR_CONFORM}};

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    (void) generator, (void) field;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t word;
        host->random(host, plan->seed, 1000, begin + i, 1, &word);
        ((uint8_t *) out)[i] = word < UINT32_C(1) << 30;
    }
    return 0;
}

static int values(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint32_t *count)
{
    (void) host, (void) field;
    *count = (uint32_t) engine_param_integer(plan, STATES);
    return 0;
}

static int colours(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint8_t (*table)[3],
                   uint32_t *count)
{
    static const uint8_t first[3][3] = {{1, 2, 3}, {255, 0, 0}, {0, 0, 255}};
    (void) host, (void) plan, (void) field;
    memcpy(table, first, sizeof first);
    *count = 3;
    return 0;
}

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    host->note(host, "table", "%s", engine_param_text(plan, TABLE));
    return engine_plan_symbol(plan, 0) ? ENGINE_FAIL(host, ENGINE_INTERNAL, "there are no species") : 0;
}

/* ---- A step ------------------------------------------------------------------------------------------------- */

struct instance {
    uint64_t settled; /* the step up to which calls were settled */
    uint8_t last;     /* the last state */
};

static int create(const struct engine_call *call, void **self)
{
    struct instance *instance = call->host->scratch(call->host, sizeof *instance, ENGINE_HOST_MEMORY);
    if (!instance)
        return ENGINE_NO_MEMORY;
    instance->settled = call->first_step;
    instance->last = (uint8_t) (engine_param_integer(call->plan, STATES) - 1);
    *self = instance;
    return 0;
}

/* Rows [begin, end) of a universe, which is plane u. */
static void take_rows(const struct instance *instance, const struct engine_call *call, int64_t u, uint64_t begin,
                      uint64_t end)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    for (uint64_t y = begin; y < end; y++) {
        const uint8_t *row = engine_row(cells, call->current, (int64_t) y, u);
        uint8_t *next = engine_row(cells, call->result, (int64_t) y, u);
        for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++) {
            int live = -(row[x] == LIVE);
            for (int64_t i = x - 1; i <= x + 1; i++)
                live += (row[i - cells->row_stride] == LIVE) + (row[i] == LIVE) + (row[i + cells->row_stride] == LIVE);
            if (row[x] == DEAD)
                next[x] = live == 2;
            else
                next[x] = row[x] == instance->last ? DEAD : (uint8_t) (row[x] + 1);
        }
    }
}

static int advance(void *self, struct engine_call *call)
{
    for (uint64_t u = 0; u < call->plan->universes; u++)
        take_rows(self, call, (int64_t) u, 0, engine_field_shape(call->plan, CELLS)->extent[1]);
    return 0;
}

static int measure(void *self, const struct engine_call *call, double *sums)
{
    (void) self;
    for (uint64_t u = 0; u < call->plan->universes; u++)
        for (uint64_t y = call->begin[1]; y < call->end[1]; y++) {
            const uint8_t *row = engine_row(engine_field_buffer(call, CELLS), call->current, (int64_t) y, (int64_t) u);
            for (uint64_t x = call->begin[0]; x < call->end[0]; x++)
                sums[u] += row[x] == LIVE;
        }
    return 0;
}

/* ---- Parts that share their work: each has some rows --------------------------------------------------------- */

static int advance_team(void *self, struct engine_call *call)
{
    const struct engine_part *part = &call->plan->part;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const struct engine_team *team = engine_host_team(call->host);
    const uint64_t rows = cells->shape->extent[1], row = (uint64_t) cells->row_stride;
    take_rows(self, call, 0, engine_share_begin(part->index, part->count, rows),
              engine_share_begin(part->index + 1, part->count, rows));
    if (!team->exchange)
        return ENGINE_FAIL(call->host, -ENGINE_INTERNAL, "the service is too old");
    return team->gather(call, cells->origin[call->result], (rows - 1) * row + cells->shape->extent[0], row);
}

static int measure_team(void *self, const struct engine_call *call, double *sums)
{
    const struct engine_part *part = &call->plan->part;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    uint64_t live = 0;
    (void) self;
    for (uint64_t y = engine_share_begin(part->index, part->count, call->end[1]);
         y < engine_share_begin(part->index + 1, part->count, call->end[1]); y++)
        for (uint64_t x = 0; x < call->end[0]; x++)
            live += ((const uint8_t *) engine_row(cells, call->current, (int64_t) y, 0))[x] == LIVE;
    const int status = engine_host_team(call->host)->reduce(call, &live, 1);
    sums[ALIVE] = (double) live;
    return status;
}

/* ---- Calls that are settled later ----------------------------------------------------------------------------- */

static int settle(void *self, const struct engine_call *call)
{
    struct instance *instance = self;
    if (call->first_step != instance->settled)
        return ENGINE_FAIL(call->host, -ENGINE_INTERNAL, "a call was not settled");
    instance->settled += call->steps;
    call->host->note(call->host, "settled-steps", "%llu", (unsigned long long) instance->settled);
    return 0;
}

static int advise(void *self, const struct engine_call *call, char *text, uint64_t size)
{
    static const char words[] = "would pay in any case";
    if (!self || call->steps == 0 || size < sizeof words)
        return ENGINE_INTERNAL;
    memcpy(text, words, sizeof words);
    return 0;
}

/* ---- A torus, or dead edges, without ghosts -------------------------------------------------------------------- */

static int layout_dead(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                       struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    layout->ghost[0] = layout->ghost[1] = 0;
    layout->row_align = 64;
    layout->row_odd = 1;
    return 0;
}

/* Is the cell alive that lies at a place from -1 to the extent? */
static int live_at(const struct engine_call *call, uint32_t which, int64_t x, int64_t y)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const int64_t width = (int64_t) cells->shape->extent[0], height = (int64_t) cells->shape->extent[1];
    if ((engine_plan_edge(call->plan, 0) == ENGINE_EDGE_DEAD && (x < 0 || x == width)) ||
        (call->plan->edges.kind[1] == ENGINE_EDGE_DEAD && (y < 0 || y == height)))
        return 0;
    return ((const uint8_t *) engine_row(cells, which, (y + height) % height, 0))[(x + width) % width] == LIVE;
}

static int advance_dead(void *self, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const struct instance *instance = self;
    uint32_t now = call->current;
    for (uint64_t step = 0; step < call->steps; step++, now = 1 - now)
        for (int64_t y = 0; y < (int64_t) cells->shape->extent[1]; y++)
            for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++) {
                const uint8_t cell = ((const uint8_t *) engine_row(cells, now, y, 0))[x];
                int live = -(cell == LIVE);
                for (int64_t i = 0; i < 9; i++)
                    live += live_at(call, now, x + i % 3 - 1, y + i / 3 - 1);
                ((uint8_t *) engine_row(cells, 1 - now, y, 0))[x] = cell == DEAD             ? live == 2
                                                                    : cell == instance->last ? DEAD
                                                                                             : (uint8_t) (cell + 1);
            }
    call->result = now;
    return 0;
}

/* ---- The descriptor ------------------------------------------------------------------------------------------- */

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "bytes with ghosts", 10,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_DIVISIBLE | ENGINE_SUBBOX),
     .create = create, .advance = advance, .measure = measure, .advise = advise},
    {ENGINE_HOST_IMPL("cpu-team", "shares its rows", 5, ENGINE_EXACT | ENGINE_SERIAL | ENGINE_TEAMWORK),
     .create = create, .advance = advance_team, .measure = measure_team},
    {ENGINE_HOST_IMPL("cpu-batch", "many universes", 4, ENGINE_EXACT | ENGINE_SERIAL | ENGINE_BATCH), .create = create,
     .advance = advance, .measure = measure},
    {ENGINE_HOST_IMPL("cpu-settle", "calls are settled", 3, ENGINE_EXACT | ENGINE_SERIAL | ENGINE_ENQUEUES), .batch = 4,
     .create = create, .advance = advance, .measure = measure, .settle = settle},
    {ENGINE_HOST_IMPL("cpu-dead", "dead edges", 2,
                      ENGINE_EXACT | ENGINE_SERIAL | ENGINE_OVERWRITES | ENGINE_DEAD_EDGES),
     .layout = layout_dead, .create = create, .advance = advance_dead, .measure = measure},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("old-brain", "1.11", "Brian's Brain, for interface 1.11"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .generate = generate,
    .values = values,
    .colours = colours,
};
