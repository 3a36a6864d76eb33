/* @NAME@: the descriptor, which the engine reads before it calls any function, and a step on the CPU. The rule is `next`
 * in @NAME@.h; declare here what it needs. */
#include "@NAME@.h"

/* The state of the simulation: three numbers of each kind for a particle. */
static const struct engine_field fields[] = {
    [POSITION] = {ENGINE_PARTICLE_FIELD("position", "of the particles", ENGINE_STATE, ENGINE_F32, 3)},
    [VELOCITY] = {ENGINE_PARTICLE_FIELD("velocity", "half a step before", ENGINE_STATE, ENGINE_F32, 3)},
};

/* Keys of the section [@NAME@] of a configuration: name, help, default, minimum, maximum. */
static const struct engine_param params[] = {
    [FREQUENCY] = {ENGINE_REAL_PARAM("frequency", "of the springs", "1", 0, 1000), .unit = "radians a unit of time"},
    [DT] = {ENGINE_REAL_PARAM("dt", "length of a step", "0.05", 1e-6, 1000), .unit = "units of time"},
};

/* Columns of metrics.csv and lines of the summary. */
static const struct engine_metric metrics[] = {
    [ENERGY] = {ENGINE_METRIC("energy", NULL, "mean energy of a particle")},
    [X_MEAN] = {ENGINE_METRIC("x_mean", NULL, "mean x of the particles")},
};

/* The leapfrog method becomes unstable when frequency * dt reaches 2. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const double dt = engine_param_real(plan, DT), frequency = engine_param_real(plan, FREQUENCY);
    if (dt * frequency < 2)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "dt = %g is unstable with a frequency of %g; expected a dt below %g", dt,
                       frequency, 2 / frequency);
}

enum { PIECE = 4096 }; /* particles of one task */

static void advance_piece(void *argument, uint64_t piece)
{
    const struct engine_call *call = argument;
    const struct rule rule = rule_of(call->plan);
    const struct particles now = particles_of(call, call->current), then = particles_of(call, call->result);
    const uint64_t count = engine_field_shape(call->plan, POSITION)->extent[0];
    for (uint64_t i = piece * PIECE; i < count && i < (piece + 1) * PIECE; i++)
        take_steps(&rule, now, then, i, call->steps);
}

/* The engine has chosen the number of steps. It reads the buffers `current` and writes the buffers `result`. */
static int cpu_advance(void *self, struct engine_call *call)
{
    (void) self;
    const uint64_t count = engine_field_shape(call->plan, POSITION)->extent[0];
    call->host->parallel(call->host, (count + PIECE - 1) / PIECE, advance_piece, call);
    return 0;
}

static int cpu_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct rule rule = rule_of(call->plan);
    const struct particles now = particles_of(call, call->current);
    for (int i = 0; i < METRICS; i++)
        values[i] = 0;
    for (uint64_t i = 0; i < engine_field_shape(call->plan, POSITION)->extent[0]; i++)
        tally(&rule, now.position + 3 * i, now.velocity + 3 * i, values);
    return 0;
}

/* Both implementations promise the same bits, and `engine verify` checks that. The row of `cuda` is always there; it
 * has functions only if there was a CUDA compiler. */
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "pieces on all threads", 10, ENGINE_EXACT | ENGINE_REFERENCE), .advance = cpu_advance,
     .measure = cpu_measure},
    {
        ENGINE_CUDA_IMPL("cuda", "one thread a particle", 20, ENGINE_EXACT | ENGINE_ENQUEUES),
#ifdef ENGINE_WITH_CUDA
        .create = cuda_create,
        .advance = cuda_advance,
        .measure = cuda_measure,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("@NAME@", "0.1.0", "particles on springs"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
};
