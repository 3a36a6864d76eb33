/* ising on a GPU. A thread updates the cells of one colour in 128 columns of a pair of rows: four words, for which it
 * makes random words in blocks of four. A cell is one bit, so most of the time goes into the random numbers: 17
 * multiplications and 30 logic operations for a block and what it decides, 13 to 14 blocks for 128 cells. The cells
 * themselves take about 35 instructions a word. */
#include "ising.h"

#include <engine/cuda.h>
#include <engine/random.h>

enum { GROUP = 4, TILES = 4 };                  /* words of a thread along x; pairs of a thread along y, at most */
enum { LANES = 32, PAIRS = 4 };                 /* threads of a block along x, at most, and along y */
enum { ENOUGH = 8192 };                         /* blocks: fewer of them have fewer pairs a thread */
enum { SURVEY_THREADS = 64, SURVEY_ROWS = 32 }; /* threads of a block; rows of a thread */

using view = engine_cuda_view<uint32_t>;

static __device__ void load(uint32_t words[GROUP], const uint32_t *row, uint32_t group)
{
    const uint4 four = ((const uint4 *) row)[group];
    words[0] = four.x, words[1] = four.y, words[2] = four.z, words[3] = four.w;
}

static __device__ void store(uint32_t *row, uint32_t group, const uint32_t words[GROUP])
{
    ((uint4 *) row)[group] = make_uint4(words[0], words[1], words[2], words[3]);
}

/* A bit of the numbers decides on some cells. */
template <int count>
static __device__ void decide(uint32_t event[count], uint32_t cells, const chances &chances, int bit)
{
    for (int c = 0; c < count; c++)
        event[c] = mix(cells, bit_of(chances.flip[c], bit), event[c]);
}

/* One cell in 4096 needs more than the first 12 bits of its number. */
enum { FIRST_BITS = 12 };

/* Draws the events of the chances for the cells of a group. */
template <int count>
static __device__ void draw(uint32_t event[GROUP][count], const chances &chances, uint64_t seed, uint64_t stream,
                            uint64_t block)
{
    uint32_t open[GROUP], words[GROUP]; /* open: cells of whose numbers all bits so far are 0 */
    for (int i = 0; i < GROUP; i++) {
        open[i] = ~0u;
        decide<count>(event[i], open[i], chances, BITS);
    }
    /* From the last of the first bits to the first of all: a bit that is set overrules those after it. */
#pragma unroll
    for (int n = FIRST_BITS; n-- > 0;) {
        engine_random_block(seed, stream | (uint32_t) n, block, words);
        for (int i = 0; i < GROUP; i++) {
            decide<count>(event[i], words[i], chances, BITS - 1 - n);
            open[i] &= ~words[i];
        }
    }
#pragma unroll 1
    for (int n = FIRST_BITS; n < BITS && (open[0] | open[1] | open[2] | open[3]) != 0; n++) {
        engine_random_block(seed, stream | (uint32_t) n, block, words);
        for (int i = 0; i < GROUP; i++) {
            decide<count>(event[i], open[i] & words[i], chances, BITS - 1 - n);
            open[i] &= ~words[i];
        }
    }
}

/* Pairs [begin, end) of the grid, whose rows follow each other in memory, too: pair i begins at row 2 i + shift, modulo
 * 2^32. */
struct stretch {
    uint32_t begin, end, shift;
};

/* Updates the cells of a colour and copies those of the other. All threads read `from` and write `to`. A tile is PAIRS
 * pairs of the grid from a multiple of PAIRS on; so the first tile of a stretch may be incomplete. */
template <int count>
static __global__ void sweep(view from, view to, chances chances, uint64_t seed, uint64_t stream, uint32_t mask,
                             stretch stretch)
{
    const uint32_t group = blockIdx.x * blockDim.x + threadIdx.x, width = (uint32_t) from.width;
    const uint32_t height = (uint32_t) from.height;
    if (GROUP * group >= words_of(width))
        return;
    for (uint32_t tile = stretch.begin / PAIRS + blockIdx.y; PAIRS * tile + threadIdx.y < stretch.end;
         tile += gridDim.y) {
        const uint32_t pair = PAIRS * tile + threadIdx.y, y = 2 * pair + stretch.shift;
        uint32_t event[GROUP][count];
        if (pair < stretch.begin)
            continue;
        /* Block (2^32 pair + 4 group) / 4. In this form nvcc sees that all threads have the same upper half. */
        draw<count>(event, chances, seed, stream, (uint64_t) tile << 32 | (threadIdx.y << 30 | group));

        const uint32_t *row = from.row(y), *next_row = from.row(y + 1);
        uint32_t above[GROUP], upper[GROUP], lower[GROUP], below[GROUP], other[GROUP + 2];
        load(above, from.row((y > 0 ? y : height) - 1), group);
        load(upper, row, group);
        load(lower, next_row, group);
        load(below, from.row(y + 2 < height ? y + 2 : 0), group);
        for (int i = 0; i < GROUP; i++)
            other[i + 1] = mix(mask, lower[i], upper[i]);
        join_ends(other, GROUP * group, GROUP, mask, row, next_row, width);
        for (int i = 0; i < GROUP; i++) {
            const uint32_t left = other[i + 1] << 1 | other[i] >> 31, right = other[i + 1] >> 1 | other[i + 2] << 31;
            const uint32_t flip = flips(count, event[i], mix(mask, upper[i], lower[i]), left, right, other[i + 1],
                                        mix(mask, above[i], below[i]));
            upper[i] ^= flip & mask;
            lower[i] ^= flip & ~mask;
        }
        store(to.row(y), group, upper);
        store(to.row(y + 1), group, lower);
    }
}

