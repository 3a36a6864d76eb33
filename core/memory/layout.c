#include "memory/layout.h"
#include "base/bits.h"
#include "memory/expand_bits.h"

#include <string.h>

enum { UNIVERSE_ALIGN = 256 };

struct engine_layout layout_default(const struct engine_field *field)
{
    struct engine_layout layout = {.size = sizeof layout};
    if (field->kind == ENGINE_GRID)
        memcpy(layout.ghost, field->reach, sizeof layout.ghost);
    return layout;
}

/* ---- From a layout to a geometry ---------------------------------------------------------------------------- */

static bool packed(const struct engine_layout *layout)
{
    return layout->cell_bits == 1;
}

static bool power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static int refuse(struct engine_error *error, const char *what)
{
    return error_set(error, ENGINE_STATUS_PLUGIN, "%s", what);
}

static int check_bits(const struct engine_field *field, const struct engine_shape *shape,
                      const struct engine_layout *layout, struct engine_error *error)
{
    if (field->values != 2 || shape->type != ENGINE_U8 || shape->components != 1)
        return refuse(error, "one bit per cell needs a uint8 field of one component and two values");
    if (!power_of_two(layout->word_bytes) || layout->word_bytes > 8)
        return refuse(error, "word_bytes must be 1, 2, 4 or 8 where cells are bits");
    if (layout->order > ENGINE_ORDER_STRIPED)
        return refuse(error, "unknown order of cells in a word");
    if (layout->order == ENGINE_ORDER_STRIPED && (layout->group_words == 0 || layout->group_words > 4096))
        return refuse(error, "group_words must be 1 to 4096 where bits are striped");
    return 0;
}

static int check_elements(const struct engine_shape *shape, const struct engine_layout *layout,
                          struct engine_error *error)
{
    if (layout->word_bytes || layout->order || layout->group_words)
        return refuse(error, "word_bytes, order and group_words need one bit per cell");
    if (layout->component_stride && layout->component_stride < shape->components)
        return refuse(error, "component_stride is smaller than the number of components");
    if (layout->component_stride && layout->planar)
        return refuse(error, "planar components cannot have a component_stride");
    return 0;
}

static int check_layout(const struct engine_field *field, const struct engine_shape *shape,
                        const struct engine_layout *layout, struct engine_error *error)
{
    if (layout->cell_bits > 1)
        return refuse(error, "cell_bits must be 0 or 1");
    if (layout->row_align && (!power_of_two(layout->row_align) || layout->row_align > 4096))
        return refuse(error, "row_align must be a power of two up to 4096");
    if (layout->row_odd > 1)
        return refuse(error, "row_odd must be 0 or 1");
    if (!layout->pack != !layout->unpack || !layout->pack != !layout->own_bytes)
        return refuse(error, "own_bytes, pack and unpack must be given together");
    if (field->kind != ENGINE_GRID && (layout->ghost[0] || layout->ghost[1] || layout->ghost[2]))
        return refuse(error, "only grids can have ghosts");
    for (int axis = 0; axis < 3; axis++)
        if (!layout->pack && !(layout->wraps & 1u << axis) && layout->ghost[axis] < field->reach[axis])
            return refuse(error, "ghosts are shallower than the field's reach on an axis that the engine wraps");
    return packed(layout) ? check_bits(field, shape, layout, error) : check_elements(shape, layout, error);
}

/* The smallest piece of a row: a word, a group of words, or an element with its components. */
struct unit {
    uint64_t cells, bytes;
};

static struct unit unit_of(const struct geometry *geometry)
{
    const struct engine_layout *layout = &geometry->layout;
    if (packed(layout)) {
        uint64_t words = layout->order == ENGINE_ORDER_STRIPED ? layout->group_words : 1;
        return (struct unit){words * layout->word_bytes * 8, words * layout->word_bytes};
    }
    uint64_t components = layout->planar ? 1 : layout->component_stride;
    return (struct unit){1, components * geometry->element_bytes};
}

