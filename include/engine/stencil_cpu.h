/* engine/stencil_cpu.h - makes an implementation for the CPU of a rule that is written with engine/stencil.h.
 *
 * Include it in one C file, behind the rule. It defines engine_stencil_cpu_layout, _create, _advance and _measure.
 *
 * The grid is divided into tiles, one task for each. A task marches along the last axis and takes a row, or in three
 * dimensions a plane, through all steps of the call before the next row follows. Level 0 is the state in memory, and
 * level t is the state t steps later. Of each level between, a task keeps the 2 * reach + 1 rows that the next level
 * needs; they stay in the cache. For a reach of 1 and three steps, in iteration j:
 *
 *     level 0     rows j - 1 to j + 1   from memory
 *     level 1     row j                 kept with j - 1 and j - 2
 *     level 2     row j - 1             kept with j - 2 and j - 3
 *     level 3     row j - 2             to memory
 *
 * If `next` sets a member to the value that another one has before the step, and the compiler proves it, the rows of the
 * copy are those that the other member has two levels before. Then these are kept for one level more, and only the first
 * and the last level store the copy.
 *
 * Level t is computed for reach * (steps - t) cells beyond the tile on each side, so tiles do not wait for each other.
 * A tile is as wide as the grid if its rows fit into STENCIL_CPU_BYTES. Then there is nothing beside it along x, and
 * each kept row gets the ghosts that the next level reads.
 *
 * If edges are twisted or shifted, or those of a sphere, the grid in memory has ghosts. The engine fills them, and a
 * pass takes one step. Other grids have no ghosts. A separate loop computes the few cells that have neighbours beyond
 * an edge. A row beyond a mirror is a row of the grid; one beyond a dead or fixed edge is constant.
 *
 * The compiler vectorises the loop along a row. Its function exists three times, for AVX-512, AVX2 and the plain
 * instruction set, and the processor decides. Compile with -O3 and -fopenmp. With `omp simd`, gcc also vectorises a
 * `next` that has branches. The header uses nothing of OpenMP's library. */
#ifndef ENGINE_STENCIL_CPU_H
#define ENGINE_STENCIL_CPU_H

#include <engine/stencil.h>

#include <string.h>

/* The bytes of rows that a task keeps at most: they fit into the second-level cache of a core. */
#ifndef STENCIL_CPU_BYTES
#define STENCIL_CPU_BYTES (STENCIL_AXES == 3 ? 524288 : 1048576)
#endif

static inline int64_t engine_stencil_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

enum {
#define ENGINE_STENCIL_COUNT(type, name) +1
    ENGINE_MEMBERS = 0 STENCIL_CELL(ENGINE_STENCIL_COUNT),
    ENGINE_STREAMS = 2 * ENGINE_MEMBERS > STENCIL_CPU_STEPS ? 2 : 1, /* of memory, which a level fetches */
#if defined(STENCIL_INPUTS) && !defined(STENCIL_INPUTS_NEAR)
#define ENGINE_STENCIL_READ_THERE(type, name) || sizeof(ENGINE_STENCIL_SEEN(type)) == sizeof(type)
    ENGINE_STREAMS_ALL = ENGINE_STREAMS + (0 STENCIL_INPUTS(ENGINE_STENCIL_READ_THERE)), /* and one of inputs */
#else
    ENGINE_STREAMS_ALL = ENGINE_STREAMS,
#endif
    ENGINE_PAGE_LINES = 64,               /* cache lines in a page */
    ENGINE_VECTOR = 64 / ENGINE_SMALLEST, /* cells in a cache line of the smallest member */
    ENGINE_PAIRS = STENCIL_AXES < 3 && ENGINE_SMALLEST >= 4 && ENGINE_MEMBERS <= 4,
    ENGINE_STRIDE = ENGINE_PAIRS ? 2 * ENGINE_VECTOR : ENGINE_VECTOR, /* cells of an iteration */
    ENGINE_ROWS_LAST = 2 * ENGINE_REACH_LAST + 1,
    ENGINE_ROWS_MIDDLE = 2 * ENGINE_REACH_MIDDLE + 1,
    ENGINE_ROWS_X = 2 * ENGINE_REACH_X + 1,
    ENGINE_CPU_LEVELS = STENCIL_CPU_STEPS > 1 ? STENCIL_CPU_STEPS : 1,
    ENGINE_TOTALS = STENCIL_TOTALS,
    ENGINE_TALLY_LANES = 32 /* the lanes of a warp: the GPU adds up in the same order */
};

/* The rows around a row that is to be computed, and the row itself. */
struct engine_rows_in {
#define ENGINE_STENCIL_ROWS_IN(type, name) const type *name[ENGINE_ROWS_LAST][ENGINE_ROWS_MIDDLE];
    STENCIL_CELL(ENGINE_STENCIL_ROWS_IN)
#if defined(STENCIL_INPUTS_NEAR)
#define ENGINE_STENCIL_INPUT_IN(type, name) \
    const ENGINE_STENCIL_SEEN(type) * input_##name[ENGINE_ROWS_LAST][ENGINE_ROWS_MIDDLE];
    STENCIL_INPUTS(ENGINE_STENCIL_INPUT_IN)
#elif defined(STENCIL_INPUTS)
#define ENGINE_STENCIL_INPUT_IN(type, name) \
    const ENGINE_STENCIL_SEEN(type) * input_##name; \
    int kept_##name; /* not in the grid: neighbours of an edge follow it */
    STENCIL_INPUTS(ENGINE_STENCIL_INPUT_IN)
#endif
};

struct engine_row_out {
#define ENGINE_STENCIL_ROW_OUT(type, name) type *name;
    STENCIL_CELL(ENGINE_STENCIL_ROW_OUT)
#ifdef STENCIL_OUTPUTS
#define ENGINE_STENCIL_ROW_SHOWN(type, name) type *shown_##name;
    STENCIL_OUTPUTS(ENGINE_STENCIL_ROW_SHOWN)
#endif
};

/* Elements from a row to the next, of the rows that are read and of those that are written. */
struct engine_row_pitch {
#define ENGINE_STENCIL_PITCH(type, name) int64_t name, name##_out;
    STENCIL_CELL(ENGINE_STENCIL_PITCH)
#ifdef STENCIL_INPUTS
#define ENGINE_STENCIL_INPUT_PITCH(type, name) int64_t input_##name;
    STENCIL_INPUTS(ENGINE_STENCIL_INPUT_PITCH)
#endif
#ifdef STENCIL_OUTPUTS
#define ENGINE_STENCIL_SHOWN_PITCH(type, name) int64_t shown_##name;
    STENCIL_OUTPUTS(ENGINE_STENCIL_SHOWN_PITCH)
#endif
};

/* Which cells are computed: [begin, end) of `rows` rows, counted from the tile's first cell. Those in [inner_begin,
 * inner_end) lie in the grid, and their neighbours lie beside them in memory. The other ones are few. */
struct engine_row_place {
    int64_t begin, inner_begin, inner_end, end, rows;
    int64_t x, y, z;                         /* of cell 0 of the first row */
    int64_t width;                           /* of the grid */
    uint32_t edge;                           /* ENGINE_EDGE_… along x */
    uint32_t middle_constant, last_constant; /* bit i is set if the rows read at place i along that axis are constant */
    int in_grid; /* the rows that are read are those of the grid: neighbours beyond its edge are elsewhere or constant */
    int shows;   /* the outputs are written */
    int unread;  /* nobody reads the member that is this copy; see engine_stencil_copy */
    uint64_t step;
#if STENCIL_TOTALS > 0
    const int64_t *totals;
#endif
    struct engine_cell beyond; /* a dead or fixed edge along x */
    struct engine_ahead {      /* memory that the next rows will read and write: it comes into the cache meanwhile */
        const char *at;        /* for the first vector of the row */
        int64_t row;           /* bytes to the next row */
    } ahead[ENGINE_STREAMS_ALL];
    int64_t ahead_vector; /* bytes to the next vector */
};

/* ---- A row: the loop that the compiler vectorises ---------------------------------------------------------------- */

#if defined(__clang__)
#define ENGINE_STENCIL_VECTORISE _Pragma("clang loop vectorize(assume_safety)")
#define ENGINE_STENCIL_UNROLL    _Pragma("clang loop unroll(full)")
#else
#if defined(_OPENMP)
#define ENGINE_STENCIL_VECTORISE _Pragma("omp simd")
#else
#define ENGINE_STENCIL_VECTORISE _Pragma("GCC ivdep")
#endif
#define ENGINE_STENCIL_UNROLL _Pragma("GCC unroll 9")
#endif

/* Computes cell x of a row. `inner`, `shows` and `unread` are constants: x is in [inner_begin, inner_end), outputs are
 * written, and that member is not. */
