/* Copies planes between the grid and the frames in which they are stepped (cpu_kernel_level.h).
 *
 * In the grid, a row is `columns` words; cell x is bit x / columns of word x % columns. In a frame, the words of a
 * vector come from rows that are far apart: a strip of VEC_WORDS * rows rows is cut into VEC_WORDS pieces, one for each
 * word. With four words and pieces of three rows, column c of the frame is
 *
 *     ghost row     11   2   5   8       each piece goes on where the one before ends
 *     row 0          0   3   6   9
 *     row 1          1   4   7  10       the word of column c in these rows of the strip
 *     row 2          2   5   8  11
 *     ghost row      3   6   9   0
 *
 * Loading a vector of the grid's words from each piece and transposing the square of words gives vectors of the frame.
 */
#ifndef LIFE3D_PACKED_CPU_KERNEL_PLANE_H
#define LIFE3D_PACKED_CPU_KERNEL_PLANE_H

#include <string.h>

#include "cpu_kernel_level.h"

/* In front of loops over the words of a vector: unrolled, they keep an array of vectors in registers. */
#define UNROLLED _Pragma("GCC unroll 8")

/* Rows of the grid: the strip begins at row `first` of the torus. Only its rows halo … halo + valid - 1 are stored. If
 * the edges are dead, its rows before `top` and from `bottom` on lie beyond them. */
struct strip {
    uint64_t first, halo, valid;
    uint64_t height;
    uint64_t columns, width;
    uint64_t top, bottom;
    int dead_x, dead_y; /* are the cells beyond the edges dead? Otherwise the grid is a torus along that axis */
    int streamed;       /* store_vector bypasses the caches; rows are then whole vectors, and aligned */
};

#if LANES == 512
#define NEXT_WORDS(v)     __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 0)
#define PREVIOUS_WORDS(v) __builtin_shufflevector(v, v, 7, 0, 1, 2, 3, 4, 5, 6)
#define EXCHANGES(X) \
    X(1, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15)) \
    X(2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15)) \
    X(4, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))
#elif LANES == 256
#define NEXT_WORDS(v)     __builtin_shufflevector(v, v, 1, 2, 3, 0)
#define PREVIOUS_WORDS(v) __builtin_shufflevector(v, v, 3, 0, 1, 2)
#define EXCHANGES(X) \
    X(1, (0, 4, 2, 6), (1, 5, 3, 7)) \
    X(2, (0, 1, 4, 5), (2, 3, 6, 7))
#else
#define NEXT_WORDS(v)     __builtin_shufflevector(v, v, 1, 0)
#define PREVIOUS_WORDS(v) __builtin_shufflevector(v, v, 1, 0)
#define EXCHANGES(X)      X(1, (0, 2), (1, 3))
#endif

/* Transposes a square of words: word r of vector q and word q of vector r change places. Each level exchanges words
 * that are 1, 2, … apart in the vectors that are as far apart. */
INLINE void transpose_words(vec v[VEC_WORDS])
{
#define NUMBERS(...) __VA_ARGS__
#define EXCHANGE(distance, low, high) \
    UNROLLED for (int n = 0; n < VEC_WORDS; n++) if (!(n & (distance))) \
    { \
        const vec a = v[n], b = v[n + (distance)]; \
        v[n] = __builtin_shufflevector(a, b, NUMBERS low); \
        v[n + (distance)] = __builtin_shufflevector(a, b, NUMBERS high); \
    }
    EXCHANGES(EXCHANGE)
#undef EXCHANGE
#undef NUMBERS
}

