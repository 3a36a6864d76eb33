/* The places of cells in memory, compared with a model that follows the interface's text alone: plain loops over single
 * cells.
 *
 * A case is a field, a shape and a layout. For each case, the strides and the alignment of the buffer are as promised,
 * and no two cells share a bit. A written cell lies exactly where the text places it, and nothing else changes. Reading
 * in any split returns what was written. After a wrap every ghost cell, corners included, holds the cell of the
 * torus. */
#include "base/bits.h"
#include "memory/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GUARD = 96, POISON = 0x5a, GUARD_BYTE = 0xc3 };

/* ---- Random choices, the same at every run ------------------------------------------------------------------ */

static uint64_t seed;

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators. OOPSLA 2014). */
static uint64_t any(void)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number of first … last. */
static uint32_t from_to(uint32_t first, uint32_t last)
{
    return first + (uint32_t) (any() % (last - first + 1));
}

#define ONE_OF(array) ((array)[any() % (sizeof(array) / sizeof((array)[0]))])

/* ---- The model ---------------------------------------------------------------------------------------------- */

struct box {
    struct engine_field field;
    struct engine_shape shape;
    struct engine_layout layout; /* as asked */
    int64_t ghost[3];            /* none on axes that the implementation wraps */
    struct geometry geometry;
    uint8_t *memory; /* guard, buffer, guard */
    uint8_t *buffer;
};

/* What failed, of which case. */
static void wrong(const struct box *box, const char *what)
{
    const struct engine_layout *l = &box->layout;
    fail_msg("%s: type %u, %u components, %llu x %llu x %llu; cell_bits %u word_bytes %u order %u group_words %u "
             "row_align %u row_odd %u component_stride %u planar %u ghost %u %u %u wraps %u",
             what, box->shape.type, box->shape.components, (unsigned long long) box->shape.extent[0],
             (unsigned long long) box->shape.extent[1], (unsigned long long) box->shape.extent[2], l->cell_bits,
             l->word_bytes, l->order, l->group_words, l->row_align, l->row_odd, l->component_stride, l->planar,
             l->ghost[0], l->ghost[1], l->ghost[2], l->wraps);
}

static const uint32_t bytes_of_type[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16};

static int64_t remainder_of(int64_t a, int64_t n)
{
    return (a % n + n) % n;
}

static int64_t quotient_of(int64_t a, int64_t n)
{
    return (a - remainder_of(a, n)) / n;
}

/* The word of cell x of a row, counted from that of cell 0, and the bit in it. */
static int64_t word_of(const struct engine_layout *layout, int64_t x, int64_t *bit)
{
    const int64_t n = 8 * layout->word_bytes, g = layout->group_words;
    if (layout->order == ENGINE_ORDER_STRIPED) {
        const int64_t inside = remainder_of(x, g * n);
        *bit = inside / g;
        return quotient_of(x, g * n) * g + inside % g;
    }
    const int64_t place = remainder_of(x, n);
    *bit = layout->order == ENGINE_ORDER_REVERSED ? n - 1 - place : place;
    return quotient_of(x, n);
}

/* A word in the machine's byte order. */
static uint64_t load_word(const void *at, uint32_t bytes)
{
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } word = {0};
    memcpy(&word, at, bytes);
    return bytes == 1 ? word.u8 : bytes == 2 ? word.u16 : bytes == 4 ? word.u32 : word.u64;
}

static void store_word(void *at, uint32_t bytes, uint64_t value)
{
    const uint8_t u8 = (uint8_t) value;
    const uint16_t u16 = (uint16_t) value;
    const uint32_t u32 = (uint32_t) value;
    memcpy(at,
           bytes == 1   ? (const void *) &u8
           : bytes == 2 ? (const void *) &u16
           : bytes == 4 ? (const void *) &u32
                        : &value,
           bytes);
}

static bool one_bit(const struct box *box)
{
    return box->layout.cell_bits == 1;
}

/* Offset in the buffer of the word, or of component c, of cell (x, y, z). */
static int64_t offset_of(const struct box *box, int64_t x, int64_t y, int64_t z, uint32_t c, int64_t *bit)
{
    const struct geometry *g = &box->geometry;
    const int64_t row = (int64_t) g->origin + y * g->row_stride + z * g->plane_stride;
    const int64_t element = bytes_of_type[box->shape.type];
    const int64_t stride = box->layout.component_stride ? box->layout.component_stride : box->shape.components;
    *bit = 0;
    if (one_bit(box))
        return row + word_of(&box->layout, x, bit) * box->layout.word_bytes;
    if (box->layout.planar)
        return row + c * g->component_stride + x * element;
    return row + x * stride * element + c * element;
}

static void model_get(const struct box *box, int64_t x, int64_t y, int64_t z, uint32_t c, uint8_t value[16])
{
    int64_t bit;
    const uint8_t *at = box->buffer + offset_of(box, x, y, z, c, &bit);
    memset(value, 0, 16);
    if (one_bit(box))
        value[0] = (uint8_t) (load_word(at, box->layout.word_bytes) >> bit & 1);
    else
        memcpy(value, at, bytes_of_type[box->shape.type]);
}

static void model_put(const struct box *box, uint8_t *buffer, int64_t x, int64_t y, int64_t z, uint32_t c,
                      const uint8_t *value)
{
    int64_t bit;
    uint8_t *at = buffer + offset_of(box, x, y, z, c, &bit);
    if (!one_bit(box)) {
        memcpy(at, value, bytes_of_type[box->shape.type]);
        return;
    }
    const uint64_t mask = UINT64_C(1) << bit, word = load_word(at, box->layout.word_bytes);
    store_word(at, box->layout.word_bytes, value[0] ? word | mask : word & ~mask);
}

/* Address of an element of a canonical array. */
static uint8_t *element_of(const struct box *box, uint8_t *canonical, int64_t x, int64_t y, int64_t z, uint32_t c)
{
    const uint64_t *n = box->shape.extent;
    const uint64_t cell = ((uint64_t) z * n[1] + (uint64_t) y) * n[0] + (uint64_t) x;
    return canonical + (cell * box->shape.components + c) * bytes_of_type[box->shape.type];
}

static uint64_t elements_of(const struct box *box)
{
    return box->shape.extent[0] * box->shape.extent[1] * box->shape.extent[2] * box->shape.components;
}

/* ---- Making and dropping a case ----------------------------------------------------------------------------- */