__attribute__((always_inline)) static inline void
engine_stencil_take_cell(const struct rule *rule, const struct engine_rows_in *in, const struct engine_row_out *out,
                         const struct engine_row_place *place, int64_t x, int inner, int shows, int unread)
{
    struct engine_near near;
    int64_t at[ENGINE_ROWS_X];
    uint32_t beyond = 0; /* bit i is set if there is no cell at place i */
    for (int i = 0; i < ENGINE_ROWS_X; i++) {
        at[i] = x + i - ENGINE_REACH_X;
        if (inner != 1 && place->in_grid) {
            const int64_t source = engine_stencil_source(place->edge, place->x + at[i], place->width);
            at[i] = source < 0 ? 0 : source - place->x;
            beyond |= (uint32_t) (source < 0) << i;
        }
    }
    ENGINE_STENCIL_UNROLL
    for (int k = 0; k < ENGINE_ROWS_LAST; k++)
        ENGINE_STENCIL_UNROLL
    for (int j = 0; j < ENGINE_ROWS_MIDDLE; j++)
        ENGINE_STENCIL_UNROLL
    for (int i = 0; i < ENGINE_ROWS_X; i++) {
        const int constant = !inner && ((place->last_constant >> k | place->middle_constant >> j) & 1);
        if (!inner && beyond >> i & 1 && !constant) {
            near.cell[k][j][i] = place->beyond;
            continue;
        }
#define ENGINE_STENCIL_READ_CELL(type, name) near.cell[k][j][i].name = in->name[k][j][constant ? 0 : at[i]];
        STENCIL_CELL(ENGINE_STENCIL_READ_CELL)
    }
#ifndef STENCIL_BITS
    near.x = inner == 1 ? place->x + x : engine_stencil_around(place->x + x, place->width);
#endif
    near.y = place->y;
    near.z = place->z;
#ifdef STENCIL_STEP
    near.step = place->step;
#endif
#if STENCIL_TOTALS > 0
    near.totals = place->totals;
#endif
#if defined(STENCIL_INPUTS_NEAR)
    ENGINE_STENCIL_UNROLL
    for (int k = 0; k < ENGINE_ROWS_LAST; k++)
        ENGINE_STENCIL_UNROLL
    for (int j = 0; j < ENGINE_ROWS_MIDDLE; j++)
        ENGINE_STENCIL_UNROLL
    for (int i = 0; i < ENGINE_ROWS_X; i++) {
#define ENGINE_STENCIL_READ_INPUT(type, name) \
    near.inputs[k][j][i].name = in->input_##name[k][j][x + i - ENGINE_REACH_X];
        STENCIL_INPUTS(ENGINE_STENCIL_READ_INPUT)
    }
    near.input = near.inputs[ENGINE_REACH_LAST][ENGINE_REACH_MIDDLE][ENGINE_REACH_X];
#elif defined(STENCIL_INPUTS)
#define ENGINE_STENCIL_READ_INPUT(type, name) \
    near.input.name = in->input_##name[inner == 1 || in->kept_##name \
                                           ? x \
                                           : engine_stencil_around(place->x + x, place->width) - place->x];
    STENCIL_INPUTS(ENGINE_STENCIL_READ_INPUT)
#endif
    struct engine_cell cell = near.cell[ENGINE_REACH_LAST][ENGINE_REACH_MIDDLE][ENGINE_REACH_X];
    next(rule, &near, &cell);
    int index = 0;
#define ENGINE_STENCIL_WRITE_CELL(type, name) \
    if (index++ != unread) \
        out->name[x] = cell.name;
    STENCIL_CELL(ENGINE_STENCIL_WRITE_CELL)
#ifdef STENCIL_OUTPUTS
    if (shows) {
        struct engine_shown shown;
        show(rule, &near, &cell, &shown);
#define ENGINE_STENCIL_WRITE_SHOWN(type, name) out->shown_##name[x] = shown.name;
        STENCIL_OUTPUTS(ENGINE_STENCIL_WRITE_SHOWN)
    }
#else
    (void) shows;
#endif
}

/* Computes the cells of a row whose neighbours lie beside them in memory, in vectors, and fetches memory for the next
 * rows. The second iteration begins with a cache line of kept rows, and the last one so early that it ends with the last
 * cell: both compute some cells again, which costs less than stores across lines, or a loop over single cells. */
__attribute__((always_inline)) static inline void
engine_stencil_take_inner(const struct rule *rule, const struct engine_rows_in *in, const struct engine_row_out *out,
                          const struct engine_row_place *place, int shows, int unread)
{
    const int64_t first = place->inner_begin, end = place->inner_end, last = end - ENGINE_STRIDE;
    if (last < first) {
        for (int64_t x = first; x < end; x++)
            engine_stencil_take_cell(rule, in, out, place, x, 1, shows, unread);
        return;
    }
    const char *from = place->ahead[0].at, *to = place->ahead[ENGINE_STREAMS - 1].at;
    const char *input = place->ahead[ENGINE_STREAMS_ALL - 1].at;
    for (int64_t x = first;; x = engine_stencil_least((x & -ENGINE_STRIDE) + ENGINE_STRIDE, last)) {
        __builtin_prefetch(from, 0, 2);
        from += place->ahead_vector;
        if (ENGINE_STREAMS > 1) {
            __builtin_prefetch(to, 0, 2);
            to += place->ahead_vector;
        }
        if (ENGINE_STREAMS_ALL > ENGINE_STREAMS) {
            __builtin_prefetch(input, 0, 2);
            input += place->ahead_vector;
        }
        ENGINE_STENCIL_VECTORISE
        for (int i = 0; i < ENGINE_STRIDE; i++)
            engine_stencil_take_cell(rule, in, out, place, x + i, 1, shows, unread);
        if (x == last)
            break;
    }
}

#ifndef __cplusplus
/* The bits of the members of a cell. */
struct engine_stencil_bits {
    uint64_t of[ENGINE_MEMBERS];
};

static inline struct engine_stencil_bits engine_stencil_bits_of(const struct engine_cell *cell)
{
    struct engine_stencil_bits bits;
    int index = 0;
#define ENGINE_STENCIL_BITS_OF(type, member) \
    { \
        __typeof__(_Generic((type) 0, float : (uint32_t) 0, double : (uint64_t) 0, default : (type) 0)) number; \
        memcpy(&number, &cell->member, sizeof number); \
        bits.of[index++] = (uint64_t) number; \
    }
    STENCIL_CELL(ENGINE_STENCIL_BITS_OF)
    return bits;
}
#endif

/* Finds a member k that `next` sets to the value that another one, j, has before the step, such as the height of a wave
 * one step ago. Then a pass need not keep both. Returns k * ENGINE_MEMBERS + j, a constant, or -1. The compiler proves
 * what it returns, because it does not know the numbers of the cells. */
__attribute__((always_inline)) static inline int engine_stencil_copy(const struct rule *rule)
{
    int found = -1;
#if defined(__OPTIMIZE__) && !defined(__cplusplus) && STENCIL_TOTALS == 0
    if (ENGINE_MEMBERS > 1 && ENGINE_MEMBERS <= 4 && ENGINE_CPU_LEVELS > 2) {
        static const struct engine_near zeros;
        static const char size[] = {
#define ENGINE_STENCIL_SIZE_OF(type, member) sizeof(type),
            STENCIL_CELL(ENGINE_STENCIL_SIZE_OF)};
        const struct engine_near *near = &zeros;
        __asm__("" : "+r"(near));
        struct engine_cell cell = near->cell[ENGINE_REACH_LAST][ENGINE_REACH_MIDDLE][ENGINE_REACH_X];
        const struct engine_stencil_bits before = engine_stencil_bits_of(&cell);
        next(rule, near, &cell);
        const struct engine_stencil_bits after = engine_stencil_bits_of(&cell);
        ENGINE_STENCIL_UNROLL
        for (int k = 0; k < ENGINE_MEMBERS; k++)
            ENGINE_STENCIL_UNROLL
        for (int j = 0; j < ENGINE_MEMBERS; j++)
            if (j != k && size[j] == size[k] && __builtin_constant_p(after.of[k] == before.of[j]) &&
                after.of[k] == before.of[j])
                found = k * ENGINE_MEMBERS + j;
    }
#endif
    (void) rule;
    return found;
}

/* Computes place.rows rows, one beside the other along the middle axis. Copies of what is given, whose addresses nobody
 * else knows, stay in registers. */
