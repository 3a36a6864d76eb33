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
 * Level t is computed for reach * (steps - t) cells beyond the tile on each side, so tiles do not wait for each other.
 *
 * The compiler vectorises the loop along a row. Its function exists three times, for AVX-512, AVX2 and the plain
 * instruction set, and the processor decides. Compile with -O3. */
#ifndef ENGINE_STENCIL_CPU_H
#define ENGINE_STENCIL_CPU_H

#include <engine/stencil.h>

#include <string.h>

/* The bytes of rows that a task keeps at most: they fit into the second-level cache of a core. */
#ifndef STENCIL_CPU_BYTES
#define STENCIL_CPU_BYTES 524288
#endif

enum {
    ENGINE_ROWS_LAST = 2 * ENGINE_REACH_LAST + 1,
    ENGINE_ROWS_MIDDLE = 2 * ENGINE_REACH_MIDDLE + 1,
    ENGINE_ROWS_X = 2 * ENGINE_REACH_X + 1,
    ENGINE_TALLY_LANES = 32 /* the lanes of a warp: the GPU adds up in the same order */
};

/* The rows around a row that is to be computed, and the row itself. */
struct engine_rows_in {
#define ENGINE_STENCIL_ROWS_IN(type, name) const type *name[ENGINE_ROWS_LAST][ENGINE_ROWS_MIDDLE];
    STENCIL_CELL(ENGINE_STENCIL_ROWS_IN)
#ifdef STENCIL_INPUTS
#define ENGINE_STENCIL_INPUT_IN(type, name) const type *input_##name;
    STENCIL_INPUTS(ENGINE_STENCIL_INPUT_IN)
#endif
};

struct engine_row_out {
#define ENGINE_STENCIL_ROW_OUT(type, name) type *name;
    STENCIL_CELL(ENGINE_STENCIL_ROW_OUT)
};

/* Elements from a row to the next, of the rows that are read and of those that are written. */
struct engine_row_pitch {
#define ENGINE_STENCIL_PITCH(type, name) int64_t name, name##_out;
    STENCIL_CELL(ENGINE_STENCIL_PITCH)
};

/* Where the first row is: its y and z, the x of its cell 0 and the grid's width; and the number of rows. */
struct engine_row_place {
    int64_t x, y, z, width, rows;
    uint64_t step;
};

/* ---- A row: the loop that the compiler vectorises ------------------------------------------------------------------ */

#if defined(__clang__)
#define ENGINE_STENCIL_VECTORISE _Pragma("clang loop vectorize(assume_safety)")
#define ENGINE_STENCIL_UNROLL    _Pragma("clang loop unroll(full)")
#else
#define ENGINE_STENCIL_VECTORISE _Pragma("GCC ivdep")
#define ENGINE_STENCIL_UNROLL    _Pragma("GCC unroll 9")
#endif

