/* old-life: a plugin for interface 1.2. It is compiled with the frozen header of 1.2 in tests/abi/1.2. A newer engine
 * has to load it, and its results must not change. It uses all phases, all types of parameters, and the members that
 * were added by 1.1 and 1.2. Do not change it.
 *
 * Conway's Life and its relatives: after some steps the state equals that of every other plugin of Life. */
#include <engine/plugin.h>

#include <string.h>

enum { CELLS };
enum { RULE, STRIPE, SHARE, NOTES, WHERE };
enum { EVERYWHERE, MIDDLE };
enum { POPULATION, BOX_CELLS };

static const struct engine_field fields[] = {
    [CELLS] = {.name = "cells",
               .help = "1 alive, 0 dead",
               .kind = ENGINE_GRID,
               .role = ENGINE_STATE,
               .type = ENGINE_U8,
               .components = 1,
               .rank = 2,
               .values = 2,
               .reach = {1, 1, 0},
               .range = {1, 0}}, /* since 1.1: pictures show live cells dark */
};

/* Bit n: a cell with n live neighbours is born (dead) or survives (alive). */
struct rule {
    unsigned live[2];
};

static int parse(const char *text, struct rule *rule)
{
    const char *births = text + 1, *survivals = strstr(text, "/S");
    if (text[0] != 'B' || !survivals || strspn(births, "012345678") != (size_t) (survivals - births) ||
        strspn(survivals + 2, "012345678") != strlen(survivals + 2))
        return -1;
    *rule = (struct rule){{0, 0}};
    for (; births < survivals; births++)
        rule->live[0] |= 1u << (*births - '0');
    for (survivals += 2; *survivals; survivals++)
        rule->live[1] |= 1u << (*survivals - '0');
    return 0;
}

static int check_rule(const struct engine_host *host, const struct engine_value *value)
{
    struct rule rule;
    return parse(value->text, &rule) ? ENGINE_FAIL(host, ENGINE_INVALID, "'%s' is not a rule", value->text) : 0;
}

static const char *const places[] = {[EVERYWHERE] = "everywhere", [MIDDLE] = "middle", NULL};

static const struct engine_param params[] = {
    [RULE] = {.name = "rule",
              .help = "births and survivals",
              .type = ENGINE_PARAM_TEXT,
              .initial = "B3/S23",
              .check = check_rule,
              .file_key = "rule"},
    [STRIPE] = {.name = "stripe",
                .help = "rows of a task",
                .unit = "rows",
                .type = ENGINE_PARAM_INTEGER,
                .flags = ENGINE_PARAM_TUNING,
                .initial = "4",
                .min = 1,
                .max = 1000},
    [SHARE] = {.name = "share",
               .help = "soup: share of live cells",
               .type = ENGINE_PARAM_REAL,
               .initial = "0.375",
               .min = 0,
               .max = 1},
    [NOTES] = {.name = "notes", .help = "note the stripe", .type = ENGINE_PARAM_FLAG, .initial = "yes"},
    [WHERE] = {.name = "where",
               .help = "soup: its place",
               .type = ENGINE_PARAM_CHOICE,
               .initial = "everywhere",
               .choices = places},
};

static const struct engine_metric metrics[] = {
    [POPULATION] = {"population", "cells", "cells that are alive"},
    [BOX_CELLS] = {"cells", NULL, "cells of the grid"},
};

static const struct engine_generator generators[] = {{"soup", "random cells"}};

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    const double share = engine_param_value(plan, SHARE)->real;
    const int middle = engine_param_value(plan, WHERE)->integer == MIDDLE;
    (void) generator;
    for (uint64_t i = begin; i < begin + count; i++) {
        const uint64_t x = i % extent[0], y = i / extent[0];
        const int inside = 4 * x >= extent[0] && 4 * x < 3 * extent[0] && 4 * y >= extent[1] && 4 * y < 3 * extent[1];
        uint32_t word;
        host->random(host, plan->seed, 1000, i, 1, &word);
        ((uint8_t *) out)[i - begin] = (!middle || inside) && word < share * 4294967296.0;
    }
    return 0;
}

/* ---- A step ------------------------------------------------------------------------------------------------------ */

struct instance {
    struct rule rule;
    uint64_t stripe;
};

static int create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    struct instance *instance = host->scratch(host, sizeof *instance, ENGINE_HOST_MEMORY);
    if (!instance)
        return ENGINE_NO_MEMORY;
    instance->stripe = (uint64_t) engine_param_value(call->plan, STRIPE)->integer;
    if (engine_param_value(call->plan, NOTES)->integer)
        host->note(host, "stripe", "%llu", (unsigned long long) instance->stripe);
    host->message(host, ENGINE_LOG_DEBUG, "old-life: the rule is %s", engine_param_value(call->plan, RULE)->text);
    *self = instance;
    return parse(engine_param_value(call->plan, RULE)->text, &instance->rule) ? ENGINE_INTERNAL : 0;
}

static void destroy(void *self)
{
    ((struct instance *) self)->stripe = 0;
}

struct job {
    const struct engine_call *call;
    const struct instance *instance;
};

static void take_stripe(void *argument, uint64_t stripe)
{
    const struct job *job = argument;
    const struct engine_buffer *cells = engine_field_buffer(job->call, CELLS);
    const uint64_t begin = stripe * job->instance->stripe, height = cells->shape->extent[1];
    for (uint64_t y = begin; y < begin + job->instance->stripe && y < height; y++) {
        const uint8_t *row = (const uint8_t *) cells->origin[job->call->current] + (int64_t) y * cells->row_stride;
        uint8_t *result = (uint8_t *) cells->origin[job->call->result] + (int64_t) y * cells->row_stride;
        for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++) {
            unsigned live = 0;
            for (int64_t i = x - 1; i <= x + 1; i++)
                live += (unsigned) row[i - cells->row_stride] + row[i] + row[i + cells->row_stride];
            result[x] = job->instance->rule.live[row[x]] >> (live - row[x]) & 1;
        }
    }
}