static void box_open(struct box *box)
{
    struct engine_error error;
    box->layout.size = sizeof box->layout;
    box->field.name = "cells";
    for (int a = 0; a < 3; a++)
        box->ghost[a] = box->layout.wraps >> a & 1 ? 0 : box->layout.ghost[a];
    if (geometry_make(&box->field, &box->shape, &box->layout, &box->geometry, &error) != 0)
        wrong(box, error.text);
    const uint64_t bytes = box->geometry.bytes;
    /* The engine's buffers start at multiples of a page. */
    box->memory = aligned_alloc(4096, (4096 + bytes + GUARD + 4095) / 4096 * 4096);
    box->buffer = box->memory + 4096;
    memset(box->memory, GUARD_BYTE, 4096 + bytes + GUARD);
    memset(box->buffer, POISON, bytes);
}

static void box_close(struct box *box)
{
    const uint64_t bytes = box->geometry.bytes;
    for (uint32_t i = 0; i < GUARD; i++)
        if (box->buffer[-1 - (int64_t) i] != GUARD_BYTE || box->buffer[bytes + i] != GUARD_BYTE)
            wrong(box, "a byte outside the buffer was written");
    free(box->memory);
}

/* ---- What has to hold --------------------------------------------------------------------------------------- */

static bool power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

/* A batch of particles: a row is a universe with all its components. */
static bool universes(const struct box *box)
{
    return box->field.kind == ENGINE_PARTICLES && box->shape.rank > 1;
}

static void alignment_is_as_asked(const struct box *box)
{
    const struct geometry *g = &box->geometry;
    uint64_t align = box->layout.row_align ? box->layout.row_align : 1;
    const uint64_t group = (uint64_t) box->layout.word_bytes * box->layout.group_words;
    if (one_bit(box) && align < box->layout.word_bytes)
        align = box->layout.word_bytes;
    if (one_bit(box) && box->layout.order == ENGINE_ORDER_STRIPED && power_of_two(group) && align < group)
        align = group; /* "the group starts at a multiple of its size" */
    if (g->origin % align || (uint64_t) g->row_stride % align || (uint64_t) g->plane_stride % align)
        wrong(box, "a row is not aligned as asked");
    if (universes(box)) {
        if (g->row_stride % 256)
            wrong(box, "a universe does not start at a multiple of 256 bytes");
    } else if (box->layout.row_odd && (uint64_t) g->row_stride / box->layout.row_align % 2 == 0)
        wrong(box, "rows are an even number of alignments apart");
}

/* Every cell and ghost has bits of its own inside the buffer. */
static void cells_lie_apart_inside(const struct box *box)
{
    const uint64_t *n = box->shape.extent;
    const int64_t *gh = box->ghost;
    const int64_t bytes = one_bit(box) ? box->layout.word_bytes : bytes_of_type[box->shape.type];
    uint8_t *taken = calloc(box->geometry.bytes, 1);
    for (int64_t z = -gh[2]; z < (int64_t) n[2] + gh[2]; z++)
        for (int64_t y = -gh[1]; y < (int64_t) n[1] + gh[1]; y++)
            for (int64_t x = -gh[0]; x < (int64_t) n[0] + gh[0]; x++)
                for (uint32_t c = 0; c < box->shape.components; c++) {
                    int64_t bit, at = offset_of(box, x, y, z, c, &bit);
                    if (at < 0 || at + bytes > (int64_t) box->geometry.bytes)
                        wrong(box, "a cell or ghost lies outside the buffer");
                    if (one_bit(box)) {
                        const uint64_t word = load_word(taken + at, (uint32_t) bytes);
                        if (word >> bit & 1)
                            wrong(box, "two cells share a bit");
                        store_word(taken + at, (uint32_t) bytes, word | UINT64_C(1) << bit);
                    } else
                        for (int64_t b = 0; b < bytes; b++)
                            if (taken[at + b]++)
                                wrong(box, "two cells share a byte");
                }
    free(taken);
}

static uint8_t *random_cells(const struct box *box)
{
    const uint64_t bytes = elements_of(box) * bytes_of_type[box->shape.type];
    uint8_t *cells = malloc(bytes);
    for (uint64_t i = 0; i < bytes; i++)
        cells[i] = (uint8_t) (box->field.values == 2 ? any() & 1 : any());
    return cells;
}

/* The middle part first, so that ranges also come out of order. */
static void write_in_pieces(struct box *box, const uint8_t *cells)
{
    const uint64_t count = elements_of(box), size = bytes_of_type[box->shape.type];
    const uint64_t a = any() % (count + 1), b = a + any() % (count - a + 1);
    const uint64_t cuts[3][2] = {{a, b}, {b, count}, {0, a}};
    for (int i = 0; i < 3; i++) {
        uint64_t n = cuts[i][1] - cuts[i][0];
        uint8_t *exact = malloc(n * size + 1); /* a piece of its own: a sanitizer sees a read beyond it */
        memcpy(exact, cells + cuts[i][0] * size, n * size);
        geometry_write(&box->geometry, box->buffer, cuts[i][0], n, exact);
        free(exact);
    }
}

static void written_cells_lie_where_the_text_says(struct box *box, uint8_t *cells)
{
    const uint64_t *n = box->shape.extent, bytes = box->geometry.bytes;
    uint8_t *expected = malloc(bytes);
    memset(expected, POISON, bytes);
    write_in_pieces(box, cells);
    for (int64_t z = 0; z < (int64_t) n[2]; z++)
        for (int64_t y = 0; y < (int64_t) n[1]; y++)
            for (int64_t x = 0; x < (int64_t) n[0]; x++)
                for (uint32_t c = 0; c < box->shape.components; c++)
                    model_put(box, expected, x, y, z, c, element_of(box, cells, x, y, z, c));
    if (memcmp(expected, box->buffer, bytes) != 0)
        wrong(box, "writing left something else than the cells in their places and all other bits as they were");
    free(expected);
}

static void read_range(const struct box *box, const uint8_t *cells, uint64_t begin, uint64_t count)
{
    const uint64_t size = bytes_of_type[box->shape.type];
    uint8_t *out = malloc(count * size + 1);
    out[count * size] = GUARD_BYTE;
    geometry_read(&box->geometry, box->buffer, begin, count, out);
    if (memcmp(out, cells + begin * size, count * size) != 0)
        wrong(box, "reading gives other cells than were written");
    if (out[count * size] != GUARD_BYTE)
        wrong(box, "reading writes more than was asked for");
    free(out);
}

static void any_split_reads_the_same(const struct box *box, const uint8_t *cells)
{
    const uint64_t count = elements_of(box);
    read_range(box, cells, 0, count);
    for (uint64_t begin = 0; begin < count;) {
        const uint64_t most = ((uint64_t[]){1, 3, 70, 400})[any() % 4], n = 1 + any() % most;
        read_range(box, cells, begin, n < count - begin ? n : count - begin);
        begin += n;
    }
}

static struct thread_pool *pool;

