/* engine/stencil.cuh - makes a CUDA implementation of a rule that is written with engine/stencil.h.
 *
 * Include it in one .cu file, behind the rule. It defines engine_stencil_cuda_layout, _create, _advance and _measure.
 *
 * A warp owns a strip of 32 * C columns and marches along the last axis; in three dimensions a block owns a tile of
 * strips. The values of all steps of a launch stay in registers: level 0 is the state in memory, level t is the state
 * t steps later. When a row of level t arrives, the row before it has all its neighbours and is taken to level t + 1.
 * For a reach of 1 and two axes, in the iteration that loads row j:
 *
 *     level 0     j - 2   j - 1    j      <- from memory
 *     level 1             j - 3   j - 2   j - 1      <- next(rows j - 2 to j of level 0)
 *     level 2                     j - 4   j - 3   j - 2      <- next(rows j - 3 to j - 1 of level 1)
 *     …                                                     the row of the last level goes to memory
 *
 * Lanes exchange the columns at their sides by shuffles; the warps of a tile exchange rows through shared memory. With
 * each step, the outer columns of a strip become invalid, so neighbouring strips overlap by 2 * reach * steps columns.
 * Bands of rows overlap in the same way.
 *
 * The registers do not hold the neighbours of heavy cells. So such cells take one step in a launch, and a thread takes
 * one cell (STENCIL_DIRECT). It reads only what `next` reads: a lattice Boltzmann rule reads each member of one
 * neighbour. The thread finds the cells beyond the edges by itself, so a call takes any number of launches. */
#ifndef ENGINE_STENCIL_CUH
#define ENGINE_STENCIL_CUH

#include <engine/cuda.h>
#include <engine/stencil.h>

#include <type_traits>

#if defined(RX) || defined(RM) || defined(RL) || defined(STAR) || defined(CELLS) || defined(COLUMNS) || \
    defined(ROWS) || defined(WARPS) || defined(LANES) || defined(STEPS) || defined(DIRECT) || defined(THREADS) || \
    defined(TOTALS)
#error \
    "engine/stencil.cuh has constants RX, RM, RL, STAR, CELLS, COLUMNS, ROWS, WARPS, LANES, STEPS, DIRECT, THREADS, TOTALS; give your macro of this name another one"
#endif

