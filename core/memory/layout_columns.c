/* Grids of two values as columns of bits.
 *
 * Where cells are bits, eight bytes of each of a band's eight rows are turned at a time: rows of bits become bytes of
 * columns, and the layout says to which column each byte goes. Where bytes of a row lie in order, 16 are. Layouts that
 * do not come out even, and those of whole bytes a cell, go through cells. */
#include "memory/layout.h"

#include <string.h>

enum { ROWS = 8, RUN = 1024, CHUNK = 8 }; /* cells of a column, columns at a time, bytes of a row turned at a time */

/* Columns [x, x + count) of a band. */
struct run {
    uint64_t first; /* element of the canonical array: the band's first row at x */
    uint64_t x, y, z;
    uint32_t rows; /* that the band has */
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

/* What lies in one band of the next `count` bytes from `begin` on. */
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

/* ---- Through cells ------------------------------------------------------------------------------------------ */

/* Bytes of 0 and 1, eight at a time. */
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

/* ---- By turning bits ---------------------------------------------------------------------------------------- */

enum { UNIT_BYTES_MAX = 1024 };

/* The smallest piece of a row that is whole groups and whole chunks, and where its cells go among its columns: the one
 * at bit i of byte b to place[b] + i * step. */
struct unit {
    uint64_t bytes, cells; /* 0: these rows cannot be turned */
    uint64_t room;         /* bytes of a row from x = 0 on */
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
    unit->room = (uint64_t) geometry->row_stride - left;
}

/* Bit i of byte k of word r becomes bit r of byte k of word i, for all eight k at once (Warren, Hacker's Delight, 7-3).
 * It is its own inverse. */
static void turn(uint64_t words[ROWS])
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

/* `row` has the unit's bytes in the band's first row. */
static void read_unit(const struct geometry *geometry, const struct unit *unit, const uint8_t *row, uint32_t rows,
                      uint8_t *columns)
{
    for (uint64_t byte = 0; byte < unit->bytes; byte += CHUNK) {
        uint64_t words[ROWS] = {0};
        for (uint32_t r = 0; r < rows; r++)
            memcpy(&words[r], row + r * geometry->row_stride + byte, CHUNK);
        turn(words);
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
        turn(words);
        for (uint32_t r = 0; r < rows; r++)
            memcpy(row + r * geometry->row_stride + byte, &words[r], CHUNK);
    }
}

/* ---- By turning bits of 16 bytes a row ---------------------------------------------------------------------- */

/* Rows whose bytes lie in order are turned without a look at each byte: bytes of the same place in eight rows come
 * together, and are turned as halves of 8 x 8 bits. */
typedef uint8_t lanes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum { WIDE = sizeof(lanes) * 8 }; /* columns at a time */

#define BOTH(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Byte k of row r goes from place 16 r + k to that place's seven bits turned left by one. */
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

/* As `turn`, of twice as many bytes. */
static void turn_wide(lanes rows[ROWS])
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

/* Three turns of a place's bits bring eight rows of 16 bytes to 16 rows of eight, and four more bring them back. */
static void read_wide(const uint8_t *row, int64_t row_stride, uint32_t rows, uint8_t *columns)
{
    lanes bytes[ROWS] = {{0}};
    for (uint32_t r = 0; r < ROWS; r++)
        if (r < rows)
            memcpy(&bytes[r], row + r * row_stride, sizeof bytes[r]);
    turn_wide(bytes);
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
    turn_wide(bytes);
    for (uint32_t r = 0; r < ROWS; r++)
        if (r < rows)
            memcpy(row + r * row_stride, &bytes[r], sizeof bytes[r]);
}

/* How many of a run's next columns can be turned so. */
static uint64_t wide_columns(const struct geometry *geometry, const struct run *run)
{
    const struct engine_layout *layout = &geometry->layout;
    const bool in_order = layout->cell_bits == 1 && !layout->pack && layout->order == ENGINE_ORDER_LINEAR;
    return in_order && run->x % 8 == 0 ? run->count / WIDE * WIDE : 0;
}

/* ---- Both --------------------------------------------------------------------------------------------------- */

/* The first row's bytes of the unit that begins at a run's x. */
static uint8_t *unit_at(const struct geometry *geometry, const void *buffer, const struct run *run)
{
    return (uint8_t *) (uintptr_t) buffer + geometry->origin + run->y * (uint64_t) geometry->row_stride +
           run->z * (uint64_t) geometry->plane_stride + run->x / 8;
}

/* How many of a run's next columns are a unit (the row's last one may be cut short), or else have to go through cells.
 */
static uint64_t next_part(const struct geometry *geometry, const struct unit *unit, const struct run *run, bool *turned)
{
    *turned = false;
    if (unit->bytes == 0)
        return run->count;
    const uint64_t cells = unit->bytes * 8, into = run->x % cells, rest = cells - into;
    if (into != 0)
        return rest < run->count ? rest : run->count;
    *turned = (run->count >= unit->cells || run->x + run->count == geometry->shape.extent[0]) &&
              run->x / 8 + unit->bytes <= unit->room;
    return *turned && run->count > unit->cells ? unit->cells : run->count;
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
        bool turned;
        struct run part = run;
        part.count = next_part(geometry, unit, &run, &turned);
        if (!turned)
            read_cells(geometry, buffer, &part, columns);
        else
            read_unit(geometry, unit, unit_at(geometry, buffer, &run), run.rows,
                      part.count == unit->cells ? columns : last);
        if (turned && part.count < unit->cells)
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
        bool turned;
        struct run part = run;
        part.count = next_part(geometry, unit, &run, &turned);
        if (turned && part.count < unit->cells)
            memcpy(last, columns, part.count);
        if (!turned)
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
