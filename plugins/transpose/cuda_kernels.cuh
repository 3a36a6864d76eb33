/* The kernels of transpose; cuda.cu tells what each adds. All count blocks along x alone, the first ones next to each
 * other along the rows that are written. */
#ifndef TRANSPOSE_CUDA_KERNELS_CUH
#define TRANSPOSE_CUDA_KERNELS_CUH

#include "transpose.h"

/* An element by its size. */
template <uint32_t BYTES> struct element_of;
template <> struct element_of<1> {
    using type = uint8_t;
};
template <> struct element_of<2> {
    using type = uint16_t;
};
template <> struct element_of<4> {
    using type = uint32_t;
};
template <> struct element_of<8> {
    using type = uint2;
};
template <> struct element_of<16> {
    using type = uint4;
};

/* A pass cut into tiles of so many rows and columns, one a block. */
struct transpose_grid {
    transpose_pass pass;
    uint32_t tile_rows, tile_columns;
    uint64_t down, across; /* tiles */
};

/* A block's tile: its matrices, and its first element. */
struct transpose_place {
    const uint8_t *from;
    uint8_t *to;
    uint64_t row, column;
};

static __device__ transpose_place place_of(const transpose_grid &grid, uint64_t down, uint64_t across, uint64_t plane)
{
    return {grid.pass.from + plane * grid.pass.from_plane, grid.pass.to + plane * grid.pass.to_plane,
            down * grid.tile_rows, across * grid.tile_columns};
}

/* 32 bits do where they can: a division in 64 takes as long as a block's loads. */
static __device__ transpose_place place_of(const transpose_grid &grid)
{
    const uint32_t block = blockIdx.x;
    if (grid.down > UINT32_MAX || grid.across > UINT32_MAX)
        return place_of(grid, block % grid.down, block / grid.down % grid.across, block / grid.down / grid.across);
    const uint32_t down = (uint32_t) grid.down, across = (uint32_t) grid.across, rest = block / down;
    return place_of(grid, block % down, rest % across, rest / across);
}

template <class Element>
static __device__ const Element *source(const transpose_grid &grid, const transpose_place &place, uint64_t row)
{
    return (const Element *) (place.from + row * grid.pass.from_row);
}

template <class Element>
static __device__ Element *target(const transpose_grid &grid, const transpose_place &place, uint64_t column)
{
    return (Element *) (place.to + column * grid.pass.to_row);
}

/* ---- A thread an element ------------------------------------------------------------------------------------ */

template <uint32_t BYTES> __global__ void transpose_naive(const transpose_grid grid)
{
    using Element = typename element_of<BYTES>::type;
    const transpose_place place = place_of(grid);
    const uint64_t row = place.row + threadIdx.y, column = place.column + threadIdx.x;
    if (row < grid.pass.rows && column < grid.pass.columns)
        target<Element>(grid, place, column)[row] = source<Element>(grid, place, row)[column];
}

template <uint32_t BYTES, int SIDE> __global__ void transpose_tiled(const transpose_grid grid)
{
    using Element = typename element_of<BYTES>::type;
    __shared__ Element tile[SIDE][SIDE + 1]; /* an element more a row: its columns lie in different banks */
    const transpose_place place = place_of(grid);
    const uint64_t row = place.row + threadIdx.y, column = place.column + threadIdx.x;
    if (row < grid.pass.rows && column < grid.pass.columns)
        tile[threadIdx.y][threadIdx.x] = source<Element>(grid, place, row)[column];
    __syncthreads();
    const uint64_t to_row = place.column + threadIdx.y, to_column = place.row + threadIdx.x;
    if (to_row < grid.pass.columns && to_column < grid.pass.rows)
        target<Element>(grid, place, to_row)[to_column] = tile[threadIdx.x][threadIdx.y];
}

/* ---- Short rows --------------------------------------------------------------------------------------------- */

enum { TRANSPOSE_SHORT_THREADS = 256, TRANSPOSE_SHORT_BYTES = 16384 };

/* A tile as wide or as high as the matrix: rows of a few elements lie side by side in memory, and are read and written
 * as if they were one. */
template <uint32_t BYTES>
__global__ void __launch_bounds__(TRANSPOSE_SHORT_THREADS) transpose_short(const transpose_grid grid)
{
    using Element = typename element_of<BYTES>::type;
    extern __shared__ uint4 shared[];
    Element *tile = (Element *) shared;
    const transpose_place place = place_of(grid);
    const uint64_t rows_left = grid.pass.rows - place.row, columns_left = grid.pass.columns - place.column;
    const uint32_t rows = rows_left < grid.tile_rows ? (uint32_t) rows_left : grid.tile_rows;
    const uint32_t columns = columns_left < grid.tile_columns ? (uint32_t) columns_left : grid.tile_columns;
    const uint32_t count = rows * columns, pitch = columns | 1; /* odd: columns lie in different banks */
    for (uint32_t i = threadIdx.x; i < count; i += TRANSPOSE_SHORT_THREADS) {
        const uint32_t row = i / columns, column = i % columns;
        tile[row * pitch + column] = source<Element>(grid, place, place.row + row)[place.column + column];
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += TRANSPOSE_SHORT_THREADS) {
        const uint32_t column = i / rows, row = i % rows;
        target<Element>(grid, place, place.column + column)[place.row + row] = tile[row * pitch + column];
    }
}

template <uint32_t BYTES> __global__ void transpose_short_in_place(const transpose_grid grid)
{
    using Element = typename element_of<BYTES>::type;
    const transpose_place place = place_of(grid);
    const uint64_t row = place.row + threadIdx.y, column = place.column + threadIdx.x;
    if (row >= column || row >= grid.pass.rows || column >= grid.pass.columns)
        return;
    Element *one = target<Element>(grid, place, row) + column, *other = target<Element>(grid, place, column) + row;
    const Element kept = *one;
    *one = *other;
    *other = kept;
}

