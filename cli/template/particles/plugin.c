/* @NAME@: the descriptor, which the engine reads before it calls any function. The rule is `meet` and `move` in
 * @NAME@.h; declare here what it needs. */
#include "@NAME@.h"

#include <engine/neighbours_cpu.h>

/* The state of the simulation: three numbers of each kind for a particle. */
static const struct engine_field fields[] = {
    [POSITION] = {ENGINE_PARTICLE_FIELD("position", "of the particles", ENGINE_STATE, ENGINE_F32, 3)},
    [VELOCITY] = {ENGINE_PARTICLE_FIELD("velocity", "half a step before", ENGINE_STATE, ENGINE_F32, 3)},
};

/* Keys of the section [@NAME@] of a configuration: name, help, default, minimum, maximum. */
static const struct engine_param params[] = {
    [REACH] = {ENGINE_REAL_PARAM("reach", "particles nearer than this are on a spring", "0.1", 1e-3, 1e3),
               .unit = "length"},
    [STIFFNESS] = {ENGINE_REAL_PARAM("stiffness", "of the springs", "0.1", 0, 1000)},
    [DT] = {ENGINE_REAL_PARAM("dt", "length of a step", "0.05", 1e-6, 1000), .unit = "units of time"},
};

/* Columns of metrics.csv and lines of the summary. */
static const struct engine_metric metrics[] = {
    [X_MEAN] = {ENGINE_METRIC("x_mean", NULL, "mean x of the particles")},
    [X_SQUARE] = {ENGINE_METRIC("x_square", NULL, "mean of x^2")},
};

/* The work of a step, for rates: the pairs that meet while the particles fill a unit cube. */
static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *work)
{
    const double count = (double) engine_field_shape(plan, POSITION)->extent[0], reach = engine_param_real(plan, REACH);
    const double near = 4.19 * reach * reach * reach;
    (void) host;
    work->unit = "interactions";
    work->per_step = count * (1 + count * (near < 1 ? near : 1));
    return 0;
}

/* Both implementations promise the same bits, and `engine verify` checks that. The row of `cuda` is always there; it
 * has functions only if there was a CUDA compiler. */
static const struct engine_impl impls[] = {{ENGINE_NEIGHBOURS_CPU_IMPL}, {ENGINE_NEIGHBOURS_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("@NAME@", "0.1.0", "particles on springs"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .work = work,
};