/* Finds the bytes of `units` units, rounded up to a multiple of `align`; false: they do not fit. */
static bool aligned_bytes(uint64_t units, uint64_t unit_bytes, uint64_t align, uint64_t *bytes)
{
    if (!multiply(units, unit_bytes, bytes) || *bytes > (uint64_t) INT64_MAX - align)
        return false;
    *bytes = divide_up(*bytes, align) * align;
    return true;
}

/* Each universe of a batch of particles lies in memory as if it were alone: aligned, and with all components. */
static bool measure_out(struct geometry *geometry, bool universes)
{
    const struct engine_layout *layout = &geometry->layout;
    const uint64_t *extent = geometry->shape.extent, arrays = layout->planar ? geometry->shape.components : 1;
    const uint32_t *ghost = layout->ghost;
    const struct unit unit = unit_of(geometry);
    uint64_t left, right, line, row, plane, planes;
    if (extent[0] > INT64_MAX / 2 || extent[1] > INT64_MAX / 2 || extent[2] > INT64_MAX / 2)
        return false;
    if (!aligned_bytes(divide_up(ghost[0], unit.cells), unit.bytes, layout->row_align, &left) ||
        !aligned_bytes(divide_up(extent[0] + ghost[0], unit.cells), unit.bytes, layout->row_align, &right))
        return false;
    row = line = left + right;
    if (layout->row_odd && row / layout->row_align % 2 == 0)
        row = line += layout->row_align;
    if ((universes && !aligned_bytes(arrays, line, UNIVERSE_ALIGN, &row)) ||
        !multiply(row, extent[1] + 2 * (uint64_t) ghost[1], &plane) ||
        !multiply(plane, extent[2] + 2 * (uint64_t) ghost[2], &planes) ||
        !multiply(planes, universes ? 1 : arrays, &geometry->bytes))
        return false;
    geometry->row_stride = (int64_t) row;
    geometry->plane_stride = (int64_t) plane;
    geometry->component_stride = (int64_t) (!layout->planar ? geometry->element_bytes : universes ? line : planes);
    geometry->origin = ghost[2] * plane + ghost[1] * row + left;
    return true;
}

static void fill_defaults(struct geometry *geometry)
{
    struct engine_layout *layout = &geometry->layout;
    if (!layout->component_stride)
        layout->component_stride = geometry->shape.components;
    uint32_t natural = packed(layout) ? layout->word_bytes : 1;
    if (layout->row_align < natural)
        layout->row_align = natural;
    for (int axis = 0; axis < 3; axis++)
        if (layout->pack || layout->wraps & 1u << axis)
            layout->ghost[axis] = 0;
}

int geometry_make(const struct engine_field *field, const struct engine_shape *shape,
                  const struct engine_layout *layout, struct geometry *geometry, struct engine_error *error)
{
    if (check_layout(field, shape, layout, error) != 0)
        return error_prefix(error, "layout of field %s: ", field->name);
    *geometry = (struct geometry){.shape = *shape, .layout = *layout, .element_bytes = type_bytes(shape->type)};
    fill_defaults(geometry);
    if (layout->row_odd && geometry->layout.row_align < unit_of(geometry).bytes) {
        refuse(error, "row_odd needs a row_align that holds a word, a group of words or an element");
        return error_prefix(error, "layout of field %s: ", field->name);
    }
    if (layout->pack) {
        geometry->bytes = layout->own_bytes;
        return 0;
    }
    if (!measure_out(geometry, field->kind == ENGINE_PARTICLES && shape->rank > 1))
        return error_set(error, ENGINE_STATUS_DEVICE, "field %s of %llu x %llu x %llu is larger than the address space",
                         field->name, (unsigned long long) shape->extent[0], (unsigned long long) shape->extent[1],
                         (unsigned long long) shape->extent[2]);
    return 0;
}

uint64_t geometry_most_steps(const struct engine_field *field, const struct geometry *geometry)
{
    uint64_t most = UINT64_MAX;
    for (int axis = 0; axis < 3; axis++) {
        if (geometry->layout.pack || geometry->layout.wraps & 1u << axis || field->reach[axis] == 0)
            continue;
        uint64_t steps =
            geometry->edges.kind[axis] == ENGINE_EDGE_TORUS ? geometry->layout.ghost[axis] / field->reach[axis] : 1;
        most = steps < most ? steps : most;
    }
    return most;
}

