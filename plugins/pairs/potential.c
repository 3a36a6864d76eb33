/* The plan's parameters, tables of potentials, and the potentials in double precision. */
#include "potential.h"

#include "common/input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

enum { TABLE_BYTES_MAX = 1 << 26 };

/* Reads a line. Returns 1 for a row, 0 for a line without numbers, -1 for anything else. */
static int read_row(char *line, struct pairs_row *row)
{
    double numbers[4];
    line[strcspn(line, "#\r\n")] = '\0';
    const int count = pairs_numbers(line, numbers, 4);
    if (count == 0)
        return 0;
    if (count != 3)
        return -1;
    *row = (struct pairs_row){numbers[0], numbers[1], numbers[2]};
    return 1;
}

static int read_rows(const struct engine_host *host, char *text, const char *path, struct pairs_row *rows,
                     uint32_t most, uint32_t *count, uint64_t *checksum)
{
    double before = 0;
    uint64_t bits[3];
    *checksum = PAIRS_NO_NUMBERS;
    for (unsigned number = 1; *text; number++) {
        char *line = text;
        struct pairs_row row;
        text += strcspn(line, "\n");
        text += *text == '\n';
        const int read = read_row(line, &row);
        if (read < 0)
            return ENGINE_FAIL(host, ENGINE_INVALID,
                               "%s: line %u is not a row of a table; expected three numbers, r U F", path, number);
        if (read == 0)
            continue;
        if (!(row.r > before))
            return ENGINE_FAIL(host, ENGINE_INVALID,
                               "%s: line %u: the distance %g is not larger than the one before, %g", path, number,
                               row.r, before);
        before = row.r;
        memcpy(bits, &row, sizeof bits);
        for (int i = 0; i < 3; i++)
            *checksum = pairs_with_number(*checksum, bits[i]);
        if (*count == PAIRS_ROWS_MAX)
            return ENGINE_FAIL(host, ENGINE_INVALID, "%s: the table has more than %d rows", path, PAIRS_ROWS_MAX);
        rows[*count < most ? *count : most - 1] = row;
        ++*count;
    }
    if (*count < 2)
        return ENGINE_FAIL(host, ENGINE_INVALID, "%s: the table has %u rows; expected at least 2", path, *count);
    return 0;
}

int pairs_rows_read(const struct engine_host *host, const char *path, struct pairs_row *rows, uint32_t most,
                    uint32_t *count, uint64_t *checksum)
{
    const char *reason;
    size_t length;
    *count = 0;
    char *text = input_read(path, TABLE_BYTES_MAX, &length, &reason);
    if (!text)
        return ENGINE_FAIL(host, ENGINE_INVALID, "table = %s: %s; expected a regular file of at most %d bytes", path,
                           reason, TABLE_BYTES_MAX);
    const int status = read_rows(host, text, path, rows, most, count, checksum);
    free(text);
    return status;
}

/* ---- Parameters -------------------------------------------------------------------------------------------------- */

int pairs_numbers(const char *text, double *numbers, int most)
{
    int count = 0;
    for (;;) {
        char *end;
        text += strspn(text, " \t");
        if (!*text)
            return count;
        const double number = strtod(text, &end);
        if (end == text || !isfinite(number) || count == most || !strchr(" \t", *end))
            return -1;
        numbers[count++] = number;
        text = end;
    }
}

int pairs_shift(const char *text)
{
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    for (int i = 0; i < 8; i++)
        if (strcasecmp(text, words[i]) == 0)
            return i % 2 ? PAIRS_SHIFT_YES : PAIRS_SHIFT_NO;
    return strcasecmp(text, "auto") == 0 ? PAIRS_SHIFT_AUTO : PAIRS_SHIFT_UNKNOWN;
}

static int is_auto(const char *text)
{
    return strcmp(text, "auto") == 0;
}

