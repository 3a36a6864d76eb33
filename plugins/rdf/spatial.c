/* The spatial distribution: a histogram of the displacements r_b - r_a of the pairs in range, in a cube with the edge
 * 2 r_max. Along each axis, with floats that are rounded once in this order,
 *
 *     bin = floor((d + r_max) / (2 r_max / spatial_bins))        the last bin, if this is spatial_bins
 *
 * The pairs are those that g counts. All of them are in the ball with the radius r_max. */
#include "rdf.h"

int rdf_check_spatial(const struct engine_host *host, const struct rdf_plan *plan)
{
    if (plan->spatial_bins == 0)
        return 0;
    if (plan->layer.geometry != RDF_BULK)
        return ENGINE_FAIL(host, ENGINE_INVALID, "spatial_bins: the spatial distribution needs geometry = bulk");
    if (plan->row_count != 1)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "spatial_bins: between has %u pairs of species; expected one, because there is one cube",
                           plan->row_count);
    return 0;
}

static float reach_of(const struct rdf_plan *plan)
{
    return plan->bins.width * (float) plan->bins.count;
}

static uint64_t bin_along(const struct rdf_plan *plan, float d)
{
    const float reach = reach_of(plan), at = (d + reach) / (2 * reach / (float) plan->spatial_bins);
    return at < (float) plan->spatial_bins ? (uint64_t) fmaxf(at, 0) : plan->spatial_bins - 1;
}

static void add(const struct rdf_plan *plan, uint64_t *spatial, float x, float y, float z, uint64_t by)
{
    const uint64_t row = bin_along(plan, z) * plan->spatial_bins + bin_along(plan, y);
    __atomic_fetch_add(&spatial[row * plan->spatial_bins + bin_along(plan, x)], by, __ATOMIC_RELAXED);
}

void rdf_spatial_add(const struct rdf_plan *plan, uint64_t *spatial, float dx, float dy, float dz, uint64_t by)
{
    float d[3] = {dx, dy, dz};
    rdf_nearest_image(&plan->box, d);
    if (!(fmaf(d[0], d[0], fmaf(d[1], d[1], d[2] * d[2])) < plan->bins.end))
        return;
    add(plan, spatial, d[0], d[1], d[2], by);
    if (plan->rows[0].a == plan->rows[0].b)
        add(plan, spatial, -d[0], -d[1], -d[2], by);
}

int rdf_spatial_finish(const struct rdf_plan *plan, const struct engine_call *call, uint64_t *spatial)
{
    const uint64_t count = rdf_spatial_count(plan);
    uint64_t *counts = (uint64_t *) engine_field_buffer(call, RDF_SPATIAL_COUNTS)->origin[0];
    double *g = (double *) engine_field_buffer(call, RDF_SPATIAL)->origin[0];
    const double ideal = *(const double *) engine_field_buffer(call, RDF_IDEAL)->origin[0];
    const double edge = 2 * (double) reach_of(plan) / plan->spatial_bins;
    const double even = (plan->rows[0].a == plan->rows[0].b ? 2 : 1) * ideal * edge * edge * edge;
    const int status = engine_host_team(call->host)->reduce(call, spatial, count);
    for (uint64_t k = 0; k < count && status == 0; k++) {
        counts[k] += spatial[k];
        g[k] = even > 0 ? (double) counts[k] / even : 0;
    }
    memset(spatial, 0, count * sizeof *spatial);
    return status;
}