static void ghosts_hold_the_torus(struct box *box, uint8_t *cells, uint32_t threads)
{
    const uint64_t *n = box->shape.extent;
    const int64_t *gh = box->ghost;
    geometry_wrap(&box->geometry, box->buffer, pool, threads);
    for (int64_t z = -gh[2]; z < (int64_t) n[2] + gh[2]; z++)
        for (int64_t y = -gh[1]; y < (int64_t) n[1] + gh[1]; y++)
            for (int64_t x = -gh[0]; x < (int64_t) n[0] + gh[0]; x++)
                for (uint32_t c = 0; c < box->shape.components; c++) {
                    uint8_t value[16];
                    model_get(box, x, y, z, c, value);
                    if (memcmp(value,
                               element_of(box, cells, remainder_of(x, (int64_t) n[0]), remainder_of(y, (int64_t) n[1]),
                                          remainder_of(z, (int64_t) n[2]), c),
                               bytes_of_type[box->shape.type]) != 0)
                        wrong(box, "after a wrap a cell or ghost is not the torus's cell");
                }
}

/* Moves a coordinate into the grid, edge by edge. Returns false where the edge has a value of its own. */
static bool come_in(uint32_t kind, int64_t n, int64_t *at)
{
    while (*at < 0 || *at >= n) {
        if (kind == ENGINE_EDGE_DEAD || kind == ENGINE_EDGE_FIXED)
            return false;
        if (kind == ENGINE_EDGE_TORUS)
            *at += *at < 0 ? n : -n;
        else
            *at = *at < 0 ? -*at - 1 : 2 * n - 1 - *at;
    }
    return true;
}

static void ghosts_hold_what_lies_beyond(struct box *box, uint8_t *cells, uint32_t threads)
{
    const uint64_t *n = box->shape.extent;
    const int64_t *gh = box->ghost;
    const uint32_t bytes = bytes_of_type[box->shape.type];
    struct edges edges = {.kind = {any() % 4, any() % 4, any() % 4}};
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t b = 0; b < EDGES_PATTERN; b++)
            edges.beyond[axis][b] = b >= bytes     ? edges.beyond[axis][b - bytes]
                                    : one_bit(box) ? any() % 2
                                                   : (uint8_t) any();
    uint8_t beyond[3][EDGES_PATTERN];
    memcpy(beyond, edges.beyond, sizeof beyond);
    geometry_set_edges(&box->geometry, &edges);
    geometry_wrap(&box->geometry, box->buffer, pool, threads);
    for (int64_t z = -gh[2]; z < (int64_t) n[2] + gh[2]; z++)
        for (int64_t y = -gh[1]; y < (int64_t) n[1] + gh[1]; y++)
            for (int64_t x = -gh[0]; x < (int64_t) n[0] + gh[0]; x++)
                for (uint32_t c = 0; c < box->shape.components; c++) {
                    int64_t at[3] = {x, y, z};
                    int edge = -1;
                    uint8_t value[16];
                    for (int axis = 0; axis < 3; axis++)
                        if (!come_in(edges.kind[axis], (int64_t) n[axis], &at[axis]))
                            edge = axis;
                    model_get(box, x, y, z, c, value);
                    if (memcmp(value, edge < 0 ? element_of(box, cells, at[0], at[1], at[2], c) : beyond[edge],
                               bytes) != 0)
                        wrong(box, "a ghost does not hold what lies beyond the edge");
                }
    for (int axis = 0; axis < 3; axis++)
        edges.kind[axis] = ENGINE_EDGE_TORUS;
    geometry_set_edges(&box->geometry, &edges);
}

/* The cells as columns of bits, by the text of layout.h. */
static uint8_t *columns_of(const struct box *box, uint8_t *cells, uint64_t *count)
{
    const uint64_t *n = box->shape.extent, bands = (n[1] + 7) / 8;
    uint8_t *columns = calloc(n[0] * bands * n[2], 1);
    *count = n[0] * bands * n[2];
    for (uint64_t z = 0; z < n[2]; z++)
        for (uint64_t y = 0; y < n[1]; y++)
            for (uint64_t x = 0; x < n[0]; x++)
                columns[(z * bands + y / 8) * n[0] + x] |=
                    (uint8_t) (*element_of(box, cells, (int64_t) x, (int64_t) y, (int64_t) z, 0) << y % 8);
    return columns;
}

/* In pieces of any size, each in memory of its own. */
static void columns_are_read(const struct box *box, const uint8_t *columns, uint64_t count)
{
    for (uint64_t begin = 0, n; begin < count; begin += n) {
        n = 1 + any() % ((uint64_t[]){3, 70, 400, 5000})[any() % 4];
        n = n < count - begin ? n : count - begin;
        uint8_t *out = malloc(n + 1);
        out[n] = GUARD_BYTE;
        geometry_read_columns(&box->geometry, box->buffer, begin, n, out);
        if (memcmp(out, columns + begin, n) != 0 || out[n] != GUARD_BYTE)
            wrong(box, "columns are not the cells");
        free(out);
    }
}

static void columns_are_written(struct box *box, const uint8_t *columns, uint64_t count)
{
    memset(box->buffer, POISON, box->geometry.bytes);
    for (uint64_t begin = 0, n; begin < count; begin += n) {
        n = 1 + any() % ((uint64_t[]){3, 70, 400, 5000})[any() % 4];
        n = n < count - begin ? n : count - begin;
        uint8_t *exact = malloc(n);
        memcpy(exact, columns + begin, n);
        geometry_write_columns(&box->geometry, box->buffer, begin, n, exact);
        free(exact);
    }
}

static void columns_go_in_and_out(struct box *box, uint8_t *cells)
{
    uint64_t count;
    uint8_t *columns = columns_of(box, cells, &count);
    columns_are_read(box, columns, count);
    columns_are_written(box, columns, count);
    read_range(box, cells, 0, elements_of(box));
    free(columns);
}

/* Copies some rows or planes into a grid of another height and other ghosts there; the rest of it stays. */
static void slabs_go_to_another_grid(const struct box *box, const uint8_t *cells)
{
    const uint32_t axis = box->shape.rank - 1;
    struct box other = {.field = box->field, .shape = box->shape, .layout = box->layout};
    other.shape.extent[axis] = from_to(1, 9);
    if (axis > 0 && !(other.layout.wraps >> axis & 1))
        other.layout.ghost[axis] = box->field.reach[axis] + from_to(0, 3);
    box_open(&other);
    uint8_t *expected = random_cells(&other);
    const uint64_t mine = box->shape.extent[axis], others = other.shape.extent[axis];
    const uint64_t count = from_to(1, (uint32_t) (mine < others ? mine : others));
    const uint64_t from = any() % (mine - count + 1), to = any() % (others - count + 1);
    const uint64_t bytes = elements_of(box) / mine * bytes_of_type[box->shape.type];
    geometry_write(&other.geometry, other.buffer, 0, elements_of(&other), expected);
    const bool alike = geometry_slabs_alike(&box->geometry, &other.geometry);
    if (alike != (axis > 0))
        wrong(box, alike ? "columns count as rows" : "rows or planes of the same order are not alike");
    for (uint64_t a = 0; alike && a < geometry_slab_arrays(&box->geometry); a++)
        memcpy((uint8_t *) other.buffer + geometry_slab_offset(&other.geometry, a, to),
               (const uint8_t *) box->buffer + geometry_slab_offset(&box->geometry, a, from),
               count * geometry_slab_bytes(&box->geometry));
    if (alike)
        memcpy(expected + to * bytes, cells + from * bytes, count * bytes);
    read_range(&other, expected, 0, elements_of(&other));
    free(expected);
    box_close(&other);
}

