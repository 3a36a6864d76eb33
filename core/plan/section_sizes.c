/* Reading [grid], [particles] and [matrix]: how large the fields are. */
#include "base/nearest.h"
#include "plan/section.h"

#include <string.h>

/* ---- [grid] ------------------------------------------------------------------------------------------------- */

int section_read_grid(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_GRID];
    struct settings *settings = reading->settings;
    if (section_values(reading, KEYS_GRID, values) != 0)
        return reading->error->status;
    const char *size = values[KEY_GRID_SIZE].text;
    settings->grid_rank = param_parse_sizes(size, settings->grid, 3);
    settings->universes = (uint64_t) values[KEY_GRID_BATCH].integer;
    if (*size && settings->grid_rank == 0)
        return REFUSE(reading, "grid", "size",
                      "'%s' is not a size; expected one to three whole numbers from 1 up, as in 512 384", size);
    return 0;
}

/* ---- [particles] -------------------------------------------------------------------------------------------- */

int section_read_particles(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_PARTICLES];
    struct settings *settings = reading->settings;
    if (section_values(reading, KEYS_PARTICLES, values) != 0)
        return reading->error->status;
    settings->particles = (uint64_t) values[KEY_PARTICLES_COUNT].integer;
    const char *box = values[KEY_PARTICLES_BOX].text;
    uint32_t count = section_reals(box, settings->box, 6);
    if (*box && count != 3 && count != 6)
        return REFUSE(reading, "particles", "box", "'%s' is not a box; expected Lx Ly Lz, or Lx Ly Lz xy xz yz", box);
    for (uint32_t i = 0; i < 3 && i < count; i++)
        if (!(settings->box[i] > 0))
            return REFUSE(reading, "particles", "box", "'%s': every edge must be longer than 0", box);
    return 0;
}

/* ---- [matrix] ----------------------------------------------------------------------------------------------- */

static const char *type_name_at(const void *list, uint32_t index)
{
    (void) list;
    return index < TYPE_COUNT ? type_name(index) : NULL;
}

int section_read_matrix(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_MATRIX];
    struct settings *settings = reading->settings;
    if (section_values(reading, KEYS_MATRIX, values) != 0)
        return reading->error->status;
    settings->rows = (uint64_t) values[KEY_MATRIX_ROWS].integer;
    settings->columns = (uint64_t) values[KEY_MATRIX_COLUMNS].integer;
    settings->batch = (uint64_t) values[KEY_MATRIX_BATCH].integer;
    const char *element = values[KEY_MATRIX_ELEMENT].text;
    char hint[128];
    settings->element_given = *element != '\0';
    if (*element && !type_from_name(element, &settings->element))
        return REFUSE(reading, "matrix", "element",
                      "'%s' is not an element type%s; expected a NumPy name such as float32, uint8 or complex128",
                      element, nearest_hint(hint, element, type_name_at, NULL));
    return 0;
}
