/* Grids of two values as columns of eight cells.
 *
 * A band is eight rows. Where cells are bits, eight bytes of each row of a band are transposed at a time: rows of bits
 * become bytes of columns, and the layout says which column each byte belongs to. Where the bytes of a row lie in
 * order, 16 bytes of each row are transposed at a time. Other layouts are copied cell by cell. */
#include "memory/layout.h"

#include <string.h>

enum {
    ROWS = 8,   /* cells of a column */
    RUN = 1024, /* columns copied at a time, cell by cell */
    CHUNK = 8   /* bytes of a row transposed at a time */
};

/* Columns [x, x + count) of a band. */
struct run {
    uint64_t first; /* element of the canonical array: the first row of the band, at x */
    uint64_t x, y, z;
    uint32_t rows; /* of the band; the last band may have fewer than eight */
    uint64_t count;
};

static uint64_t bands_of(const struct engine_shape *shape)
{
    return (shape->extent[1] + ROWS - 1) / ROWS;
}

bool geometry_has_columns(const struct engine_shape *shape, uint32_t values)
{
    return values == 2 && shape->type == ENGINE_U8 && shape->components == 1;
}

uint64_t geometry_columns(const struct engine_shape *shape)
{
    return shape->extent[0] * bands_of(shape) * shape->extent[2];
}

/* Finds the run of columns in one band that begins at byte `begin` and has at most `count` bytes. */
static struct run run_at(const struct engine_shape *shape, uint64_t begin, uint64_t count)
{
    const uint64_t width = shape->extent[0], height = shape->extent[1];
    struct run run = {.x = begin % width, .y = begin / width % bands_of(shape) * ROWS};
    run.z = begin / width / bands_of(shape);
    run.first = (run.z * height + run.y) * width + run.x;
    run.rows = height - run.y < ROWS ? (uint32_t) (height - run.y) : ROWS;
    run.count = width - run.x < count ? width - run.x : count;
    return run;
}

/* ---- Cell by cell ------------------------------------------------------------------------------------------ */

/* Adds one row of cells, bytes of 0 and 1, to columns. Eight cells are added at a time. */
static void add_row(uint8_t *columns, const uint8_t *cells, uint32_t row, uint64_t count)
{
    for (uint64_t i = 0; i < count; i += 8) {
        uint64_t eight, sum;
        memcpy(&eight, cells + i, 8);
        memcpy(&sum, columns + i, 8);
        sum |= eight << row;
        memcpy(columns + i, &sum, 8);
    }
}

static void take_row(const uint8_t *columns, uint8_t *cells, uint32_t row, uint64_t count)
{
    for (uint64_t i = 0; i < count; i += 8) {
        uint64_t eight;
        memcpy(&eight, columns + i, 8);
        eight = eight >> row & UINT64_C(0x0101010101010101);
        memcpy(cells + i, &eight, 8);
    }
}

static void read_cells(const struct geometry *geometry, const void *buffer, const struct run *run, uint8_t *columns)
{
    uint8_t cells[RUN], sums[RUN];
    for (uint64_t done = 0; done < run->count; done += RUN) {
        const uint64_t n = run->count - done < RUN ? run->count - done : RUN;
        memset(sums, 0, sizeof sums);
        for (uint32_t row = 0; row < run->rows; row++) {
            geometry_read(geometry, buffer, run->first + row * geometry->shape.extent[0] + done, n, cells);
            add_row(sums, cells, row, n);
        }
        memcpy(columns + done, sums, n);
    }
}

static void write_cells(const struct geometry *geometry, void *buffer, const struct run *run, const uint8_t *columns)
{
    uint8_t cells[RUN], some[RUN] = {0};
    for (uint64_t done = 0; done < run->count; done += RUN) {
        const uint64_t n = run->count - done < RUN ? run->count - done : RUN;
        memcpy(some, columns + done, n);
        for (uint32_t row = 0; row < run->rows; row++) {
            take_row(some, cells, row, n);
            geometry_write(geometry, buffer, run->first + row * geometry->shape.extent[0] + done, n, cells);
        }
    }
}

/* ---- By transposing bits ---------------------------------------------------------------------------------------- */

enum { UNIT_BYTES_MAX = 1024 };

/* The smallest piece of a row of whole groups and whole chunks. The cell at bit i of byte b belongs to column place[b]
 * + i * step of the unit. */
struct unit {
    uint64_t bytes, cells; /* 0: these rows cannot be transposed */
    uint64_t row_bytes;    /* bytes of a row from x = 0 to its end */
    int64_t step;
    int32_t place[UNIT_BYTES_MAX];
};

static int32_t place_of(const struct engine_layout *layout, uint64_t byte)
{
    const uint64_t word_bytes = layout->word_bytes;
    if (layout->order == ENGINE_ORDER_STRIPED)
        return (int32_t) (byte % word_bytes * 8 * layout->group_words + byte / word_bytes);
    return (int32_t) (layout->order == ENGINE_ORDER_LINEAR ? byte * 8 : (byte ^ (word_bytes - 1)) * 8 + 7);
}