__attribute__((always_inline)) static inline void engine_stencil_rows(const struct rule *rule,
                                                                      const struct engine_rows_in *first_in,
                                                                      const struct engine_row_out *first_out,
                                                                      const struct engine_row_pitch *pitch,
                                                                      const struct engine_row_place *first_place)
{
    const struct rule numbers = *rule;
    struct engine_row_place place = *first_place;
    const int copy = engine_stencil_copy(rule);
    const int ends = place.begin < place.inner_begin || place.inner_end < place.end;
    const int copied = !place.middle_constant && !place.last_constant &&
                       (place.edge == ENGINE_EDGE_TORUS || place.edge == ENGINE_EDGE_MIRROR);
    const int64_t rows = STENCIL_AXES == 3 ? place.rows : 1;
    for (int64_t row = 0; row < rows; row++) {
        struct engine_rows_in in;
        struct engine_row_out out;
#define ENGINE_STENCIL_TAKE_ROWS_IN(member) \
    ENGINE_STENCIL_UNROLL \
    for (int k = 0; k < ENGINE_ROWS_LAST; k++) \
        ENGINE_STENCIL_UNROLL \
    for (int j = 0; j < ENGINE_ROWS_MIDDLE; j++) \
        in.member[k][j] = first_in->member[k][j] + row * pitch->member;
#define ENGINE_STENCIL_TAKE_ROW(type, member) \
    out.member = first_out->member + row * pitch->member##_out; \
    ENGINE_STENCIL_TAKE_ROWS_IN(member)
        STENCIL_CELL(ENGINE_STENCIL_TAKE_ROW)
#if defined(STENCIL_INPUTS_NEAR)
#define ENGINE_STENCIL_TAKE_INPUT_ROW(type, name) ENGINE_STENCIL_TAKE_ROWS_IN(input_##name)
        STENCIL_INPUTS(ENGINE_STENCIL_TAKE_INPUT_ROW)
#elif defined(STENCIL_INPUTS)
#define ENGINE_STENCIL_TAKE_INPUT_ROW(type, name) \
    in.kept_##name = first_in->kept_##name; \
    in.input_##name = first_in->input_##name + row * pitch->input_##name;
        STENCIL_INPUTS(ENGINE_STENCIL_TAKE_INPUT_ROW)
#endif
#ifdef STENCIL_OUTPUTS
#define ENGINE_STENCIL_TAKE_SHOWN_ROW(type, name) \
    out.shown_##name = first_out->shown_##name + row * pitch->shown_##name;
        STENCIL_OUTPUTS(ENGINE_STENCIL_TAKE_SHOWN_ROW)
        if (place.shows)
            engine_stencil_take_inner(&numbers, &in, &out, &place, 1, -1);
        else
#endif
            if (copy >= 0 && place.unread == copy)
            engine_stencil_take_inner(&numbers, &in, &out, &place, 0, copy / ENGINE_MEMBERS);
        else
            engine_stencil_take_inner(&numbers, &in, &out, &place, 0, -1);
        if (ends) {
            struct engine_row_place all = *first_place;
            all.y = place.y;
            for (int64_t x = all.begin == all.inner_begin ? all.inner_end : all.begin; x < all.end;
                 x = x + 1 == all.inner_begin ? all.inner_end : x + 1)
                if (copied)
                    engine_stencil_take_cell(&numbers, &in, &out, &all, x, 2, all.shows, -1);
                else
                    engine_stencil_take_cell(&numbers, &in, &out, &all, x, 0, all.shows, -1);
        }
        place.y++;
        for (int i = 0; i < ENGINE_STREAMS_ALL; i++)
            place.ahead[i].at += place.ahead[i].row;
    }
}

typedef void engine_stencil_row_function(const struct rule *, const struct engine_rows_in *,
                                         const struct engine_row_out *, const struct engine_row_pitch *,
                                         const struct engine_row_place *);

#define ENGINE_STENCIL_ROW(name, attributes) \
    attributes static void name(const struct rule *rule, const struct engine_rows_in *in, \
                                const struct engine_row_out *out, const struct engine_row_pitch *pitch, \
                                const struct engine_row_place *place) \
    { \
        engine_stencil_rows(rule, in, out, pitch, place); \
    }

/* If the compiler may use AVX2 everywhere, as with -march=native, the rows are compiled once instead of three times.
 * Otherwise the plugin chooses the widest instructions of the machine when it starts. */
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define ENGINE_STENCIL_INSTRUCTIONS "avx512"
#elif defined(__AVX2__)
#define ENGINE_STENCIL_INSTRUCTIONS "avx2"
#else
#define ENGINE_STENCIL_INSTRUCTIONS "plain"
#endif

ENGINE_STENCIL_ROW(engine_stencil_row_plain, __attribute__((flatten)))
#if defined(__x86_64__) && !defined(__AVX2__)
ENGINE_STENCIL_ROW(engine_stencil_row_avx2, __attribute__((flatten, target("avx2,fma"))))
#ifdef __clang__
ENGINE_STENCIL_ROW(engine_stencil_row_avx512,
                   __attribute__((flatten, target("avx512f,avx512bw,avx512dq,avx512vl,fma"))))
#else
ENGINE_STENCIL_ROW(engine_stencil_row_avx512,
                   __attribute__((flatten, target("avx512f,avx512bw,avx512dq,avx512vl,fma,prefer-vector-width=512"))))
#endif
#endif

static engine_stencil_row_function *engine_stencil_best_row(const char **instructions)
{
#if defined(__x86_64__) && !defined(__AVX2__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        *instructions = "avx512";
        return engine_stencil_row_avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        *instructions = "avx2";
        return engine_stencil_row_avx2;
    }
#endif
    *instructions = ENGINE_STENCIL_INSTRUCTIONS;
    return engine_stencil_row_plain;
}

/* ---- A task: a tile through all steps of a call ------------------------------------------------------------------ */

/* The rows that a task keeps: for each member an array [level][row of the ring][middle][x], and for each member of the
 * inputs an array [row of the ring][middle][x]. */
struct engine_rings {
#define ENGINE_STENCIL_RING(type, name) type *name, *name##_from; /* of which it is a copy, or NULL */
    STENCIL_CELL(ENGINE_STENCIL_RING)
#if defined(STENCIL_INPUTS) && !defined(STENCIL_INPUTS_NEAR)
#define ENGINE_STENCIL_RING_INPUT(type, name) ENGINE_STENCIL_SEEN(type) * input_##name;
    STENCIL_INPUTS(ENGINE_STENCIL_RING_INPUT)
#endif
};

#ifdef STENCIL_INPUTS_NEAR
/* The inputs as `next` sees them: each row has ghosts, as many as the margin of an instance. Behind the rows of the grid
 * follow two constant ones, of the cells beyond an edge of the middle and of the last axis. */
struct engine_input_rows {
#define ENGINE_STENCIL_INPUT_ROWS(type, name) ENGINE_STENCIL_SEEN(type) * name;
    STENCIL_INPUTS(ENGINE_STENCIL_INPUT_ROWS)
    int64_t pitch; /* elements from a row to the next */
};
#endif

struct engine_stencil_instance {
    engine_stencil_row_function *row;
    uint64_t steps;                                /* of a pass at most */
    int64_t width, middle, last;                   /* the grid's extents */
    int64_t tile_width, tile_middle, tile_last;    /* the extents of a tile */
    int64_t tiles_width, tiles_middle, tiles_last; /* the number of tiles along each axis */
    int64_t margin, margin_middle;                 /* cells beside a kept row, and rows beside those of a tile */
    int64_t ring_row, ring_plane, ring_level;      /* elements from a kept row, plane and level to the next */
    int64_t kept_rows;                             /* of a level, along the last axis */
    int copy;                                      /* see engine_stencil_copy */
    int ghosts;                                    /* the grid has ghosts as deep as the reach */
    uint32_t edge_x, edge_middle, edge_last;       /* ENGINE_EDGE_… */
    int64_t source[2 * ENGINE_REACH_X]; /* the cells of a row that those before it and behind it copy, or -1 */
    uint32_t threads;
    unsigned char *busy; /* one for each thread: its rings are in use */
    struct engine_rings *rings;
    struct engine_rings beyond_middle, beyond_last; /* constant rows */
    struct engine_cell beyond_x;
    double *sums; /* for the metrics: STENCIL_SUMS for each row */
#ifdef STENCIL_INPUTS_NEAR
    struct engine_input_rows inputs;
    int has_inputs; /* they are those of the call before */
#endif
#if STENCIL_TOTALS > 0
    int64_t *totals; /* an array for each thread; the first one becomes their sum */
#endif
};

/* A pass over the grid. */
struct engine_stencil_job {
    const struct engine_stencil_instance *own;
    const struct engine_call *call;
    struct rule rule;
    struct engine_grid from, to;
    int64_t steps;
    uint64_t first_step;
#ifdef STENCIL_INPUTS
    struct engine_inputs inputs;
#endif
#ifdef STENCIL_OUTPUTS
    struct engine_shown_grid shown;
#endif
    int shows; /* this pass writes the outputs */
};

/* The first cell of a tile along x and the middle axis, and its extents. */
struct engine_tile {
    int64_t x, middle, width, rows;
};

/* What the row function gets for a level: the rows of a tile that it computed last. */
struct engine_stencil_rows {
    struct engine_rows_in in;
    struct engine_row_out out;
    struct engine_row_pitch pitch;
    struct engine_row_place place;
    int64_t next; /* the place along the last axis of the row for which engine_stencil_next_row changes it, if any */
    int64_t slot; /* of the rows that are written, among those kept */
    int ends;     /* kept rows reach the edges of the grid along x, and get ghosts */
};

