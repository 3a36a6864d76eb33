/* The kernels of transpose; cuda.cu says what each adds. Grids of blocks have one dimension. Consecutive blocks write
 * tiles that lie side by side along a row of the result. */
#ifndef TRANSPOSE_CUDA_KERNELS_CUH
#define TRANSPOSE_CUDA_KERNELS_CUH

#include "transpose.h"

/* A type for elements of a size. */
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

/* A pass divided into tiles, one for each block. */
struct transpose_grid {
    transpose_pass pass;
    uint32_t tile_rows, tile_columns;
    uint64_t down, across; /* tiles */
};

/* The tile of a block: its matrices, and its first row and column. */
struct transpose_block {
    const uint8_t *from;
    uint8_t *to;
    uint64_t row, column;
};

static __device__ transpose_block block_of(const transpose_grid &grid, uint64_t down, uint64_t across, uint64_t plane)
{
    return {grid.pass.from + plane * grid.pass.from_plane, grid.pass.to + plane * grid.pass.to_plane,
            down * grid.tile_rows, across * grid.tile_columns};
}

/* Divides 32-bit numbers where they suffice: a 64-bit division takes as long as a block's loads. */
static __device__ transpose_block block_of(const transpose_grid &grid)
{
    const uint32_t number = blockIdx.x;
    if (grid.down > UINT32_MAX || grid.across > UINT32_MAX)
        return block_of(grid, number % grid.down, number / grid.down % grid.across, number / grid.down / grid.across);
    const uint32_t down = (uint32_t) grid.down, across = (uint32_t) grid.across, rest = number / down;
    return block_of(grid, number % down, rest % across, rest / across);
}

template <class Element>
static __device__ const Element *source(const transpose_grid &grid, const transpose_block &block, uint64_t row)
{
    return (const Element *) (block.from + row * grid.pass.from_row);
}

template <class Element>
static __device__ Element *target(const transpose_grid &grid, const transpose_block &block, uint64_t column)
{
    return (Element *) (block.to + column * grid.pass.to_row);
}

/* ---- A thread an element ------------------------------------------------------------------------------------ */

template <uint32_t BYTES> __global__ void transpose_naive(const transpose_grid grid)
{
    using Element = typename element_of<BYTES>::type;
    const transpose_block block = block_of(grid);
    const uint64_t row = block.row + threadIdx.y, column = block.column + threadIdx.x;
    if (row < grid.pass.rows && column < grid.pass.columns)
        target<Element>(grid, block, column)[row] = source<Element>(grid, block, row)[column];
}

template <uint32_t BYTES, int SIDE> __global__ void transpose_tiled(const transpose_grid grid)
{
    using Element = typename element_of<BYTES>::type;
    __shared__ Element tile[SIDE][SIDE + 1]; /* one element of padding: a column lies in different banks */
    const transpose_block block = block_of(grid);
    const uint64_t row = block.row + threadIdx.y, column = block.column + threadIdx.x;
    if (row < grid.pass.rows && column < grid.pass.columns)
        tile[threadIdx.y][threadIdx.x] = source<Element>(grid, block, row)[column];
    __syncthreads();
    const uint64_t to_row = block.column + threadIdx.y, to_column = block.row + threadIdx.x;
    if (to_row < grid.pass.columns && to_column < grid.pass.rows)
        target<Element>(grid, block, to_row)[to_column] = tile[threadIdx.x][threadIdx.y];
}

/* ---- Short rows --------------------------------------------------------------------------------------------- */

enum { TRANSPOSE_SHORT_THREADS = 256, TRANSPOSE_SHORT_BYTES = 16384 };

/* The tile is as wide or as high as the matrix. Rows of a few elements lie side by side in memory, and consecutive
 * threads read and write them as one row. */
