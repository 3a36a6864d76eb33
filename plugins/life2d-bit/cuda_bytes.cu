/* life2d-bit on a GPU, the first rungs of the ladder: neighbours are counted, one step a launch. Both kernels follow
 * the 2D Life article of 2013 (docs/explain/source-texts.md): consecutive bytes of a thread, and its "big chunks"
 * of 32 bits.
 *
 *   kernel         what it adds                                          operations a cell
 *   cuda-bytes     eight cells at a time                                              10.8
 *   cuda-words     32 cells at a time: masks and sums serve more cells                 7.7
 *
 * These operations are the limit. docs/lab/life2d-bit.md has the rates.
 *
 * cuda-bytes is best with 8 or 16 bytes a thread, because longer runs scatter the loads of a warp; cuda-words with 16
 * to 64. Any rule: masks are rotated by the count. */
#include "life2d.h"

#include <common/param.h>
#include <life/population.cuh>

/* ---- Counting --------------------------------------------------------------------------------------------------
 *
 * The bits of a word are cells; the leftmost cell is the highest bit. The even bits of three rows are masked and added.
 * This gives the sums of every second column, in two bits each; the odd bits give the others. Three neighbouring column
 * sums add up to the count of a cell: the live cells in its square of three by three, 0 … 9, in a nibble:
 *
 *     cells of three rows     7 6 5 4 3 2 1 0
 *     even sums                 [6]   [4]   [2]   [0]      two bits each
 *     odd sums                [7]   [5]   [3]   [1]
 *     count of cell 1         [2] + [1] + [0]              of[1], nibble 0; cells 5, 9, … are the nibbles above it */

/* Sums over three rows: of bits 0, 2, 4, … and of bits 1, 3, 5, …, two bits each. */
struct column_sums {
    uint32_t even, odd;
};

static __device__ column_sums add_rows(uint32_t above, uint32_t here, uint32_t below)
{
    const uint32_t mask = 0x55555555;
    return {(above & mask) + (here & mask) + (below & mask),
            (above >> 1 & mask) + (here >> 1 & mask) + (below >> 1 & mask)};
}

/* Counts of live cells: nibble n of of[i] is that of bit 4 n + i. */
struct counts {
    uint32_t of[4];
};

/* `left` and `right` are the sums of the columns beside bit 31 and bit 0, in the word's neighbours. */
static __device__ counts count(column_sums sums, uint32_t left, uint32_t right)
{
    const uint32_t mask = 0x33333333;
    const uint32_t zero = sums.even & mask, one = sums.odd & mask, two = sums.even >> 2 & mask,
                   three = sums.odd >> 2 & mask;
    return {{(three << 4 | right) + zero + one, zero + one + two, one + two + three,
             two + three + (zero >> 4 | left << 28)}};
}

/* A rule as masks for dead and for live cells: bit n is the next state of a cell whose square of three by three has n
 * live cells. A rotation by the count brings this bit to bit 0. It uses the lowest five bits of its amount: the count
 * in its nibble, and one bit of the next nibble. That bit does not matter, because each mask stands twice in a word. */
struct outcome_masks {
    uint32_t born, survives;
};

static outcome_masks masks_of(const life_rule &rule)
{
    return {rule.birth | rule.birth << 16, rule.survive << 1 | rule.survive << 17};
}

/* The next state of bits FIRST … LAST of a word. */
template <int FIRST, int LAST> static __device__ uint32_t outcomes(counts counts, uint32_t cells, outcome_masks masks)
{
    uint32_t born = 0, survives = 0;
#pragma unroll
    for (int bit = FIRST; bit <= LAST; bit++) {
        const uint32_t count = counts.of[bit % 4] >> bit / 4 * 4;
        const uint32_t born_here = __funnelshift_l(masks.born, masks.born, bit);
        const uint32_t survives_here = __funnelshift_l(masks.survives, masks.survives, bit);
        born |= __funnelshift_r(born_here, born_here, count) & 1u << bit;
        survives |= __funnelshift_r(survives_here, survives_here, count) & 1u << bit;
    }
    return (survives & cells) | (born & ~cells);
}

/* ---- A launch ----------------------------------------------------------------------------------------------- */

/* The grid, cut into pieces: at most `stretch` neighbouring items of a row, bytes or words, for one thread. */
struct pieces {
    const uint8_t *source;
    uint8_t *result;
    int64_t row_stride; /* bytes */
    uint64_t row_items, stretch, in_row, count;
    outcome_masks masks;
    uint32_t table[LIFE_SQUARES / 32]; /* of a rule that does not count neighbours: bit s % 32 of word s / 32 */
};

