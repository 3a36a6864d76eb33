/* Many steps of a system of middle size in one launch.
 *
 * A block on each multiprocessor takes the steps of a share of the particles: tiles of 32 particles that follow each
 * other in order. All places are in device memory, in two arrays that take turns. A block sees those tiles that may have
 * neighbours of its particles. It copies them into its shared memory at the begin of each step, and its lists name slots
 * of this copy:
 *
 *     tiles in device memory   0  1  2  3  4  5  6  7  8  9 10 11 …
 *     share of block 2                     4  5
 *     its slots                   1  2     4  5  6       9            32 places each
 *
 * All blocks wait for each other once in a step. The counter for which they wait also says whether a particle has moved
 * too far for the lists. Then all blocks make lists: each bounds its tiles, waits, and chooses the tiles that it sees.
 *
 * The particles of a share, their lists and their moves are those of cuda_small.cuh. */
#ifndef PAIRS_CUDA_MIDDLE_CUH
#define PAIRS_CUDA_MIDDLE_CUH

#include "cuda_small.cuh"

#ifndef PAIRS_MIDDLE_THREADS
#define PAIRS_MIDDLE_THREADS 1024
#endif
constexpr uint32_t MIDDLE_THREADS = PAIRS_MIDDLE_THREADS, MIDDLE_LANES = 8;
constexpr uint32_t MIDDLE_WORDS = SMALL_MOST / 32 / 32; /* a bit for each tile */

/* What the blocks share, in device memory. */
struct middle_world {
    small_seen *places;     /* two arrays of whole tiles */
    uint32_t *id;           /* [slot]: the number of the particle in the fields */
    uint32_t *low, *length; /* [tile][axis]: of the tile's box */
    uint32_t *arrived;      /* [wait % 4]: blocks, and from bit 16 on those that are stale; 0 at the start */
    uint32_t most;          /* tiles for which a block has room */
};

/* ---- Blocks of a launch: tests define their own ------------------------------------------------------------------- */

#ifndef PAIRS_SMALL_EMULATED

/* Waits until all blocks have come to wait number `number`. Returns whether one of them is stale. */
static __device__ __forceinline__ bool middle_wait(uint32_t *arrived, uint32_t number, bool stale)
{
    __shared__ bool some;
    const bool here = __syncthreads_or(stale);
    if (threadIdx.x == 0) {
        uint32_t *const word = arrived + number % 4;
        uint32_t now;
        asm volatile("red.release.gpu.global.add.u32 [%0], %1;" : : "l"(word), "r"(here ? 65537 : 1) : "memory");
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
        while ((now & 0xffff) < gridDim.x);
        some = now >> 16;
        if (blockIdx.x == 0) /* all blocks have left the wait before the last one */
            arrived[(number + 2) % 4] = 0;
    }
    __syncthreads();
    return some;
}

#endif

/* ---- A block ----------------------------------------------------------------------------------------------------- */

/* The shared memory of a block that cuda_small.cuh does not have. */
struct middle_memory {
    uint32_t *low, *length; /* [tile of the slots][axis] */
    uint32_t *tile;         /* [tile of the slots]: its number */
    uint32_t *words;        /* a bit for each tile that the block sees */
};

/* Sets where everything is in a block's memory, and returns how many bytes it takes. */
static __host__ __device__ inline size_t middle_divide(unsigned char *bytes, const small_job &job, uint32_t most,
                                                       small_memory *out, middle_memory *more)
{
    const size_t n = job.each;
    size_t at = 0;
    out->places = (small_seen *) bytes;
    at += 32 * most * sizeof(small_seen);
    out->x = (double *) (bytes + at);
    out->v = out->x + 3 * n;
    out->h = out->v + 3 * n;
    at += 7 * n * sizeof(double);
    out->lists = (small_entries *) (bytes + at);
    out->apart = job.room / SMALL_AHEAD + MIDDLE_LANES; /* lists begin in different banks */
    at += n * out->apart * sizeof(small_entries);
    out->built = (uint32_t *) (bytes + at);
    out->rows = out->built + 3 * n;
    out->id = out->rows + n;
    more->low = out->id + n;
    more->length = more->low + 3 * most;
    more->tile = more->length + 3 * most;
    more->words = more->tile + most;
    at += (5 * n + 7 * most + MIDDLE_WORDS) * sizeof(uint32_t);
    return at > job.space.count * sizeof(uint32_t) ? at : job.space.count * sizeof(uint32_t); /* for sort */
}

/* The gap between two intervals of places, [low, low + length]; 0 if they meet. */
static __device__ __forceinline__ uint32_t middle_gap(uint32_t low, uint32_t length, uint32_t other,
                                                      uint32_t other_length)
{
    const uint32_t above = other - low, below = low - other;
    const uint32_t behind = above - length, before = below - other_length;
    return above <= length || below <= other_length ? 0 : behind < before ? behind : before;
}