/* The number of species a and b, from one number for all, one for each species (`mixed`), or the upper triangle. */
static double pick(const double *numbers, int count, uint32_t species, uint32_t a, uint32_t b, int geometric)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (count == 1)
        return numbers[0];
    if (count == (int) species)
        return a == b ? numbers[a] : geometric ? sqrt(numbers[a] * numbers[b]) : (numbers[a] + numbers[b]) / 2;
    return numbers[low * species - low * (low + 1) / 2 + high];
}

/* Fills the types. Epsilon may be any number, or 0; lengths are positive. */
static int read_types(const struct engine_host *host, const struct engine_plan *plan, uint32_t param, uint32_t species,
                      double *types)
{
    static const char *const names[] = {
        [PAIRS_EPSILON] = "epsilon", [PAIRS_SIGMA] = "sigma", [PAIRS_CUTOFF] = "cutoff"};
    const int triangle = (int) (species * (species + 1) / 2);
    double numbers[PAIRS_TYPES];
    const char *text = engine_param_text(plan, param);
    const int count = pairs_numbers(param == PAIRS_CUTOFF && is_auto(text) ? "2.5" : text, numbers, PAIRS_TYPES);
    if (count < 1)
        return ENGINE_FAIL(host, ENGINE_INVALID, "%s = %s: expected numbers without a unit, such as 2.5", names[param],
                           text);
    if (count != 1 && count != (int) species && count != triangle)
        return ENGINE_FAIL(
            host, ENGINE_INVALID,
            "%s = %s: expected one number, one for each of the %u species, or %d for their pairs 0 0, 0 1, …",
            names[param], text, species, triangle);
    for (int i = 0; i < count; i++)
        if (fabs(numbers[i]) > 1e9 || numbers[i] < 0 || (param != PAIRS_EPSILON && numbers[i] < 1e-9))
            return ENGINE_FAIL(host, ENGINE_INVALID, "%s = %g is not in the range; expected %s to 1e9", names[param],
                               numbers[i], param == PAIRS_EPSILON ? "0" : "1e-9");
    for (uint32_t a = 0; a < species; a++)
        for (uint32_t b = 0; b < species; b++)
            types[pairs_type(a, b)] = pick(numbers, count, species, a, b, param == PAIRS_EPSILON);
    return 0;
}

/* The edge of a cube or square of the density. */
static double cube(const struct engine_plan *plan, uint64_t count, double least)
{
    const double density = engine_param_real(plan, PAIRS_DENSITY);
    const double volume = (double) count / (density > 0 ? density : PAIRS_DENSITY_USUAL);
    const double edge = engine_param_integer(plan, PAIRS_DIMENSIONS) == 2 ? sqrt(volume) : cbrt(volume);
    return edge > least ? edge : least;
}

/* The shortest edge of a box: a particle meets one image of another one at most. */
static double least_edge(const struct pairs_plan *plan)
{
    return 2 * (plan->bonded && plan->bond_length > plan->reach ? plan->bond_length : plan->reach);
}

/* A height is the length along the axis, divided by that of the axis's row in the inverse of the edges. */
static void set_heights(struct pairs_plan *plan)
{
    const double *box = plan->box, *tilt = plan->tilt;
    const double xy = tilt[0] / box[1], yz = tilt[2] / box[2], xz = (tilt[0] * tilt[2] / box[1] - tilt[1]) / box[2];
    plan->skewed = tilt[0] != 0 || tilt[1] != 0 || tilt[2] != 0;
    for (int c = 0; c < 3; c++)
        plan->height[c] = box[c];
    if (plan->skewed) {
        plan->height[0] /= sqrt(1 + xy * xy + xz * xz);
        plan->height[1] /= sqrt(1 + yz * yz);
    }
}