static void examine(struct box *box, uint32_t threads)
{
    box_open(box);
    alignment_is_as_asked(box);
    cells_lie_apart_inside(box);
    uint8_t *cells = random_cells(box);
    written_cells_lie_where_the_text_says(box, cells);
    any_split_reads_the_same(box, cells);
    ghosts_hold_the_torus(box, cells, threads);
    ghosts_hold_what_lies_beyond(box, cells, threads);
    read_range(box, cells, 0, elements_of(box));
    if (geometry_has_columns(&box->shape, box->field.values))
        columns_go_in_and_out(box, cells);
    if (box->field.kind == ENGINE_GRID)
        slabs_go_to_another_grid(box, cells);
    free(cells);
    box_close(box);
}

/* ---- Cases of one bit per cell -------------------------------------------------------------------------------- */

static const uint32_t word_sizes[] = {1, 2, 4, 8};
static const uint32_t groups[] = {1, 2, 3, 4, 8};
static const uint32_t aligns[] = {0, 0, 1, 8, 16, 32, 64, 128, 4096};

static struct box bits_box(uint64_t width, uint64_t height, uint64_t depth, uint32_t order, uint32_t word_bytes,
                           uint32_t group_words)
{
    return (struct box){
        .field = {.kind = ENGINE_GRID, .type = ENGINE_U8, .components = 1, .rank = depth > 1 ? 3 : 2, .values = 2},
        .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, depth > 1 ? 3 : 2, {width, height, depth}},
        .layout = {.cell_bits = 1, .word_bytes = word_bytes, .order = order, .group_words = group_words},
    };
}

static void random_rows(struct engine_layout *layout)
{
    layout->row_align = ONE_OF(aligns);
    layout->row_odd = layout->row_align >= 128 ? from_to(0, 1) : 0; /* no group or element here is longer */
}

/* Ghosts up to `most` deep and reaches that they satisfy, some axes wrapped by the implementation. */
static void random_ghosts(struct box *box, uint32_t most)
{
    for (uint32_t a = 0; a < 3; a++) {
        box->layout.ghost[a] = any() % 4 ? from_to(0, most) : 0;
        box->layout.wraps |= any() % 4 == 0 ? 1u << a : 0;
        box->field.reach[a] = box->layout.wraps >> a & 1 ? from_to(0, 2) : from_to(0, box->layout.ghost[a]);
    }
    random_rows(&box->layout);
}

