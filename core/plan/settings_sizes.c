/* [grid], [particles] and [matrix]: how large the fields are. */
#include "plan/settings_sections.h"

#include <string.h>

/* ---- [grid] ------------------------------------------------------------------------------------------------- */

static const struct engine_param grid_keys[] = {TEXT("size", "", "cells along x, y and z: 512 384")};

static int read_grid(const struct reading *reading)
{
    struct engine_value value;
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "grid", grid_keys, &value) != 0)
        return reading->error->status;
    settings->grid_rank = param_parse_sizes(value.text, settings->grid, 3);
    if (*value.text && settings->grid_rank == 0)
        return REFUSE(reading, "grid", "size",
                      "'%s' is not a size; one to three whole numbers from 1 up were expected, as in 512 384",
                      value.text);
    return 0;
}

const struct section section_grid = {{"grid", "the size of plugins on a grid", ENGINE_ARRAY(grid_keys)}, read_grid};

/* ---- [particles] -------------------------------------------------------------------------------------------- */

enum { PARTICLES_COUNT, PARTICLES_BOX };
static const struct engine_param particles_keys[] = {
    [PARTICLES_COUNT] = INTEGER("count", "0", 0, 1e15, "number of particles; by default as the input says"),
    [PARTICLES_BOX] = TEXT(
        "box", "", "edges of the periodic box, Lx Ly Lz, and tilts, xy xz yz; by default as the input says, or open"),
};

static int read_particles(const struct reading *reading)
{
    struct engine_value values[2];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "particles", particles_keys, values) != 0)
        return reading->error->status;
    settings->particles = (uint64_t) values[PARTICLES_COUNT].integer;
    const char *box = values[PARTICLES_BOX].text;
    uint32_t count = section_reals(box, settings->box, 6);
    if (*box && count != 3 && count != 6)
        return REFUSE(reading, "particles", "box", "'%s' is not a box; Lx Ly Lz, or Lx Ly Lz xy xz yz was expected",
                      box);
    for (uint32_t i = 0; i < 3 && i < count; i++)
        if (!(settings->box[i] > 0))
            return REFUSE(reading, "particles", "box", "'%s': every edge must be longer than 0", box);
    return 0;
}

const struct section section_particles = {
    {"particles", "the size of plugins of particles", ENGINE_ARRAY(particles_keys)}, read_particles};

/* ---- [matrix] ----------------------------------------------------------------------------------------------- */

enum { MATRIX_ROWS, MATRIX_COLUMNS, MATRIX_BATCH, MATRIX_ELEMENT };
static const struct engine_param matrix_keys[] = {
    [MATRIX_ROWS] = INTEGER("rows", "0", 0, 1e15, "number of rows; by default as the input says"),
    [MATRIX_COLUMNS] = INTEGER("columns", "0", 0, 1e15, "number of columns; by default as the input says"),
    [MATRIX_BATCH] = INTEGER("batch", "0", 0, 1e15, "number of matrices; by default as the input says, or 1"),
    [MATRIX_ELEMENT] = TEXT("element", "", "element type by numpy's name: float32; by default as the input says"),
};

static const char *type_name_at(const void *list, uint32_t index)
{
    (void) list;
    return index < TYPE_COUNT ? type_name(index) : NULL;
}

static int read_matrix(const struct reading *reading)
{
    struct engine_value values[sizeof matrix_keys / sizeof matrix_keys[0]];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "matrix", matrix_keys, values) != 0)
        return reading->error->status;
    settings->rows = (uint64_t) values[MATRIX_ROWS].integer;
    settings->columns = (uint64_t) values[MATRIX_COLUMNS].integer;
    settings->batch = (uint64_t) values[MATRIX_BATCH].integer;
    const char *element = values[MATRIX_ELEMENT].text;
    char hint[128];
    settings->element_given = *element != '\0';
    if (*element && !type_from_name(element, &settings->element))
        return REFUSE(reading, "matrix", "element",
                      "'%s' is no element type%s; float32, uint8, complex128, … were expected", element,
                      nearest_hint(hint, element, type_name_at, NULL));
    return 0;
}

const struct section section_matrix = {{"matrix", "the size of plugins of matrices", ENGINE_ARRAY(matrix_keys)},
                                       read_matrix};

const struct engine_param_array *settings_keys(const char *plugin)
{
    return strcmp(plugin, section_matrix.about.name) == 0 ? &section_matrix.about.keys : NULL;
}