/* A thread counts one word of every gridDim.y-th row of [begin, end). */
static __global__ void survey(view spins, uint32_t begin, uint32_t end, counts *counts)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, width = (uint32_t) spins.width;
    struct counts found = {0, 0};
    for (int64_t y = (int64_t) begin + blockIdx.y; y < end && i < words_of(width); y += gridDim.y)
        count_word(&found, spins.row(y), spins.row(y + 1 < spins.height ? y + 1 : 0), i, width);
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        found.up += __shfl_down_sync(~0u, found.up, lanes);
        found.alike += __shfl_down_sync(~0u, found.alike, lanes);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd((unsigned long long *) &counts->up, (unsigned long long) found.up);
        atomicAdd((unsigned long long *) &counts->alike, (unsigned long long) found.alike);
    }
}

/* Device memory for the counts of cuda_measure. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(counts), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

static void launch_sweep(const engine_call *call, const chances &chances, uint64_t step, uint32_t colour,
                         stretch stretch)
{
    const uint32_t source = colour == BLACK ? call->current : 1 - call->current; /* and back again */
    const view from = engine_cuda_field<uint32_t>(call, SPIN, source);
    const view to = engine_cuda_field<uint32_t>(call, SPIN, 1 - source);
    const uint64_t groups = engine_divide_up(words_of((uint32_t) from.width), GROUP);
    unsigned lanes = LANES;
    while (lanes * PAIRS > 32 && lanes / 2 >= groups) /* narrow grids; a block has at least a warp */
        lanes /= 2;
    const dim3 threads(lanes, PAIRS);
    const uint64_t across = engine_divide_up(groups, lanes);
    const uint64_t down = engine_divide_up(stretch.end, PAIRS) - stretch.begin / PAIRS;
    uint64_t tiles = across * down / ENOUGH;
    tiles = tiles > TILES ? TILES : tiles > 1 ? tiles : 1;
    const dim3 blocks((unsigned) across, engine_cuda_blocks(down, tiles, ENGINE_CUDA_BLOCKS_YZ));
    (few_chances(&chances) ? sweep<FEW> : sweep<CHANCES>) <<<blocks, threads, 0, engine_cuda_stream(call)>>>(
        from, to, chances, call->plan->seed, stream_of(step, colour), mask_of(colour), stretch);
}

/* A part of a divided run may go on at the first pair of the grid after the last one, also several times. */
static cudaError_t sweep_all(const engine_call *call, const chances &chances, uint64_t step, uint32_t colour)
{
    const pairs pairs = pairs_of(call->plan);
    cudaError_t error = cudaSuccess;
    for (uint32_t n, done = 0; done < pairs.count && error == cudaSuccess; done += n) {
        const uint32_t begin = (uint32_t) (((uint64_t) pairs.place + done) % pairs.whole);
        n = min(pairs.count - done, pairs.whole - begin);
        launch_sweep(call, chances, step, colour, {begin, begin + n, pairs.first + 2 * done - 2 * begin});
        error = cudaGetLastError();
    }
    return error;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const chances chances = chances_of(call->plan);
    for (uint64_t i = 0; i < call->steps; i++)
        for (uint32_t colour = BLACK; colour < COLOURS; colour++) {
            const cudaError_t error = sweep_all(call, chances, call->first_step + i, colour);
            if (error != cudaSuccess) { /* negative: earlier launches of this call have changed the state */
                const bool lost = i > 0 || colour == WHITE;
                return ENGINE_CUDA_FAIL(call->host, lost ? -ENGINE_DEVICE : ENGINE_DEVICE, error, "sweep");
            }
        }
    call->result = call->current;
    return 0;
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const view spins = engine_cuda_field<uint32_t>(call, SPIN, call->current);
    const uint32_t begin = (uint32_t) call->begin[1], end = (uint32_t) call->end[1];
    const dim3 blocks(engine_cuda_blocks(words_of((uint32_t) spins.width), SURVEY_THREADS),
                      engine_cuda_blocks(end - begin, SURVEY_ROWS, ENGINE_CUDA_BLOCKS_YZ));
    counts found;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(self, 0, sizeof found, stream));
    survey<<<blocks, SURVEY_THREADS, 0, stream>>>(spins, begin, end, (counts *) self);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, survey);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(&found, self, sizeof found, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    add_counts(call->plan, found, values);
    return 0;
}