template <class Rule> struct middle_block : small_share<MIDDLE_LANES, MIDDLE_THREADS, Rule> {
    using share = small_share<MIDDLE_LANES, MIDDLE_THREADS, Rule>;
    using share::begin;
    using share::count;
    using share::job;
    using share::own;
    using share::seen;
    using share::warp;

    const middle_world &world;
    middle_memory more;
    uint32_t waits;
    bool fits; /* the tiles that the block sees fit into its memory */

    __device__ __forceinline__ bool wait(bool stale)
    {
        return middle_wait(world.arrived, waits++, stale);
    }

    /* The places at the begin of a step. */
    __device__ __forceinline__ small_seen *places_of(uint32_t step) const
    {
        return world.places + step % 2 * 32 * small_tiles(job.space.count);
    }

    __device__ __forceinline__ void load()
    {
        share::choose_share(0, blockIdx.x);
        share::sort((uint32_t *) own.places, [&](uint32_t slot, uint32_t i) { world.id[slot] = i; });
        wait(false);
        for (uint32_t p = threadIdx.x; p < count; p += MIDDLE_THREADS) {
            own.id[p] = world.id[begin + p];
            places_of(0)[begin + p] = share::load_particle(p);
        }
    }

    /* ---- Tiles ---------------------------------------------------------------------------------------------------- */

    /* May particles of a tile have neighbours in the share? */
    __device__ __forceinline__ bool is_seen(uint32_t tile) const
    {
        for (uint32_t first = begin; first < begin + count; first += 32) {
            float square = 0;
            for (int c = 0; c < 3; c++) {
                const uint32_t k = 3 * (first / 32) + c, j = 3 * tile + c;
                const uint32_t gap = middle_gap(world.low[k], world.length[k], world.low[j], world.length[j]);
                square += job.space.scale[c] * (float) gap * (job.space.scale[c] * (float) gap);
            }
            if (square < 1.0001f * job.space.list2)
                return true;
        }
        return false;
    }

    /* The number of tiles before `tile` that the block sees. */
    __device__ __forceinline__ uint32_t seen_before(uint32_t tile) const
    {
        uint32_t before = (uint32_t) __popc(more.words[tile / 32] & ((1u << tile % 32) - 1));
        for (uint32_t word = 0; word < tile / 32; word++)
            before += (uint32_t) __popc(more.words[word]);
        return before;
    }

    /* Chooses the tiles that the block sees. If it has no room for them, it sees all tiles in device memory. */
    __device__ __forceinline__ void choose_tiles(uint32_t step)
    {
        const uint32_t all = job.space.count, tiles = small_tiles(all), words = small_tiles(tiles);
        for (uint32_t k = warp; 32 * k < count; k += share::WARPS) {
            const uint32_t first = begin + 32 * k, tile = first / 32;
            share::bound_tile(places_of(step) + first, all - first, world.low + 3 * tile, world.length + 3 * tile);
        }
        wait(false);
        for (uint32_t tile = threadIdx.x; tile < 32 * words; tile += MIDDLE_THREADS) {
            const uint32_t word = __ballot_sync(~0u, tile < tiles && is_seen(tile));
            if (threadIdx.x % 32 == 0)
                more.words[tile / 32] = word;
        }
        __syncthreads();
        const bool last = more.words[(tiles - 1) / 32] >> (tiles - 1) % 32 & 1;
        const uint32_t chosen = seen_before(tiles - 1) + last;
        fits = chosen <= world.most;
        share::here = fits ? 32 * seen_before(begin / 32) : begin;
        seen = fits ? 32 * chosen - (last ? 32 * tiles - all : 0) : all;
        own.low = fits ? more.low : world.low;
        own.length = fits ? more.length : world.length;
        for (uint32_t tile = threadIdx.x; fits && tile < tiles; tile += MIDDLE_THREADS) {
            if (!(more.words[tile / 32] >> tile % 32 & 1))
                continue;
            const uint32_t k = seen_before(tile);
            more.tile[k] = tile;
            for (int c = 0; c < 3; c++) {
                more.low[3 * k + c] = world.low[3 * tile + c];
                more.length[3 * k + c] = world.length[3 * tile + c];
            }
        }
        __syncthreads();
    }

    /* ---- Steps ---------------------------------------------------------------------------------------------------- */

    /* Copies the places at the begin of a step of the tiles that the block sees. */
    __device__ __forceinline__ void copy_tiles(uint32_t step) const
    {
        for (uint32_t k = warp; 32 * k < seen; k += share::WARPS)
            own.places[32 * k + threadIdx.x % 32] = places_of(step)[32 * more.tile[k] + threadIdx.x % 32];
        __syncthreads();
    }

    /* Returns whether a particle has moved too far for the lists. */
    __device__ __forceinline__ bool take_step(const small_seen *slots, uint32_t step, bool stale)
    {
        bool old = false;
        if (stale) {
            share::make_lists(slots);
            __syncthreads();
        }
        share::step_share(slots, step, [&](uint32_t p, const small_seen &moved) {
            old = old || share::is_old(p, moved.seen);
            if (share::lane == 0)
                places_of(step + 1)[begin + p] = moved;
        });
        return old;
    }

    /* Takes the steps of a launch: forces at their begins, and at the end of the last one. */
    __device__ __forceinline__ void take_steps()
    {
        bool old = true;
        for (uint32_t step = 0; step <= job.steps; step++) {
            const bool stale = wait(old);
            if (stale)
                choose_tiles(step);
            if (fits) {
                copy_tiles(step);
                old = take_step(own.places, step, stale);
            } else {
                old = take_step(places_of(step), step, stale);
            }
        }
    }
};

/* ---- The kernel -------------------------------------------------------------------------------------------------- */

template <class Rule>
__global__ __launch_bounds__(MIDDLE_THREADS, 1) void middle_steps(const __grid_constant__ Rule rule,
                                                                  const __grid_constant__ small_job job,
                                                                  const __grid_constant__ middle_world world)
{
    small_memory memory;
    middle_memory more;
    middle_divide(small_bytes(), job, world.most, &memory, &more);
    middle_block<Rule> block = {{rule, job.space, job, memory, 0, 0, 0, 0, 0, threadIdx.x % MIDDLE_LANES,
                                 threadIdx.x % 32 / MIDDLE_LANES, threadIdx.x / 32},
                                world,
                                more,
                                0,
                                false};
    block.load();
    block.take_steps();
}

#endif
