/* The generator `uniform`: an ideal gas. Particle i uses words 6 i to 6 i + 5 of one random stream, so that any split
 * into ranges gives the same particles. */
#include "rdf.h"

/* Uniform in [0, 1) from two words. */
static double uniform(const uint32_t *words)
{
    return (double) (((uint64_t) words[0] << 32 | words[1]) >> 11) * 0x1p-53;
}

/* The edges of the box; along open axes, of a cube with the parameter `density`. */
static void edges_of(const struct engine_plan *plan, double edges[3])
{
    const double count = (double) engine_field_shape(plan, RDF_POSITION)->extent[0];
    for (int axis = 0; axis < 3; axis++)
        edges[axis] = plan->box[axis] > 0 ? plan->box[axis] : cbrt(count / engine_param_real(plan, RDF_DENSITY));
}

static void draw_position(const double box[6], const double edges[3], const uint32_t words[6], float at[3])
{
    const double u = uniform(words), v = uniform(words + 2), w = uniform(words + 4);
    at[0] = (float) (u * edges[0] + v * box[3] + w * box[4]);
    at[1] = (float) (v * edges[1] + w * box[5]);
    at[2] = (float) (w * edges[2]);
}

/* Elements are components: three for each particle. */
static void generate_positions(const struct engine_host *host, const struct engine_plan *plan, uint64_t begin,
                               uint64_t count, float *out)
{
    double edges[3];
    uint32_t words[6];
    float at[3] = {0, 0, 0};
    edges_of(plan, edges);
    for (uint64_t e = begin; e < begin + count; e++) {
        if (e == begin || e % 3 == 0) {
            host->random(host, plan->seed, 0, 6 * (e / 3), 6, words);
            draw_position(plan->box, edges, words, at);
        }
        out[e - begin] = at[e % 3];
    }
}

int rdf_generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                 uint64_t begin, uint64_t count, void *out)
{
    (void) generator;
    if (field == RDF_POSITION)
        generate_positions(host, plan, begin, count, (float *) out);
    else
        for (uint64_t e = 0; e < count; e++) /* species */
            ((int32_t *) out)[e] = 0;
    return 0;
}