/* Rows of the frame, from `row` on, that are consecutive in the grid for every piece; and where they begin. */
struct run {
    uint64_t row, rows;
    uint64_t word[VEC_WORDS]; /* the first word of each piece, counted from the plane's first word */
    int wanted[VEC_WORDS];    /* 1 for the pieces whose rows are stored */
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The longest run from `row` on. */
static struct run run_at(const struct strip *s, uint64_t row, uint64_t rows)
{
    struct run run = {.row = row, .rows = rows - row};
    for (uint64_t q = 0; q < VEC_WORDS; q++) {
        const uint64_t r = q * rows + row, y = (s->first + r) % s->height;
        run.word[q] = y * s->columns;
        run.wanted[q] = r >= s->halo && r < s->halo + s->valid;
        run.rows = smaller(run.rows, s->height - y);
        if (r < s->halo)
            run.rows = smaller(run.rows, s->halo - r);
        else if (run.wanted[q])
            run.rows = smaller(run.rows, s->halo + s->valid - r);
    }
    return run;
}

/* A place in a frame; next_vector visits the vectors of a run in the order of the grid's words. */
struct cursor {
    uint64_t column, row;
};

INLINE vec *next_vector(struct cursor *at, vec *plane, const struct frame *f, uint64_t columns)
{
    vec *v = plane + f->slot[at->column] + f->first_row + (ptrdiff_t) at->row;
    if (++at->column == columns)
        at->column = 0, at->row++;
    return v;
}

/* Copies the `count` words of each piece from word i of the run on, which do not fill a vector. It is not inlined, so
 * that the loop for whole vectors keeps its registers. */
static __attribute__((noinline)) void load_rest(const struct strip *s, const struct run *run, const uint64_t *grid,
                                                uint64_t i, uint64_t count, struct cursor at, vec *plane,
                                                const struct frame *f)
{
    for (uint64_t n = 0; n < count; n++) {
        vec v = all_lanes(0);
        for (uint64_t q = 0; q < VEC_WORDS; q++)
            v[q] = grid[run->word[q] + i + n];
        *next_vector(&at, plane, f, s->columns) = v;
    }
}

static __attribute__((noinline)) void store_rest(const struct strip *s, const struct run *run, uint64_t *grid,
                                                 uint64_t i, uint64_t count, struct cursor at, vec *plane,
                                                 const struct frame *f)
{
    for (uint64_t n = 0; n < count; n++) {
        const vec v = *next_vector(&at, plane, f, s->columns);
        for (uint64_t q = 0; q < VEC_WORDS; q++)
            if (run->wanted[q])
                grid[run->word[q] + i + n] = v[q];
    }
}

/* Loads a run, and prefetches the same words of the next plane. */
static void load_run(const struct strip *s, const struct run *run, const uint64_t *grid, vec *plane,
                     const struct frame *f)
{
    struct cursor at = {0, run->row};
    const uint64_t words = run->rows * s->columns, whole = words / VEC_WORDS * VEC_WORDS;
    const uint64_t plane_bytes = s->height * s->columns * sizeof *grid;
    for (uint64_t i = 0; i < whole; i += VEC_WORDS) {
        vec v[VEC_WORDS];
        UNROLLED for (uint64_t q = 0; q < VEC_WORDS; q++)
        {
            memcpy(&v[q], grid + run->word[q] + i, sizeof v[q]);
            __builtin_prefetch((const void *) ((uintptr_t) (grid + run->word[q] + i) + plane_bytes), 0, 2);
        }
        transpose_words(v);
        UNROLLED for (int n = 0; n < VEC_WORDS; n++) * next_vector(&at, plane, f, s->columns) = v[n];
    }
    load_rest(s, run, grid, whole, words - whole, at, plane, f);
}

/* Stores a vector. If the grid is larger than the caches, the store bypasses them: a line that is overwritten as a
 * whole is then not read first. The thread ends such stores with end_streaming. */
INLINE void store_vector(const struct strip *s, uint64_t *to, vec v)
{
#if LANES == 512
    if (s->streamed)
        _mm512_stream_si512((void *) to, (__m512i) v);
    else
#elif LANES == 256
    if (s->streamed)
        _mm256_stream_si256((void *) to, (__m256i) v);
    else
#endif
        memcpy(to, &v, sizeof v);
    (void) s;
}

INLINE void end_streaming(void)
{
#if LANES > 128
    _mm_sfence();
#endif
}

static void store_run(const struct strip *s, const struct run *run, uint64_t *grid, vec *plane, const struct frame *f)
{
    struct cursor at = {0, run->row};
    const uint64_t words = run->rows * s->columns, whole = words / VEC_WORDS * VEC_WORDS;
    for (uint64_t i = 0; i < whole; i += VEC_WORDS) {
        vec v[VEC_WORDS];
        UNROLLED for (int n = 0; n < VEC_WORDS; n++) v[n] = *next_vector(&at, plane, f, s->columns);
        transpose_words(v);
        UNROLLED for (uint64_t q = 0; q < VEC_WORDS; q++) if (run->wanted[q])
            store_vector(s, grid + run->word[q] + i, v[q]);
    }
    store_rest(s, run, grid, whole, words - whole, at, plane, f);
}

/* For rows that do not fill their words: copies cell 0 behind the last cell, and the last cell to the highest bit of
 * the last column, which is beside cell 0. If the edges are dead, both are 0. */
static void join_row_ends(const struct strip *s, const struct area *a, vec *plane, const struct frame *f)
{
    const uint64_t after = s->width, last = s->width - 1, columns = s->columns;
    vec *first_column = plane + f->slot[0] + f->first_row, *end_column = plane + f->slot[columns - 1] + f->first_row;
    vec *after_column = plane + f->slot[after % columns] + f->first_row;
    const vec *last_column = plane + f->slot[last % columns] + f->first_row;
    const vec bit = all_lanes(0) + ((uint64_t) 1 << after / columns), top = all_lanes(0) + ((uint64_t) 1 << 63);
    if (s->dead_x) {
        for (ptrdiff_t j = 0; j < a->rows; j++)
            after_column[j] &= ~bit;
        return;
    }
    for (ptrdiff_t j = 0; j < a->rows; j++) {
        after_column[j] = CHOOSE(bit, first_column[j] << after / columns, after_column[j]);
        end_column[j] = CHOOSE(top, last_column[j] << (63 - last / columns), end_column[j]);
    }
}

/* Clears row r of the strip in a frame. */
static void clear_row(const struct area *a, vec *plane, const struct frame *f, uint64_t r)
{
    const uint64_t rows = (uint64_t) a->rows;
    vec kept = all_lanes(1);
    kept[r / rows] = 0;
    for (ptrdiff_t i = 0; i < a->columns; i++)
        plane[f->slot[i] + f->first_row + (ptrdiff_t) (r % rows)] &= kept;
}

/* Clears the rows beside dead edges, beyond them. Rows further away do not matter, because no cell of the grid is near
 * them. Both may be ghosts: before the first row of the first word, and after the last row of the last word. */
static void clear_beyond(const struct strip *s, const struct area *a, vec *plane, const struct frame *f)
{
    if (s->top > 0)
        clear_row(a, plane, f, s->top - 1);
    if (s->bottom < VEC_WORDS * (uint64_t) a->rows)
        clear_row(a, plane, f, s->bottom);
    for (ptrdiff_t i = 0; i < a->columns; i++) {
        vec *column = plane + f->slot[i] + f->first_row;
        vec above = PREVIOUS_WORDS(column[a->rows - 1]), below = NEXT_WORDS(column[0]);
        above[0] = below[VEC_WORDS - 1] = 0;
        column[-1] = above, column[a->rows] = below;
    }
}

/* Copies cells of a plane to its ghosts, or clears them. */
static void refresh_ghosts(const struct strip *s, const struct area *a, vec *plane, const struct frame *f)
{
    if (s->width != 64 * s->columns)
        join_row_ends(s, a, plane, f);
    if (s->dead_y) {
        clear_beyond(s, a, plane, f);
        return;
    }
    for (ptrdiff_t i = 0; i < a->columns; i++) {
        vec *column = plane + f->slot[i] + f->first_row;
        column[-1] = PREVIOUS_WORDS(column[a->rows - 1]);
        column[a->rows] = NEXT_WORDS(column[0]);
    }
}

static void load_plane(const struct strip *s, const struct area *a, const uint64_t *grid, vec *plane,
                       const struct frame *f)
{
    const uint64_t rows = (uint64_t) a->rows;
    for (struct run run = run_at(s, 0, rows);; run = run_at(s, run.row + run.rows, rows)) {
        load_run(s, &run, grid, plane, f);
        if (run.row + run.rows == rows)
            break;
    }
    refresh_ghosts(s, a, plane, f);
}

static void store_plane(const struct strip *s, const struct area *a, uint64_t *grid, vec *plane, const struct frame *f)
{
    const uint64_t rows = (uint64_t) a->rows;
    for (struct run run = run_at(s, 0, rows);; run = run_at(s, run.row + run.rows, rows)) {
        store_run(s, &run, grid, plane, f);
        if (run.row + run.rows == rows)
            break;
    }
}

#endif