/* ---- Rows --------------------------------------------------------------------------------------------------- */

static uint8_t *row_at(const struct geometry *geometry, const void *buffer, uint64_t row)
{
    uint64_t rows = geometry->shape.extent[1];
    int64_t y = (int64_t) (row % rows), z = (int64_t) (row / rows);
    return (uint8_t *) (uintptr_t) buffer + geometry->origin + y * geometry->row_stride + z * geometry->plane_stride;
}

/* Returns the bytes from one cell to the next in a row of elements. */
static int64_t cell_pitch(const struct geometry *geometry)
{
    return geometry->layout.planar ? (int64_t) geometry->element_bytes
                                   : (int64_t) geometry->layout.component_stride * geometry->element_bytes;
}

/* Reads cells whose bits lie in order, beginning at a whole byte. Returns how many of `count` were read: all but a
 * rest, or 0. */
static uint64_t bytes_row_read(const struct geometry *geometry, const uint8_t *row, uint64_t x, uint64_t count,
                               uint8_t *out)
{
    if (geometry->layout.order != ENGINE_ORDER_LINEAR || x % 8 != 0)
        return 0;
    expand_bits_bytes(row + x / 8, count / 8, out);
    return count / 8 * 8;
}

static void bits_row_read(const struct geometry *geometry, const uint8_t *row, uint64_t x, uint64_t count, uint8_t *out)
{
    const uint64_t done = bytes_row_read(geometry, row, x, count, out);
    x += done, count -= done, out += done;
    while (count > 0) {
        uint32_t n = (uint32_t) (64 - x % 64 < count ? 64 - x % 64 : count);
        const uint64_t cells = bits_get(&geometry->layout, row, (int64_t) x, n);
        if (n == 64)
            expand_bits_word(cells, out);
        else
            bits_to_bytes(cells, n, out);
        x += n, count -= n, out += n;
    }
}

static void bits_row_write(const struct geometry *geometry, uint8_t *row, uint64_t x, uint64_t count, const uint8_t *in)
{
    while (count > 0) {
        uint32_t n = (uint32_t) (64 - x % 64 < count ? 64 - x % 64 : count);
        bits_put(&geometry->layout, row, (int64_t) x, n, bits_from_bytes(in, n));
        x += n, count -= n, in += n;
    }
}

/* Copies elements [e, e + count) of a row, e = x * components + component, in blocks where they are dense, else one by
 * one. */
static void elements_row_copy(const struct geometry *geometry, uint8_t *row, uint64_t e, uint64_t count, uint8_t *dense,
                              bool into_row)
{
    const uint64_t components = geometry->shape.components, bytes = geometry->element_bytes;
    const int64_t pitch = cell_pitch(geometry);
    const bool dense_cells = geometry->layout.component_stride == components;
    const uint64_t block = geometry->layout.planar && components > 1 ? 1 : dense_cells ? UINT64_MAX : components;
    while (count > 0) {
        uint64_t together = block - e % block; /* elements that lie side by side */
        uint64_t n = together < count ? together : count;
        uint8_t *cell =
            row + (int64_t) (e / components) * pitch + (int64_t) (e % components) * geometry->component_stride;
        if (into_row)
            memcpy(cell, dense, n * bytes);
        else
            memcpy(dense, cell, n * bytes);
        e += n, count -= n, dense += n * bytes;
    }
}

/* Returns the number of elements of one row in the canonical array. */
static uint64_t row_elements(const struct geometry *geometry)
{
    return geometry->shape.extent[0] * geometry->shape.components;
}

void geometry_read(const struct geometry *geometry, const void *buffer, uint64_t begin, uint64_t count, void *canonical)
{
    uint8_t *out = canonical;
    const uint64_t width = row_elements(geometry);
    if (geometry->layout.unpack) {
        geometry->layout.unpack(&geometry->shape, begin, count, buffer, canonical);
        return;
    }
    while (count > 0) {
        uint64_t x = begin % width, n = width - x < count ? width - x : count;
        uint8_t *row = row_at(geometry, buffer, begin / width);
        if (packed(&geometry->layout))
            bits_row_read(geometry, row, x, n, out);
        else
            elements_row_copy(geometry, row, x, n, out, false);
        begin += n, count -= n, out += n * geometry->element_bytes;
    }
}