/* ---- Whole lines -------------------------------------------------------------------------------------------- */

/* A square tile in shared memory, in vectors of 16 bytes; each of THREADS moves EACH of them in and out. Rows begin at
 * whole vectors in both matrices, so a vector that begins inside a row may be read and written whole.
 *
 * Vector v of row r lies at place v ^ r / N of its row. Then eight lanes that read below each other, N rows apart, and
 * four that read side by side, all find different banks.
 *
 * ONCE: what is read is not needed again, nor soon what is written: the cache may drop it first. */
template <uint32_t BYTES, int SIDE, int THREADS, bool ONCE> struct transpose_tile {
    using Element = typename element_of<BYTES>::type;
    static constexpr int N = 16 / BYTES;     /* elements of a vector */
    static constexpr int VECTORS = SIDE / N; /* of a row */
    static constexpr int EACH = SIDE * VECTORS / THREADS;
    static_assert(VECTORS % 8 == 0, "eight lanes read eight vectors of a column");

    uint4 vectors[SIDE * VECTORS];

    /* Loads the tile at (row, column) into registers: all of it is on its way before any of it is waited for. */
    static __device__ void load(const transpose_pass &pass, const uint8_t *from, uint64_t row, uint64_t column,
                                uint4 (&held)[EACH])
    {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const uint32_t place = threadIdx.x + i * THREADS;
            const uint64_t y = row + place / VECTORS, x = column + place % VECTORS * N;
            if (y >= pass.rows || x >= pass.columns)
                continue;
            const uint4 *vector = (const uint4 *) (from + y * pass.from_row + x * BYTES);
            held[i] = ONCE ? __ldcs(vector) : *vector;
        }
    }

    __device__ void put(const uint4 (&held)[EACH])
    {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const uint32_t place = threadIdx.x + i * THREADS, y = place / VECTORS;
            vectors[y * VECTORS + (place % VECTORS ^ y / N)] = held[i];
        }
    }

    /* N elements of column x, from row q * N on. */
    __device__ uint4 column(uint32_t x, uint32_t q) const
    {
        union {
            uint4 vector;
            Element elements[N];
        } out;
        const Element *elements = (const Element *) vectors;
#pragma unroll
        for (uint32_t i = 0; i < N; i++)
            out.elements[i] = elements[((q * N + i) * VECTORS + (x / N ^ q)) * N + x % N];
        return out.vector;
    }

    /* Stores the tile that was loaded from (row, column), turned. A warp writes 128 bytes of each of four rows. */
    __device__ void store(const transpose_pass &pass, uint8_t *to, uint64_t row, uint64_t column_begin) const
    {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const uint32_t place = threadIdx.x + i * THREADS;
            const uint32_t q = place % 8 + place / 32 % (VECTORS / 8) * 8;
            const uint32_t x = place / 8 % 4 + place / (4 * VECTORS) * 4;
            const uint64_t to_row = column_begin + x, to_column = row + q * N;
            if (to_row >= pass.columns || to_column >= pass.rows)
                continue;
            uint4 *vector = (uint4 *) (to + to_row * pass.to_row + to_column * BYTES);
            if (ONCE)
                __stcs(vector, column(x, q));
            else
                *vector = column(x, q);
        }
    }
};

template <uint32_t BYTES, int SIDE, int THREADS>
__global__ void __launch_bounds__(THREADS) transpose_lines(const transpose_grid grid)
{
    using Tile = transpose_tile<BYTES, SIDE, THREADS, true>;
    extern __shared__ uint4 shared[];
    Tile &tile = *(Tile *) shared;
    const transpose_place place = place_of(grid);
    uint4 held[Tile::EACH];
    Tile::load(grid.pass, place.from, place.row, place.column, held);
    tile.put(held);
    __syncthreads();
    tile.store(grid.pass, place.to, place.row, place.column);
}

/* The tile of a block on or right of the diagonal. The triangle is folded, so that few blocks have nothing to do: rows
 * of tiles from the bottom fill up those from the top. `across` is odd, if need be by a tile outside the matrix. */
static __device__ void unfold(const transpose_grid &grid, uint32_t &down, uint32_t &across, uint32_t &plane)
{
    const uint32_t width = (uint32_t) grid.across, height = (uint32_t) grid.down;
    const uint32_t x = blockIdx.x % width, y = blockIdx.x / width % height;
    down = x >= y ? y : width - y;
    across = x >= y ? x : width - 1 - x;
    plane = blockIdx.x / width / height;
}

template <uint32_t BYTES, int SIDE, int THREADS>
__global__ void __launch_bounds__(THREADS) transpose_lines_in_place(const transpose_grid grid)
{
    using Tile = transpose_tile<BYTES, SIDE, THREADS, false>;
    extern __shared__ uint4 shared[];
    Tile &tile = ((Tile *) shared)[0], &mirror = ((Tile *) shared)[1];
    uint32_t down, across, plane;
    unfold(grid, down, across, plane);
    const uint64_t row = (uint64_t) down * SIDE, column = (uint64_t) across * SIDE;
    uint8_t *matrix = grid.pass.to + plane * grid.pass.to_plane;
    uint4 held[Tile::EACH], held_mirror[Tile::EACH];
    Tile::load(grid.pass, matrix, row, column, held);
    if (row != column)
        Tile::load(grid.pass, matrix, column, row, held_mirror);
    tile.put(held);
    if (row != column)
        mirror.put(held_mirror);
    __syncthreads();
    tile.store(grid.pass, matrix, row, column);
    if (row != column)
        mirror.store(grid.pass, matrix, column, row);
}

#endif