/* A piece: items begin … end - 1 of row y. */
struct piece {
    uint64_t y, begin, end;

    __device__ piece(const pieces &pieces, uint64_t index)
    {
        y = pieces.count >> 32 ? index / pieces.in_row : (uint32_t) index / (uint32_t) pieces.in_row;
        begin = (index - y * pieces.in_row) * pieces.stretch;
        end = begin + pieces.stretch < pieces.row_items ? begin + pieces.stretch : pieces.row_items;
    }
};

/* ---- cuda-bytes: a window of three bytes of three rows, into which the next byte is shifted -------------- */

static __global__ void take_bytes(const __grid_constant__ pieces pieces)
{
    const uint64_t threads = (uint64_t) gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < pieces.count; i += threads) {
        const piece piece(pieces, i);
        const int64_t row = (int64_t) piece.y * pieces.row_stride;
        const uint8_t *here = pieces.source + row, *above = here - pieces.row_stride, *below = here + pieces.row_stride;
        const int64_t begin = (int64_t) piece.begin, end = (int64_t) piece.end;
        uint32_t a = above[begin - 1] << 8 | above[begin], h = here[begin - 1] << 8 | here[begin];
        uint32_t b = below[begin - 1] << 8 | below[begin];
        for (int64_t x = begin; x < end; x++) {
            a = a << 8 | above[x + 1];
            h = h << 8 | here[x + 1];
            b = b << 8 | below[x + 1];
            const counts around = count(add_rows(a, h, b), 0, 0);
            pieces.result[row + x] = (uint8_t) (outcomes<8, 15>(around, h, pieces.masks) >> 8);
        }
    }
}

/* The same for a rule that does not count neighbours: each square is looked up in shared memory. */
static __global__ void take_squares(const __grid_constant__ pieces pieces)
{
    __shared__ uint32_t table[LIFE_SQUARES / 32];
    for (uint32_t i = threadIdx.x; i < LIFE_SQUARES / 32; i += blockDim.x)
        table[i] = pieces.table[i];
    __syncthreads();
    const uint64_t threads = (uint64_t) gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < pieces.count; i += threads) {
        const piece piece(pieces, i);
        const int64_t row = (int64_t) piece.y * pieces.row_stride;
        const uint8_t *here = pieces.source + row, *above = here - pieces.row_stride, *below = here + pieces.row_stride;
        const int64_t begin = (int64_t) piece.begin, end = (int64_t) piece.end;
        uint32_t a = above[begin - 1] << 8 | above[begin], h = here[begin - 1] << 8 | here[begin];
        uint32_t b = below[begin - 1] << 8 | below[begin];
        for (int64_t x = begin; x < end; x++) {
            uint32_t next = 0;
            a = a << 8 | above[x + 1];
            h = h << 8 | here[x + 1];
            b = b << 8 | below[x + 1];
            for (int bit = 15; bit >= 8; bit--) {
                const uint32_t square = (a >> (bit - 1) & 7) << 6 | (h >> (bit - 1) & 7) << 3 | (b >> (bit - 1) & 7);
                next = next << 1 | (table[square / 32] >> square % 32 & 1);
            }
            pieces.result[row + x] = (uint8_t) next;
        }
    }
}

/* ---- cuda-words: words of 32 cells ------------------------------------------------------------------------ */

/* Reverses the bytes, which brings the leftmost cell of a word to the highest bit. */
static __device__ uint32_t swapped(uint32_t word)
{
    return __byte_perm(word, 0, 0x0123);
}

static __global__ void take_words(pieces pieces)
{
    const uint64_t threads = (uint64_t) gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < pieces.count; i += threads) {
        const piece piece(pieces, i);
        const int64_t row = (int64_t) piece.y * pieces.row_stride, begin = (int64_t) piece.begin;
        const uint32_t *here = (const uint32_t *) (pieces.source + row);
        const uint32_t *above = (const uint32_t *) (pieces.source + row - pieces.row_stride);
        const uint32_t *below = (const uint32_t *) (pieces.source + row + pieces.row_stride);
        uint32_t *result = (uint32_t *) (pieces.result + row);
        uint32_t left =
            add_rows(swapped(above[begin - 1]), swapped(here[begin - 1]), swapped(below[begin - 1])).even & 3;
        uint32_t cells = swapped(here[begin]);
        column_sums sums = add_rows(swapped(above[begin]), cells, swapped(below[begin]));
        for (int64_t x = begin; x < (int64_t) piece.end; x++) {
            const uint32_t next_cells = swapped(here[x + 1]);
            const column_sums next = add_rows(swapped(above[x + 1]), next_cells, swapped(below[x + 1]));
            const counts around = count(sums, left, next.odd >> 30);
            result[x] = swapped(outcomes<0, 31>(around, cells, pieces.masks));
            left = sums.even & 3, sums = next, cells = next_cells;
        }
    }
}

