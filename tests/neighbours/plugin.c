/* A plugin of one rule of this folder, RULE, with the name NAME: the implementations that the headers make, and a plain
 * one, which is the reference: all pairs, without cells, lists and sorting. */
#define NEIGHBOURS_REFERENCE 0
#define NEIGHBOURS_ROOM      24 /* some lists do not fit */
#include RULE

#include <engine/neighbours_cpu.h>

#include <stdlib.h>

/* emulated.cpp runs the CUDA implementation on the host. */
#ifdef EMULATED
#undef ENGINE_CUDA_IMPL
#define ENGINE_CUDA_IMPL ENGINE_HOST_IMPL
#endif

static const struct engine_field fields[] = {FIELDS};

static const struct engine_param params[] = {
    {ENGINE_REAL_PARAM("reach", "of neighbours", "0.2", 1e-3, 1e3)},
    {ENGINE_REAL_PARAM("skin", "of lists", "0.05", 0, 1e3), .flags = ENGINE_PARAM_TUNING},
    {ENGINE_REAL_PARAM("speed", "of particles", "0.01", 0, 1e20)},
};

/* The places of two positions differ by whole units of edge / 2^32; the nearest image counts. */
static float plain_way(double edge, double a, double b)
{
    if (edge <= 0)
        return (float) a - (float) b;
    const double in_a = a / edge - floor(a / edge), in_b = b / edge - floor(b / edge);
    int64_t units = (int64_t) (in_a * 4294967296.0) - (int64_t) (in_b * 4294967296.0);
    units += units < -2147483648LL ? 4294967296LL : 0;
    units -= units > 2147483647LL ? 4294967296LL : 0;
    return (float) (edge / 4294967296.0) * (float) units;
}

static struct engine_seen plain_seen(const struct engine_particle *particle)
{
    struct engine_seen seen;
    memset(&seen, 0, sizeof seen);
#define SEE(type, name, components) \
    for (int c = 0; c < (components); c++) \
        seen.name[c] = (type) particle->name[c];
    NEIGHBOURS_SEEN(SEE)
    return seen;
}

static void plain_sums(const struct rule *rule, const double *box, const struct engine_particle *all, uint64_t count,
                       struct engine_sums *sums)
{
    for (uint64_t i = 0; i < count; i++) {
        memset(sums + i, 0, sizeof *sums);
        for (uint64_t j = count; j-- > 0;) {
            float d[NEIGHBOURS_AXES], square = 0;
            for (int c = 0; c < NEIGHBOURS_AXES; c++) {
                d[c] = plain_way(box[c], all[i].position[c], all[j].position[c]);
                square += d[c] * d[c];
            }
            const struct engine_seen self = plain_seen(all + i), other = plain_seen(all + j);
            if (i != j && square < rule->reach * rule->reach)
                meet(rule, &self, &other, d, square, sums + i);
        }
    }
}

static int plain_advance(void *self, struct engine_call *call)
{
    const struct rule rule = rule_of(call);
    const struct engine_neighbours_fields from = engine_neighbours_fields_of(call, call->current);
    const struct engine_neighbours_fields to = engine_neighbours_fields_of(call, call->result);
    const uint64_t count = engine_field_shape(call->plan, 0)->extent[0];
    struct engine_particle *all = calloc(count, sizeof *all);
    struct engine_sums *sums = calloc(count, sizeof *sums);
    (void) self;
    for (uint64_t i = 0; all && sums && i < count; i++)
        all[i] = engine_particle_get(&from, i);
    for (uint64_t step = call->first_step; all && sums && step < call->first_step + call->steps; step++) {
        plain_sums(&rule, call->plan->box, all, count, sums);
#ifdef NEIGHBOURS_BEGIN
        for (uint64_t i = 0; i < count; i++)
            begin(&rule, all + i, sums + i, i, step);
        plain_sums(&rule, call->plan->box, all, count, sums);
#endif
        for (uint64_t i = 0; i < count; i++)
            move(&rule, all + i, sums + i, i, step);
    }
    for (uint64_t i = 0; all && sums && i < count; i++)
        engine_particle_put(&to, i, all + i);
    const int status = all && sums ? 0 : ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no memory for the particles");
    free(all);
    free(sums);
    return status;
}

#if NEIGHBOURS_METRICS > 0
static const struct engine_metric metrics[] = {
    {ENGINE_METRIC("total", NULL, "sum of what the particles met")},
    {ENGINE_METRIC("particles", NULL, "their number")},
};

static int plain_measure(void *self, const struct engine_call *call, double *values)
{
    const int32_t *met = engine_field_buffer(call, 1)->origin[call->current];
    (void) self;
    values[0] = 0;
    values[1] = (double) engine_field_shape(call->plan, 1)->extent[0];
    for (uint64_t i = 0; i < engine_field_shape(call->plan, 1)->extent[0]; i++)
        values[0] += met[i];
    return 0;
}
#endif

static const struct engine_impl impls[] = {
    {
        ENGINE_HOST_IMPL("plain", "all pairs", 1,
                         ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_NEIGHBOURS_FLAGS),
        .advance = plain_advance,
#if NEIGHBOURS_METRICS > 0
        .measure = plain_measure,
#endif
    },
    {ENGINE_NEIGHBOURS_CPU_IMPL},
    {ENGINE_NEIGHBOURS_CUDA_IMPL},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN(NAME, "0.1.0", "tests engine/neighbours.h"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
#if NEIGHBOURS_METRICS > 0
    .metrics = ENGINE_ARRAY(metrics),
#endif
    .impls = ENGINE_ARRAY(impls),
};