/* Computes cells [begin, end) of place.rows rows, one beside the other along the middle axis. */
__attribute__((always_inline)) static inline void
engine_stencil_rows(const struct rule *rule, struct engine_rows_in in, struct engine_row_out out,
                    struct engine_row_pitch pitch, struct engine_row_place place, int64_t begin, int64_t end)
{
    const struct rule numbers = *rule; /* a copy, whose address nobody else knows, stays in registers */
    for (int64_t row = 0; row < place.rows; row++) {
        ENGINE_STENCIL_VECTORISE
        for (int64_t x = begin; x < end; x++) {
            struct engine_near near;
            ENGINE_STENCIL_UNROLL
            for (int k = 0; k < ENGINE_ROWS_LAST; k++)
                ENGINE_STENCIL_UNROLL
            for (int j = 0; j < ENGINE_ROWS_MIDDLE; j++)
                ENGINE_STENCIL_UNROLL
            for (int i = 0; i < ENGINE_ROWS_X; i++) {
#define ENGINE_STENCIL_READ_CELL(type, name) near.cell[k][j][i].name = in.name[k][j][x + i - ENGINE_REACH_X];
                STENCIL_CELL(ENGINE_STENCIL_READ_CELL)
            }
#ifndef STENCIL_BITS
            near.x = place.x + x;
            near.x += near.x < 0 ? place.width : near.x >= place.width ? -place.width : 0;
#endif
            near.y = place.y;
            near.z = place.z;
#ifdef STENCIL_RANDOM
            near.step = place.step;
#endif
#ifdef STENCIL_INPUTS
#define ENGINE_STENCIL_READ_INPUT(type, name) near.input.name = in.input_##name[x];
            STENCIL_INPUTS(ENGINE_STENCIL_READ_INPUT)
#endif
            struct engine_cell cell = near.cell[ENGINE_REACH_LAST][ENGINE_REACH_MIDDLE][ENGINE_REACH_X];
            next(&numbers, &near, &cell);
#define ENGINE_STENCIL_WRITE_CELL(type, name) out.name[x] = cell.name;
            STENCIL_CELL(ENGINE_STENCIL_WRITE_CELL)
        }
#define ENGINE_STENCIL_NEXT_ROW(type, member) \
    out.member += pitch.member##_out; \
    for (int k = 0; k < ENGINE_ROWS_LAST; k++) \
        for (int j = 0; j < ENGINE_ROWS_MIDDLE; j++) \
            in.member[k][j] += pitch.member;
        STENCIL_CELL(ENGINE_STENCIL_NEXT_ROW)
        place.y++;
    }
}

typedef void engine_stencil_row_function(const struct rule *, const struct engine_rows_in *,
                                         const struct engine_row_out *, const struct engine_row_pitch *,
                                         const struct engine_row_place *, int64_t, int64_t);

#define ENGINE_STENCIL_ROW(name, attributes) \
    attributes static void name(const struct rule *rule, const struct engine_rows_in *in, \
                                const struct engine_row_out *out, const struct engine_row_pitch *pitch, \
                                const struct engine_row_place *place, int64_t begin, int64_t end) \
    { \
        engine_stencil_rows(rule, *in, *out, *pitch, *place, begin, end); \
    }

ENGINE_STENCIL_ROW(engine_stencil_row_plain, __attribute__((flatten)))
#ifdef __x86_64__
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
#ifdef __x86_64__
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
    *instructions = "plain";
    return engine_stencil_row_plain;
}

/* ---- A task: a tile through all steps of a call --------------------------------------------------------------------- */

/* The rows that a task keeps: for each member an array [level][row of the ring][middle][x], and for each member of the
 * inputs one row. */
struct engine_rings {
#define ENGINE_STENCIL_RING(type, name) type *name;
    STENCIL_CELL(ENGINE_STENCIL_RING)
#ifdef STENCIL_INPUTS
#define ENGINE_STENCIL_RING_INPUT(type, name) type *input_##name;
    STENCIL_INPUTS(ENGINE_STENCIL_RING_INPUT)
#endif
};

struct engine_stencil_instance {
    engine_stencil_row_function *row;
    int64_t width, middle, last;                      /* the grid's extents */
    int64_t tile_width, tile_middle, tile_last;       /* the extents of a tile */
    int64_t tiles_width, tiles_middle, tiles_last;    /* the number of tiles along each axis */
    int64_t margin, ring_row, ring_plane, ring_level; /* cells beside a kept row; elements of rows, planes and levels */
    uint32_t threads;
    unsigned char *busy; /* one for each thread: its rings are in use */
    struct engine_rings *rings;
    double *sums; /* for the metrics: STENCIL_SUMS for each row */
};

struct engine_stencil_job {
    const struct engine_stencil_instance *own;
    const struct engine_call *call;
    struct rule rule;
    struct engine_grid from, to;
    int64_t steps;
};

static inline int64_t engine_stencil_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

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

