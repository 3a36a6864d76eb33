/* The implementation `cpu`: the four look-ups of tables.h, row by row, on all threads.
 *
 * A task takes a band of rows. The loop along a row keeps the classes of two columns in registers, so each column is
 * looked up once in a row. Where a piece of a row and all cells around it are in state 0, nothing is looked up: all
 * cells of the piece have the same next state. cpu_settled.c leaves out tiles that repeat themselves. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

enum { BAND = 16, PIECE = 14 }; /* rows; cells, which are 16 with the two beside them */

/* The loop for words of a type, with or without `pair`. */
#define ROW(name, word, direct) \
    static void name(const struct tables *tables, const void *columns, const uint8_t *above, const uint8_t *row, \
                     const uint8_t *below, uint8_t *result, int64_t width) \
    { \
        const word *column = (const word *) columns; \
        const uint32_t *pair = tables->pair, *join = tables->join; \
        const uint8_t *next = tables->next; \
        const uint32_t bits = tables->bits, middle_at = tables->middle_at, right_at = tables->right_at; \
        const uint32_t left_mask = (uint32_t) (((uint64_t) 1 << middle_at) - 1); \
        const uint32_t middle_mask = (uint32_t) (((uint64_t) 1 << (right_at - middle_at)) - 1); \
        word before = LOOK_UP(direct, -1), here = LOOK_UP(direct, 0); \
        for (int64_t x = 0; x < width; x++) { \
            const word behind = LOOK_UP(direct, x + 1); \
            const uint32_t both = \
                join[((uint32_t) before & left_mask) + ((uint32_t) (here >> middle_at) & middle_mask)]; \
            result[x] = next[both + (uint32_t) (behind >> right_at)]; \
            before = here, here = behind; \
        } \
    }
#define LOOK_UP(direct, x) \
    column[(direct) ? ((uint32_t) above[x] << bits | row[x]) << bits | below[x] \
                    : pair[(uint32_t) above[x] << bits | row[x]] | below[x]]

ROW(narrow_direct, uint32_t, 1)
ROW(narrow_pairs, uint32_t, 0)
ROW(wide_direct, uint64_t, 1)
ROW(wide_pairs, uint64_t, 0)

static bool prepare(struct instance *own)
{
    const struct tables *tables = &own->tables;
    if (tables->narrow)
        own->take_row = tables->pair ? narrow_pairs : narrow_direct;
    else
        own->take_row = tables->pair ? wide_pairs : wide_direct;
    own->column = malloc(tables->columns * (tables->narrow ? sizeof(uint32_t) : sizeof(uint64_t)));
    if (!own->column)
        return false;
    for (uint64_t i = 0; i < tables->columns; i++)
        if (tables->narrow)
            ((uint32_t *) own->column)[i] = (uint32_t) tables->column[i];
        else
            ((uint64_t *) own->column)[i] = tables->column[i];
    const uint8_t nothing[3] = {0};
    own->take_row(tables, own->column, nothing + 1, nothing + 1, nothing + 1, &own->from_nothing, 1);
    return true;
}

/* Are all cells of a piece in state 0, and the cells before and behind it? */
static inline bool is_empty(const uint8_t *row)
{
    uint64_t word[(PIECE + 2) / 8];
    memcpy(word, row - 1, sizeof word);
    return (word[0] | word[1]) == 0;
}

/* Returns the number of cells before the first piece that is not empty as `empty` says. */
static int64_t count_cells(const uint8_t *above, const uint8_t *row, const uint8_t *below, int64_t width, bool empty)
{
    int64_t x = 0;
    while (x + PIECE <= width && (is_empty(row + x) && is_empty(above + x) && is_empty(below + x)) == empty)
        x += PIECE;
    return x;
}

/* Takes a row in turns: pieces that are empty, and pieces that are not. */
static void take_pieces(const struct instance *own, const uint8_t *above, const uint8_t *row, const uint8_t *below,
                        uint8_t *result, int64_t width)
{
    for (int64_t x = 0; x < width;) {
        const int64_t empty = count_cells(above + x, row + x, below + x, width - x, true);
        memset(result + x, own->from_nothing, (size_t) empty);
        x += empty;
        const int64_t left = width - x, full = count_cells(above + x, row + x, below + x, left, false);
        const int64_t cells = left - full < PIECE ? left : full;
        own->take_row(&own->tables, own->column, above + x, row + x, below + x, result + x, cells);
        x += cells;
    }
}

int ruletable_cpu_open(const struct engine_call *call, struct instance **out)
{
    struct instance *own = (struct instance *) calloc(1, sizeof *own);
    if (!own)
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "there is no memory for an instance");
    int status = ruletable_load_tables(call->host, call->plan, &own->tables);
    if (status == 0 && !prepare(own))
        status = ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "there is no memory for the tables");
    if (status == 0)
        *out = own;
    else
        ruletable_cpu_destroy(own);
    return status;
}

int ruletable_cpu_create(const struct engine_call *call, void **self)
{
    struct instance *own;
    const int status = ruletable_cpu_open(call, &own);
    if (status != 0)
        return status;
    if (!ruletable_settled_open(call->plan, &own->settled)) {
        ruletable_cpu_destroy(own);
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "there is no memory for the map of tiles");
    }
    *self = own;
    return 0;
}

void ruletable_cpu_destroy(void *self)
{
    struct instance *own = (struct instance *) self;
    tables_free(&own->tables);
    free(own->column);
    free(own->settled.memory);
    free(own);
}

struct job {
    const struct instance *own;
    const struct engine_call *call;
};

static void take_band(void *argument, uint64_t band)
{
    const struct job *job = (const struct job *) argument;
    const struct engine_call *call = job->call;
    const struct engine_buffer *cells = engine_field_buffer(call, RULETABLE_CELLS);
    const int64_t width = (int64_t) cells->shape->extent[0], height = (int64_t) cells->shape->extent[1];
    const int64_t first = (int64_t) band * BAND, end = first + BAND < height ? first + BAND : height;
    for (int64_t y = first; y < end; y++) {
        const uint8_t *row = (const uint8_t *) engine_row(cells, call->current, y, 0);
        take_pieces(job->own, row - cells->row_stride, row, row + cells->row_stride,
                    (uint8_t *) engine_row(cells, call->result, y, 0), width);
    }
}

int ruletable_cpu_advance(void *self, struct engine_call *call)
{
    struct job job = {(const struct instance *) self, call};
    if (ruletable_settled_advance((struct instance *) self, call))
        return 0;
    const uint64_t height = engine_field_buffer(call, RULETABLE_CELLS)->shape->extent[1];
    call->host->parallel(call->host, (height + BAND - 1) / BAND, take_band, &job);
    return 0;
}

int ruletable_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host, (void) plan;
    cost->operation = ENGINE_OPS_LOOKUP;
    cost->operations = 3;
    cost->bytes = 2;
    return 0;
}