/* The box of the particles. A run that an older version began has none, but a density. */
static int read_box(const struct engine_host *host, const struct engine_plan *plan, struct pairs_plan *out)
{
    const double *box = plan->box, least = least_edge(out);
    const int given = box[0] > 0 || box[1] > 0 || (box[2] > 0 && out->axes == 3);
    if (!given && !(engine_param_real(plan, PAIRS_DENSITY) > 0))
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "there is no periodic box: set [particles] box = Lx Ly Lz, or [pairs] density, from which "
                           "the box becomes a cube");
    for (uint32_t c = 0; c < 3; c++) {
        out->box[c] = c >= out->axes ? least : given ? box[c] : cube(plan, out->count, least);
        out->tilt[c] = box[3 + c];
    }
    if (out->axes == 2 && (box[4] != 0 || box[5] != 0))
        return ENGINE_FAIL(host, ENGINE_INVALID, "the box has the tilts %g and %g of z; expected 0 in two dimensions",
                           box[4], box[5]);
    out->volume = out->box[0] * out->box[1] * (out->axes == 3 ? out->box[2] : 1);
    set_heights(out);
    const char *of_bonds = out->bonded ? " and bond length" : "";
    for (uint32_t c = 0; c < 3; c++)
        if (!(out->height[c] >= least))
            return ENGINE_FAIL(host, ENGINE_INVALID,
                               "the box is %g long along %c%s; expected at least twice the largest cutoff%s, %g",
                               out->height[c], "xyz"[c], out -> skewed ? ", from face to face" : "", of_bonds, least);
    return 0;
}

/* The distance of the last row of the table in units of sigma, if that is the cutoff; 0: it is not. */
static int read_end(const struct engine_host *host, const struct engine_plan *plan, double *end)
{
    struct pairs_row last = {0, 0, 0};
    uint32_t count;
    uint64_t checksum;
    const char *table = engine_param_text(plan, PAIRS_TABLE);
    int status = 0;
    if (engine_param_choice(plan, PAIRS_POTENTIAL) == PAIRS_FROM_TABLE && *table &&
        is_auto(engine_param_text(plan, PAIRS_CUTOFF)))
        status = pairs_rows_read(host, table, &last, 1, &count, &checksum);
    *end = last.r;
    return status;
}

/* Reads all but the number of particles and the box. */
static int read_potential(const struct engine_host *host, const struct engine_plan *plan, struct pairs_plan *out)
{
    double end;
    *out = (struct pairs_plan){.potential = (uint32_t) engine_param_choice(plan, PAIRS_POTENTIAL),
                               .integrator = (uint32_t) engine_param_choice(plan, PAIRS_INTEGRATOR),
                               .axes = (uint32_t) engine_param_integer(plan, PAIRS_DIMENSIONS),
                               .species = (uint32_t) engine_param_integer(plan, PAIRS_SPECIES_COUNT),
                               .kappa = engine_param_real(plan, PAIRS_KAPPA),
                               .dt = engine_param_real(plan, PAIRS_DT),
                               .temperature = engine_param_real(plan, PAIRS_TEMPERATURE),
                               .friction = engine_param_real(plan, PAIRS_FRICTION),
                               .chain = (uint64_t) engine_param_integer(plan, PAIRS_CHAIN),
                               .bonds_file = engine_param_text(plan, PAIRS_BONDS),
                               .bond_strength = engine_param_real(plan, PAIRS_BOND_STRENGTH),
                               .bond_length = engine_param_real(plan, PAIRS_BOND_LENGTH),
                               .seed = plan->seed};
    int status = read_types(host, plan, PAIRS_EPSILON, out->species, out->epsilon);
    if (status == 0)
        status = read_types(host, plan, PAIRS_SIGMA, out->species, out->sigma);
    if (status == 0)
        status = read_types(host, plan, PAIRS_CUTOFF, out->species, out->cutoff);
    if (status == 0)
        status = read_end(host, plan, &end);
    if (status != 0)
        return status;
    out->bonded = out->chain > 0 || *out->bonds_file;
    const int shift = pairs_shift(engine_param_text(plan, PAIRS_SHIFT));
    out->tail = engine_param_flag(plan, PAIRS_TAIL);
    out->shift = shift == PAIRS_SHIFT_YES || (shift == PAIRS_SHIFT_AUTO && !(end > 0) && !out->tail);
    for (uint32_t a = 0; a < out->species; a++)
        for (uint32_t b = 0; b < out->species; b++) {
            const uint32_t type = pairs_type(a, b);
            if (out->potential == PAIRS_WCA || end > 0)
                out->cutoff[type] = out->sigma[type] * (end > 0 ? end : pow(2, 1.0 / 6));
            out->reach = out->cutoff[type] > out->reach ? out->cutoff[type] : out->reach;
        }
    return pairs_check_tail(host, out, shift);
}