/* The offset of a kept row of a level, 1 or more, from the begin of a member's array. `middle` counts from the tile. */
static inline int64_t engine_stencil_kept(const struct engine_stencil_instance *own, int64_t level, int64_t middle,
                                          int64_t last)
{
    const int64_t slot = ((last % ENGINE_ROWS_LAST) + ENGINE_ROWS_LAST) % ENGINE_ROWS_LAST;
    return (level - 1) * own->ring_level + slot * own->ring_plane + (middle + own->margin) * own->ring_row +
           own->margin;
}

/* Copies the inputs of cells [begin, end) beside a tile's first cell, and wraps them. */
static inline void engine_stencil_read_inputs(const struct engine_stencil_job *job, const struct engine_rings *rings,
                                              const struct engine_row_place *place, int64_t begin, int64_t end,
                                              struct engine_rows_in *in)
{
#ifdef STENCIL_INPUTS
    struct engine_component found;
    uint32_t index = 0;
#define ENGINE_STENCIL_COPY_INPUT(type, member) \
    engine_stencil_component(job->call, ENGINE_INPUT, index++, 0, &found); \
    for (int64_t x = begin; x < end; x++) \
        memcpy(&rings->input_##member[x + job->own->margin], \
               (const char *) found.origin + engine_stencil_wrapped(place->x + x, place->width) * found.stride[0] + \
                   place->y * found.stride[1] + place->z * found.stride[2], \
               sizeof(type)); \
    in->input_##member = rings->input_##member + job->own->margin;
    STENCIL_INPUTS(ENGINE_STENCIL_COPY_INPUT)
#else
    (void) job, (void) rings, (void) place, (void) begin, (void) end, (void) in;
#endif
}