static inline int64_t engine_stencil_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The place in the whole grid of a row or plane of the part, which lies at `last` along the last axis. */
static inline int64_t engine_stencil_place(const struct engine_plan *plan, int64_t last)
{
#ifdef STENCIL_DIVISIBLE
    const uint64_t place = (uint64_t) last + plan->part.offset[STENCIL_AXES - 1];
    return (int64_t) (place % plan->part.whole[STENCIL_AXES - 1]);
#else
    (void) plan;
    return last;
#endif
}

/* The rows, or planes, along the last axis that level 1 is ahead of the last level, and one more. */
static inline int64_t engine_stencil_input_rows(int64_t steps)
{
    return ENGINE_REACH_LAST * (steps - 1) + 1;
}

/* Where among the kept rows the one at `last` is. */
static inline int64_t engine_stencil_slot(const struct engine_stencil_instance *own, int64_t last)
{
    const int64_t slot = last % own->kept_rows;
    return slot < 0 ? slot + own->kept_rows : slot;
}

/* The kept rows that a level reads. From level 3 on, a copy has the values of the other member two levels before. */
#define ENGINE_STENCIL_KEPT(level, member) \
    ((level) > 2 && rings->member##_from ? rings->member##_from - own->ring_level : rings->member)

/* Does nobody read the rows of a member that a level writes? They go to one row then. */
#define ENGINE_STENCIL_UNREAD(level, member) ((level) > 1 && (level) < job->steps && rings->member##_from)

/* The offset of a kept row of a level, 1 or more, from the begin of a member's array. `middle` counts from the tile. */
static inline int64_t engine_stencil_kept(const struct engine_stencil_instance *own, int64_t level, int64_t middle,
                                          int64_t last)
{
    return (level - 1) * own->ring_level + engine_stencil_slot(own, last) * own->ring_plane +
           (middle + own->margin_middle) * own->ring_row + own->margin;
}

/* The offset of a kept row of the inputs. A row is kept until the last level has read it. */
static inline int64_t engine_stencil_kept_input(const struct engine_stencil_instance *own, int64_t middle, int64_t last)
{
    const int64_t rows = engine_stencil_input_rows((int64_t) own->steps);
    return ((last % rows) + rows) % rows * own->ring_plane + (middle + own->margin_middle) * own->ring_row +
           own->margin;
}

#ifdef STENCIL_INPUTS_NEAR
/* The number of a kept row of the inputs, which may lie beyond an edge. */
static inline int64_t engine_stencil_input_row(const struct engine_stencil_instance *own, int64_t middle, int64_t last)
{
    const int64_t m = engine_stencil_source(own->edge_middle, middle, own->middle);
    const int64_t l = engine_stencil_source(own->edge_last, last, own->last);
    return l < 0 ? own->middle * own->last + 1 : m < 0 ? own->middle * own->last : l * own->middle + m;
}

/* Copies a row of the inputs. */
static void engine_stencil_copy_input_row(void *argument, uint64_t index)
{
    const struct engine_stencil_job *job = (const struct engine_stencil_job *) argument;
    const struct engine_stencil_instance *own = job->own;
    const int64_t row = (int64_t) index, rows = own->middle * own->last, margin = own->margin;
    const int64_t y = STENCIL_AXES == 3 ? row % own->middle : row, z = STENCIL_AXES == 3 ? row / own->middle : 0;
    const struct engine_input beyond = engine_stencil_input_beyond(job->call, 0);
    const struct engine_input all =
        engine_stencil_input_beyond(job->call, row == rows && STENCIL_AXES == 3 ? 1 : STENCIL_AXES - 1);
    for (int64_t x = -margin; x < own->width + margin; x++) {
        const int64_t at = engine_stencil_source(own->edge_x, x, own->width);
#define ENGINE_STENCIL_COPY_INPUT(type, member) \
    own->inputs.member[row * own->inputs.pitch + margin + x] = \
        row >= rows ? all.member \
        : at < 0    ? beyond.member \
                    : job->inputs.member[at * job->inputs.member##_cell + y * job->inputs.member##_row + \
                                      z * job->inputs.member##_plane];
        STENCIL_INPUTS(ENGINE_STENCIL_COPY_INPUT)
    }
}

static void engine_stencil_copy_inputs(struct engine_stencil_instance *own, struct engine_stencil_job *job)
{
    if (!own->has_inputs || job->call->flags & ENGINE_CALL_FRESH)
        job->call->host->parallel(job->call->host, (uint64_t) (own->middle * own->last + 2),
                                  engine_stencil_copy_input_row, job);
    own->has_inputs = 1;
}
#endif

/* Finds the inputs of the rows. Those of neighbours lie in copies. An input of one component is read where it lies. Of one with several, whose members
 * alternate in memory, and of integers that `next` sees promoted, level 1 keeps the rows for all levels, with the cells
 * beyond the edges of a torus. */
static inline void engine_stencil_read_inputs(const struct engine_stencil_job *job, const struct engine_rings *rings,
                                              const struct engine_row_place *place, int64_t level, int64_t middle,
                                              int64_t first, int64_t last, struct engine_rows_in *in,
                                              struct engine_row_pitch *pitch)
{
#if defined(STENCIL_INPUTS_NEAR)
    const struct engine_stencil_instance *own = job->own;
    (void) rings, (void) level;
    for (int k = 0; k < ENGINE_ROWS_LAST; k++)
        for (int j = 0; j < ENGINE_ROWS_MIDDLE; j++) {
            const int64_t row =
                engine_stencil_input_row(own, middle + first + j - ENGINE_REACH_MIDDLE, last + k - ENGINE_REACH_LAST);
#define ENGINE_STENCIL_NEAR_ROW(type, member) \
    in->input_##member[k][j] = own->inputs.member + row * own->inputs.pitch + own->margin + place->x; \
    pitch->input_##member = own->inputs.pitch;
            STENCIL_INPUTS(ENGINE_STENCIL_NEAR_ROW)
        }
#elif defined(STENCIL_INPUTS)
    (void) middle;
    const int64_t ring_row = job->own->ring_row, kept = engine_stencil_kept_input(job->own, first, last);
    const int64_t from = place->begin > -place->x ? place->begin : -place->x;
    const int64_t to = engine_stencil_least(place->end, place->width - place->x);
#define ENGINE_STENCIL_KEEP_ROW(kept_row, row, cell) \
    { \
        for (int64_t x = place->begin; x < from; x++) \
            (kept_row)[x] = row[engine_stencil_around(place->x + x, place->width) * cell]; \
        for (int64_t x = from; x < to; x++) \
            (kept_row)[x] = row[(place->x + x) * cell]; \
        for (int64_t x = to; x < place->end; x++) \
            (kept_row)[x] = row[engine_stencil_around(place->x + x, place->width) * cell]; \
    }
#define ENGINE_STENCIL_READ_ROWS(type, member) \
    { \
        const int64_t cell = job->inputs.member##_cell, next_row = job->inputs.member##_row; \
        const type *row = job->inputs.member + place->y * next_row + place->z * job->inputs.member##_plane; \
        const int lies = cell == 1 && sizeof(ENGINE_STENCIL_SEEN(type)) == sizeof(type); \
        in->kept_##member = !lies; \
        in->input_##member = rings->input_##member + kept; \
        if (lies) \
            in->input_##member = (const ENGINE_STENCIL_SEEN(type) *) (const void *) (row + place->x); \
        pitch->input_##member = lies ? next_row : ring_row; \
        for (int64_t i = 0; !lies && level == 1 && i < place->rows; i++, row += next_row) \
            ENGINE_STENCIL_KEEP_ROW(rings->input_##member + kept + i * ring_row, row, cell) \
    }
    STENCIL_INPUTS(ENGINE_STENCIL_READ_ROWS)
#else
    (void) job, (void) rings, (void) place, (void) level, (void) middle, (void) first, (void) last, (void) in,
        (void) pitch;
#endif
}

/* Fills the ghosts of kept rows that reach the edges of the grid along x. */
static inline void engine_stencil_fill_ends(const struct engine_stencil_instance *own, struct engine_row_out out,
                                            const struct engine_row_pitch *pitch, const struct engine_row_place *place)
{
    const int first = place->begin == -place->x ? 0 : ENGINE_REACH_X;
    const int end = place->x + place->end == own->width ? 2 * ENGINE_REACH_X : ENGINE_REACH_X;
    for (int64_t row = 0; row < place->rows; row++) {
#define ENGINE_STENCIL_FILL_END(type, member) \
    for (int i = first; i < end; i++) \
        out.member[i - place->x + (i < ENGINE_REACH_X ? -ENGINE_REACH_X : own->width - ENGINE_REACH_X)] = \
            own->source[i] < 0 ? own->beyond_x.member : out.member[own->source[i] - place->x]; \
    out.member += pitch->member##_out;
        STENCIL_CELL(ENGINE_STENCIL_FILL_END)
    }
}

/* Finds what a level fetches for the next rows: each level has its share of the row that level 1 will read, and of the
 * one that the last level will write. `row` is the place of the first row along the middle axis. An input is fetched
 * where a vector of it has as many bytes as one of the member beside it; a level without one fetches the member twice. */
static inline void engine_stencil_look_ahead(const struct engine_stencil_job *job, const struct engine_tile *tile,
                                             int64_t level, int64_t row, int64_t last, struct engine_row_place *place)
{
    const int64_t share = ENGINE_STREAMS > 1 ? ENGINE_MEMBERS : 2 * ENGINE_MEMBERS; /* of so many, a level has one */
    const int64_t levels = job->steps > share ? job->steps / share : 1;
    const int64_t now = last + ENGINE_REACH_LAST * (level - 1), mine = (level - 1) / levels % share;
    const int64_t from = engine_stencil_least(now + 1 + ENGINE_REACH_LAST, job->own->last - 1);
    const int64_t to = engine_stencil_least(now + 1 - ENGINE_REACH_LAST * (job->steps - 1), job->own->last - 1);
    const int64_t part = (level - 1) % levels;
    int64_t index = 0;
#define ENGINE_STENCIL_AHEAD_OF(slot, grid, type, member, last) \
    place->ahead[slot].at = \
        (const char *) (grid.member + tile->x + tile->width * part / levels + \
                        engine_stencil_offset(row, last > 0 ? last : 0, grid.member##_row, grid.member##_plane)); \
    place->ahead[slot].row = grid.member##_row * (int64_t) sizeof(type); \
    place->ahead_vector = ENGINE_STRIDE * (int64_t) sizeof(type) / levels;
#define ENGINE_STENCIL_AHEAD(type, member) \
    if (index++ == mine) { \
        ENGINE_STENCIL_AHEAD_OF(0, job->from, type, member, from) \
    } \
    if ((ENGINE_STREAMS > 1 ? index - 1 : index++) == mine) { \
        ENGINE_STENCIL_AHEAD_OF(ENGINE_STREAMS - 1, job->to, type, member, to) \
    }
    STENCIL_CELL(ENGINE_STENCIL_AHEAD)
#if defined(STENCIL_INPUTS) && !defined(STENCIL_INPUTS_NEAR)
    if (ENGINE_STREAMS_ALL > ENGINE_STREAMS)
        place->ahead[ENGINE_STREAMS_ALL - 1] = place->ahead[0];
    index = 0;
#define ENGINE_STENCIL_INPUT_AHEAD(type, member) \
    if (ENGINE_STREAMS_ALL > ENGINE_STREAMS && index++ == mine && job->inputs.member##_cell == 1 && \
        place->ahead_vector == ENGINE_STRIDE * (int64_t) sizeof(type) / levels) { \
        ENGINE_STENCIL_AHEAD_OF(ENGINE_STREAMS_ALL - 1, job->inputs, type, member, from) \
    }
    STENCIL_INPUTS(ENGINE_STENCIL_INPUT_AHEAD)
#endif
}

/* Finds `rows` rows of a level of a tile, from row `first` on. */
static void engine_stencil_find_rows(const struct engine_stencil_job *job, const struct engine_rings *rings,
                                     const struct engine_tile *tile, int64_t level, int64_t first, int64_t rows,
                                     int64_t last, struct engine_stencil_rows *found)
{
    const struct engine_stencil_instance *own = job->own;
    const int64_t beyond = tile->width == own->width ? 0 : ENGINE_REACH_X * (job->steps - level);
    const int64_t y = STENCIL_AXES == 3 ? engine_stencil_around(tile->middle + first, own->middle) : 0;
    const int64_t z = engine_stencil_around(last, own->last);
    struct engine_rows_in *in = &found->in;
    struct engine_row_out *out = &found->out;
    struct engine_row_pitch *pitch = &found->pitch;
    struct engine_row_place *place = &found->place;
    place->begin = -beyond, place->end = tile->width + beyond;
    if (own->edge_x != ENGINE_EDGE_TORUS) {
        place->begin = -engine_stencil_least(tile->x, beyond);
        place->end = engine_stencil_least(own->width - tile->x, place->end);
    }
    found->ends = (tile->width == own->width || own->edge_x != ENGINE_EDGE_TORUS) &&
                  (place->begin == -tile->x || tile->x + place->end == own->width);
    found->slot = engine_stencil_slot(own, last);
    place->rows = rows;
    place->x = tile->x, place->y = STENCIL_AXES == 3 ? y : z, place->z = STENCIL_AXES == 3 ? z : 0;
    place->width = own->width;
    place->edge = own->edge_x, place->beyond = own->beyond_x;
    place->middle_constant = place->last_constant = 0;
    place->in_grid = level == 1 && !own->ghosts;
    place->step = job->first_step + (uint64_t) level - 1;
#if STENCIL_TOTALS > 0
    place->totals = own->totals;
#endif
    place->shows = job->shows && level == job->steps;
    place->unread = level > 1 && level < job->steps ? own->copy : -1;
    const int64_t edge = place->in_grid ? ENGINE_REACH_X : 0, from = edge - tile->x, to = own->width - edge - tile->x;
    place->inner_begin = engine_stencil_least(from > place->begin ? from : place->begin, place->end);
    place->inner_end = engine_stencil_least(to > place->inner_begin ? to : place->inner_begin, place->end);
    for (int k = 0; k < ENGINE_ROWS_LAST; k++)
        for (int j = 0; j < ENGINE_ROWS_MIDDLE; j++) {
            int64_t m = first + j - ENGINE_REACH_MIDDLE, l = last + k - ENGINE_REACH_LAST;
            int64_t row = tile->middle + m, plane = l;
            if (!own->ghosts) {
                row = engine_stencil_source(own->edge_middle, row, own->middle);
                plane = engine_stencil_source(own->edge_last, l, own->last);
                m = own->edge_middle == ENGINE_EDGE_TORUS ? m : row - tile->middle;
                l = own->edge_last == ENGINE_EDGE_TORUS ? l : plane;
                place->middle_constant |= (uint32_t) (row < 0) << j;
                place->last_constant |= (uint32_t) (plane < 0) << k;
            }
#define ENGINE_STENCIL_SOURCE(type, member) \
    if (!own->ghosts && (row < 0 || plane < 0)) \
        in->member[k][j] = (plane < 0 ? own->beyond_last : own->beyond_middle).member + own->margin; \
    else if (level == 1) \
        in->member[k][j] = job->from.member + \
                           engine_stencil_offset(row, plane, job->from.member##_row, job->from.member##_plane) + \
                           tile->x; \
    else \
        in->member[k][j] = ENGINE_STENCIL_KEPT(level, member) + engine_stencil_kept(own, level - 1, m, l);
            STENCIL_CELL(ENGINE_STENCIL_SOURCE)
        }
#define ENGINE_STENCIL_TARGET(type, member) \
    pitch->member = level == 1 ? job->from.member##_row : own->ring_row; \
    pitch->member##_out = level == job->steps ? job->to.member##_row : own->ring_row; \
    out->member = level == job->steps ? job->to.member + \
                                            engine_stencil_offset(tile->middle + first, last, job->to.member##_row, \
                                                                  job->to.member##_plane) + \
                                            tile->x \
                                      : rings->member + engine_stencil_kept(own, level, first, last); \
    if (ENGINE_STENCIL_UNREAD(level, member)) { \
        pitch->member##_out = 0; \
        out->member = rings->member + own->ring_level + own->margin; \
    }
    STENCIL_CELL(ENGINE_STENCIL_TARGET)
#ifdef STENCIL_OUTPUTS
#define ENGINE_STENCIL_SHOWN_TARGET(type, member) \
    pitch->shown_##member = job->shown.member##_row; \
    out->shown_##member = \
        job->shown.member + tile->x + \
        engine_stencil_offset(tile->middle + first, last, job->shown.member##_row, job->shown.member##_plane);
    STENCIL_OUTPUTS(ENGINE_STENCIL_SHOWN_TARGET)
#endif
    engine_stencil_read_inputs(job, rings, place, level, tile->middle, first, last, in, pitch);
    *(STENCIL_AXES == 3 ? &place->z : &place->y) = engine_stencil_place(job->call->plan, z);
    engine_stencil_look_ahead(job, tile, level, y, last, place);
}

/* Goes from a row of a level of a tile to the next one, in two dimensions. Both and the rows around them lie in the grid:
 * a row that is read takes the place of the row before it, and the last one of them is the next in memory or of those
 * kept. */
static inline void engine_stencil_next_row(const struct engine_stencil_job *job, const struct engine_rings *rings,
                                           int64_t level, int64_t last, struct engine_stencil_rows *found)
{
    const struct engine_stencil_instance *own = job->own;
    found->slot = found->slot + 1 < own->kept_rows ? found->slot + 1 : 0;
    const int64_t ahead = found->slot + ENGINE_REACH_LAST;
    const int64_t to = found->slot * own->ring_plane + (level - 1) * own->ring_level + own->margin;
    const int64_t from = (ahead < own->kept_rows ? ahead : ahead - own->kept_rows) * own->ring_plane +
                         (level - 2) * own->ring_level + own->margin;
#define ENGINE_STENCIL_NEXT_ROW(type, member) \
    for (int k = 1; k < ENGINE_ROWS_LAST; k++) \
        found->in.member[k - 1][0] = found->in.member[k][0]; \
    found->in.member[ENGINE_ROWS_LAST - 1][0] = \
        level == 1 ? found->in.member[ENGINE_ROWS_LAST - 1][0] + job->from.member##_row \
                   : ENGINE_STENCIL_KEPT(level, member) + from; \
    if (level == job->steps) \
        found->out.member += job->to.member##_row; \
    else if (!ENGINE_STENCIL_UNREAD(level, member)) \
        found->out.member = rings->member + to;
    STENCIL_CELL(ENGINE_STENCIL_NEXT_ROW)
#ifdef STENCIL_OUTPUTS
#define ENGINE_STENCIL_NEXT_SHOWN_ROW(type, member) found->out.shown_##member += found->pitch.shown_##member;
    STENCIL_OUTPUTS(ENGINE_STENCIL_NEXT_SHOWN_ROW)
#endif
    found->place.y = last;
    engine_stencil_read_inputs(job, rings, &found->place, level, 0, 0, last, &found->in, &found->pitch);
    found->place.y = engine_stencil_place(job->call->plan, last);
    for (int i = 0; i < ENGINE_STREAMS_ALL; i++)
        found->place.ahead[i].at += found->place.ahead[i].row;
}

/* Changes a range of rows or planes to those of it that lie in the grid. Of a torus, all do. */
static inline void engine_stencil_clip(uint32_t edge, int64_t extent, int64_t *first, int64_t *end)
{
    if (edge != ENGINE_EDGE_TORUS) {
        *first = *first > 0 ? *first : 0;
        *end = engine_stencil_least(*end, extent);
    }
}

/* Computes the rows that were found. */
static inline void engine_stencil_take_rows(const struct engine_stencil_job *job, int64_t level,
                                            const struct engine_stencil_rows *found)
{
    const struct engine_stencil_instance *own = job->own;
    const struct engine_row_place *place = &found->place;
    own->row(&job->rule, &found->in, &found->out, &found->pitch, place);
    if (level < job->steps && found->ends)
        engine_stencil_fill_ends(own, found->out, &found->pitch, place);
}

/* Computes all rows of a level of a tile that lie at `last` along the last axis. Rows in one go are neighbours in
 * memory, and so are the rows around them and their inputs; where they are not, or are constant, each row goes alone.
 * Kept rows are neighbours beyond the edges of a torus, too. */
static void engine_stencil_take_level(const struct engine_stencil_job *job, const struct engine_rings *rings,
                                      const struct engine_tile *tile, int64_t level, int64_t last,
                                      struct engine_stencil_rows *found)
{
    const int64_t beyond = ENGINE_REACH_MIDDLE * (job->steps - level), extent = job->own->last;
    if (STENCIL_AXES == 2 && found->next == last) {
        engine_stencil_next_row(job, rings, level, last, found);
        engine_stencil_take_rows(job, level, found);
    } else {
        int64_t row = tile->middle - beyond, end = tile->middle + tile->rows + beyond;
        engine_stencil_clip(job->own->edge_middle, job->own->middle, &row, &end);
        const int constant = engine_stencil_source(job->own->edge_last, last - ENGINE_REACH_LAST, extent) < 0 ||
                             engine_stencil_source(job->own->edge_last, last + ENGINE_REACH_LAST, extent) < 0;
#ifdef STENCIL_INPUTS_NEAR
        const int64_t edge = ENGINE_REACH_MIDDLE; /* the rows of the inputs around are no neighbours there */
#else
        const int64_t edge = level > 1 && job->own->edge_middle == ENGINE_EDGE_TORUS ? 0 : ENGINE_REACH_MIDDLE;
#endif
        for (int64_t count = 1; row < end; row += count) {
            const int64_t y = engine_stencil_around(row, job->own->middle);
            const int64_t left = job->own->middle - edge - y;
            count = constant || y < edge || left < 1 ? 1 : engine_stencil_least(end - row, left);
            engine_stencil_find_rows(job, rings, tile, level, row - tile->middle, count, last, found);
            engine_stencil_take_rows(job, level, found);
        }
    }
    found->next = last >= ENGINE_REACH_LAST && last + 1 + ENGINE_REACH_LAST < extent ? last + 1 : INT64_MIN;
}

static void engine_stencil_march(const struct engine_stencil_job *job, const struct engine_rings *rings, uint64_t index)
{
    const struct engine_stencil_instance *own = job->own;
    const int64_t x = (int64_t) index % own->tiles_width * own->tile_width;
    const int64_t middle = (int64_t) index / own->tiles_width % own->tiles_middle * own->tile_middle;
    const int64_t last = (int64_t) index / own->tiles_width / own->tiles_middle * own->tile_last;
    const struct engine_tile tile = {x, middle, engine_stencil_least(own->tile_width, own->width - x),
                                     engine_stencil_least(own->tile_middle, own->middle - middle)};
    const int64_t end = engine_stencil_least(last + own->tile_last, own->last);
    const int64_t steps = engine_stencil_least(job->steps, ENGINE_CPU_LEVELS); /* the same, and gcc knows the bound */
    const int64_t beyond = ENGINE_REACH_LAST * (steps - 1);
    struct engine_stencil_rows found[ENGINE_CPU_LEVELS];
    for (int64_t level = 0; level < steps; level++)
        found[level].next = INT64_MIN;
    for (int64_t j = last - beyond; j < end + beyond; j++)
        for (int64_t level = 1; level <= steps; level++) {
            const int64_t left = ENGINE_REACH_LAST * (steps - level), at = j - ENGINE_REACH_LAST * (level - 1);
            int64_t from = last - left, to = end + left;
            engine_stencil_clip(own->edge_last, own->last, &from, &to);
            if (at >= from && at < to)
                engine_stencil_take_level(job, rings, &tile, level, at, &found[level - 1]);
        }
}

/* There are as many sets of rings as threads, so a task always finds a free one. */
static void engine_stencil_task(void *argument, uint64_t index)
{
    const struct engine_stencil_job *job = (const struct engine_stencil_job *) argument;
    uint32_t mine = 0;
    while (__atomic_exchange_n(&job->own->busy[mine], 1, __ATOMIC_ACQUIRE))
        mine = mine + 1 < job->own->threads ? mine + 1 : 0;
    engine_stencil_march(job, &job->own->rings[mine], index);
    __atomic_store_n(&job->own->busy[mine], 0, __ATOMIC_RELEASE);
}

/* ---- The implementation ------------------------------------------------------------------------------------------ */

/* The shortest tile for passes of `steps` steps: eight times as long as a pass reaches, so that it computes few cells
 * in vain. */
static int64_t engine_stencil_shortest(int64_t steps)
{
    return 8 * ENGINE_FARTHEST * steps;
}

/* Returns the largest number of steps of a call. In three dimensions, tiles are cut along two axes. A small grid gets
 * shorter passes, so that there are two tiles for each thread. */
static uint64_t engine_stencil_cpu_steps(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint32_t state = engine_stencil_first_state();
    const uint64_t *extent = engine_field_shape(plan, state)->extent;
    const uint64_t least = STENCIL_AXES == 3 ? 1 : 8; /* fewer than these are slower in any case */
    uint64_t steps = engine_stencil_fitting(plan, state, engine_stencil_has_edges(host, plan) ? STENCIL_CPU_STEPS : 1);
    for (; steps > least; steps /= 2) {
        const uint64_t shortest = (uint64_t) engine_stencil_shortest((int64_t) steps);
        if (extent[1] / shortest * (STENCIL_AXES == 3 ? extent[2] / shortest : 1) >= 2 * (uint64_t) plan->threads)
            break;
    }
    return steps;
}

/* One array for each component, in rows from whole cache lines on, without ghosts where the implementation knows what
 * lies beyond the edges. */
int engine_stencil_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                              struct engine_layout *layout)
{
    if (engine_stencil_field(field)->role == ENGINE_INPUT)
        return 0;
    layout->planar = 1;
    layout->component_stride = 0;
    layout->row_align = 64;
    if (engine_stencil_has_edges(host, plan))
        layout->wraps = (1u << STENCIL_AXES) - 1; /* ENGINE_AXIS_X and so on: all axes of the grid */
    return 0;
}

int engine_stencil_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    engine_stencil_cost((uint32_t) engine_stencil_cpu_steps(host, plan), cost);
    return 0;
}

/* The extent of equal pieces of at most `most`, rounded up to a multiple of `unit`. */
static int64_t engine_stencil_piece(int64_t extent, int64_t most, int64_t unit)
{
    return engine_stencil_up(engine_stencil_up(extent, engine_stencil_up(extent, most)), unit) * unit;
}

/* The levels whose rows a task keeps; at least 1, so that no array is empty. */
static int64_t engine_stencil_kept_levels(int64_t steps)
{
    return steps > 1 ? steps - 1 : 1;
}

/* Finds a member that is a copy. What both have beyond a fixed edge along x may differ. */
static void engine_stencil_find_copy(struct engine_stencil_instance *own, const struct engine_call *call, int64_t steps)
{
    const struct rule rule = rule_of(call->plan);
    const int same = steps > 2 && engine_plan_edge(call->plan, 0) != ENGINE_EDGE_FIXED;
    own->copy = same ? engine_stencil_copy(&rule) : -1;
    /* The next level but one reads the rows that are not copied. */
    own->kept_rows = ENGINE_ROWS_LAST + (own->copy < 0 ? 0 : ENGINE_REACH_LAST);
}

/* Tells the rings of a thread which member is a copy. */
static void engine_stencil_share_rings(const struct engine_stencil_instance *own, struct engine_rings *rings)
{
    void *all[] = {
#define ENGINE_STENCIL_RING_OF(type, member) rings->member,
        STENCIL_CELL(ENGINE_STENCIL_RING_OF)};
    int index = 0;
#define ENGINE_STENCIL_SHARE_RING(type, member) \
    rings->member##_from = \
        index++ == own->copy / ENGINE_MEMBERS && own->copy >= 0 ? (type *) all[own->copy % ENGINE_MEMBERS] : NULL;
    STENCIL_CELL(ENGINE_STENCIL_SHARE_RING)
}

/* Returns 1 if stores to a level hinder loads of the level before. A processor that compares the low twelve bits of
 * addresses first takes a load for one that depends on a store, made shortly before, with the same bits (4K aliasing).
 * The distances from a kept row and plane to the next are in cache lines of the smallest member. */
static int engine_stencil_aliases(int64_t row, int64_t plane)
{
    enum { BEHIND = 3, AHEAD = 1 }; /* such a load lies up to so many lines from the store; measured */
    for (int64_t k = 1; k < 2 * ENGINE_ROWS_LAST; k++)
        for (int64_t j = -ENGINE_REACH_MIDDLE; j <= ENGINE_REACH_MIDDLE; j++)
            if ((k * plane + j * row + AHEAD) % ENGINE_PAGE_LINES <= AHEAD + BEHIND)
                return 1;
    return 0;
}

/* The bytes that are kept of a cell of all levels. */
static int64_t engine_stencil_kept_bytes(const struct engine_stencil_instance *own, int64_t steps)
{
    int64_t bytes = 0;
    int index = 0;
#define ENGINE_STENCIL_KEPT_BYTES(type, member) \
    bytes += (own->copy >= 0 && index++ == own->copy / ENGINE_MEMBERS ? 1 : engine_stencil_kept_levels(steps)) * \
             (int64_t) sizeof(type);
    STENCIL_CELL(ENGINE_STENCIL_KEPT_BYTES)
    return bytes;
}

/* Divides the grid into tiles. The kept rows of a tile fit into STENCIL_CPU_BYTES; tiles are long along the last axis,
 * but there are two or more for each thread. A band computes again what its neighbours do at its ends, so it is long. */
static void engine_stencil_divide(struct engine_stencil_instance *own, int64_t steps)
{
    const int64_t cells = STENCIL_CPU_BYTES / (own->kept_rows * engine_stencil_kept_bytes(own, steps));
    const int64_t shortest = engine_stencil_shortest(steps);
    own->tile_width = engine_stencil_piece(own->width, STENCIL_AXES == 3 ? 1024 : cells > 512 ? cells : 512, 64);
    own->tiles_width = engine_stencil_up(own->width, own->tile_width);
    const int64_t rows = cells / own->tile_width;
    own->tile_middle = engine_stencil_piece(own->middle, rows > shortest ? rows : shortest, 1);
    own->tiles_middle = engine_stencil_up(own->middle, own->tile_middle);
    const int64_t threads = own->threads, tiles = own->tiles_width * own->tiles_middle;
    int64_t bands = threads == 1 ? 1 : engine_stencil_up(2 * threads, tiles);
    while (tiles * bands % threads != 0) /* so that each thread takes as many */
        bands++;
    own->tile_last = engine_stencil_up(own->last, bands);
    own->tile_last = own->tile_last > shortest ? own->tile_last : shortest;
    own->tiles_last = engine_stencil_up(own->last, own->tile_last);
    own->margin = engine_stencil_up(ENGINE_REACH_X * steps, ENGINE_VECTOR) * ENGINE_VECTOR;
    own->margin_middle = ENGINE_REACH_MIDDLE * (steps - 1);
    const int64_t row = engine_stencil_up(own->tile_width + 2 * own->margin, ENGINE_VECTOR);
    const int64_t kept_rows = own->tile_middle + 2 * own->margin_middle;
    int64_t longer = 0, apart = 0;
    while (longer < ENGINE_PAGE_LINES && engine_stencil_aliases(row + longer, (row + longer) * kept_rows + apart))
        if (STENCIL_AXES < 3 || ++apart == ENGINE_PAGE_LINES)
            longer++, apart = 0;
    own->ring_row = (row + longer) * ENGINE_VECTOR;
    own->ring_plane = own->ring_row * kept_rows + apart * ENGINE_VECTOR;
    own->ring_level = own->ring_plane * own->kept_rows;
}

/* Makes what lies beyond the edges. */
static int engine_stencil_make_edges(struct engine_stencil_instance *own, const struct engine_call *call)
{
    const struct engine_host *host = call->host;
    struct engine_component found;
    uint32_t index = 0;
    own->ghosts = !engine_stencil_has_edges(host, call->plan);
    own->edge_x = own->edge_middle = own->edge_last = ENGINE_EDGE_TORUS;
    if (!own->ghosts) {
        own->edge_x = engine_plan_edge(call->plan, 0);
        if (STENCIL_AXES == 3)
            own->edge_middle = engine_plan_edge(call->plan, 1);
        if (STENCIL_AXES >= 2)
            own->edge_last = engine_plan_edge(call->plan, STENCIL_AXES - 1);
    }
    for (int i = 0; i < 2 * ENGINE_REACH_X; i++)
        own->source[i] =
            engine_stencil_source(own->edge_x, i - ENGINE_REACH_X + (i < ENGINE_REACH_X ? 0 : own->width), own->width);
#define ENGINE_STENCIL_FILL_BEYOND(type, name, where, edge, axis) \
    if (edge == ENGINE_EDGE_DEAD || edge == ENGINE_EDGE_FIXED) { \
        own->where.name = (type *) host->scratch(host, (uint64_t) own->ring_row * sizeof(type), ENGINE_HOST_MEMORY); \
        for (int64_t i = 0; own->where.name && i < own->ring_row; i++) \
            own->where.name[i] = (type) engine_stencil_beyond(call->plan, axis, field); \
        if (!own->where.name) \
            return ENGINE_NO_MEMORY; \
    }
#define ENGINE_STENCIL_MAKE_BEYOND(type, name) \
    { \
        const int field = engine_stencil_component(call, ENGINE_STATE, index++, 0, &found); \
        own->beyond_x.name = (type) engine_stencil_beyond(call->plan, 0, field); \
        ENGINE_STENCIL_FILL_BEYOND(type, name, beyond_middle, own->edge_middle, 1) \
        ENGINE_STENCIL_FILL_BEYOND(type, name, beyond_last, own->edge_last, STENCIL_AXES - 1) \
    }
    STENCIL_CELL(ENGINE_STENCIL_MAKE_BEYOND)
    return 0;
}

int engine_stencil_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    const char *instructions;
    int status = engine_stencil_check_all(call);
    if (status != 0)
        return status;
    const uint32_t state = engine_stencil_first_state();
    const uint64_t *extent = engine_field_shape(call->plan, state)->extent;
    const int64_t steps = (int64_t) engine_stencil_cpu_steps(host, call->plan);
    const uint32_t threads = call->plan->threads;
    struct engine_stencil_instance *own =
        (struct engine_stencil_instance *) host->scratch(host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    own->row = engine_stencil_best_row(&instructions);
    own->steps = (uint64_t) steps;
    own->width = (int64_t) extent[0];
    own->middle = STENCIL_AXES == 3 ? (int64_t) extent[1] : 1;
    own->last = STENCIL_AXES == 1 ? 1 : (int64_t) extent[STENCIL_AXES - 1];
    own->threads = threads;
    engine_stencil_find_copy(own, call, steps);
    engine_stencil_divide(own, steps);
    status = engine_stencil_make_edges(own, call);
    if (status != 0)
        return status;
    own->busy = (unsigned char *) host->scratch(host, threads, ENGINE_HOST_MEMORY);
    own->rings = (struct engine_rings *) host->scratch(host, threads * sizeof *own->rings, ENGINE_HOST_MEMORY);
    own->sums = (double *) host->scratch(
        host, (uint64_t) (own->middle * own->last) * (STENCIL_SUMS + 1) * sizeof *own->sums, ENGINE_HOST_MEMORY);
    if (!own->busy || !own->rings || !own->sums)
        return ENGINE_NO_MEMORY;
    memset(own->busy, 0, threads);
    for (uint32_t i = 0; i < threads; i++) {
#define ENGINE_STENCIL_KEEP(type, name) \
    own->rings[i].name = (type *) host->scratch( \
        host, (uint64_t) (own->ring_level * engine_stencil_kept_levels(steps)) * sizeof(type), ENGINE_HOST_MEMORY); \
    if (!own->rings[i].name) \
        return ENGINE_NO_MEMORY;
        STENCIL_CELL(ENGINE_STENCIL_KEEP)
        engine_stencil_share_rings(own, &own->rings[i]);
#if defined(STENCIL_INPUTS) && !defined(STENCIL_INPUTS_NEAR)
#define ENGINE_STENCIL_KEEP_INPUT(type, name) \
    own->rings[i].input_##name = (ENGINE_STENCIL_SEEN(type) *) host->scratch( \
        host, (uint64_t) (own->ring_plane * engine_stencil_input_rows(steps)) * sizeof(ENGINE_STENCIL_SEEN(type)), \
        ENGINE_HOST_MEMORY); \
    if (!own->rings[i].input_##name) \
        return ENGINE_NO_MEMORY;
        STENCIL_INPUTS(ENGINE_STENCIL_KEEP_INPUT)
#endif
    }
#ifdef STENCIL_INPUTS_NEAR
    own->has_inputs = 0;
    own->inputs.pitch = own->width + 2 * own->margin;
#define ENGINE_STENCIL_KEEP_ROWS(type, name) \
    own->inputs.name = (ENGINE_STENCIL_SEEN(type) *) host->scratch( \
        host, (uint64_t) (own->inputs.pitch * (own->middle * own->last + 2)) * sizeof(ENGINE_STENCIL_SEEN(type)), \
        ENGINE_HOST_MEMORY); \
    if (!own->inputs.name) \
        return ENGINE_NO_MEMORY;
    STENCIL_INPUTS(ENGINE_STENCIL_KEEP_ROWS)
#endif
#if STENCIL_TOTALS > 0
    own->totals =
        (int64_t *) host->scratch(host, (uint64_t) threads * ENGINE_TOTALS * sizeof *own->totals, ENGINE_HOST_MEMORY);
    if (!own->totals)
        return ENGINE_NO_MEMORY;
#endif
    host->note(host, "instructions", "%s", instructions);
    *self = own;
    return 0;
}

/* A pass that reads buffer `from` and writes the other one. */
static inline struct engine_stencil_job engine_stencil_job_of(const struct engine_stencil_instance *own,
                                                              const struct engine_call *call, uint32_t from,
                                                              int64_t steps, uint64_t first_step)
{
    const struct engine_stencil_job job = {
        own,
        call,
        rule_of(call->plan),
        engine_stencil_grid(call, from),
        engine_stencil_grid(call, !from),
        steps,
        first_step,
#ifdef STENCIL_INPUTS
        engine_stencil_inputs(call),
#endif
#ifdef STENCIL_OUTPUTS
        engine_stencil_shown(call),
#endif
        0,
    };
    return job;
}

/* Reads the cell at `x` of a row of the states. */
static inline struct engine_values engine_stencil_values(const struct engine_stencil_job *job, int64_t x,
                                                         int64_t middle, int64_t last)
{
    struct engine_values cell;
    memset(&cell, 0, sizeof cell);
#define ENGINE_STENCIL_VALUE_OF(type, member) \
    cell.member = \
        job->from.member[engine_stencil_offset(middle, last, job->from.member##_row, job->from.member##_plane) + x];
    STENCIL_CELL(ENGINE_STENCIL_VALUE_OF)
    return cell;
}

#if STENCIL_TOTALS > 0
/* Counts the rows that are the thread's share. */
static void engine_stencil_count_rows(void *argument, uint64_t share)
{
    const struct engine_stencil_job *job = (const struct engine_stencil_job *) argument;
    const struct engine_stencil_instance *own = job->own;
    const int64_t rows = own->middle * own->last, threads = own->threads, number = (int64_t) share;
    struct engine_totals totals = {own->totals + number * ENGINE_TOTALS};
    memset(totals.at, 0, ENGINE_TOTALS * sizeof *totals.at);
    for (int64_t row = rows * number / threads; row < rows * (number + 1) / threads; row++)
        for (int64_t x = 0; x < own->width; x++) {
            const struct engine_values cell = engine_stencil_values(job, x, row % own->middle, row / own->middle);
            count(&job->rule, &cell, &totals);
        }
}

static void engine_stencil_count(struct engine_stencil_job *job)
{
    const struct engine_stencil_instance *own = job->own;
    job->call->host->parallel(job->call->host, own->threads, engine_stencil_count_rows, job);
    for (int64_t thread = 1; thread < own->threads; thread++)
        for (int64_t k = 0; k < ENGINE_TOTALS; k++)
            own->totals[k] += own->totals[thread * ENGINE_TOTALS + k];
}
#endif

int engine_stencil_cpu_advance(void *self, struct engine_call *call)
{
    struct engine_stencil_instance *own = (struct engine_stencil_instance *) self;
    uint32_t current = call->current;
    for (uint64_t done = 0, steps; done < call->steps; done += steps, current = !current) {
        steps = call->steps - done < own->steps ? call->steps - done : own->steps;
        struct engine_stencil_job job =
            engine_stencil_job_of(own, call, current, (int64_t) steps, call->first_step + done);
#ifdef STENCIL_INPUTS_NEAR
        if (done == 0)
            engine_stencil_copy_inputs(own, &job);
#endif
#if STENCIL_TOTALS > 0
        engine_stencil_count(&job);
#endif
#ifdef STENCIL_OUTPUTS
        job.shows = done + steps == call->steps && (STENCIL_SHOWS(&job.rule));
#endif
        call->host->parallel(call->host, (uint64_t) (own->tiles_width * own->tiles_middle * own->tiles_last),
                             engine_stencil_task, &job);
    }
    call->result = current;
    return 0;
}

#if STENCIL_SUMS > 0
/* Adds up a row: cell x goes to sum x mod 32, and these sums are added in pairs. */
static void engine_stencil_tally_row(void *argument, uint64_t row)
{
    const struct engine_stencil_job *job = (const struct engine_stencil_job *) argument;
    const int64_t middle = (int64_t) row % job->own->middle;
    const int64_t last = engine_stencil_first(job->call) + (int64_t) row / job->own->middle;
    double lanes[ENGINE_TALLY_LANES][STENCIL_SUMS] = {{0}};
    for (int64_t x = 0; x < job->own->width; x++) {
        struct engine_values cell = engine_stencil_values(job, x, middle, last);
#ifdef STENCIL_OUTPUTS
#define ENGINE_STENCIL_TALLY_SHOWN(type, member) \
    cell.member = \
        job->shown \
            .member[engine_stencil_offset(middle, last, job->shown.member##_row, job->shown.member##_plane) + x];
        STENCIL_OUTPUTS(ENGINE_STENCIL_TALLY_SHOWN)
#endif
        tally(&job->rule, &cell, lanes[x % ENGINE_TALLY_LANES]);
    }
    for (int apart = ENGINE_TALLY_LANES / 2; apart > 0; apart /= 2)
        for (int lane = 0; lane < apart; lane++)
            for (int k = 0; k < STENCIL_SUMS; k++)
                lanes[lane][k] += lanes[lane + apart][k];
    memcpy(job->own->sums + row * STENCIL_SUMS, lanes[0], sizeof lanes[0]);
}
#endif

int engine_stencil_cpu_measure(void *self, const struct engine_call *call, double *values)
{
#if STENCIL_SUMS > 0
    const struct engine_stencil_instance *own = (const struct engine_stencil_instance *) self;
    struct engine_stencil_job job = engine_stencil_job_of(own, call, call->current, 0, 0);
    const uint64_t rows = (uint64_t) (own->middle * engine_stencil_counted(call));
    call->host->parallel(call->host, rows, engine_stencil_tally_row, &job);
    engine_stencil_begin_sums(values);
    for (uint64_t row = 0; row < rows; row++)
        for (int k = 0; k < STENCIL_SUMS; k++)
            values[k] += own->sums[row * STENCIL_SUMS + (uint64_t) k];
#else
    (void) self, (void) call, (void) values;
#endif
    return 0;
}

#ifdef ENGINE_STENCIL_WITHOUT_TRAPS
#pragma GCC pop_options
#endif
#endif