void geometry_write(const struct geometry *geometry, void *buffer, uint64_t begin, uint64_t count,
                    const void *canonical)
{
    uint8_t *in = (uint8_t *) (uintptr_t) canonical; /* only read */
    const uint64_t width = row_elements(geometry);
    if (geometry->layout.pack) {
        geometry->layout.pack(&geometry->shape, begin, count, canonical, buffer);
        return;
    }
    while (count > 0) {
        uint64_t x = begin % width, n = width - x < count ? width - x : count;
        uint8_t *row = row_at(geometry, buffer, begin / width);
        if (packed(&geometry->layout))
            bits_row_write(geometry, row, x, n, in);
        else
            elements_row_copy(geometry, row, x, n, in, true);
        begin += n, count -= n, in += n * geometry->element_bytes;
    }
}

/* ---- Rows and planes as they lie in memory ------------------------------------------------------------------ */

/* The bytes from a row to the next, or in three dimensions from a plane to the next, with all ghosts of it. */
uint64_t geometry_slab_bytes(const struct geometry *geometry)
{
    return (uint64_t) (geometry->shape.rank == 3 ? geometry->plane_stride : geometry->row_stride);
}

/* The place of the first cell in its row or plane. */
static uint64_t slab_lead(const struct geometry *geometry)
{
    const struct engine_layout *layout = &geometry->layout;
    const uint64_t plane = (uint64_t) geometry->plane_stride, row = (uint64_t) geometry->row_stride;
    return geometry->origin - layout->ghost[2] * plane - (geometry->shape.rank == 3 ? 0 : layout->ghost[1] * row);
}

bool geometry_slabs_alike(const struct geometry *a, const struct geometry *b)
{
    const struct engine_layout *l = &a->layout, *m = &b->layout;
    return a->shape.rank > 1 && a->shape.rank == b->shape.rank && a->shape.type == b->shape.type && !l->pack &&
           !m->pack && a->row_stride == b->row_stride && geometry_slab_bytes(a) == geometry_slab_bytes(b) &&
           slab_lead(a) == slab_lead(b) && l->cell_bits == m->cell_bits && l->word_bytes == m->word_bytes &&
           l->order == m->order && l->group_words == m->group_words && l->planar == m->planar &&
           l->component_stride == m->component_stride;
}

uint64_t geometry_slab_arrays(const struct geometry *geometry)
{
    return geometry->layout.planar && geometry->component_stride >= geometry->row_stride ? geometry->shape.components
                                                                                         : 1;
}

uint64_t geometry_slab_offset(const struct geometry *geometry, uint64_t array, uint64_t slab)
{
    return geometry->origin - slab_lead(geometry) + array * (uint64_t) geometry->component_stride +
           slab * geometry_slab_bytes(geometry);
}

/* ---- Cells of a single row -------------------------------------------------------------------------------------- */

bool geometry_is_one_row(const struct geometry *geometry)
{
    return geometry->shape.extent[1] * geometry->shape.extent[2] == 1 && !packed(&geometry->layout) &&
           !geometry->layout.pack;
}

uint64_t geometry_cell_pitch(const struct geometry *geometry)
{
    return (uint64_t) cell_pitch(geometry);
}

struct geometry geometry_of_cells(const struct geometry *geometry, uint64_t cells)
{
    struct geometry own = *geometry;
    const uint64_t bytes = cells * geometry_cell_pitch(geometry);
    own.shape.extent[0] = cells;
    own.origin = 0;
    own.bytes = geometry_slab_arrays(geometry) * bytes;
    own.row_stride = own.plane_stride = (int64_t) own.bytes;
    if (geometry_slab_arrays(geometry) > 1)
        own.component_stride = (int64_t) bytes;
    return own;
}