int pairs_plan_read(const struct engine_host *host, const struct engine_plan *plan, struct pairs_plan *out)
{
    const int status = read_potential(host, plan, out);
    out->count = engine_field_shape(plan, PAIRS_POSITION)->extent[0];
    if (status == 0 && out->chain && *out->bonds_file)
        return ENGINE_FAIL(host, ENGINE_INVALID, "chain = %llu and bonds = %s: expected one of them",
                           (unsigned long long) out->chain, out->bonds_file);
    if (status == 0 && out->chain && out->count % out->chain)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "chain = %llu: %llu particles are not a whole number of chains; set [particles] count",
                           (unsigned long long) out->chain, (unsigned long long) out->count);
    return status == 0 ? read_box(host, plan, out) : status;
}

int pairs_choose_box(const struct engine_host *host, const struct engine_plan *plan, uint64_t count, uint32_t from_file,
                     double box[6])
{
    struct pairs_plan read;
    const int status = read_potential(host, plan, &read);
    for (uint32_t c = 0; c < read.axes && status == 0 && (!from_file || engine_param_real(plan, PAIRS_DENSITY) > 0);
         c++)
        box[c] = cube(plan, count, least_edge(&read));
    return status;
}

/* Sets the offsets: with `shift`, the energy is 0 at the cutoff. */
static void set_offsets(struct pairs_plan *plan)
{
    for (uint32_t type = 0; type < PAIRS_TYPES && (plan->shift || plan->potential == PAIRS_WCA); type++) {
        const double cutoff = plan->cutoff[type], square = cutoff * cutoff * (1 - 1e-15);
        if (cutoff > 0)
            plan->offset[type] = pairs_term_at(plan, type, square).energy;
    }
}

int pairs_plan_load_as(const struct engine_host *host, const struct engine_plan *plan, const struct pairs_plan *other,
                       struct pairs_plan *out)
{
    const int status = pairs_plan_read(host, plan, out);
    out->rows = other->rows;
    out->row_count = other->row_count;
    if (status == 0)
        set_offsets(out);
    return status;
}

int pairs_plan_load(const struct engine_host *host, const struct engine_plan *plan, struct pairs_plan *out)
{
    int status = pairs_plan_read(host, plan, out);
    if (status == 0 && out->potential == PAIRS_FROM_TABLE) {
        const char *path = engine_param_text(plan, PAIRS_TABLE);
        uint64_t checksum;
        struct pairs_row *rows =
            (struct pairs_row *) host->scratch(host, PAIRS_ROWS_MAX * sizeof *rows, ENGINE_HOST_MEMORY);
        if (!rows)
            return ENGINE_NO_MEMORY;
        status = pairs_rows_read(host, path, rows, PAIRS_ROWS_MAX, &out->row_count, &checksum);
        out->rows = rows;
    }
    if (status == 0)
        set_offsets(out);
    return status == 0 ? pairs_bonds_load(host, out) : status;
}

/* ---- Potentials -------------------------------------------------------------------------------------------------- */

struct pairs_term pairs_term_at(const struct pairs_plan *plan, uint32_t type, double square)
{
    return pairs_term_of(plan, plan->rows, type, square);
}
