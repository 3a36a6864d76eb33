/* boids: birds that flock, by the three rules of C. W. Reynolds: Flocks, herds and schools, SIGGRAPH 1987. */
#include "boids.h"

#include <engine/neighbours_cpu.h>

static const struct engine_field fields[] = {
    [POSITION] = {ENGINE_PARTICLE_FIELD("position", "of the birds, in the box", ENGINE_STATE, ENGINE_F32, 3)},
    [VELOCITY] = {ENGINE_PARTICLE_FIELD("velocity", "of the birds", ENGINE_STATE, ENGINE_F32, 3)},
};

static const struct engine_param params[] = {
    [REACH] = {ENGINE_REAL_PARAM("reach", "how far a bird sees", "1", 1e-6, 1e6), .unit = "length"},
    [PERSONAL] = {ENGINE_REAL_PARAM("personal", "birds nearer than this are too near", "0.4", 1e-6, 1e6),
                  .unit = "length"},
    [ALIGN] = {ENGINE_REAL_PARAM("align", "how fast a bird takes the mean velocity of its neighbours", "1", 0, 1000)},
    [COHERE] = {ENGINE_REAL_PARAM("cohere", "how strongly it turns to their centre", "0.3", 0, 1000)},
    [SEPARATE] = {ENGINE_REAL_PARAM("separate", "how strongly it turns from those that are too near", "2", 0, 1000)},
    [NOISE] = {ENGINE_REAL_PARAM("noise", "how strongly it turns by chance", "0.5", 0, 1000)},
    [SPEED] = {ENGINE_REAL_PARAM("speed", "of every bird", "1", 1e-6, 1e6), .unit = "length / time"},
    [DT] = {ENGINE_REAL_PARAM("dt", "length of a step", "0.05", 1e-6, 1e6), .unit = "time"},
};

static const struct engine_metric metrics[] = {
    [HEADING_X] = {ENGINE_METRIC("heading_x", NULL, "mean velocity along x / speed")},
    [HEADING_Y] = {ENGINE_METRIC("heading_y", NULL, "mean velocity along y / speed")},
};

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("everywhere", "uniform in the box, or two in a unit square, with velocities in all directions"),
     .flags = ENGINE_GENERATOR_CONFORM},
};

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    const double speed = engine_param_real(plan, SPEED),
                 side = sqrt((double) engine_field_shape(plan, field)->extent[0] / 2);
    (void) generator;
    for (uint64_t e = begin; e < begin + count; e++) {
        const uint64_t bird = e / 3, c = e % 3;
        uint32_t words[3];
        host->random(host, plan->seed, 1000, 3 * bird, 3, words);
        const double angle = 6.283185307179586 * 0x1p-32 * words[2], edge = plan->box[c] > 0 ? plan->box[c] : side;
        const double value = field == POSITION ? edge * 0x1p-32 * words[c] : speed * (c == 0 ? cos(angle) : sin(angle));
        ((float *) out)[e - begin] = c < 2 ? (float) value : 0;
    }
    return 0;
}

static const struct engine_impl impls[] = {{ENGINE_NEIGHBOURS_CPU_IMPL}, {ENGINE_NEIGHBOURS_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("boids", "0.1.0", "birds that flock"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .generate = generate,
};
