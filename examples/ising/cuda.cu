/* ising on a GPU. A thread updates the cells of one colour in 128 columns of a pair of rows: four words, for which it
 * makes random words in blocks of four. A cell takes one bit of memory, so the random numbers take most of the time: a
 * block is about 17 multiplications and 20 logic operations, and 128 cells need 13 to 14 blocks. */
#include "ising.h"

#include <engine/cuda.h>
#include <engine/random.h>

enum { GROUP = 4, LANES = 32, PAIRS = 4 }; /* words of a thread; threads of a block along x, at most, and along y */
enum { TILES = 4 };                        /* pairs of a thread */
enum { SURVEY_THREADS = 256, SURVEY_BLOCKS = 4096 };

using view = engine_cuda_view<uint32_t>;

static __device__ void load(uint32_t words[GROUP], const uint32_t *row, uint64_t group)
{
    const uint4 four = ((const uint4 *) row)[group];
    words[0] = four.x, words[1] = four.y, words[2] = four.z, words[3] = four.w;
}

static __device__ void store(uint32_t *row, uint64_t group, const uint32_t words[GROUP])
{
    ((uint4 *) row)[group] = make_uint4(words[0], words[1], words[2], words[3]);
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
        for (int c = 0; c < count; c++)
            event[i][c] = bit_of(chances.flip[c], BITS);
    }
    /* The first bits from the last to the first: a bit that is set overrules those after it. */
#pragma unroll
    for (int n = FIRST_BITS; n-- > 0;) {
        engine_random_block(seed, stream | (uint32_t) n, block, words);
        for (int i = 0; i < GROUP; i++) {
            open[i] &= ~words[i];
            for (int c = 0; c < count; c++)
                event[i][c] = mix(words[i], bit_of(chances.flip[c], BITS - 1 - n), event[i][c]);
        }
    }
#pragma unroll 1
    for (int n = FIRST_BITS; n < BITS && (open[0] | open[1] | open[2] | open[3]) != 0; n++) {
        engine_random_block(seed, stream | (uint32_t) n, block, words);
        for (int i = 0; i < GROUP; i++) {
            for (int c = 0; c < count; c++)
                event[i][c] = mix(open[i] & words[i], bit_of(chances.flip[c], BITS - 1 - n), event[i][c]);
            open[i] &= ~words[i];
        }
    }
}

/* Updates the cells of a colour. The cells of the other colour are copied: threads of one launch read `from` and write
 * `to`. */
template <int count>
static __global__ void sweep(view from, view to, chances chances, uint64_t seed, uint64_t stream, uint32_t mask)
{
    const uint64_t group = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x, width = (uint64_t) from.width;
    const int64_t pairs = from.height / 2;
    for (uint32_t tile = blockIdx.y; tile < engine_divide_up(pairs, PAIRS); tile += gridDim.y) {
        const int64_t pair = (int64_t) PAIRS * tile + threadIdx.y;
        if (GROUP * group >= words_of(width) || pair >= pairs)
            return;
        uint32_t event[GROUP][count];
        /* Block (2^32 pair + 4 group) / 4. Written thus, its upper half is the same for all threads. */
        draw<count>(event, chances, seed, stream, (uint64_t) tile << 32 | (threadIdx.y << 30 | (uint32_t) group));

        const uint32_t *row = from.row(2 * pair), *next_row = from.row(2 * pair + 1);
        uint32_t above[GROUP], upper[GROUP], lower[GROUP], below[GROUP], other[GROUP + 2];
        load(above, from.row(pair > 0 ? 2 * pair - 1 : from.height - 1), group);
        load(upper, row, group);
        load(lower, next_row, group);
        load(below, from.row(pair + 1 < pairs ? 2 * pair + 2 : 0), group);
        for (int i = 0; i < GROUP; i++)
            other[i + 1] = mix(mask, lower[i], upper[i]);
        join_ends(other, GROUP * group, GROUP, mask, row, next_row, width);
        for (int i = 0; i < GROUP; i++) {
            const uint32_t flip =
                flips(count, event[i], mix(mask, upper[i], lower[i]), other[i + 1] << 1 | other[i] >> 31,
                      other[i + 1] >> 1 | other[i + 2] << 31, other[i + 1], mix(mask, above[i], below[i]));
            upper[i] ^= flip & mask;
            lower[i] ^= flip & ~mask;
        }
        store(to.row(2 * pair), group, upper);
        store(to.row(2 * pair + 1), group, lower);
    }
}

static __global__ void survey(view spins, counts *counts)
{
    const uint64_t words = words_of((uint64_t) spins.width), all = words * (uint64_t) spins.height;
    struct counts found = {0, 0};
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (uint64_t) gridDim.x * blockDim.x) {
        const int64_t y = (int64_t) (i / words), below = y + 1 < spins.height ? y + 1 : 0;
        count_word(&found, spins.row(y), spins.row(below), i % words, (uint64_t) spins.width);
    }
    atomicAdd((unsigned long long *) &counts->up, (unsigned long long) found.up);
    atomicAdd((unsigned long long *) &counts->alike, (unsigned long long) found.alike);
}

/* Device memory for the counts of cuda_measure. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(counts), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

static void launch_sweep(const engine_call *call, const chances &chances, uint64_t step, uint32_t colour)
{
    const uint32_t source = colour == BLACK ? call->current : 1 - call->current; /* and back again */
    const view from = engine_cuda_field<uint32_t>(call, SPIN, source);
    const view to = engine_cuda_field<uint32_t>(call, SPIN, 1 - source);
    const uint64_t groups = engine_divide_up(words_of((uint64_t) from.width), GROUP);
    const uint64_t lanes = groups > LANES / 2 ? LANES : groups > LANES / 4 ? LANES / 2 : LANES / 4;
    const dim3 threads((unsigned) lanes, PAIRS);
    const dim3 blocks(engine_cuda_blocks(groups, lanes),
                      engine_cuda_blocks((uint64_t) from.height / 2, PAIRS * TILES, ENGINE_CUDA_BLOCKS_YZ));
    (few_chances(&chances) ? sweep<FEW> : sweep<CHANCES>) <<<blocks, threads, 0, engine_cuda_stream(call)>>>(
        from, to, chances, call->plan->seed, stream_of(step, colour), mask_of(colour));
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const chances chances = chances_of(call->plan);
    for (uint64_t i = 0; i < call->steps; i++)
        for (uint32_t colour = BLACK; colour < COLOURS; colour++) {
            launch_sweep(call, chances, call->first_step + i, colour);
            const cudaError_t error = cudaGetLastError();
            if (error != cudaSuccess) /* negative: earlier sweeps of this call have changed the state */
                return ENGINE_CUDA_FAIL(call->host, i > 0 ? -ENGINE_DEVICE : ENGINE_DEVICE, error, "sweep");
        }
    call->result = call->current;
    return 0;
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const view spins = engine_cuda_field<uint32_t>(call, SPIN, call->current);
    const uint64_t words = words_of((uint64_t) spins.width) * (uint64_t) spins.height;
    counts found;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(self, 0, sizeof found, stream));
    survey<<<engine_cuda_blocks(words, SURVEY_THREADS, SURVEY_BLOCKS), SURVEY_THREADS, 0, stream>>>(spins,
                                                                                                  (counts *) self);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, survey);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(&found, self, sizeof found, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    metrics_of(call->plan, found, values);
    return 0;
}
