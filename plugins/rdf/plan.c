/* Reads parameters and box into a struct rdf_plan. */
#include "rdf.h"

#include <stdlib.h>
#include <string.h>

/* ---- between ----------------------------------------------------------------------------------------------------- */

/* The group of a species; added if it is missing. */
static uint32_t group_of(struct rdf_plan *out, int32_t species)
{
    uint32_t group = 0;
    while (group < out->group_count && out->species[group] != species)
        group++;
    if (group == out->group_count)
        out->species[out->group_count++] = species;
    return group;
}

/* Reads a species at *text and moves *text behind it. 0: there is none. */
static int read_species(const char **text, int32_t *species)
{
    char *end;
    const long value = strtol(*text, &end, 10);
    if (end == *text || value < 0 || value > INT32_MAX)
        return 0;
    *species = (int32_t) value;
    *text = end;
    return 1;
}

static void skip_blanks(const char **text)
{
    *text += strspn(*text, " \t");
}

int rdf_read_between(const struct engine_host *host, const char *text, struct rdf_plan *out)
{
    const char *at = text;
    out->everything = strcmp(text, "all") == 0;
    out->row_count = out->group_count = out->everything;
    out->rows[0] = (struct rdf_row){0, 0};
    while (!out->everything) {
        int32_t a, b;
        if (out->row_count == RDF_ROWS_MAX)
            return ENGINE_FAIL(host, ENGINE_INVALID, "'%s' has more than %d pairs", text, RDF_ROWS_MAX);
        if (!read_species(&at, &a) || !read_species(&at, &b))
            break;
        const uint32_t first = group_of(out, a), second = group_of(out, b);
        out->rows[out->row_count++] = (struct rdf_row){first, second};
        skip_blanks(&at);
        if (*at == '\0')
            return 0;
        if (*at++ != ',')
            break;
    }
    if (out->everything)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "'%s' is neither 'all' nor pairs of species, as in '0 1' or '0 0, 0 1'",
                       text);
}

/* ---- The box ----------------------------------------------------------------------------------------------------- */

/* A tilt less whole edges: it gives the same lattice. */
static double reduce(double tilt, double edge)
{
    return edge > 0 ? tilt - edge * rint(tilt / edge) : tilt;
}

static int check_tilts(const struct engine_host *host, const double box[6])
{
    const int open[3] = {!(box[0] > 0), !(box[1] > 0), !(box[2] > 0)};
    if ((box[3] != 0 && (open[0] || open[1])) || (box[4] != 0 && (open[0] || open[2])) ||
        (box[5] != 0 && (open[1] || open[2])))
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "the box is open along an axis that one of its tilts %g %g %g refers to", box[3], box[4],
                           box[5]);
    return 0;
}

static void set_box(const double box[6], struct rdf_box *out)
{
    const int tilted = box[3] != 0 || box[4] != 0 || box[5] != 0;
    const double yz = reduce(box[5], box[1]);
    const double along_b = box[1] > 0 ? rint(box[5] / box[1]) : 0;
    out->form = tilted ? RDF_TRICLINIC : box[0] > 0 || box[1] > 0 || box[2] > 0 ? RDF_ORTHORHOMBIC : RDF_OPEN;
    for (int axis = 0; axis < 3; axis++) {
        const float edge = (float) box[axis];
        out->periodic[axis] = edge > 0;
        out->edge[axis] = edge > 0 ? edge : tilted ? 0 : INFINITY;
        out->inverse[axis] = tilted && edge > 0 ? 1 / edge : 0;
    }
    out->xy = (float) reduce(box[3], box[0]);
    out->xz = (float) reduce(box[4] - along_b * box[3], box[0]);
    out->yz = (float) yz;
}

static int check_reach(const struct engine_host *host, const double box[6], double r_max)
{
    double most = INFINITY;
    for (int axis = 0; axis < 3; axis++)
        if (box[axis] > 0 && box[axis] / 2 < most)
            most = box[axis] / 2;
    if (r_max <= most)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID,
                       "r_max = %g is more than half of the smallest edge of the box; expected r_max = %.9g or less, "
                       "because only the nearest image of a particle is counted",
                       r_max, most);
}

/* Keeps squares of distances within the range of a float. */
static int check_edges(const struct engine_host *host, const double box[6])
{
    for (int axis = 0; axis < 3; axis++)
        if (box[axis] > 0 && (box[axis] < 1e-9 || box[axis] > 1e15))
            return ENGINE_FAIL(host, ENGINE_INVALID, "an edge of the box is %g; expected 1e-9 to 1e15", box[axis]);
    return 0;
}

static int read_volume(const struct engine_host *host, const struct engine_plan *plan, double *volume)
{
    const double *box = plan->box, inside = box[0] * box[1] * box[2];
    *volume = engine_param_real(plan, RDF_VOLUME);
    if (inside > 0 && *volume > 0)
        return ENGINE_FAIL(host, ENGINE_INVALID, "volume = %g, but the volume of the box is %g; leave out volume",
                           *volume, inside);
    if (inside > 0)
        *volume = inside;
    return 0;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

int rdf_plan_read(const struct engine_host *host, const struct engine_plan *plan, struct rdf_plan *out)
{
    const double r_max = engine_param_real(plan, RDF_R_MAX);
    int status = rdf_read_between(host, engine_param_text(plan, RDF_BETWEEN), out);
    out->particles = engine_field_shape(plan, RDF_POSITION)->extent[0];
    out->bins.count = (uint32_t) engine_param_integer(plan, RDF_BINS);
    out->bins.width = (float) (r_max / (double) out->bins.count);
    out->bins.end = rdf_threshold(&out->bins, out->bins.count);
    out->exclude_block = (uint32_t) engine_param_integer(plan, RDF_EXCLUDE_BLOCK);
    out->finite_size = (uint32_t) engine_param_flag(plan, RDF_FINITE_SIZE);
    out->cells = (uint32_t) engine_param_choice(plan, RDF_CELLS);
    set_box(plan->box, &out->box);
    if (status == 0 && out->particles > INT32_MAX)
        status = ENGINE_FAIL(host, ENGINE_INVALID, "%llu particles; 2147483647 is the most",
                             (unsigned long long) out->particles);
    if (status == 0 && (status = check_tilts(host, plan->box)) == 0 && (status = check_edges(host, plan->box)) == 0)
        status = check_reach(host, plan->box, r_max);
    return status == 0 ? read_volume(host, plan, &out->volume) : status;
}