/* The engine's ghosts: one step a call. */
static int advance(void *self, struct engine_call *call)
{
    const struct instance *instance = self;
    const uint64_t height = engine_field_buffer(call, CELLS)->shape->extent[1];
    struct job job = {call, instance};
    call->host->parallel(call->host, (height + instance->stripe - 1) / instance->stripe, take_stripe, &job);
    return 0;
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const uint64_t width = cells->shape->extent[0], height = cells->shape->extent[1];
    uint64_t population = 0;
    (void) self;
    for (uint64_t y = 0; y < height; y++)
        for (uint64_t x = 0; x < width; x++)
            population += ((const uint8_t *) cells->origin[call->current] + (int64_t) y * cells->row_stride)[x];
    values[POPULATION] = (double) population;
    values[BOX_CELLS] = (double) (width * height);
    return 0;
}

/* Since 1.2: rows an odd number of cache lines apart. */
static int layout_odd(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->row_align = 64;
    layout->row_odd = 1;
    return 0;
}

static int probe_odd(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t width = engine_field_shape(plan, CELLS)->extent[0];
    return width > 1 ? 0 : ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "a row of one cell");
}

/* ---- Memory in an order of its own: column by column, no ghosts, any number of steps a call
 * ------------------------- */

static void pack(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *canonical, void *buffer)
{
    const uint64_t width = shape->extent[0], height = shape->extent[1];
    for (uint64_t i = begin; i < begin + count; i++)
        ((uint8_t *) buffer)[i % width * height + i / width] = ((const uint8_t *) canonical)[i - begin];
}

static void unpack(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *buffer,
                   void *canonical)
{
    const uint64_t width = shape->extent[0], height = shape->extent[1];
    for (uint64_t i = begin; i < begin + count; i++)
        ((uint8_t *) canonical)[i - begin] = ((const uint8_t *) buffer)[i % width * height + i / width];
}

static int layout_own(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout)
{
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    (void) host;
    layout->own_bytes = extent[0] * extent[1];
    layout->pack = pack;
    layout->unpack = unpack;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    layout->ghost[0] = layout->ghost[1] = 0;
    return 0;
}

static void take_step(const struct rule *rule, uint64_t width, uint64_t height, const uint8_t *cells, uint8_t *result)
{
    for (uint64_t x = 0; x < width; x++)
        for (uint64_t y = 0; y < height; y++) {
            unsigned live = 0;
            for (uint64_t i = x + width - 1; i <= x + width + 1; i++)
                for (uint64_t j = y + height - 1; j <= y + height + 1; j++)
                    live += cells[i % width * height + j % height];
            const uint8_t cell = cells[x * height + y];
            result[x * height + y] = rule->live[cell] >> (live - cell) & 1;
        }
}

static int advance_own(void *self, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const uint64_t *extent = cells->shape->extent;
    for (uint64_t i = 0; i < call->steps; i++)
        take_step(&((struct instance *) self)->rule, extent[0], extent[1], cells->origin[(call->current + i) % 2],
                  cells->origin[(call->current + i + 1) % 2]);
    call->result = (uint32_t) ((call->current + call->steps) % 2);
    return 0;
}

static int measure_own(void *self, const struct engine_call *call, double *values)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const uint64_t count = cells->shape->extent[0] * cells->shape->extent[1];
    uint64_t population = 0;
    (void) self;
    for (uint64_t i = 0; i < count; i++)
        population += ((const uint8_t *) cells->origin[call->current])[i];
    values[POPULATION] = (double) population;
    values[BOX_CELLS] = (double) count;
    return 0;
}

/* ---- The descriptor ---------------------------------------------------------------------------------------------- */

static int cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *out)
{
    (void) host, (void) plan;
    out->bytes = 2;
    return 0;
}

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t width = engine_field_shape(plan, CELLS)->extent[0];
    return width <= 10000 ? 0 : ENGINE_FAIL(host, ENGINE_INVALID, "a row of %llu cells", (unsigned long long) width);
}

static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *out)
{
    const uint64_t *extent = engine_field_shape(plan, CELLS)->extent;
    (void) host;
    out->unit = "old cells";
    out->per_step = (double) (extent[0] * extent[1]);
    return 0;
}

static const struct engine_impl impls[] = {
    {.name = "cpu",
     .help = "bytes with ghosts",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 10,
     .create = create,
     .advance = advance,
     .measure = measure,
     .destroy = destroy,
     .cost = cost},
    {.name = "cpu-odd",
     .help = "rows an odd number of lines apart",
     .flags = ENGINE_EXACT,
     .rank = 5,
     .probe = probe_odd,
     .layout = layout_odd,
     .create = create,
     .advance = advance,
     .measure = measure},
    {.name = "cpu-own",
     .help = "columns instead of rows",
     .flags = ENGINE_EXACT | ENGINE_OVERWRITES,
     .rank = 1,
     .batch = 2,
     .layout = layout_own,
     .create = create,
     .advance = advance_own,
     .measure = measure_own},
    {.name = "cuda", .help = "not compiled in", .memory = ENGINE_CUDA_MEMORY, .flags = ENGINE_EXACT},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(2),
    .name = "old-life",
    .version = "1.0",
    .summary = "Life, as it was written for interface 1.2",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .work = work,
    .generate = generate,
};