/* ---- What the engine calls ---------------------------------------------------------------------------------- */

/* The layout of bytes with a word of ghosts on each side, so that words of 32 bits are whole. The engine fills the
 * ghosts, so that no kernel wraps around an edge. */
int life2d_cuda_words_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    life2d_bytes_layout(host, plan, field, layout);
    layout->ghost[0] = 32;
    layout->row_align = 4;
    return 0;
}

int life2d_cuda_words_probe(const engine_host *host, const engine_plan *plan)
{
    if (life_plan_rule(plan).counts)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                       "it counts neighbours, which does not give the rule %s; cuda and cuda-bytes take any rule",
                       engine_param_text(plan, LIFE2D_RULE));
}

/* The instance is a counter for the population, in CUDA memory. */
int life2d_cuda_count_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(uint64_t), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int life2d_cuda_count_measure(void *self, const engine_call *call, double *values)
{
    return life_population_cuda(call, LIFE2D_CELLS, (uint64_t *) self, values);
}

static pieces cut(const engine_call *call, uint64_t item_bytes, uint64_t best_bytes)
{
    const engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    const uint64_t bytes = param_or(call->plan, LIFE2D_BYTES_PER_THREAD, best_bytes);
    pieces pieces = {};
    pieces.source = (const uint8_t *) cells->origin[call->current];
    pieces.result = (uint8_t *) cells->origin[call->result];
    pieces.row_stride = cells->row_stride;
    pieces.row_items = divide_up(cells->shape->extent[0], 8 * item_bytes);
    pieces.stretch = divide_up(bytes, item_bytes);
    pieces.in_row = divide_up(pieces.row_items, pieces.stretch);
    pieces.count = pieces.in_row * cells->shape->extent[1];
    const life_rule rule = life_plan_rule(call->plan);
    pieces.masks = masks_of(rule);
    for (uint32_t i = 0; i < LIFE_SQUARES / 32; i++)
        pieces.table[i] = (uint32_t) (rule.table[i / 2] >> i % 2 * 32);
    return pieces;
}

static uint64_t threads_of(const engine_plan *plan)
{
    return (uint64_t) engine_param_integer(plan, LIFE2D_BLOCK_SIZE);
}

static void (*bytes_kernel(const engine_plan *plan))(pieces)
{
    return life_plan_rule(plan).counts ? take_bytes : take_squares;
}

static int create(const engine_call *call, void (*kernel)(pieces), void **self)
{
    const int status = cuda_check_threads(call->host, (const void *) kernel, threads_of(call->plan));
    return status ? status : life2d_cuda_count_create(call, self);
}

int life2d_cuda_bytes_create(const engine_call *call, void **self)
{
    return create(call, bytes_kernel(call->plan), self);
}

int life2d_cuda_words_create(const engine_call *call, void **self)
{
    return create(call, take_words, self);
}

/* One thread takes one piece, or several if the pieces are more than the threads of 2^20 blocks. */
static int launch(const engine_call *call, void (*kernel)(pieces), const pieces &pieces)
{
    const uint64_t threads = threads_of(call->plan);
    const uint64_t blocks = divide_up(pieces.count, threads), most = 1u << 20;
    kernel<<<(unsigned) (blocks < most ? blocks : most), (unsigned) threads, 0, engine_cuda_stream(call)>>>(pieces);
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        return 0;
    return CUDA_FAIL(call->host, error, "launch of %u blocks of %u threads", (unsigned) (blocks < most ? blocks : most),
                     (unsigned) threads);
}

int life2d_cuda_bytes_advance(void *self, engine_call *call)
{
    (void) self;
    return launch(call, bytes_kernel(call->plan), cut(call, 1, 16));
}

int life2d_cuda_words_advance(void *self, engine_call *call)
{
    (void) self;
    return launch(call, take_words, cut(call, 4, 32));
}

/* The operations are counted in the machine code. Each step reads and writes the grid. */
static int set_cost(engine_cost *cost, double operations)
{
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = operations;
    cost->bytes = 2.0 / 8;
    return 0;
}

int life2d_cuda_bytes_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host, (void) plan;
    return set_cost(cost, 10.8);
}

int life2d_cuda_words_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host, (void) plan;
    return set_cost(cost, 7.7);
}
