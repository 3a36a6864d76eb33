/* vicsek: the descriptor. */
#include "vicsek.h"

#include <engine/neighbours_cpu.h>

static const struct engine_field fields[] = {
    [POSITION] = {ENGINE_PARTICLE_FIELD("position", "of the particles, in the box", ENGINE_STATE, ENGINE_F32, 3)},
    [HEADING] = {ENGINE_PARTICLE_FIELD("heading", "their direction, of length 1", ENGINE_STATE, ENGINE_F32, 2)},
};

static const struct engine_param params[] = {
    [REACH] = {ENGINE_REAL_PARAM("reach", "a particle takes the mean direction of those nearer than this", "1", 1e-6,
                                 1e6),
               .unit = "length"},
    [SPEED] = {ENGINE_REAL_PARAM("speed", "the way of a step", "0.03", 1e-6, 1e6), .unit = "length / step"},
    [NOISE] = {ENGINE_REAL_PARAM("noise", "eta: a particle turns by a random angle from -eta / 2 to eta / 2", "2", 0,
                                 6.283185307179586),
               .unit = "radians"},
};

static const struct engine_metric metrics[] = {
    [HEADING_X] = {ENGINE_METRIC("heading_x", NULL, "mean heading along x")},
    [HEADING_Y] = {ENGINE_METRIC("heading_y", NULL, "mean heading along y")},
};

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("everywhere", "uniform in the box, or one in a unit square, with headings in all directions"),
     .flags = ENGINE_GENERATOR_CONFORM},
};

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    const uint64_t components = field == POSITION ? 3 : 2;
    const double side = sqrt((double) engine_field_shape(plan, field)->extent[0]);
    (void) generator;
    for (uint64_t e = begin; e < begin + count; e++) {
        const uint64_t c = e % components;
        uint32_t words[3];
        host->random(host, plan->seed, 1000, 3 * (e / components), 3, words);
        const double angle = 6.283185307179586 * 0x1p-32 * words[2], edge = plan->box[c] > 0 ? plan->box[c] : side;
        const double value = field == POSITION ? edge * 0x1p-32 * words[c] : c == 0 ? cos(angle) : sin(angle);
        ((float *) out)[e - begin] = c < 2 ? (float) value : 0;
    }
    return 0;
}

static const struct engine_impl impls[] = {{ENGINE_NEIGHBOURS_CPU_IMPL}, {ENGINE_NEIGHBOURS_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("vicsek", "0.1.0", "particles that take the mean direction of their neighbours, with noise"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .generate = generate,
};