static void set_unit(struct unit *unit, const struct geometry *geometry)
{
    const struct engine_layout *layout = &geometry->layout;
    const bool striped = layout->order == ENGINE_ORDER_STRIPED;
    unit->bytes = striped ? (uint64_t) layout->group_words * layout->word_bytes : CHUNK;
    if (layout->cell_bits != 1 || layout->pack || unit->bytes % CHUNK != 0 || unit->bytes > UNIT_BYTES_MAX)
        unit->bytes = 0;
    unit->cells = unit->bytes * 8;
    unit->step = striped ? (int64_t) layout->group_words : layout->order == ENGINE_ORDER_LINEAR ? 1 : -1;
    for (uint64_t byte = 0; byte < unit->bytes; byte++)
        unit->place[byte] = place_of(layout, byte);
    const uint64_t left = geometry->origin - layout->ghost[2] * (uint64_t) geometry->plane_stride -
                          layout->ghost[1] * (uint64_t) geometry->row_stride;
    unit->row_bytes = (uint64_t) geometry->row_stride - left;
}

/* Transposes bits: bit i of byte k of word r becomes bit r of byte k of word i, for all eight k at once (Warren,
 * Hacker's Delight, 7-3). The function is its own inverse. */
static void transpose(uint64_t words[ROWS])
{
    static const uint64_t masks[] = {UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x3333333333333333),
                                     UINT64_C(0x5555555555555555)};
    for (uint32_t level = 0, far = 4; far > 0; level++, far /= 2)
        for (uint32_t r = 0; r < ROWS; r++) {
            if (r & far)
                continue;
            const uint64_t swap = (words[r] >> far ^ words[r + far]) & masks[level];
            words[r + far] ^= swap;
            words[r] ^= swap << far;
        }
}

/* Reads a unit. `row` points to its bytes in the first row of the band. */
static void read_unit(const struct geometry *geometry, const struct unit *unit, const uint8_t *row, uint32_t rows,
                      uint8_t *columns)
{
    for (uint64_t byte = 0; byte < unit->bytes; byte += CHUNK) {
        uint64_t words[ROWS] = {0};
        for (uint32_t r = 0; r < rows; r++)
            memcpy(&words[r], row + r * geometry->row_stride + byte, CHUNK);
        transpose(words);
        for (uint32_t k = 0; k < CHUNK; k++)
            for (uint32_t i = 0; i < 8; i++)
                columns[unit->place[byte + k] + i * unit->step] = (uint8_t) (words[i] >> 8 * k);
    }
}

static void write_unit(const struct geometry *geometry, const struct unit *unit, uint8_t *row, uint32_t rows,
                       const uint8_t *columns)
{
    for (uint64_t byte = 0; byte < unit->bytes; byte += CHUNK) {
        uint64_t words[ROWS] = {0};
        for (uint32_t k = 0; k < CHUNK; k++)
            for (uint32_t i = 0; i < 8; i++)
                words[i] |= (uint64_t) columns[unit->place[byte + k] + i * unit->step] << 8 * k;
        transpose(words);
        for (uint32_t r = 0; r < rows; r++)
            memcpy(row + r * geometry->row_stride + byte, &words[r], CHUNK);
    }
}

/* ---- By transposing bits, 16 bytes of a row at a time ------------------------------------------------------------ */

/* Where the bytes of a row lie in order, no byte needs a look-up. Bytes at the same place of eight rows are gathered
 * and transposed as blocks of 8 x 8 bits, two blocks in a vector. */
typedef uint8_t lanes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum { WIDE = sizeof(lanes) * 8 }; /* columns copied at a time */

#define BOTH(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Moves byte k of row r: it is at place 16 r + k, and its new place is that number of seven bits, rotated left by
 * one. */
