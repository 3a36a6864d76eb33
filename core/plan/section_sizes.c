/* Reading [grid], [particles] and [matrix]: how large the fields are. */
#include "base/nearest.h"
#include "base/type.h"
#include "plan/edges.h"
#include "plan/section.h"

#include <math.h>
#include <string.h>

static void read_batch(const struct reading *reading, const char *section, const struct engine_value *value)
{
    if (strcmp(section, batch_section(&reading->plugin->about)) == 0)
        reading->settings->universes = (uint64_t) value->integer;
}

/* ---- [grid] ------------------------------------------------------------------------------------------------- */

static const char *edge_at(const void *list, uint32_t index)
{
    (void) list;
    return edges_word(index);
}

static int read_edges(const struct reading *reading, const char *text)
{
    struct settings *settings = reading->settings;
    char words[128], hint[128], *rest = NULL;
    if (strlen(text) >= sizeof words)
        return REFUSE(reading, "grid", "edges", "longer than %zu characters", sizeof words - 1);
    strcpy(words, text);
    for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        uint32_t kind = 0;
        if (settings->edge_count == 3)
            return REFUSE(reading, "grid", "edges",
                          "'%s': expected one word for all axes, or one for each of up to three", text);
        while (edges_word(kind) && strcmp(edges_word(kind), word) != 0)
            kind++;
        if (!edges_word(kind))
            return REFUSE(
                reading, "grid", "edges",
                "'%s' is not a kind of edge%s; expected torus, dead, fixed, mirror, twisted, sphere or unbounded", word,
                nearest_hint(hint, word, edge_at, NULL));
        settings->edges[settings->edge_count++] = kind;
    }
    return 0;
}

static int read_shift(const struct reading *reading, const char *text)
{
    struct settings *settings = reading->settings;
    double numbers[2];
    settings->shift_given = *text != '\0';
    if (!*text)
        return 0;
    const bool two = section_reals(text, numbers, 2) == 2;
    for (int axis = 0; two && axis < 2; axis++)
        settings->edge_shift[axis] = fabs(numbers[axis]) < 1e15 ? (int64_t) numbers[axis] : 0;
    if (!two || numbers[0] != (double) settings->edge_shift[0] || numbers[1] != (double) settings->edge_shift[1])
        return REFUSE(reading, "grid", "edge_shift", "'%s': expected two whole numbers, as in 5 0", text);
    return 0;
}

int section_read_grid(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_GRID];
    struct settings *settings = reading->settings;
    if (section_values(reading, &keys_sections[KEYS_GRID], values) != 0)
        return reading->error->status;
    const char *size = values[KEY_GRID_SIZE].text;
    settings->grid_rank = param_parse_sizes(size, true, settings->grid, 3);
    read_batch(reading, "grid", &values[KEY_GRID_BATCH]);
    const char *beyond = values[KEY_GRID_EDGE_VALUE].text;
    settings->edge_value_count = section_reals(beyond, settings->edge_values, SETTINGS_FIELDS_MAX);
    if (*beyond && settings->edge_value_count == 0)
        return REFUSE(reading, "grid", "edge_value", "'%s': expected numbers, as in 0.5 or 1 0", beyond);
    if (read_edges(reading, values[KEY_GRID_EDGES].text) != 0 ||
        read_shift(reading, values[KEY_GRID_EDGE_SHIFT].text) != 0)
        return reading->error->status;
    if (*size && settings->grid_rank == 0)
        return REFUSE(reading, "grid", "size",
                      "'%s' is not a size; expected one to three whole numbers from 0 up, as in 512 384", size);
    return 0;
}

/* ---- [particles] -------------------------------------------------------------------------------------------- */

int section_read_particles(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_PARTICLES];
    struct settings *settings = reading->settings;
    if (section_values(reading, &keys_sections[KEYS_PARTICLES], values) != 0)
        return reading->error->status;
    settings->particles = (uint64_t) values[KEY_PARTICLES_COUNT].integer;
    read_batch(reading, "particles", &values[KEY_PARTICLES_BATCH]);
    const char *box = values[KEY_PARTICLES_BOX].text;
    const uint32_t count = section_reals(box, settings->box, 6);
    const bool negative = settings->box[0] < 0 || settings->box[1] < 0 || settings->box[2] < 0;
    settings->box_given = count == 3 || count == 6;
    if (*box && (!settings->box_given || negative))
        return REFUSE(reading, "particles", "box", "'%s' is not a box; expected Lx Ly Lz, or Lx Ly Lz xy xz yz", box);
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
    if (section_values(reading, &keys_sections[KEYS_MATRIX], values) != 0)
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