template <uint32_t BYTES>
__global__ void __launch_bounds__(TRANSPOSE_SHORT_THREADS) transpose_short(const transpose_grid grid)
{
    using Element = typename element_of<BYTES>::type;
    extern __shared__ uint4 shared[];
    Element *tile = (Element *) shared;
    const transpose_block block = block_of(grid);
    const uint64_t rows_left = grid.pass.rows - block.row, columns_left = grid.pass.columns - block.column;
    const uint32_t rows = rows_left < grid.tile_rows ? (uint32_t) rows_left : grid.tile_rows;
    const uint32_t columns = columns_left < grid.tile_columns ? (uint32_t) columns_left : grid.tile_columns;
    const uint32_t count = rows * columns, pitch = columns | 1; /* odd: columns lie in different banks */
    for (uint32_t i = threadIdx.x; i < count; i += TRANSPOSE_SHORT_THREADS) {
        const uint32_t row = i / columns, column = i % columns;
        tile[row * pitch + column] = source<Element>(grid, block, block.row + row)[block.column + column];
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += TRANSPOSE_SHORT_THREADS) {
        const uint32_t column = i / rows, row = i % rows;
        target<Element>(grid, block, block.column + column)[block.row + row] = tile[row * pitch + column];
    }
}

template <uint32_t BYTES> __global__ void transpose_short_in_place(const transpose_grid grid)
{
    using Element = typename element_of<BYTES>::type;
    const transpose_block block = block_of(grid);
    const uint64_t row = block.row + threadIdx.y, column = block.column + threadIdx.x;
    if (row >= column || row >= grid.pass.rows || column >= grid.pass.columns)
        return;
    Element *one = target<Element>(grid, block, row) + column, *other = target<Element>(grid, block, column) + row;
    const Element kept = *one;
    *one = *other;
    *other = kept;
}

/* ---- Whole lines -------------------------------------------------------------------------------------------- */

/* A tile in shared memory, in vectors of 16 bytes; each of THREADS threads moves EACH of them in and out. Rows begin at
 * whole vectors in both matrices, so a vector that begins inside a row may be read and written whole.
 *
 * Vector v of row r is stored at index v ^ (r / N) of its row (a XOR swizzle; N elements a vector). Floats, N = 4:
 *
 *     index          0  1  2  3  4  5  6  7
 *     rows 0 to 3    0  1  2  3  4  5  6  7     At a time a warp reads four adjacent columns of eight rows
 *     rows 4 to 7    1  0  3  2  5  4  7  6     that are N apart. Their vectors have different indices, so all
 *     rows 8 to 11   2  3  0  1  6  7  4  5     lanes read different banks.
 *
 * ONCE: the cache may drop first what was read and written, because it is not needed again soon. */