/* Computes `rows` rows of a level of a tile that begins at cell (x, middle), from row `first` on. */
static void engine_stencil_take_rows(const struct engine_stencil_job *job, const struct engine_rings *rings,
                                     int64_t level, int64_t tile_x, int64_t tile_middle, int64_t first, int64_t rows,
                                     int64_t last, int64_t begin, int64_t end)
{
    const struct engine_stencil_instance *own = job->own;
    struct engine_rows_in in;
    struct engine_row_out out;
    struct engine_row_pitch pitch;
    struct engine_row_place place = {tile_x,
                                     STENCIL_AXES == 3 ? engine_stencil_wrapped(tile_middle + first, own->middle)
                                                       : engine_stencil_wrapped(last, own->last),
                                     STENCIL_AXES == 3 ? engine_stencil_wrapped(last, own->last) : 0,
                                     own->width,
                                     rows,
                                     job->call->first_step + (uint64_t) level - 1};
    for (int k = 0; k < ENGINE_ROWS_LAST; k++)
        for (int j = 0; j < ENGINE_ROWS_MIDDLE; j++) {
            const int64_t m = first + j - ENGINE_REACH_MIDDLE, l = last + k - ENGINE_REACH_LAST;
#define ENGINE_STENCIL_SOURCE(type, member) \
    in.member[k][j] = \
        level == 1 \
            ? job->from.member + \
                  engine_stencil_offset(tile_middle + m, l, job->from.member##_row, job->from.member##_plane) + tile_x \
            : rings->member + engine_stencil_kept(own, level - 1, m, l);
            STENCIL_CELL(ENGINE_STENCIL_SOURCE)
        }
#define ENGINE_STENCIL_TARGET(type, member) \
    pitch.member = level == 1 ? job->from.member##_row : own->ring_row; \
    pitch.member##_out = level == job->steps ? job->to.member##_row : own->ring_row; \
    out.member = level == job->steps ? job->to.member + \
                                           engine_stencil_offset(tile_middle + first, last, job->to.member##_row, \
                                                                 job->to.member##_plane) + \
                                           tile_x \
                                     : rings->member + engine_stencil_kept(own, level, first, last);
    STENCIL_CELL(ENGINE_STENCIL_TARGET)
    engine_stencil_read_inputs(job, rings, &place, begin, end, &in);
    *(STENCIL_AXES == 3 ? &place.z : &place.y) =
        engine_stencil_place(job->call->plan, engine_stencil_wrapped(last, own->last));
    own->row(&job->rule, &in, &out, &pitch, &place, begin, end);
}

#ifdef STENCIL_INPUTS
enum { ENGINE_ONE_BY_ONE = 1 }; /* each row has inputs of its own */
#else
enum { ENGINE_ONE_BY_ONE = 0 };
#endif

static void engine_stencil_march(const struct engine_stencil_job *job, const struct engine_rings *rings, uint64_t index)
{
    const struct engine_stencil_instance *own = job->own;
    const int64_t x = (int64_t) index % own->tiles_width * own->tile_width;
    const int64_t middle = (int64_t) index / own->tiles_width % own->tiles_middle * own->tile_middle;
    const int64_t last = (int64_t) index / own->tiles_width / own->tiles_middle * own->tile_last;
    const int64_t width = engine_stencil_least(own->tile_width, own->width - x);
    const int64_t rows = engine_stencil_least(own->tile_middle, own->middle - middle);
    const int64_t end = engine_stencil_least(last + own->tile_last, own->last);
    const int64_t beyond = job->steps - 1;
    for (int64_t j = last - ENGINE_REACH_LAST * beyond; j < end + ENGINE_REACH_LAST * beyond; j++)
        for (int64_t level = 1; level <= job->steps; level++) {
            const int64_t left = job->steps - level, at = j - ENGINE_REACH_LAST * (level - 1);
            if (at < last - ENGINE_REACH_LAST * left || at >= end + ENGINE_REACH_LAST * left)
                continue;
            const int64_t first = -ENGINE_REACH_MIDDLE * left, behind = rows + ENGINE_REACH_MIDDLE * left;
            /* Rows on both sides of the grid's edge have places that do not follow each other. */
            for (int64_t m = first; m < behind;) {
                int64_t count = ENGINE_ONE_BY_ONE ? 1 : behind - m;
                if (middle + m < 0)
                    count = engine_stencil_least(count, -(middle + m));
                else if (middle + m < own->middle)
                    count = engine_stencil_least(count, own->middle - (middle + m));
                engine_stencil_take_rows(job, rings, level, x, middle, m, count, at, -ENGINE_REACH_X * left,
                                         width + ENGINE_REACH_X * left);
                m += count;
            }
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

/* ---- The implementation ---------------------------------------------------------------------------------------------- */

/* The shortest tile for passes of `steps` steps: eight times as long as a pass reaches, so that it computes few cells in
 * vain. */
static int64_t engine_stencil_shortest(int64_t steps)
{
    return 8 * STENCIL_REACH * steps;
}

/* Returns the largest number of steps of a call. In three dimensions, tiles are cut along two axes, so a small grid gets
 * shorter passes: then there are two tiles for each thread. */
static uint64_t engine_stencil_cpu_steps(const struct engine_plan *plan)
{
    const uint32_t state = engine_stencil_first_state();
    const uint64_t *extent = engine_field_shape(plan, state)->extent;
    uint64_t steps = engine_stencil_steps(plan, state, STENCIL_CPU_STEPS);
    for (; STENCIL_AXES == 3 && steps > 1; steps /= 2) {
        const uint64_t shortest = (uint64_t) engine_stencil_shortest((int64_t) steps);
        if (extent[1] / shortest * (extent[2] / shortest) >= 2 * (uint64_t) plan->threads)
            break;
    }
    return steps;
}

int engine_stencil_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                              struct engine_layout *layout)
{
    (void) host;
    engine_stencil_layout(plan, field, layout, engine_stencil_cpu_steps(plan));
    return 0;
}

int engine_stencil_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host;
    engine_stencil_cost((uint32_t) engine_stencil_cpu_steps(plan), cost);
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

/* Divides the grid into tiles. The kept rows of a tile fit into STENCIL_CPU_BYTES; tiles are long along the last axis, but
 * there are several for each thread. */
static void engine_stencil_divide(struct engine_stencil_instance *own, int64_t steps)
{
    const int64_t cells = STENCIL_CPU_BYTES /
                          (engine_stencil_kept_levels(steps) * ENGINE_ROWS_LAST * (int64_t) sizeof(struct engine_cell));
    const int64_t shortest = engine_stencil_shortest(steps);
    own->tile_width = engine_stencil_piece(own->width, STENCIL_AXES == 3 ? 1024 : cells > 512 ? cells : 512, 64);
    own->tiles_width = engine_stencil_up(own->width, own->tile_width);
    const int64_t rows = cells / own->tile_width;
    own->tile_middle = engine_stencil_piece(own->middle, rows > shortest ? rows : shortest, 1);
    own->tiles_middle = engine_stencil_up(own->middle, own->tile_middle);
    const int64_t bands = engine_stencil_up(4 * (int64_t) own->threads, own->tiles_width * own->tiles_middle);
    own->tile_last = engine_stencil_up(own->last, bands);
    own->tile_last = own->tile_last > shortest ? own->tile_last : shortest;
    own->tiles_last = engine_stencil_up(own->last, own->tile_last);
    own->margin = STENCIL_REACH * (steps - 1);
    own->ring_row = engine_stencil_up(own->tile_width + 2 * own->margin, 64) * 64;
    own->ring_plane = own->ring_row * (own->tile_middle + 2 * own->margin);
    own->ring_level = own->ring_plane * ENGINE_ROWS_LAST;
}

int engine_stencil_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    const char *instructions;
    const int status = engine_stencil_check_all(call);
    if (status != 0)
        return status;
    const uint32_t state = engine_stencil_first_state();
    const uint64_t *extent = engine_field_shape(call->plan, state)->extent;
    const int64_t steps = (int64_t) engine_stencil_cpu_steps(call->plan);
    const uint32_t threads = call->plan->threads;
    struct engine_stencil_instance *own =
        (struct engine_stencil_instance *) host->scratch(host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    own->row = engine_stencil_best_row(&instructions);
    own->width = (int64_t) extent[0];
    own->middle = STENCIL_AXES == 3 ? (int64_t) extent[1] : 1;
    own->last = STENCIL_AXES == 1 ? 1 : (int64_t) extent[STENCIL_AXES - 1];
    own->threads = threads;
    engine_stencil_divide(own, steps);
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
#ifdef STENCIL_INPUTS
#define ENGINE_STENCIL_KEEP_INPUT(type, name) \
    own->rings[i].input_##name = \
        (type *) host->scratch(host, (uint64_t) own->ring_row * sizeof(type), ENGINE_HOST_MEMORY); \
    if (!own->rings[i].input_##name) \
        return ENGINE_NO_MEMORY;
        STENCIL_INPUTS(ENGINE_STENCIL_KEEP_INPUT)
#endif
    }
    host->note(host, "instructions", "%s", instructions);
    *self = own;
    return 0;
}

int engine_stencil_cpu_advance(void *self, struct engine_call *call)
{
    const struct engine_stencil_instance *own = (const struct engine_stencil_instance *) self;
    struct engine_stencil_job job = {own,
                                     call,
                                     rule_of(call->plan),
                                     engine_stencil_grid(call, call->current),
                                     engine_stencil_grid(call, call->result),
                                     (int64_t) call->steps};
    call->host->parallel(call->host, (uint64_t) (own->tiles_width * own->tiles_middle * own->tiles_last),
                         engine_stencil_task, &job);
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
        struct engine_values cell;
#define ENGINE_STENCIL_TALLY_CELL(type, member) \
    cell.member = \
        job->from.member[engine_stencil_offset(middle, last, job->from.member##_row, job->from.member##_plane) + x];
        STENCIL_CELL(ENGINE_STENCIL_TALLY_CELL)
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
    const struct engine_grid grid = engine_stencil_grid(call, call->current);
    struct engine_stencil_job job = {own, call, rule_of(call->plan), grid, grid, 0};
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

#endif