namespace engine_stencil
{

constexpr int RX = ENGINE_REACH_X, RM = ENGINE_REACH_MIDDLE, RL = ENGINE_REACH_LAST;
#ifdef STENCIL_STAR
constexpr bool STAR = true;
#else
constexpr bool STAR = false;
#endif

/* Columns and rows of a lane, and warps of a block. */
#ifndef STENCIL_COLUMNS
#define STENCIL_COLUMNS (STENCIL_AXES == 3 && engine_stencil::STAR ? 2 : 4)
#endif
#ifndef STENCIL_ROWS
#define STENCIL_ROWS (STENCIL_AXES < 3 ? 1 : engine_stencil::STAR ? 4 : 2)
#endif
#ifndef STENCIL_WARPS
#define STENCIL_WARPS (STENCIL_AXES < 3 ? 4 : 12)
#endif
#ifdef STENCIL_BITS
constexpr int CELLS = 32, COLUMNS = 1; /* cells of a column: a word of bit planes holds 32 of them */
#else
constexpr int CELLS = 1, COLUMNS = STENCIL_COLUMNS;
#endif
constexpr int ROWS = STENCIL_ROWS, WARPS = STENCIL_WARPS, LANES = 32, LANE_CELLS = CELLS * COLUMNS;
constexpr int STEPS = (int) (STENCIL_STEPS);
constexpr bool DIRECT = STENCIL_DIRECT;
static_assert(!DIRECT || STEPS == 1, "STENCIL_DIRECT takes one step in a launch: define STENCIL_STEPS as 1");
static_assert(RX <= LANE_CELLS, "a lane needs at least as many columns as a step reaches");

#ifdef STENCIL_INPUTS
using inputs = engine_inputs;
#else
struct inputs {
};
#endif
#ifdef STENCIL_OUTPUTS
using outputs = engine_shown_grid;
#else
struct outputs {
};
#endif

/* Sizes along x, the middle axis and the last axis. */
struct sizes {
    int64_t width, middle, last;
    int64_t ghost_x, ghost_middle;
    int64_t band; /* rows, or planes, that a strip takes along the last axis; fewer than 2^31 */
    int steps;    /* of this launch */
    uint64_t step;
#ifdef STENCIL_DIVISIBLE
    int64_t offset, whole; /* the place of the first row or plane in the whole grid, and its extent there */
#endif
    uint32_t edges[3]; /* ENGINE_EDGE_… along x, the middle axis and the last axis */
};

struct arguments {
    engine_grid from, to;
    inputs input;
    rule numbers;
    sizes size;
    outputs shown;
    int shows;          /* the last step writes the outputs */
    int32_t row, plane; /* elements to the next row and plane, if has_short_offsets */
#if ENGINE_STENCIL_OUTSIDE
    engine_cell outside[3]; /* cells beyond a dead or fixed edge of each axis */
#endif
#ifdef STENCIL_INPUTS_NEAR
    engine_input beyond[3]; /* the inputs of such cells */
#endif
#if STENCIL_TOTALS > 0
    int64_t *totals;
#endif
};

/* A cell, or 32 cells in bit planes, as a lane keeps it between steps. */
#ifdef STENCIL_BITS
struct planes {
    uint32_t plane[STENCIL_BITS];
};
struct kept_cell {
#define ENGINE_STENCIL_KEPT(type, name) planes name;
    STENCIL_CELL(ENGINE_STENCIL_KEPT)
};
#else
using kept_cell = engine_cell;
#endif

/* The cells of a lane in one row or plane of a level, with their neighbours along x and the middle axis. */
struct patch {
    kept_cell at[ROWS + 2 * RM][COLUMNS + 2 * RX];
};

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* The elements of a lane in a row, in accesses of up to 16 bytes. */
template <class T> struct alignas(sizeof(T) * LANE_CELLS > 16 ? 16 : sizeof(T) * LANE_CELLS) group {
    T at[LANE_CELLS];
};

/* Moves a lane's elements of one member between a row in memory and a row of a patch. */
#ifdef STENCIL_BITS
#define ENGINE_STENCIL_TAKE(type, name) \
    engine_to_planes((const uint32_t(&)[8]) found.at, patch.at[q + RM][RX].name.plane);
#define ENGINE_STENCIL_GIVE(type, name) engine_from_planes(patch.at[q + RM][RX].name.plane, (uint32_t(&)[8]) result.at);
#else
#define ENGINE_STENCIL_TAKE(type, name) \
    _Pragma("unroll") for (int c = 0; c < COLUMNS; c++) patch.at[q + RM][c + RX].name = found.at[c];
#define ENGINE_STENCIL_GIVE(type, name) \
    _Pragma("unroll") for (int c = 0; c < COLUMNS; c++) result.at[c] = patch.at[q + RM][c + RX].name;
#endif

/* The places of a lane's cells in a grid: it moves from row to row, or from plane to plane, with the march. */
struct cursor {
#define ENGINE_STENCIL_CURSOR(type, name) ENGINE_STENCIL_PLAIN(type) * name;
    STENCIL_CELL(ENGINE_STENCIL_CURSOR)
};

__device__ __forceinline__ cursor cursor_at(const engine_grid &grid, int64_t x, int64_t middle, int64_t last)
{
    cursor cursor;
#define ENGINE_STENCIL_POINT(type, member) \
    cursor.member = grid.member + engine_stencil_offset(middle, last, grid.member##_row, grid.member##_plane) + x;
    STENCIL_CELL(ENGINE_STENCIL_POINT)
    return cursor;
}

__device__ __forceinline__ void move_on(cursor &cursor, const engine_grid &grid)
{
#define ENGINE_STENCIL_MOVE(type, member) cursor.member += STENCIL_AXES == 3 ? grid.member##_plane : grid.member##_row;
    STENCIL_CELL(ENGINE_STENCIL_MOVE)
}

/* Reads the rows of which `rows` has bit q set. Rows of a grid begin and end at multiples of 64 bytes, so a whole group
 * can be read if one of its cells is a cell of the grid or a ghost. */
__device__ __forceinline__ void load(patch &patch, const engine_grid &grid, const cursor &from, unsigned rows)
{
#pragma unroll
    for (int q = 0; q < ROWS; q++)
        if (rows >> q & 1) {
#define ENGINE_STENCIL_LOAD(type, name) \
    { \
        const auto found = *(const group<ENGINE_STENCIL_PLAIN(type)> *) (from.name + q * grid.name##_row); \
        ENGINE_STENCIL_TAKE(type, name) \
    }
            STENCIL_CELL(ENGINE_STENCIL_LOAD)
        }
}

/* Writes the rows of which `rows` has bit q set. `cells` of the lane's cells in a row belong to the grid. */
__device__ __forceinline__ void store(const patch &patch, const engine_grid &grid, const cursor &to, unsigned rows,
                                      int cells)
{
#pragma unroll
    for (int q = 0; q < ROWS; q++)
        if (rows >> q & 1) {
#define ENGINE_STENCIL_STORE(type, name) \
    { \
        auto *const row = to.name + q * grid.name##_row; \
        group<ENGINE_STENCIL_PLAIN(type)> result; \
        ENGINE_STENCIL_GIVE(type, name) \
        if (cells >= LANE_CELLS) \
            *(decltype(result) *) row = result; \
        else \
            _Pragma("unroll") for (int c = 0; c < LANE_CELLS; c++) if (c < cells) row[c] = result.at[c]; \
    }
            STENCIL_CELL(ENGINE_STENCIL_STORE)
        }
}

/* ---- Neighbours in other lanes and warps ------------------------------------------------------------------------- */

template <class T> __device__ __forceinline__ T from_lane(T value, int lane)
{
    if constexpr (sizeof(T) < 4)
        return (T) __shfl_sync(~0u, (int) value, lane);
    else
        return __shfl_sync(~0u, value, lane);
}

/* Fills the columns at both sides of row q from the neighbouring lanes. In bit planes, a neighbour's column is the
 * lane's own column, shifted by its distance. */
__device__ __forceinline__ void fill_sides(patch &patch, int q)
{
    const int lane = (int) threadIdx.x;
    kept_cell(&row)[COLUMNS + 2 * RX] = patch.at[q];
#ifdef STENCIL_BITS
#define ENGINE_STENCIL_SIDES(type, name) \
    _Pragma("unroll") for (int b = 0; b < STENCIL_BITS; b++) \
    { \
        const uint32_t own = row[RX].name.plane[b], left = from_lane(own, lane - 1), right = from_lane(own, lane + 1); \
        _Pragma("unroll") for (int i = 1; i <= RX; i++) \
        { \
            row[RX - i].name.plane[b] = __funnelshift_l(left, own, i); \
            row[RX + i].name.plane[b] = __funnelshift_r(own, right, i); \
        } \
    }
    STENCIL_CELL(ENGINE_STENCIL_SIDES)
#else
#pragma unroll
    for (int k = 0; k < RX; k++) {
#define ENGINE_STENCIL_SIDES(type, name) \
    row[k].name = from_lane(row[COLUMNS + k].name, lane - 1); \
    row[COLUMNS + RX + k].name = from_lane(row[RX + k].name, lane + 1);
        STENCIL_CELL(ENGINE_STENCIL_SIDES)
    }
#endif
}

/* The cells of a lane in a row, in accesses of 16 bytes if they fill such accesses. */
struct alignas(sizeof(kept_cell) * COLUMNS % 16 == 0 ? 16
               : sizeof(kept_cell) * COLUMNS == 8    ? 8
                                                     : alignof(kept_cell)) lane_cells {
    kept_cell at[COLUMNS];
};

/* The first and the last rows of each warp's patch, for the warps beside it. */
struct border {
    lane_cells at[2][WARPS][RM > 0 ? RM : 1][LANES];
};

__device__ __forceinline__ lane_cells cells_of(const patch &patch, int row)
{
    lane_cells cells;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
        cells.at[c] = patch.at[row][RX + c];
    return cells;
}

__device__ __forceinline__ void set_cells(patch &patch, int row, const lane_cells &cells)
{
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
        patch.at[row][RX + c] = cells.at[c];
}

__device__ __forceinline__ void write_border(const patch &patch, border &border)
{
#pragma unroll
    for (int k = 0; k < RM; k++) {
        border.at[0][threadIdx.y][k][threadIdx.x] = cells_of(patch, RM + k);
        border.at[1][threadIdx.y][k][threadIdx.x] = cells_of(patch, ROWS + k);
    }
}

__device__ __forceinline__ void read_border(patch &patch, const border &border)
{
    const int above = threadIdx.y > 0 ? (int) threadIdx.y - 1 : 0;
    const int below = threadIdx.y + 1 < WARPS ? (int) threadIdx.y + 1 : 0;
#pragma unroll
    for (int k = 0; k < RM; k++) {
        set_cells(patch, k, border.at[1][above][k][threadIdx.x]);
        set_cells(patch, RM + ROWS + k, border.at[0][below][k][threadIdx.x]);
    }
}

/* Gives a patch its neighbours. A star needs no corners, so only its own rows have sides. */
__device__ __forceinline__ void complete(patch &patch, const border &border)
{
    if (RM > 0)
        read_border(patch, border);
#pragma unroll
    for (int q = STAR ? RM : 0; q < ROWS + (STAR ? RM : 2 * RM); q++)
        fill_sides(patch, q);
}

/* ---- A step ------------------------------------------------------------------------------------------------------ */

/* The nearest coordinate in the torus. */
__device__ __forceinline__ int64_t clamped(int64_t at, int64_t extent)
{
    return at < 0 ? 0 : at < extent ? at : extent - 1;
}

#ifdef STENCIL_BITS
__device__ __forceinline__ engine_cell cell_of(const kept_cell &kept)
{
    engine_cell cell;
#define ENGINE_STENCIL_CELL_OF(type, name) \
    _Pragma("unroll") for (int b = 0; b < 8; b++) cell.name.plane[b] = \
        b < STENCIL_BITS ? kept.name.plane[b < STENCIL_BITS ? b : 0] : 0; \
    cell.name.most = (1u << STENCIL_BITS) - 1;
    STENCIL_CELL(ENGINE_STENCIL_CELL_OF)
    return cell;
}

__device__ __forceinline__ kept_cell kept_of(const engine_cell &cell)
{
    kept_cell kept;
#define ENGINE_STENCIL_KEPT_OF(type, name) \
    _Pragma("unroll") for (int b = 0; b < STENCIL_BITS; b++) kept.name.plane[b] = cell.name.plane[b];
    STENCIL_CELL(ENGINE_STENCIL_KEPT_OF)
    return kept;
}
#else
__device__ __forceinline__ const engine_cell &cell_of(const kept_cell &kept)
{
    return kept;
}

__device__ __forceinline__ const kept_cell &kept_of(const engine_cell &cell)
{
    return cell;
}
#endif

/* The place in the whole grid of a row or plane of the part, which lies at `last` along the last axis. */
__device__ __forceinline__ int64_t place(const sizes &size, int64_t last)
{
    last = engine_stencil_wrapped(last, size.last);
#ifdef STENCIL_DIVISIBLE
    last += size.offset;
    while (last >= size.whole) /* more than once only if the margins are deeper than the whole grid */
        last -= size.whole;
#endif
    return last;
}

#ifdef STENCIL_INPUTS
/* The inputs of a cell of the grid, by offsets of 32 or of 64 bits. */
template <bool SHORT, class T>
__device__ __forceinline__ engine_input input_at(const arguments &all, T x, T middle, T last)
{
    using offset = std::conditional_t<SHORT, int32_t, int64_t>;
    const offset y = (offset) (STENCIL_AXES == 3 ? middle : last), z = (offset) (STENCIL_AXES == 3 ? last : 0);
    engine_input input;
#define ENGINE_STENCIL_INPUT(type, name) \
    input.name = all.input.name[(offset) x * (offset) all.input.name##_cell + y * (offset) all.input.name##_row + \
                                z * (offset) all.input.name##_plane];
    STENCIL_INPUTS(ENGINE_STENCIL_INPUT)
    return input;
}
#endif

#ifdef STENCIL_INPUTS_NEAR
/* The inputs of a cell that may lie beyond an edge. In a corner, the last axis comes first. */
__device__ __forceinline__ engine_input input_near(const arguments &all, int64_t x, int64_t middle, int64_t last)
{
    const sizes &size = all.size;
    const int64_t at_last = RL > 0 ? engine_stencil_source(size.edges[2], last, size.last) : 0;
    const int64_t at_middle = RM > 0 ? engine_stencil_source(size.edges[1], middle, size.middle) : 0;
    const int64_t at_x = engine_stencil_source(size.edges[0], x, size.width);
    return at_last < 0     ? all.beyond[2]
           : at_middle < 0 ? all.beyond[1]
           : at_x < 0      ? all.beyond[0]
                           : input_at<false>(all, at_x, at_middle, at_last);
}

/* Finds the inputs around a cell, of a grid whose extents may be less than the reach. */
__device__ __forceinline__ void find_inputs(const arguments &all, engine_near &near, int64_t x, int64_t middle,
                                            int64_t last)
{
#pragma unroll
    for (int k = -RL; k <= RL; k++)
#pragma unroll
        for (int j = -RM; j <= RM; j++)
#pragma unroll
            for (int i = -RX; i <= RX; i++)
                if (!STAR || (k != 0) + (j != 0) + (i != 0) <= 1)
                    near.inputs[k + RL][j + RM][i + RX] = input_near(all, x + i, middle + j, last + k);
}
#endif

/* The next values of a cell whose neighbours are known. */
__device__ __forceinline__ engine_cell next_of(const arguments &all, engine_near &near, int64_t x, int64_t middle,
                                               int64_t last, int level)
{
    (void) x, (void) level; /* not all rules see them */
#ifndef STENCIL_BITS
    near.x = engine_stencil_wrapped(x, all.size.width);
#endif
    near.y = STENCIL_AXES == 3 ? engine_stencil_wrapped(middle, all.size.middle) : place(all.size, last);
    near.z = STENCIL_AXES == 3 ? place(all.size, last) : 0;
#ifdef STENCIL_STEP
    near.step = all.size.step + (uint64_t) level;
#endif
#if STENCIL_TOTALS > 0
    near.totals = all.totals;
#endif
#if defined(STENCIL_INPUTS) && !defined(STENCIL_INPUTS_NEAR)
    /* Lanes and rows far beyond the torus compute values that nobody uses: they take the inputs of cells at its end. */
    const int64_t at_last = clamped(engine_stencil_wrapped(last, all.size.last), all.size.last);
    near.input = input_at<false>(all, clamped(near.x, all.size.width),
                                 clamped(engine_stencil_wrapped(middle, all.size.middle), all.size.middle), at_last);
#endif
    engine_cell cell = near.cell[RL][RM][RX];
    next(&all.numbers, &near, &cell);
    return cell;
}

__device__ __forceinline__ engine_cell next_cell(const arguments &all, engine_near &near,
                                                 const patch *const (&planes)[2 * RL + 1], int q, int c, int64_t x,
                                                 int64_t middle, int64_t last, int level)
{
#pragma unroll
    for (int k = -RL; k <= RL; k++)
#pragma unroll
        for (int j = -RM; j <= RM; j++)
#pragma unroll
            for (int i = -RX; i <= RX; i++)
                if (!STAR || (k != 0) + (j != 0) + (i != 0) <= 1)
                    near.cell[k + RL][j + RM][i + RX] = cell_of(planes[k + RL]->at[q + j + RM][c + i + RX]);
    return next_of(all, near, x, middle, last, level);
}

#ifdef STENCIL_OUTPUTS
/* Writes the outputs of a lane's cells in row q. `cells` of them belong to the grid. */
__device__ __forceinline__ void store_shown(const arguments &all, const engine_shown (&shown)[COLUMNS], int64_t x,
                                            int64_t middle, int64_t last, int cells)
{
#define ENGINE_STENCIL_STORE_SHOWN(type, member) \
    { \
        type *const row = all.shown.member + \
                          engine_stencil_offset(middle, last, all.shown.member##_row, all.shown.member##_plane) + x; \
        group<type> result; \
        _Pragma("unroll") for (int c = 0; c < COLUMNS; c++) result.at[c] = shown[c].member; \
        if (cells >= COLUMNS) \
            *(group<type> *) row = result; \
        else \
            _Pragma("unroll") for (int c = 0; c < COLUMNS; c++) if (c < cells) row[c] = result.at[c]; \
    }
    STENCIL_OUTPUTS(ENGINE_STENCIL_STORE_SHOWN)
}
#endif

/* Takes the rows that a lane holds from level `level` to the next. `old` are the rows before `fresh`. Unless the launch
 * takes ALL steps, the levels beyond the last step only pass the rows on. Outputs are written for the rows of which
 * `shown_rows` has bit q set, and for `cells` cells of the lane. */
template <bool ALL>
__device__ __forceinline__ patch next_patch(const arguments &all, patch (&old)[RL > 0 ? 2 * RL : 1], patch &fresh,
                                            const border &border, int64_t x, int64_t middle, int64_t last, int level,
                                            unsigned shown_rows, int cells)
{
    (void) shown_rows, (void) cells; /* not all rules have outputs */
    patch *planes[2 * RL + 1];
#pragma unroll
    for (int k = 0; k < 2 * RL; k++)
        planes[k] = &old[k];
    planes[2 * RL] = &fresh;
    complete(STAR ? *planes[RL] : fresh, border);
    patch result;
    if (ALL || level < all.size.steps) {
#pragma unroll
        for (int q = 0; q < ROWS; q++) {
#ifdef STENCIL_OUTPUTS
            engine_shown shown[COLUMNS];
#endif
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                engine_near near;
                const engine_cell cell = next_cell(all, near, (const patch *const(&)[2 * RL + 1]) planes, q, c, x + c,
                                                   middle + q, last, level);
                result.at[q + RM][c + RX] = kept_of(cell);
#ifdef STENCIL_OUTPUTS
                if (shown_rows >> q & 1)
                    show(&all.numbers, &near, &cell, &shown[c]);
#endif
            }
#ifdef STENCIL_OUTPUTS
            if (shown_rows >> q & 1)
                store_shown(all, shown, x, middle + q, last, cells);
#endif
        }
    } else {
        result = *planes[RL];
    }
#pragma unroll
    for (int k = 0; k + 1 < 2 * RL; k++)
        old[k] = old[k + 1];
    if (RL > 0)
        old[2 * RL > 0 ? 2 * RL - 1 : 0] = fresh;
    return result;
}

/* ---- The kernel -------------------------------------------------------------------------------------------------- */

/* The columns that a strip loses on each side in a launch of LEVELS steps, in whole groups, and those that it writes;
 * the rows that a tile writes; the bytes of shared memory of a block. */
template <int LEVELS> struct shape {
    static constexpr int MARGIN = (RX * LEVELS + LANE_CELLS - 1) / LANE_CELLS * LANE_CELLS;
    static constexpr int WIDTH = LANES * LANE_CELLS - 2 * MARGIN;
    static constexpr int ROWS_WRITTEN = RM > 0 ? WARPS *ROWS - 2 * RM *LEVELS : 1;
    static constexpr size_t SHARED = RM > 0 ? 2 * LEVELS * sizeof(border) : 0;
    static_assert(WIDTH > 0 && ROWS_WRITTEN > 0,
                  "so many steps leave nothing of a strip: define a smaller STENCIL_STEPS");
};

template <int LEVELS, bool ALL>
__global__ __launch_bounds__(LANES *WARPS) void march(const __grid_constant__ arguments all)
{
    extern __shared__ __align__(16) unsigned char memory[];
    border *const borders = (border *) memory; /* [2][LEVELS], for even and odd iterations */
    const sizes &size = all.size;
    const int64_t x =
        (int64_t) blockIdx.x * shape<LEVELS>::WIDTH - shape<LEVELS>::MARGIN + (int64_t) threadIdx.x * LANE_CELLS;
    const int64_t tile = RM > 0 ? (int64_t) blockIdx.y * shape<LEVELS>::ROWS_WRITTEN : 0;
    const int64_t middle = RM > 0 ? tile - RM * LEVELS + (int64_t) threadIdx.y * ROWS : 0;
    /* The shuffle tells the compiler that the number is the same for all lanes. */
    const int64_t number = RM > 0 ? blockIdx.z : (int64_t) blockIdx.y * WARPS + __shfl_sync(~0u, (int) threadIdx.y, 0);
    const int64_t begin = number * size.band, end = begin + size.band < size.last ? begin + size.band : size.last;
    if (RM == 0 && begin >= end)
        return;

    /* The rows of the lane that it reads and writes, as bits. */
    unsigned reads = 0, writes = 0;
    const bool inside = x + LANE_CELLS > -size.ghost_x && x < size.width + size.ghost_x;
    const bool valid = (int) threadIdx.x * LANE_CELLS >= shape<LEVELS>::MARGIN &&
                       (int) threadIdx.x * LANE_CELLS < LANES * LANE_CELLS - shape<LEVELS>::MARGIN && x < size.width;
    for (int q = 0; q < ROWS; q++) {
        const int64_t row = middle + q;
        reads |= (unsigned) (inside && row >= -size.ghost_middle && row < size.middle + size.ghost_middle) << q;
        writes |= (unsigned) (valid && row >= tile && row < tile + shape<LEVELS>::ROWS_WRITTEN && row < size.middle)
                  << q;
    }

    const int cells = size.width - x < LANE_CELLS ? (int) (size.width - x) : LANE_CELLS;

    /* The compiler would rather compute these bits again in each iteration. */
    asm("" : "+r"(reads), "+r"(writes));

    /* Iteration i reads row begin - before + i and writes the row that is `delay` before it. */
    const int before = RL * (ALL ? LEVELS : size.steps), delay = RL * LEVELS, rows = (int) (end - begin);
    cursor from = cursor_at(all.from, x, middle, begin - before),
           to = cursor_at(all.to, x, middle, begin - before - delay);
    patch old[LEVELS][RL > 0 ? 2 * RL : 1] = {};
    patch coming = {};
    load(coming, all.from, from, reads);
    for (int first = 0; first < rows + before + delay; first += 2 * RL + 1) {
        /* After 2 RL + 1 iterations, each row is in the same registers again. */
#pragma unroll
        for (int k = 0; k < 2 * RL + 1; k++) {
            const int i = first + k;
            patch fresh = coming;
            move_on(from, all.from);
            if (i + 1 < rows + 2 * before)
                load(coming, all.from, from, reads);
            border *const now = borders + (RM > 0 ? (i & 1) * LEVELS : 0);
            if (RM > 0 && STAR) {
#pragma unroll
                for (int t = 0; t < LEVELS; t++)
                    write_border(old[t][RL], now[t]);
                __syncthreads();
            }
#pragma unroll
            for (int t = 0; t < LEVELS; t++) {
                if (RM > 0 && !STAR) {
                    write_border(fresh, now[t]);
                    __syncthreads();
                }
                const int64_t row = begin - before + i - RL * (t + 1);
                const bool shows = all.shows && t == (ALL ? LEVELS : size.steps) - 1 && row >= begin && row < end;
                fresh = next_patch<ALL>(all, old[t], fresh, now[RM > 0 ? t : 0], x, middle, row, t, shows ? writes : 0,
                                        cells);
            }
            if (i >= before + delay && i < rows + before + delay)
                store(fresh, all.to, to, writes, cells);
            move_on(to, all.to);
        }
    }
}

inline int fail_too_large(const engine_call *call)
{
    return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "the grid is too large for a GPU; choose a smaller one, or cpu");
}

/* ---- Heavy cells ------------------------------------------------------------------------------------------------- */

#ifndef STENCIL_BITS
constexpr int THREADS = 128; /* the most of a block */

/* How a thread finds the cells beyond the edges of the grid. */
enum edges_by { BY_GHOSTS, BY_TORUS, BY_KIND };

/* A coordinate beside a cell, or -1: beyond a dead or fixed edge there is no cell. */
template <edges_by EDGES, class T> __device__ __forceinline__ T beside(T at, T extent, uint32_t edge)
{
    if (EDGES == BY_GHOSTS || (at >= 0 && at < extent))
        return at;
    if (EDGES == BY_TORUS || edge == ENGINE_EDGE_TORUS)
        return at < 0 ? at + extent : at - extent;
    return edge != ENGINE_EDGE_MIRROR ? -1 : at < 0 ? -1 - at : 2 * extent - 1 - at;
}

/* Are the strides of all members the same, and offsets so short that they take one instruction instead of six? */
inline bool has_short_offsets(const arguments &all)
{
    const engine_grid &grid = all.from;
    const sizes &size = all.size;
#define ENGINE_STENCIL_ROW_OF(type, member)   grid.member##_row,
#define ENGINE_STENCIL_PLANE_OF(type, member) grid.member##_plane,
    const int64_t rows[] = {STENCIL_CELL(ENGINE_STENCIL_ROW_OF)}, planes[] = {STENCIL_CELL(ENGINE_STENCIL_PLANE_OF)};
    bool same = true;
    for (size_t i = 1; i < sizeof rows / sizeof rows[0]; i++)
        same = same && rows[i] == rows[0] && planes[i] == planes[0];
#ifdef STENCIL_INPUTS_NEAR
#define ENGINE_STENCIL_SHORT_INPUT(type, member) \
    same = same && (STENCIL_AXES == 1   ? all.input.member##_cell * size.width \
                    : STENCIL_AXES == 2 ? all.input.member##_row * size.last \
                                        : all.input.member##_plane * size.last) < INT32_MAX;
    STENCIL_INPUTS(ENGINE_STENCIL_SHORT_INPUT)
#endif
    return same && (STENCIL_AXES == 1   ? size.width
                    : STENCIL_AXES == 2 ? rows[0] * size.last
                                        : planes[0] * size.last) < INT32_MAX;
}

/* The elements of a cell that lies in the grid, by 32 bits or, for each member, by 64. */
template <bool SHORT, class T>
__device__ __forceinline__ cursor cell_at(const engine_grid &grid, int32_t row, int32_t plane, T x, T middle, T last)
{
    if constexpr (!SHORT)
        return cursor_at(grid, x, middle, last);
    const int32_t offset = STENCIL_AXES == 3 ? (int32_t) last * plane + (int32_t) middle * row : (int32_t) last * row;
    cursor cursor;
#define ENGINE_STENCIL_SHORT_POINT(type, member) cursor.member = grid.member + (offset + (int32_t) x);
    STENCIL_CELL(ENGINE_STENCIL_SHORT_POINT)
    return cursor;
}

/* A thread takes one cell. The compiler leaves out the members that `next` does not read. */
template <class ARGUMENTS, edges_by EDGES, bool SHORT>
__global__ __launch_bounds__(THREADS) void step_directly(const __grid_constant__ ARGUMENTS all, uint32_t strips)
{
    using coordinate = std::conditional_t<SHORT, int32_t, int64_t>;
    const sizes &size = all.size;
    const coordinate x = (coordinate) (blockIdx.x % strips * blockDim.x + threadIdx.x);
    const uint32_t row = blockIdx.x / strips, rows = (uint32_t) size.middle;
    const coordinate middle = STENCIL_AXES == 3 ? row % rows : 0, last = STENCIL_AXES == 3 ? row / rows : row;
    if (x >= size.width)
        return;
    engine_near near;
#pragma unroll
    for (int k = -RL; k <= RL; k++)
#pragma unroll
        for (int j = -RM; j <= RM; j++)
#pragma unroll
            for (int i = -RX; i <= RX; i++)
                if (!STAR || (k != 0) + (j != 0) + (i != 0) <= 1) {
                    const coordinate at_x = beside<EDGES>(x + i, (coordinate) size.width, size.edges[0]);
                    const coordinate at_middle = beside<EDGES>(middle + j, (coordinate) size.middle, size.edges[1]);
                    const coordinate at_last = beside<EDGES>(last + k, (coordinate) size.last, size.edges[2]);
                    engine_cell &cell = near.cell[k + RL][j + RM][i + RX];
                    if (EDGES == BY_KIND && (at_x < 0 || at_middle < 0 || at_last < 0)) {
                        const int axis = at_last < 0 ? 2 : at_middle < 0 ? 1 : 0;
                        cell = all.outside[axis];
#ifdef STENCIL_INPUTS_NEAR
                        near.inputs[k + RL][j + RM][i + RX] = all.beyond[axis];
#endif
                        continue;
                    }
                    const cursor from = cell_at<SHORT>(all.from, all.row, all.plane, at_x, at_middle, at_last);
#define ENGINE_STENCIL_FETCH(type, name) cell.name = *from.name;
                    STENCIL_CELL(ENGINE_STENCIL_FETCH)
#ifdef STENCIL_INPUTS_NEAR
                    if (EDGES != BY_GHOSTS)
                        near.inputs[k + RL][j + RM][i + RX] = input_at<SHORT>(all, at_x, at_middle, at_last);
#endif
                }
#ifdef STENCIL_INPUTS_NEAR
    if (EDGES == BY_GHOSTS)
        find_inputs(all, near, x, middle, last);
    near.input = near.inputs[RL][RM][RX];
#endif
    const engine_cell cell = next_of(all, near, x, middle, last, 0);
    const cursor to = cell_at<SHORT>(all.to, all.row, all.plane, x, middle, last);
#define ENGINE_STENCIL_PUT(type, name) *to.name = cell.name;
    STENCIL_CELL(ENGINE_STENCIL_PUT)
#ifdef STENCIL_OUTPUTS
    if (all.shows) {
        engine_shown shown;
        show(&all.numbers, &near, &cell, &shown);
#define ENGINE_STENCIL_PUT_SHOWN(type, member) \
    all.shown.member[engine_stencil_offset(middle, last, all.shown.member##_row, all.shown.member##_plane) + x] = \
        shown.member;
        STENCIL_OUTPUTS(ENGINE_STENCIL_PUT_SHOWN)
    }
#endif
}

template <class ARGUMENTS> int launch_directly(const engine_call *call, const ARGUMENTS &all)
{
    const uint64_t strips = engine_divide_up((uint64_t) all.size.width, THREADS);
    const uint64_t threads = engine_divide_up(engine_divide_up((uint64_t) all.size.width, strips), LANES) * LANES;
    const uint64_t rows = (uint64_t) (all.size.middle * all.size.last);
    if (rows > ENGINE_CUDA_BLOCKS_X / strips)
        return fail_too_large(call);
    const dim3 blocks((unsigned) (strips * rows)), block((unsigned) threads);
    const uint32_t count = (uint32_t) strips;
    const cudaStream_t stream = engine_cuda_stream(call);
    const bool is_short = has_short_offsets(all);
    if (all.size.ghost_x > 0)
        step_directly<ARGUMENTS, BY_GHOSTS, false><<<blocks, block, 0, stream>>>(all, count);
    else if (!is_short)
        step_directly<ARGUMENTS, BY_KIND, false><<<blocks, block, 0, stream>>>(all, count);
    else if (all.size.edges[0] + all.size.edges[1] + all.size.edges[2] == 3 * ENGINE_EDGE_TORUS)
        step_directly<ARGUMENTS, BY_TORUS, true><<<blocks, block, 0, stream>>>(all, count);
    else
        step_directly<ARGUMENTS, BY_KIND, true><<<blocks, block, 0, stream>>>(all, count);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, step_directly);
    return 0;
}
#else
template <class ARGUMENTS> int launch_directly(const engine_call *, const ARGUMENTS &);
#endif

/* ---- Totals ------------------------------------------------------------------------------------------------------ */

/* Reads a cell of the states. */
__device__ __forceinline__ engine_values values_of(const arguments &all, int64_t x, int64_t middle, int64_t last)
{
    engine_values cell = {};
#define ENGINE_STENCIL_READ(type, name) \
    cell.name = all.from.name[engine_stencil_offset(middle, last, all.from.name##_row, all.from.name##_plane) + x];
    STENCIL_CELL(ENGINE_STENCIL_READ)
    return cell;
}

#if STENCIL_TOTALS > 0
constexpr int TOTALS = STENCIL_TOTALS, COUNTING_WARPS = 16;
constexpr bool FEW_TOTALS = TOTALS <= ENGINE_STENCIL_FEW;
constexpr size_t TOTALS_BYTES = FEW_TOTALS || TOTALS > ENGINE_STENCIL_MANY ? 0 : TOTALS * sizeof(int64_t);

/* A warp counts rows. If there are few totals, each lane has its own ones. A block has more of them in shared memory. They
 * are added at the end. */
__global__ __launch_bounds__(LANES *COUNTING_WARPS) void count_rows(arguments all)
{
    extern __shared__ __align__(16) unsigned char memory[];
    int64_t own[FEW_TOTALS ? TOTALS : 1] = {};
    engine_totals totals = {FEW_TOTALS ? own : all.totals, (uint32_t *) memory, (uint32_t *) memory + TOTALS};
    const int thread = (int) (threadIdx.y * LANES + threadIdx.x);
    for (int k = thread; TOTALS_BYTES > 0 && k < TOTALS; k += LANES * COUNTING_WARPS)
        totals.low[k] = totals.high[k] = 0;
    if (TOTALS_BYTES > 0)
        __syncthreads();
    for (int64_t row = (int64_t) blockIdx.x * blockDim.y + threadIdx.y; row < all.size.middle * all.size.last;
         row += (int64_t) gridDim.x * blockDim.y)
        for (int64_t x = threadIdx.x; x < all.size.width; x += LANES) {
            const engine_values cell = values_of(all, x, row % all.size.middle, row / all.size.middle);
            count(&all.numbers, &cell, &totals);
        }
    if (TOTALS_BYTES > 0)
        __syncthreads();
    for (int k = thread; TOTALS_BYTES > 0 && k < TOTALS; k += LANES * COUNTING_WARPS) {
        const unsigned long long sum = (unsigned long long) totals.high[k] << 32 | totals.low[k];
        if (sum != 0)
            atomicAdd((unsigned long long *) &all.totals[k], sum);
    }
    for (int k = 0; FEW_TOTALS && k < TOTALS; k++) {
        for (int apart = LANES / 2; apart > 0; apart /= 2)
            own[k] += __shfl_xor_sync(~0u, own[k], apart);
        if (threadIdx.x == 0)
            atomicAdd((unsigned long long *) &all.totals[k], (unsigned long long) own[k]);
    }
}
#endif

/* ---- Metrics ----------------------------------------------------------------------------------------------------- */

#if STENCIL_SUMS > 0
/* A warp adds up a row of the own cells: cell x goes to lane x mod 32, and the lanes are added in pairs. The CPU adds
 * in the same order. `first` is the first of the own cells along the last axis. */
__global__ void add_rows(arguments all, int64_t first, int64_t rows, double *sums)
{
    for (int64_t row = (int64_t) blockIdx.x * blockDim.y + threadIdx.y; row < rows;
         row += (int64_t) gridDim.x * blockDim.y) {
        const int64_t middle = row % all.size.middle, last = first + row / all.size.middle;
        double own[STENCIL_SUMS] = {};
        for (int64_t x = threadIdx.x; x < all.size.width; x += LANES) {
            engine_values cell = values_of(all, x, middle, last);
#ifdef STENCIL_OUTPUTS
#define ENGINE_STENCIL_READ_SHOWN(type, member) \
    cell.member = \
        all.shown.member[engine_stencil_offset(middle, last, all.shown.member##_row, all.shown.member##_plane) + x];
            STENCIL_OUTPUTS(ENGINE_STENCIL_READ_SHOWN)
#endif
            tally(&all.numbers, &cell, own);
        }
        for (int k = 0; k < STENCIL_SUMS; k++) {
            for (int apart = LANES / 2; apart > 0; apart /= 2)
                own[k] += __shfl_xor_sync(~0u, own[k], apart);
            if (threadIdx.x == 0)
                sums[row * STENCIL_SUMS + k] = own[k];
        }
    }
}
#endif

/* ---- The implementation ------------------------------------------------------------------------------------------ */

inline inputs inputs_of(const engine_call *call)
{
#ifdef STENCIL_INPUTS
    return engine_stencil_inputs(call);
#else
    (void) call;
    return inputs();
#endif
}

inline outputs outputs_of(const engine_call *call)
{
#ifdef STENCIL_OUTPUTS
    return engine_stencil_shown(call);
#else
    (void) call;
    return outputs();
#endif
}

inline arguments arguments_of(const engine_call *call)
{
    const uint32_t state = engine_stencil_first_state();
    const engine_buffer *buffer = engine_field_buffer(call, state);
    const uint64_t *extent = buffer->shape->extent;
    const engine_layout *layout = buffer->layout;
    arguments all = {};
    all.from = engine_stencil_grid(call, call->current);
    all.to = engine_stencil_grid(call, call->result);
    all.input = inputs_of(call);
    all.numbers = rule_of(call->plan);
#define ENGINE_STENCIL_STRIDES(type, member) \
    all.row = (int32_t) all.from.member##_row; \
    all.plane = (int32_t) all.from.member##_plane;
    STENCIL_CELL(ENGINE_STENCIL_STRIDES)
    all.shown = outputs_of(call);
#ifdef STENCIL_OUTPUTS
    all.shows = STENCIL_SHOWS(&all.numbers);
#endif
    for (uint32_t axis = 0; axis < STENCIL_AXES; axis++) {
        const int place = axis == 0 ? 0 : axis == STENCIL_AXES - 1 ? 2 : 1;
        all.size.edges[place] = engine_plan_edge(call->plan, axis);
#if ENGINE_STENCIL_OUTSIDE
        all.outside[place] = engine_stencil_cell_beyond(call, axis);
#endif
#ifdef STENCIL_INPUTS_NEAR
        all.beyond[place] = engine_stencil_input_beyond(call, axis);
#endif
    }
    all.size.width = (int64_t) extent[0];
    all.size.middle = STENCIL_AXES == 3 ? (int64_t) extent[1] : 1;
    all.size.last = STENCIL_AXES == 1 ? 1 : (int64_t) extent[STENCIL_AXES - 1];
    all.size.ghost_x = layout->ghost[0];
    all.size.ghost_middle = STENCIL_AXES == 3 ? layout->ghost[1] : 0;
    all.size.steps = (int) call->steps;
    all.size.step = call->first_step;
#ifdef STENCIL_DIVISIBLE
    all.size.offset = (int64_t) call->plan->part.offset[STENCIL_AXES - 1];
    all.size.whole = (int64_t) call->plan->part.whole[STENCIL_AXES - 1];
#endif
    return all;
}

/* What `create` finds out about the device: how many blocks run at the same time. */
struct instance {
    int64_t one, some, all; /* for launches of one step, of fewer than STEPS, and of STEPS */
    int64_t *totals;        /* in device memory */
    double *sums, *copy;    /* for the metrics: one of each for each row, in device and in host memory */
};

#if STENCIL_TOTALS > 0
inline int launch_count(const instance *own, const engine_call *call, arguments &all)
{
    all.totals = own->totals;
    const cudaStream_t stream = engine_cuda_stream(call);
    const dim3 threads(LANES, COUNTING_WARPS);
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(all.totals, 0, STENCIL_TOTALS * sizeof *all.totals, stream));
    count_rows<<<engine_cuda_blocks((uint64_t) (all.size.middle * all.size.last), threads.y, 512), threads,
                 TOTALS_BYTES, stream>>>(all);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count_rows);
    return 0;
}
#endif

template <int LEVELS, bool ALL> cudaError_t resident_blocks(int64_t *blocks)
{
    int device, processors, each;
    ENGINE_CUDA_TRY(cudaFuncSetAttribute(march<LEVELS, ALL>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         (int) shape<LEVELS>::SHARED));
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    ENGINE_CUDA_TRY(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, march<LEVELS, ALL>, LANES * WARPS, shape<LEVELS>::SHARED));
    *blocks = (int64_t) processors * (each > 0 ? each : 1);
    return cudaSuccess;
}

/* Divides the last axis into bands so that all blocks run at the same time, if that leaves bands of at least twice the
 * rows that a band computes in vain; a larger grid gets several rounds of blocks. */
template <int LEVELS, bool ALL> int launch(const engine_call *call, arguments all, int64_t resident)
{
    const uint64_t strips = engine_divide_up((uint64_t) all.size.width, shape<LEVELS>::WIDTH);
    const uint64_t tiles = engine_divide_up((uint64_t) all.size.middle, shape<LEVELS>::ROWS_WRITTEN);
    const uint64_t last = (uint64_t) all.size.last, each = RM > 0 ? 1 : WARPS; /* bands of a block */
    const uint64_t least = RL * LEVELS * 4 > 16 ? RL * LEVELS * 4 : 16, most = 512;
    const uint64_t columns = strips * tiles; /* strips or tiles that share the GPU */
    const uint64_t rounds = engine_divide_up(engine_divide_up(last, most) * columns, (uint64_t) resident * each);
    uint64_t bands = rounds * (uint64_t) resident * each / columns;
    if (bands > last / least)
        bands = last / least;
    if (bands == 0)
        bands = 1;
    all.size.band = (int64_t) engine_divide_up(last, bands);
    bands = engine_divide_up(last, (uint64_t) all.size.band);
    const dim3 blocks((unsigned) strips, (unsigned) (RM > 0 ? tiles : engine_divide_up(bands, WARPS)),
                      (unsigned) (RM > 0 ? bands : 1));
    if (strips > ENGINE_CUDA_BLOCKS_X || blocks.y > ENGINE_CUDA_BLOCKS_YZ || tiles > ENGINE_CUDA_BLOCKS_YZ ||
        blocks.z > ENGINE_CUDA_BLOCKS_YZ)
        return fail_too_large(call);
    march<LEVELS, ALL><<<blocks, dim3(LANES, WARPS), shape<LEVELS>::SHARED, engine_cuda_stream(call)>>>(all);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, march);
    return 0;
}

/* Takes the steps of a call, a launch for each. The buffers change places. */
template <class ARGUMENTS> int advance_directly(const instance *own, engine_call *call, ARGUMENTS all)
{
    const int shows = all.shows;
    (void) own; /* not all rules have totals */
    for (uint64_t step = 0; step < call->steps; step++) {
        all.shows = shows && step + 1 == call->steps;
#if STENCIL_TOTALS > 0
        int status = launch_count(own, call, all);
        status = status ? status : launch_directly<ARGUMENTS>(call, all);
#else
        const int status = launch_directly<ARGUMENTS>(call, all);
#endif
        if (status != 0)
            return status;
        const engine_grid written = all.to;
        all.to = all.from;
        all.from = written;
        all.size.step++;
    }
    call->result = call->steps % 2 ? !call->current : call->current;
    return 0;
}

} // namespace engine_stencil

int engine_stencil_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    engine_stencil_layout(plan, field, layout, engine_stencil::STEPS);
    /* Threads that take one cell find the cells beyond the edges by themselves: no ghosts limit a call to one step. */
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    int alone = engine_stencil::DIRECT && engine_stencil_has_edges(host, plan);
    for (int axis = 0; axis < STENCIL_AXES; axis++)
        alone = alone && extent[axis] >= engine_stencil_reach(axis);
    for (int axis = 0; alone && engine_stencil_field(field)->role == ENGINE_STATE && axis < STENCIL_AXES; axis++) {
        layout->ghost[axis] = 0;
        layout->wraps |= 1u << axis;
    }
    return 0;
}

int engine_stencil_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host;
    engine_stencil_cost((uint32_t) engine_stencil_steps(plan, engine_stencil_first_state(), STENCIL_STEPS), cost);
    return 0;
}

int engine_stencil_cuda_create(const engine_call *call, void **self)
{
    using namespace engine_stencil;
    int status = engine_stencil_check_all(call);
    if (status != 0)
        return status;
    instance *own = (instance *) call->host->scratch(call->host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    if constexpr (!DIRECT) {
        ENGINE_CUDA_CHECK(call->host, (resident_blocks<1, true>(&own->one)));
        ENGINE_CUDA_CHECK(call->host, (resident_blocks<STEPS, false>(&own->some)));
        ENGINE_CUDA_CHECK(call->host, (resident_blocks<STEPS, true>(&own->all)));
    }
#if STENCIL_TOTALS > 0
    own->totals = (int64_t *) call->host->scratch(call->host, STENCIL_TOTALS * sizeof *own->totals, ENGINE_CUDA_MEMORY);
    if (!own->totals)
        return ENGINE_NO_MEMORY;
#endif
#if STENCIL_SUMS > 0
    const arguments all = arguments_of(call);
    const uint64_t bytes = (uint64_t) (all.size.middle * all.size.last) * STENCIL_SUMS * sizeof(double);
    own->sums = (double *) call->host->scratch(call->host, bytes, ENGINE_CUDA_MEMORY);
    own->copy = (double *) call->host->scratch(call->host, bytes, ENGINE_HOST_MEMORY);
    if (!own->sums || !own->copy)
        return ENGINE_NO_MEMORY;
#endif
    *self = own;
    return 0;
}

int engine_stencil_cuda_advance(void *self, engine_call *call)
{
    using namespace engine_stencil;
    arguments all = arguments_of(call);
    const instance *own = (const instance *) self;
#if STENCIL_TOTALS > 0
    const int status = DIRECT ? 0 : launch_count(own, call, all);
    if (status != 0)
        return status;
#endif
    if constexpr (DIRECT)
        return advance_directly<arguments>(own, call, all);
    else if (call->steps == 1)
        return launch<1, true>(call, all, own->one);
    else
        return call->steps < STEPS ? launch<STEPS, false>(call, all, own->some)
                                   : launch<STEPS, true>(call, all, own->all);
}

int engine_stencil_cuda_measure(void *self, const engine_call *call, double *values)
{
#if STENCIL_SUMS > 0
    using namespace engine_stencil;
    const instance *own = (const instance *) self;
    const cudaStream_t stream = engine_cuda_stream(call);
    const arguments all = arguments_of(call);
    const int64_t first = engine_stencil_first(call);
    const uint64_t rows = (uint64_t) (all.size.middle * engine_stencil_counted(call));
    const dim3 threads(LANES, 4);
    add_rows<<<engine_cuda_blocks(rows, threads.y, 65536), threads, 0, stream>>>(all, first, (int64_t) rows, own->sums);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, add_rows);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(own->copy, own->sums, rows * STENCIL_SUMS * sizeof(double),
                                                  cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    engine_stencil_begin_sums(values);
    for (uint64_t i = 0; i < rows * STENCIL_SUMS; i++)
        values[i % STENCIL_SUMS] += own->copy[i];
#else
    (void) self, (void) call, (void) values;
#endif
    return 0;
}

#endif