template <uint32_t BYTES, int ROWS, int COLUMNS, int THREADS, bool ONCE> struct transpose_tile {
    using Element = typename element_of<BYTES>::type;
    static constexpr int N = 16 / BYTES;        /* elements of a vector */
    static constexpr int VECTORS = COLUMNS / N; /* of a row */
    static constexpr int TO_VECTORS = ROWS / N; /* of a row of the transpose */
    static constexpr int EACH = ROWS * VECTORS / THREADS;
    static constexpr int TOGETHER = BYTES == 1 ? 4 : 1; /* adjacent columns that a thread reads as one word */
    static_assert(VECTORS % 8 == 0 && TO_VECTORS % 8 == 0, "eight lanes read and write eight vectors");
    static_assert((VECTORS & (VECTORS - 1)) == 0, "the swizzle permutes the vectors of a row");

    uint4 vectors[ROWS * VECTORS];

    /* The index at which the rows from N q to N q + N - 1 keep vector v. */
    static __device__ uint32_t swizzled(uint32_t v, uint32_t q)
    {
        return v ^ (q % VECTORS);
    }

    /* Loads the tile at (row, column) into registers. All loads are issued before the first is used. */
    static __device__ void load(const transpose_pass &pass, const uint8_t *from, uint64_t row, uint64_t column,
                                uint4 (&held)[EACH])
    {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const uint32_t n = threadIdx.x + i * THREADS;
            const uint64_t y = row + n / VECTORS, x = column + n % VECTORS * N;
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
            const uint32_t n = threadIdx.x + i * THREADS, y = n / VECTORS;
            vectors[y * VECTORS + swizzled(n % VECTORS, y / N)] = held[i];
        }
    }

    /* N elements of column x, from row N q on. */
    __device__ void columns(uint32_t x, uint32_t q, uint4 (&out)[1]) const
    {
        union {
            uint4 vector;
            Element elements[N];
        } made;
        const Element *elements = (const Element *) vectors;
#pragma unroll
        for (uint32_t i = 0; i < N; i++)
            made.elements[i] = elements[((q * N + i) * VECTORS + swizzled(x / N, q)) * N + x % N];
        out[0] = made.vector;
    }

    /* The same for bytes, and for the four columns from x on. A thread reads a word of 16 rows. Four words are a square
     * of 4 x 4 bytes, which eight byte permutations transpose (the first byte of a word is written first):
     *
     *     row 0   00 01 02 03      00 10 01 11   02 12 03 13      00 10 20 30
     *     row 1   10 11 12 13      20 30 21 31   22 32 23 33      01 11 21 31
     *     row 2   20 21 22 23      pairs of rows, interleaved     02 12 22 32
     *     row 3   30 31 32 33                                     03 13 23 33 */
    __device__ void columns(uint32_t x, uint32_t q, uint4 (&out)[4]) const
    {
        const uint32_t *words = (const uint32_t *) vectors;
        uint32_t made[4][4];
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t row[4];
#pragma unroll
            for (uint32_t j = 0; j < 4; j++)
                row[j] = words[((q * N + 4 * i + j) * VECTORS + swizzled(x / N, q)) * 4 + x % N / 4];
            const uint32_t low_01 = __byte_perm(row[0], row[1], 0x5140), high_01 = __byte_perm(row[0], row[1], 0x7362);
            const uint32_t low_23 = __byte_perm(row[2], row[3], 0x5140), high_23 = __byte_perm(row[2], row[3], 0x7362);
            made[0][i] = __byte_perm(low_01, low_23, 0x5410);
            made[1][i] = __byte_perm(low_01, low_23, 0x7632);
            made[2][i] = __byte_perm(high_01, high_23, 0x5410);
            made[3][i] = __byte_perm(high_01, high_23, 0x7632);
        }
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            out[k] = make_uint4(made[k][0], made[k][1], made[k][2], made[k][3]);
    }

    /* Stores the transpose of the tile that was loaded from (row, column_begin). A warp writes 128 bytes of four
     * rows at a time. */
    __device__ void store(const transpose_pass &pass, uint8_t *to, uint64_t row, uint64_t column_begin) const
    {
#pragma unroll
        for (int i = 0; i < EACH / TOGETHER; i++) {
            const uint32_t n = threadIdx.x + i * THREADS;
            const uint32_t q = n % 8 + n / 32 % (TO_VECTORS / 8) * 8;
            const uint32_t x = (n / 8 % 4 + n / (4 * TO_VECTORS) * 4) * TOGETHER;
            uint4 out[TOGETHER];
            columns(x, q, out);
#pragma unroll
            for (int k = 0; k < TOGETHER; k++) {
                const uint64_t to_row = column_begin + x + k, to_column = row + q * N;
                if (to_row >= pass.columns || to_column >= pass.rows)
                    continue;
                uint4 *vector = (uint4 *) (to + to_row * pass.to_row + to_column * BYTES);
                if (ONCE)
                    __stcs(vector, out[k]);
                else
                    *vector = out[k];
            }
        }
    }
};

template <uint32_t BYTES, int ROWS, int COLUMNS, int THREADS>
__global__ void __launch_bounds__(THREADS) transpose_lines(const transpose_grid grid)
{
    using Tile = transpose_tile<BYTES, ROWS, COLUMNS, THREADS, true>;
    extern __shared__ uint4 shared[];
    Tile &tile = *(Tile *) shared;
    const transpose_block block = block_of(grid);
    uint4 held[Tile::EACH];
    Tile::load(grid.pass, block.from, block.row, block.column, held);
    tile.put(held);
    __syncthreads();
    tile.store(grid.pass, block.to, block.row, block.column);
}

/* The tile of a block, on the diagonal or right of it. The triangle of tiles is folded into a rectangle of blocks: its
 * lower rows, reversed, complete the upper ones. With 5 tiles across:
 *
 *     tiles                      blocks
 *     00 01 02 03 04             00 01 02 03 04
 *        11 12 13 14             44 11 12 13 14
 *           22 23 24             34 33 22 23 24
 *              33 34
 *                 44             `across` is odd; if need be the last column of tiles lies outside the matrix */
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
    using Tile = transpose_tile<BYTES, SIDE, SIDE, THREADS, false>;
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
