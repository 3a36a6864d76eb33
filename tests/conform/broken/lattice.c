/* Particles that must not overlap: a correct plugin that random positions do not suit. Its generator puts them on a
 * lattice. A step moves all particles by the same distance.
 *
 * -DFLAGGED: the plugin names the generator as the one to be tested with. -DBOX: the plugin needs a box. -DWRONG: "cpu"
 * is wrong in the last bit. -DODD_SEED: it is wrong with an odd seed. */
#define ENGINE_MINOR 4
#include <engine/plugin.h>
#include <math.h>
#include <string.h>

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    if (engine_field_shape(plan, 0)->extent[0] > 1100)
        return ENGINE_FAIL(host, ENGINE_INVALID, "at most 1100 particles");
#ifdef BOX
    if (!(plan->box[0] > 0))
        return ENGINE_FAIL(host, ENGINE_INVALID, "the box is open; give [particles] box");
#endif
    return 0;
}

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    (void) host, (void) plan, (void) generator, (void) field;
    for (uint64_t i = 0; i < count; i++)
        ((double *) out)[i] = (double) ((begin + i) / 3) + 0.1 * (double) ((begin + i) % 3);
    return 0;
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static int create(const struct engine_call *call, void **self)
{
    const struct engine_buffer *position = engine_field_buffer(call, 0);
    const double *r = position->origin[call->current];
    const uint64_t count = position->shape->extent[0];
    (void) self;
    call->host->message(call->host, ENGINE_LOG_INFO, "lattice uses one thread");
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t k = 0; k < i; k++)
            if (distance(r + 3 * i, r + 3 * k) < 0.5)
                return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "two particles overlap");
    return 0;
}

static void take_steps(struct engine_call *call, double error)
{
    const struct engine_buffer *position = engine_field_buffer(call, 0);
    const uint64_t count = 3 * position->shape->extent[0];
    double *r = position->origin[call->result];
    memcpy(r, position->origin[call->current], count * sizeof *r);
    for (uint64_t step = 0; step < call->steps; step++)
        for (uint64_t i = 0; i < count; i++)
            r[i] += 0.001;
    for (uint64_t i = 0; i < count; i++)
        r[i] = error > 0 ? nextafter(r[i], INFINITY) : r[i];
}

static int reference_advance(void *self, struct engine_call *call)
{
    (void) self;
    take_steps(call, 0);
    return 0;
}

static int cpu_advance(void *self, struct engine_call *call)
{
    (void) self;
#if defined WRONG
    take_steps(call, 1);
#elif defined ODD_SEED
    take_steps(call, call->plan->seed % 2 ? 1 : 0);
#else
    take_steps(call, 0);
#endif
    return 0;
}

static const struct engine_field fields[] = {
    {.name = "position", .help = "not nearer than 0.5", .kind = ENGINE_PARTICLES, .type = ENGINE_F64, .components = 3},
};

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("lattice", "particles in a row"),
#ifdef FLAGGED
     .flags = ENGINE_GENERATOR_CONFORM
#endif
    },
};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("reference", "one loop", 0, ENGINE_EXACT | ENGINE_REFERENCE), .create = create,
     .advance = reference_advance},
    {ENGINE_HOST_IMPL("cpu", "the same", 1, ENGINE_EXACT), .create = create, .advance = cpu_advance},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("lattice", "1.0", "particles that must not overlap"),
    .fields = ENGINE_ARRAY(fields),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .generate = generate,
};