/* All orders of all word sizes and groups: calls visit with each. */
static void each_order(void (*visit)(uint32_t order, uint32_t word_bytes, uint32_t group_words))
{
    for (uint32_t w = 0; w < 4; w++) {
        visit(ENGINE_ORDER_LINEAR, word_sizes[w], 0);
        visit(ENGINE_ORDER_REVERSED, word_sizes[w], 0);
        for (uint32_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
            visit(ENGINE_ORDER_STRIPED, word_sizes[w], groups[g]);
    }
}

static void visit_widths(uint32_t order, uint32_t word_bytes, uint32_t group_words)
{
    for (uint32_t width = 1; width <= 130; width++) {
        struct box box = bits_box(width, from_to(1, 18), 1, order, word_bytes, group_words);
        random_ghosts(&box, 9);
        examine(&box, 1);
    }
}

static void bits_of_every_width(void **state)
{
    (void) state;
    each_order(visit_widths);
}

static void visit_unit_multiples(uint32_t order, uint32_t word_bytes, uint32_t group_words)
{
    const uint32_t unit = 8 * word_bytes * (group_words ? group_words : 1);
    for (uint32_t times = 1; times <= 3; times++)
        for (uint32_t off = 0; off < 3; off++) {
            struct box box = bits_box(unit * times + off - 1, from_to(1, 3), 1, order, word_bytes, group_words);
            random_ghosts(&box, 9);
            examine(&box, 1);
        }
}

static void bits_around_multiples_of_words_and_groups(void **state)
{
    (void) state;
    each_order(visit_unit_multiples);
}

static void visit_deep(uint32_t order, uint32_t word_bytes, uint32_t group_words)
{
    static const uint32_t deep[] = {31, 32, 33, 63, 64, 65, 100, 129};
    for (uint32_t width = 1; width <= 5; width++) {
        struct box box = bits_box(width, from_to(1, 3), from_to(1, 2), order, word_bytes, group_words);
        box.layout.ghost[0] = ONE_OF(deep);
        box.layout.ghost[1] = from_to(0, 20);
        box.layout.ghost[2] = from_to(0, 9);
        examine(&box, 1);
    }
}

static void bits_with_ghosts_deeper_than_the_grid_is_wide(void **state)
{
    (void) state;
    each_order(visit_deep);
}

static void visit_3d(uint32_t order, uint32_t word_bytes, uint32_t group_words)
{
    for (int i = 0; i < 20; i++) {
        struct box box = bits_box(from_to(1, 70), from_to(1, 6), from_to(1, 6), order, word_bytes, group_words);
        random_ghosts(&box, 4);
        examine(&box, 1);
    }
}

static void bits_of_volumes(void **state)
{
    (void) state;
    each_order(visit_3d);
}

/* ---- Cases of elements -------------------------------------------------------------------------------------- */

static struct box elements_box(uint32_t type, uint32_t components, uint64_t width, uint64_t height, uint64_t depth)
{
    return (struct box){
        .field = {.kind = ENGINE_GRID, .type = type, .components = components, .rank = depth > 1 ? 3 : 2},
        .shape = {sizeof(struct engine_shape), type, components, depth > 1 ? 3 : 2, {width, height, depth}},
    };
}

static void elements_of_every_type_and_arrangement(void **state)
{
    (void) state;
    for (uint32_t type = 0; type < TYPE_COUNT; type++)
        for (uint32_t components = 1; components <= 4; components++)
            for (uint32_t arrangement = 0; arrangement < 3; arrangement++)
                for (int i = 0; i < 12; i++) {
                    struct box box =
                        elements_box(type, components, i ? from_to(1, 40) : 1, i ? from_to(1, 7) : 1, from_to(1, 4));
                    random_ghosts(&box, i % 2 ? 9 : 2);
                    if (arrangement == 1)
                        box.layout.component_stride = from_to(components, 6);
                    box.layout.planar = arrangement == 2;
                    examine(&box, 1);
                }
}

/* A byte a cell. */
static void cells_of_two_values(void **state)
{
    (void) state;
    for (int i = 0; i < 100; i++) {
        struct box box = elements_box(ENGINE_U8, 1, from_to(1, 3000), from_to(1, 18), from_to(1, 3));
        box.field.values = 2;
        box.layout.component_stride = from_to(1, 2);
        examine(&box, 1);
    }
}

static void particles_and_matrices(void **state)
{
    (void) state;
    static const uint32_t kinds[] = {ENGINE_PARTICLES, ENGINE_MATRIX, ENGINE_BINS};
    for (int i = 0; i < 300; i++) {
        const uint32_t kind = ONE_OF(kinds);
        const bool matrix = kind == ENGINE_MATRIX, batch = kind == ENGINE_PARTICLES && i % 2;
        struct box box = elements_box(from_to(0, TYPE_COUNT - 1), from_to(1, 4), from_to(1, 200),
                                      matrix || batch ? from_to(1, 9) : 1, matrix ? from_to(1, 3) : 1);
        box.field.kind = kind;
        box.field.rank = 0;
        box.shape.rank = matrix ? box.shape.rank : batch ? 2 : 1;
        random_rows(&box.layout);
        if (any() % 2)
            box.layout.component_stride = from_to(box.shape.components, 5);
        else
            box.layout.planar = from_to(0, 1);
        examine(&box, 1);
    }
}

/* Large enough for the wrap to use several threads. */
static void threads_wrap_the_same(void **state)
{
    (void) state;
    struct box tall = bits_box(5, 4500, 1, ENGINE_ORDER_STRIPED, 4, 4);
    tall.layout.ghost[0] = 3, tall.layout.ghost[1] = 2;
    examine(&tall, 3);
    struct box deep = elements_box(ENGINE_F32, 3, 3, 70, 70);
    deep.layout.ghost[0] = deep.layout.ghost[1] = deep.layout.ghost[2] = 1;
    deep.layout.planar = 1;
    examine(&deep, 3);
}

/* ---- Layouts of the implementation's own -------------------------------------------------------------------- */

/* Backwards, with all bits inverted. */
static void own_pack(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *canonical,
                     void *buffer)
{
    const uint64_t cells = shape->extent[0] * shape->extent[1];
    for (uint64_t i = 0; i < count; i++)
        ((uint8_t *) buffer)[cells - 1 - begin - i] = (uint8_t) ~((const uint8_t *) canonical)[i];
}

static void own_unpack(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *buffer,
                       void *canonical)
{
    const uint64_t cells = shape->extent[0] * shape->extent[1];
    for (uint64_t i = 0; i < count; i++)
        ((uint8_t *) canonical)[i] = (uint8_t) ~((const uint8_t *) buffer)[cells - 1 - begin - i];
}

static void own_functions_move_cells(void **state)
{
    (void) state;
    struct box box = elements_box(ENGINE_U8, 1, 13, 7, 1);
    box.field.reach[0] = box.field.reach[1] = 1;
    box.layout = layout_default(&box.field);
    box.layout.own_bytes = 13 * 7 + 9;
    box.layout.pack = own_pack;
    box.layout.unpack = own_unpack;
    box_open(&box);
    assert_int_equal(box.geometry.bytes, 100);
    assert_int_equal(box.geometry.origin, 0);
    assert_true(geometry_most_steps(&box.field, &box.geometry) == UINT64_MAX);
    uint8_t *cells = random_cells(&box);
    write_in_pieces(&box, cells);
    for (int i = 0; i < 91; i++)
        assert_int_equal(box.buffer[90 - i], (uint8_t) ~cells[i]);
    any_split_reads_the_same(&box, cells);
    uint8_t before[100];
    memcpy(before, box.buffer, sizeof before);
    geometry_wrap(&box.geometry, box.buffer, NULL, 2);
    assert_memory_equal(before, box.buffer, sizeof before);
    free(cells);
    box_close(&box);
}

/* ---- Edges that are joined in other ways ---------------------------------------------------------------------- */

/* The pictures are those of Golly's help on bounded grids; that of the twisted and shifted edge is what Golly 3.3
 * computes. A ring of ghosts surrounds the cells A, B, C …; small letters are the same cells beyond the edge, and '.'
 * is a dead cell. */
static void joined_edges_are_those_of_the_pictures(void **state)
{
    (void) state;
    static const struct {
        const char *name, *picture;
        struct edges edges;
    } cases[] = {
        {"torus",
         "lijkli"
         "dABCDa"
         "hEFGHe"
         "lIJKLi"
         "dabcda",
         {.kind = {0, 0}}},
        {"plane",
         "......"
         ".ABCD."
         ".EFGH."
         ".IJKL."
         "......",
         {.kind = {ENGINE_EDGE_DEAD, ENGINE_EDGE_DEAD}}},
        {"torus, shift along x",
         "klijkl"
         "dABCDa"
         "hEFGHe"
         "lIJKLi"
         "abcdab",
         {.kind = {0, 0}, .shift = {1, 0}}},
        {"torus, shift along y",
         "hijkla"
         "lABCDe"
         "dEFGHi"
         "hIJKLa"
         "labcde",
         {.kind = {0, 0}, .shift = {0, 1}}},
        {"Klein bottle, top twisted",
         "ilkjil"
         "dABCDa"
         "hEFGHe"
         "lIJKLi"
         "adcbad",
         {.kind = {ENGINE_EDGE_TORUS, ENGINE_EDGE_TWISTED}}},
        {"Klein bottle, left twisted",
         "dijkla"
         "lABCDi"
         "hEFGHe"
         "dIJKLa"
         "labcdi",
         {.kind = {ENGINE_EDGE_TWISTED, ENGINE_EDGE_TORUS}}},
        {"Klein bottle, top twisted and shifted",
         "lkjilk"
         "dABCDa"
         "hEFGHe"
         "lIJKLi"
         "dcbadc",
         {.kind = {ENGINE_EDGE_TORUS, ENGINE_EDGE_TWISTED}, .shift = {1, 0}}},
        {"cross-surface",
         "alkjid"
         "lABCDi"
         "hEFGHe"
         "dIJKLa"
         "idcbal",
         {.kind = {ENGINE_EDGE_TWISTED, ENGINE_EDGE_TWISTED}}},
        {"strip of Moebius",
         "......"
         "lABCDi"
         "hEFGHe"
         "dIJKLa"
         "......",
         {.kind = {ENGINE_EDGE_TWISTED, ENGINE_EDGE_DEAD}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct box box = elements_box(ENGINE_U8, 1, 4, 3, 1);
        box.shape.rank = 2;
        box.layout.ghost[0] = box.layout.ghost[1] = 1;
        box.layout.ghost[2] = 0;
        box_open(&box);
        geometry_write(&box.geometry, box.buffer, 0, 12, "ABCDEFGHIJKL");
        geometry_set_edges(&box.geometry, &cases[i].edges);
        memset(box.geometry.edges.beyond, '.', sizeof box.geometry.edges.beyond);
        geometry_wrap(&box.geometry, box.buffer, NULL, 1);
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 6; x++) {
                uint8_t value[16];
                model_get(&box, x - 1, y - 1, 0, 0, value);
                const bool ghost = x == 0 || x == 5 || y == 0 || y == 4;
                const char is = (char) (ghost && value[0] != '.' ? value[0] - 'A' + 'a' : value[0]);
                if (is != cases[i].picture[6 * y + x])
                    fail_msg("%s: cell %d %d is %c, not %c", cases[i].name, x - 1, y - 1, is,
                             cases[i].picture[6 * y + x]);
            }
        box_close(&box);
    }
}

/* The same for a sphere, and the ghosts of bits are those of bytes, however deep. */
static void bits_are_joined_like_bytes(void **state)
{
    (void) state;
    static const uint32_t kinds[][2] = {{5, 5}, {4, 4}, {4, 0}, {0, 4}, {0, 0}, {4, 3}, {2, 4}};
    static const char sphere[] = "aadgcaABCgbDEFhcGHIigcfii";
    for (uint32_t round = 0; round < 200; round++) {
        const uint32_t *kind = kinds[round % 7], side = from_to(1, 40);
        const uint32_t width = side, height = kind[0] == 5 ? side : from_to(1, 40);
        struct edges edges = {.kind = {kind[0], kind[1]}};
        if (!kind[0] && !kind[1])
            edges.shift[round % 2] = any() % (round % 2 ? height : width);
        memset(edges.beyond, 1, sizeof edges.beyond);
        struct box bytes = elements_box(ENGINE_U8, 1, width, height, 1), bits = bytes;
        bits.layout.cell_bits = 1, bits.layout.word_bytes = 4, bits.field.values = 2;
        for (struct box *box = &bytes; box; box = box == &bytes ? &bits : NULL) {
            box->shape.rank = 2;
            box->layout.ghost[0] = 8, box->layout.ghost[1] = 3, box->layout.ghost[2] = 0;
            box_open(box);
            geometry_set_edges(&box->geometry, &edges);
        }
        uint8_t *cells = random_cells(&bits);
        geometry_write(&bytes.geometry, bytes.buffer, 0, width * height, cells);
        geometry_write(&bits.geometry, bits.buffer, 0, width * height, cells);
        geometry_wrap(&bytes.geometry, bytes.buffer, NULL, 1);
        geometry_wrap(&bits.geometry, bits.buffer, NULL, 1);
        for (int64_t y = -3; y < (int64_t) height + 3; y++)
            for (int64_t x = -8; x < (int64_t) width + 8; x++) {
                uint8_t a[16], b[16];
                model_get(&bytes, x, y, 0, 0, a);
                model_get(&bits, x, y, 0, 0, b);
                assert_int_equal(a[0], b[0]);
            }
        free(cells);
        box_close(&bytes), box_close(&bits);
    }
    struct box box = elements_box(ENGINE_U8, 1, 3, 3, 1);
    box.shape.rank = 2;
    box.layout.ghost[0] = box.layout.ghost[1] = 1, box.layout.ghost[2] = 0;
    box_open(&box);
    geometry_write(&box.geometry, box.buffer, 0, 9, "ABCDEFGHI");
    geometry_set_edges(&box.geometry, &(struct edges){.kind = {ENGINE_EDGE_SPHERE, ENGINE_EDGE_SPHERE}});
    geometry_wrap(&box.geometry, box.buffer, NULL, 1);
    for (int i = 0; i < 25; i++) {
        uint8_t value[16];
        model_get(&box, i % 5 - 1, i / 5 - 1, 0, 0, value);
        assert_int_equal(value[0] | 32, sphere[i] | 32);
    }
    box_close(&box);
}

/* ---- The default, and steps a call -------------------------------------------------------------------------- */

static void default_is_dense_with_ghosts_of_the_reach(void **state)
{
    (void) state;
    struct engine_error error;
    struct geometry geometry;
    struct engine_field field = {.name = "u", .kind = ENGINE_GRID, .type = ENGINE_F32, .components = 2, .rank = 2};
    struct engine_shape shape = {sizeof shape, ENGINE_F32, 2, 2, {10, 4, 1}};
    field.reach[0] = 2, field.reach[1] = 1;
    struct engine_layout layout = layout_default(&field);
    assert_int_equal(geometry_make(&field, &shape, &layout, &geometry, &error), 0);
    assert_int_equal(geometry.row_stride, (2 + 10 + 2) * 2 * 4);
    assert_int_equal(geometry.plane_stride, geometry.row_stride * (1 + 4 + 1));
    assert_int_equal(geometry.component_stride, 4);
    assert_int_equal(geometry.bytes, geometry.plane_stride);
    assert_int_equal(geometry.origin, geometry.row_stride + 2 * 2 * 4);
    assert_true(geometry_most_steps(&field, &geometry) == 1);

    field.kind = ENGINE_PARTICLES, field.reach[0] = field.reach[1] = 0;
    layout = layout_default(&field);
    assert_int_equal(layout.ghost[0] + layout.ghost[1] + layout.ghost[2], 0);
    assert_int_equal(geometry_make(&field, &shape, &layout, &geometry, &error), 0);
    assert_true(geometry_most_steps(&field, &geometry) == UINT64_MAX);
}

/* "At most ghost / reach steps a call"; an axis that the implementation wraps limits nothing. */
static void ghosts_limit_the_steps_of_a_call(void **state)
{
    (void) state;
    static const struct {
        uint32_t reach[3], ghost[3], wraps;
        uint64_t most;
    } cases[] = {
        {{1, 1, 1}, {8, 8, 8}, 0, 8},
        {{1, 1, 1}, {8, 5, 9}, 0, 5},
        {{2, 2, 0}, {9, 8, 0}, 0, 4},
        {{3, 1, 0}, {8, 8, 0}, 0, 2},
        {{1, 1, 0}, {0, 4, 0}, ENGINE_AXIS_X, 4},
        {{1, 1, 0}, {0, 0, 0}, ENGINE_AXIS_X | ENGINE_AXIS_Y, UINT64_MAX},
        {{0, 0, 0}, {0, 0, 0}, 0, UINT64_MAX},
        {{0, 1, 0}, {5, 6, 7}, 0, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct engine_error error;
        struct geometry geometry;
        struct box box = elements_box(ENGINE_U8, 1, 20, 20, 20);
        box.field.name = "u";
        memcpy(box.field.reach, cases[i].reach, sizeof box.field.reach);
        memcpy(box.layout.ghost, cases[i].ghost, sizeof box.layout.ghost);
        box.layout.wraps = cases[i].wraps;
        assert_int_equal(geometry_make(&box.field, &box.shape, &box.layout, &geometry, &error), 0);
        assert_true(geometry_most_steps(&box.field, &geometry) == cases[i].most);
        geometry_set_edges(&geometry, &(struct edges){.kind = {ENGINE_EDGE_TORUS, ENGINE_EDGE_MIRROR}});
        const bool filled = cases[i].reach[1] > 0 && !(cases[i].wraps & ENGINE_AXIS_Y);
        assert_true(geometry_most_steps(&box.field, &geometry) == (filled ? 1 : cases[i].most));
    }
}

/* ---- What is refused ---------------------------------------------------------------------------------------- */

enum breakage {
    CELL_BITS,
    WORD_ZERO,
    WORD_THREE,
    WORD_SIXTEEN,
    ORDER,
    GROUP_ZERO,
    GROUP_LARGE,
    ALIGN_ODD,
    ALIGN_LARGE,
    ODD_TWICE,
    ODD_SHORT,
    PACK_ALONE,
    UNPACK_ALONE,
    BYTES_ALONE,
    BYTES_MISSING,
    GHOST_SHALLOW,
    PARTICLE_GHOST,
    BITS_OF_FLOATS,
    BITS_OF_FOUR_VALUES,
    BITS_OF_COMPONENTS,
    WORDS_OF_ELEMENTS,
    GROUPS_OF_ELEMENTS,
    ORDER_OF_ELEMENTS,
    STRIDE_SMALL,
    STRIDE_PLANAR,
    BREAKAGES
};

static const char *const refusals[BREAKAGES] = {
    [CELL_BITS] = "cell_bits must be 0 or 1",
    [WORD_ZERO] = "word_bytes must be 1, 2, 4 or 8",
    [WORD_THREE] = "word_bytes must be 1, 2, 4 or 8",
    [WORD_SIXTEEN] = "word_bytes must be 1, 2, 4 or 8",
    [ORDER] = "unknown order",
    [GROUP_ZERO] = "group_words",
    [GROUP_LARGE] = "group_words",
    [ALIGN_ODD] = "row_align must be a power of two",
    [ALIGN_LARGE] = "row_align must be a power of two",
    [ODD_TWICE] = "row_odd must be 0 or 1",
    [ODD_SHORT] = "row_odd needs a row_align that",
    [PACK_ALONE] = "must be given together",
    [UNPACK_ALONE] = "must be given together",
    [BYTES_ALONE] = "must be given together",
    [BYTES_MISSING] = "must be given together",
    [GHOST_SHALLOW] = "shallower than the field's reach",
    [PARTICLE_GHOST] = "only grids can have ghosts",
    [BITS_OF_FLOATS] = "one bit per cell needs a uint8",
    [BITS_OF_FOUR_VALUES] = "one bit per cell needs a uint8",
    [BITS_OF_COMPONENTS] = "one bit per cell needs a uint8",
    [WORDS_OF_ELEMENTS] = "need one bit per cell",
    [GROUPS_OF_ELEMENTS] = "need one bit per cell",
    [ORDER_OF_ELEMENTS] = "need one bit per cell",
    [STRIDE_SMALL] = "component_stride is smaller",
    [STRIDE_PLANAR] = "planar components cannot have a component_stride",
};

/* A sound case of bits or of elements with one thing wrong. */
static struct box broken(enum breakage breakage)
{
    struct box bits = bits_box(10, 10, 1, ENGINE_ORDER_LINEAR, 4, 0);
    struct box elements = elements_box(ENGINE_F32, 3, 10, 10, 1);
    bits.field.reach[0] = bits.field.reach[1] = bits.layout.ghost[0] = bits.layout.ghost[1] = 1;
    struct engine_layout *b = &bits.layout, *e = &elements.layout;
    switch (breakage) {
    case CELL_BITS:
        b->cell_bits = 2;
        return bits;
    case WORD_ZERO:
        b->word_bytes = 0;
        return bits;
    case WORD_THREE:
        b->word_bytes = 3;
        return bits;
    case WORD_SIXTEEN:
        b->word_bytes = 16;
        return bits;
    case ORDER:
        b->order = 3;
        return bits;
    case GROUP_ZERO:
        b->order = ENGINE_ORDER_STRIPED;
        return bits;
    case GROUP_LARGE:
        b->order = ENGINE_ORDER_STRIPED;
        b->group_words = 1u << 31;
        return bits;
    case ALIGN_ODD:
        b->row_align = 24;
        return bits;
    case ALIGN_LARGE:
        b->row_align = 8192;
        return bits;
    case ODD_TWICE:
        b->row_align = 64;
        b->row_odd = 2;
        return bits;
    case ODD_SHORT:
        e->row_align = 8;
        e->row_odd = 1;
        return elements;
    case PACK_ALONE:
        e->pack = own_pack;
        return elements;
    case UNPACK_ALONE:
        e->unpack = own_unpack;
        return elements;
    case BYTES_ALONE:
        e->own_bytes = 100;
        return elements;
    case BYTES_MISSING:
        e->pack = own_pack;
        e->unpack = own_unpack;
        return elements;
    case GHOST_SHALLOW:
        b->ghost[1] = 0;
        return bits;
    case PARTICLE_GHOST:
        elements.field.kind = ENGINE_PARTICLES;
        e->ghost[0] = 1;
        return elements;
    case BITS_OF_FLOATS:
        bits.shape.type = bits.field.type = ENGINE_F32;
        return bits;
    case BITS_OF_FOUR_VALUES:
        bits.field.values = 4;
        return bits;
    case BITS_OF_COMPONENTS:
        bits.shape.components = bits.field.components = 2;
        return bits;
    case WORDS_OF_ELEMENTS:
        e->word_bytes = 4;
        return elements;
    case GROUPS_OF_ELEMENTS:
        e->group_words = 4;
        return elements;
    case ORDER_OF_ELEMENTS:
        e->order = ENGINE_ORDER_REVERSED;
        return elements;
    case STRIDE_SMALL:
        e->component_stride = 2;
        return elements;
    case STRIDE_PLANAR:
        e->component_stride = 4;
        e->planar = 1;
        return elements;
    default:
        return bits;
    }
}

static void wrong_layouts_are_refused_with_a_sentence(void **state)
{
    (void) state;
    struct engine_error error;
    struct geometry geometry;
    struct box sound = broken(BREAKAGES);
    sound.field.name = "cells";
    assert_int_equal(geometry_make(&sound.field, &sound.shape, &sound.layout, &geometry, &error), 0);
    for (enum breakage i = 0; i < BREAKAGES; i++) {
        struct box box = broken(i);
        box.field.name = "cells";
        error.text[0] = '\0';
        int status = geometry_make(&box.field, &box.shape, &box.layout, &geometry, &error);
        if (status != ENGINE_STATUS_PLUGIN || !strstr(error.text, refusals[i]) || !strstr(error.text, "field cells"))
            fail_msg("layout %d: status %d, \"%s\", expected \"… %s …\"", (int) i, status, error.text, refusals[i]);
    }
}

/* Products that do not fit in 63 bits, at each place where one is made. */
static void sizes_beyond_an_address_space_are_refused(void **state)
{
    (void) state;
    const uint64_t large[][3] = {
        {UINT64_MAX, 1, 1},
        {1, UINT64_MAX, 1},
        {1, 1, UINT64_MAX},
        {INT64_MAX, 1, 1},
        {UINT64_C(1) << 62, 1, 1},
        {UINT64_C(1) << 32, UINT64_C(1) << 32, 1},
        {UINT64_C(1) << 31, UINT64_C(1) << 31, 2},
        {UINT64_C(1) << 22, UINT64_C(1) << 21, UINT64_C(1) << 21},
        {3, UINT64_C(0x5555555555555556), 1}, /* 3 times that is 2 modulo 2^64 */
        {1, UINT64_MAX / 2, 1},
    };
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        for (uint32_t planar = 0; planar < 2; planar++) {
            struct engine_error error;
            struct geometry geometry;
            struct box box = elements_box(ENGINE_C128, 4, large[i][0], large[i][1], large[i][2]);
            box.field.name = "cells";
            box.layout.planar = planar;
            for (int a = 0; a < 3; a++)
                box.layout.ghost[a] = 1;
            if (geometry_make(&box.field, &box.shape, &box.layout, &geometry, &error) != ENGINE_STATUS_DEVICE)
                fail_msg("size %zu was taken", i);
            assert_non_null(strstr(error.text, "larger than the address space"));
        }
    /* 2^63 bytes: a size, but no distance. */
    struct engine_error error;
    struct geometry geometry;
    struct box half = elements_box(ENGINE_U8, 1, UINT64_C(1) << 31, UINT64_C(1) << 32, 1);
    half.field.name = "cells";
    assert_int_equal(geometry_make(&half.field, &half.shape, &half.layout, &geometry, &error), ENGINE_STATUS_DEVICE);
    half.shape.extent[1]--;
    assert_int_equal(geometry_make(&half.field, &half.shape, &half.layout, &geometry, &error), 0);
    /* And the largest ghost that a layout can ask for. */
    struct box box = elements_box(ENGINE_C128, 4, 1, 1, 1);
    box.field.name = "cells";
    for (int a = 0; a < 3; a++)
        box.layout.ghost[a] = UINT32_MAX;
    assert_int_equal(geometry_make(&box.field, &box.shape, &box.layout, &geometry, &error), ENGINE_STATUS_DEVICE);
}

/* ---- Bits themselves ---------------------------------------------------------------------------------------- */

static void bytes_and_bits_turn_into_each_other(void **state)
{
    (void) state;
    for (uint32_t count = 1; count <= 64; count++)
        for (int i = 0; i < 20; i++) {
            const uint64_t cells = any(), mask = count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
            uint8_t *bytes = malloc(count + 1);
            bytes[count] = GUARD_BYTE;
            bits_to_bytes(cells, count, bytes);
            for (uint32_t b = 0; b < count; b++)
                assert_int_equal(bytes[b], cells >> b & 1);
            assert_int_equal(bytes[count], GUARD_BYTE);
            assert_true(bits_from_bytes(bytes, count) == (cells & mask));
            free(bytes);
        }
}

/* Any cells of a row, to the left of its first too. */
static void visit_runs(uint32_t order, uint32_t word_bytes, uint32_t group_words)
{
    enum { MIDDLE = 1024, ROW = 2 * MIDDLE };
    uint8_t row[ROW], expected[ROW];
    struct engine_layout layout = {
        .cell_bits = 1, .word_bytes = word_bytes, .order = order, .group_words = group_words};
    for (int i = 0; i < 400; i++) {
        const int64_t x = (int64_t) from_to(0, 600) - 300;
        const uint32_t count = i < 64 ? (uint32_t) i + 1 : from_to(1, 64);
        const uint64_t cells = any();
        for (int b = 0; b < ROW; b++)
            row[b] = expected[b] = (uint8_t) any();
        for (uint32_t c = 0; c < count; c++) {
            int64_t bit;
            uint8_t *at = expected + MIDDLE + word_of(&layout, x + c, &bit) * word_bytes;
            const uint64_t mask = UINT64_C(1) << bit, word = load_word(at, word_bytes);
            assert_int_equal(bits_get(&layout, row + MIDDLE, x + c, 1), word >> bit & 1);
            store_word(at, word_bytes, cells >> c & 1 ? word | mask : word & ~mask);
        }
        bits_put(&layout, row + MIDDLE, x, count, cells);
        assert_memory_equal(row, expected, ROW);
        assert_true(bits_get(&layout, row + MIDDLE, x, count) ==
                    (count == 64 ? cells : cells & ((UINT64_C(1) << count) - 1)));
    }
}

static void runs_of_bits_are_got_and_put(void **state)
{
    (void) state;
    each_order(visit_runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_bits_turn_into_each_other),
        cmocka_unit_test(joined_edges_are_those_of_the_pictures),
        cmocka_unit_test(bits_are_joined_like_bytes),
        cmocka_unit_test(runs_of_bits_are_got_and_put),
        cmocka_unit_test(bits_of_every_width),
        cmocka_unit_test(bits_around_multiples_of_words_and_groups),
        cmocka_unit_test(bits_with_ghosts_deeper_than_the_grid_is_wide),
        cmocka_unit_test(bits_of_volumes),
        cmocka_unit_test(elements_of_every_type_and_arrangement),
        cmocka_unit_test(cells_of_two_values),
        cmocka_unit_test(particles_and_matrices),
        cmocka_unit_test(threads_wrap_the_same),
        cmocka_unit_test(own_functions_move_cells),
        cmocka_unit_test(default_is_dense_with_ghosts_of_the_reach),
        cmocka_unit_test(ghosts_limit_the_steps_of_a_call),
        cmocka_unit_test(wrong_layouts_are_refused_with_a_sentence),
        cmocka_unit_test(sizes_beyond_an_address_space_are_refused),
    };
    pool = thread_pool_open();
    const int failed = cmocka_run_group_tests_name("layouts", tests, NULL, NULL);
    thread_pool_close(pool);
    return failed;
}
