/* Geometries: which particles count, and what an ideal gas of them has in a bin. */
#include "rdf.h"

static const double pi = 3.14159265358979323846;

/* ---- The layer --------------------------------------------------------------------------------------------------- */

static int check_range(const struct engine_host *host, const struct rdf_layer *layer)
{
    if (layer->geometry == RDF_BULK && (layer->low != 0 || layer->high != 0))
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "z_min = %g and z_max = %g choose a layer; expected geometry = plane or slab", layer->low,
                           layer->high);
    if (layer->low > layer->high)
        return ENGINE_FAIL(host, ENGINE_INVALID, "z_min = %g is more than z_max = %g", layer->low, layer->high);
    if (layer->geometry == RDF_SLAB && !rdf_is_cut(layer))
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "geometry = slab: z_min = z_max = %g; expected the z of the two faces of the slab",
                           layer->low);
    if (layer->height > 0 && (layer->low < 0 || layer->high > layer->height * 1.00001)) /* rounded in files */
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "z_min = %g and z_max = %g; expected numbers from 0 to %.9g, the edge of the box",
                           layer->low, layer->high, layer->height);
    return 0;
}

static int check_box(const struct engine_host *host, const double box[6], uint32_t geometry)
{
    if (box[4] != 0 || box[5] != 0)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "the tilts xz and yz of the box are %g and %g; expected 0 if geometry is not bulk", box[4],
                           box[5]);
    if (geometry == RDF_SLAB && !(box[0] > 0 && box[1] > 0))
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "geometry = slab: the box is open along x or y; expected [particles] box = Lx Ly Lz");
    return 0;
}

int rdf_read_layer(const struct engine_host *host, const struct engine_plan *plan, double box[6],
                   struct rdf_layer *layer)
{
    *layer = (struct rdf_layer){.geometry = (uint32_t) engine_param_choice(plan, RDF_GEOMETRY),
                                .low = engine_param_real(plan, RDF_Z_MIN),
                                .high = engine_param_real(plan, RDF_Z_MAX)};
    if (layer->geometry == RDF_BULK)
        return check_range(host, layer);
    if (engine_param_integer(plan, RDF_Q_BINS) > 0)
        return ENGINE_FAIL(host, ENGINE_INVALID, "q_bins: the structure factor needs geometry = bulk");
    layer->height = (double) (float) box[2];
    const int status = check_box(host, box, layer->geometry);
    box[2] = 0;
    return status == 0 ? check_range(host, layer) : status;
}

/* ---- Shells ------------------------------------------------------------------------------------------------------ */

/* The part of a ball of radius r that lies in a slab of height h, averaged over the positions of its centre in the
 * slab. Two points of a slab are z apart with the probability density 2 (h - z) / h^2. A disc of the ball at this
 * distance has the area pi (r^2 - z^2). The part is h times the integral of the product from 0 to min(r, h). */
static double ball_in_slab(double r, double h)
{
    return r < h ? pi * r * r * r * (4.0 / 3.0 - r / (2 * h)) : pi * h * (r * r - h * h / 6);
}

double rdf_shell(const struct rdf_plan *plan, uint32_t bin)
{
    const double width = (double) plan->bins.width, k = bin, height = plan->layer.high - plan->layer.low;
    if (plan->layer.geometry == RDF_PLANE)
        return pi * (2 * k + 1) * width * width; /* (k + 1)^2 - k^2 */
    if (plan->layer.geometry == RDF_SLAB)
        return ball_in_slab((k + 1) * width, height) - ball_in_slab(k * width, height);
    return 4.0 / 3.0 * pi * (3 * k * (k + 1) + 1) * width * width * width; /* (k + 1)^3 - k^3 */
}