static void rotate(lanes rows[ROWS])
{
    lanes out[ROWS];
    for (size_t i = 0; i < ROWS / 2; i++) {
        const lanes a = rows[i], b = rows[i + ROWS / 2];
        out[2 * i] = BOTH(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        out[2 * i + 1] = BOTH(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    memcpy(rows, out, sizeof out);
}

/* As `transpose`, for twice as many bytes. */
static void transpose_wide(lanes rows[ROWS])
{
    static const uint64_t masks[] = {UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x3333333333333333),
                                     UINT64_C(0x5555555555555555)};
    for (int level = 0, far = 4; far > 0; level++, far /= 2)
        for (int r = 0; r < ROWS; r++) {
            if (r & far)
                continue;
            const halves a = (halves) rows[r], b = (halves) rows[r + far];
            const halves swap = (a >> far ^ b) & masks[level];
            rows[r] = (lanes) (a ^ swap << far);
            rows[r + far] = (lanes) (b ^ swap);
        }
}

/* Three rotations of the places bring eight rows of 16 bytes to 16 rows of eight bytes; four more bring them back. */
static void read_wide(const uint8_t *row, int64_t row_stride, uint32_t rows, uint8_t *columns)
{
    lanes bytes[ROWS] = {{0}};
    for (uint32_t r = 0; r < ROWS; r++)
        if (r < rows)
            memcpy(&bytes[r], row + r * row_stride, sizeof bytes[r]);
    transpose_wide(bytes);
    for (int i = 0; i < 3; i++)
        rotate(bytes);
    memcpy(columns, bytes, sizeof bytes);
}

static void write_wide(uint8_t *row, int64_t row_stride, uint32_t rows, const uint8_t *columns)
{
    lanes bytes[ROWS];
    memcpy(bytes, columns, sizeof bytes);
    for (int i = 0; i < 4; i++)
        rotate(bytes);
    transpose_wide(bytes);
    for (uint32_t r = 0; r < ROWS; r++)
        if (r < rows)
            memcpy(row + r * row_stride, &bytes[r], sizeof bytes[r]);
}

/* Returns how many of the run's next columns can be read or written so. */
static uint64_t wide_columns(const struct geometry *geometry, const struct run *run)
{
    const struct engine_layout *layout = &geometry->layout;
    const bool in_order = layout->cell_bits == 1 && !layout->pack && layout->order == ENGINE_ORDER_LINEAR;
    return in_order && run->x % 8 == 0 ? run->count / WIDE * WIDE : 0;
}

/* ---- Runs of columns --------------------------------------------------------------------------------------------- */

/* Returns the address of the unit at the run's x, in the first row of the band. */
static uint8_t *unit_at(const struct geometry *geometry, const void *buffer, const struct run *run)
{
    return (uint8_t *) (uintptr_t) buffer + geometry->origin + run->y * (uint64_t) geometry->row_stride +
           run->z * (uint64_t) geometry->plane_stride + run->x / 8;
}

/* Returns how many of the run's next columns are one unit, which may be cut short at the end of the row (*whole), or
 * must be copied cell by cell. */
static uint64_t next_part(const struct geometry *geometry, const struct unit *unit, const struct run *run, bool *whole)
{
    *whole = false;
    if (unit->bytes == 0)
        return run->count;
    const uint64_t cells = unit->bytes * 8, into = run->x % cells, rest = cells - into;
    if (into != 0)
        return rest < run->count ? rest : run->count;
    *whole = (run->count >= unit->cells || run->x + run->count == geometry->shape.extent[0]) &&
             run->x / 8 + unit->bytes <= unit->row_bytes;
    return *whole && run->count > unit->cells ? unit->cells : run->count;
}

static void step_on(struct run *run, uint64_t count)
{
    run->first += count;
    run->x += count;
    run->count -= count;
}

static void read_run(const struct geometry *geometry, const struct unit *unit, const void *buffer, struct run run,
                     uint8_t *columns)
{
    uint8_t last[UNIT_BYTES_MAX * 8];
    const uint64_t wide = wide_columns(geometry, &run);
    for (uint64_t done = 0; done < wide; done += WIDE, columns += WIDE, step_on(&run, WIDE))
        read_wide(unit_at(geometry, buffer, &run), geometry->row_stride, run.rows, columns);
    while (run.count > 0) {
        bool whole;
        struct run part = run;
        part.count = next_part(geometry, unit, &run, &whole);
        if (!whole)
            read_cells(geometry, buffer, &part, columns);
        else
            read_unit(geometry, unit, unit_at(geometry, buffer, &run), run.rows,
                      part.count == unit->cells ? columns : last);
        if (whole && part.count < unit->cells)
            memcpy(columns, last, part.count);
        step_on(&run, part.count);
        columns += part.count;
    }
}

static void write_run(const struct geometry *geometry, const struct unit *unit, void *buffer, struct run run,
                      const uint8_t *columns)
{
    uint8_t last[UNIT_BYTES_MAX * 8] = {0};
    const uint64_t wide = wide_columns(geometry, &run);
    for (uint64_t done = 0; done < wide; done += WIDE, columns += WIDE, step_on(&run, WIDE))
        write_wide(unit_at(geometry, buffer, &run), geometry->row_stride, run.rows, columns);
    while (run.count > 0) {
        bool whole;
        struct run part = run;
        part.count = next_part(geometry, unit, &run, &whole);
        if (whole && part.count < unit->cells)
            memcpy(last, columns, part.count);
        if (!whole)
            write_cells(geometry, buffer, &part, columns);
        else
            write_unit(geometry, unit, unit_at(geometry, buffer, &run), run.rows,
                       part.count == unit->cells ? columns : last);
        step_on(&run, part.count);
        columns += part.count;
    }
}

void geometry_read_columns(const struct geometry *geometry, const void *buffer, uint64_t begin, uint64_t count,
                           uint8_t *columns)
{
    struct unit unit;
    set_unit(&unit, geometry);
    while (count > 0) {
        const struct run run = run_at(&geometry->shape, begin, count);
        read_run(geometry, &unit, buffer, run, columns);
        begin += run.count, count -= run.count, columns += run.count;
    }
}

void geometry_write_columns(const struct geometry *geometry, void *buffer, uint64_t begin, uint64_t count,
                            const uint8_t *columns)
{
    struct unit unit;
    set_unit(&unit, geometry);
    while (count > 0) {
        const struct run run = run_at(&geometry->shape, begin, count);
        write_run(geometry, &unit, buffer, run, columns);
        begin += run.count, count -= run.count, columns += run.count;
    }
}
