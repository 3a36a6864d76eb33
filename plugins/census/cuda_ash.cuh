/* The objects of a settled window. The cells that are alive in one of two steps are cut into clusters that have no common
 * neighbour, and each cluster is looked up in a table by its live cells. */
#ifndef CENSUS_CUDA_ASH_CUH
#define CENSUS_CUDA_ASH_CUH

#include "cuda_window.cuh"

constexpr int32_t SEED = 15; /* the place of a cluster's first cell in a window of 32 x 32 cells around it */

template <bool LIFE> struct ash {
    window<LIFE> &soup;
    const census_job &job;
    uint32_t lane, number;
    uint32_t *slots, counted; /* of clusters in the table */

    /* Where this lane's row of 32 x 32 cells is: bit `shift` of word `at` of an array, and the words of the next tiles. */
    struct place {
        uint32_t at, shift;
    };

    __device__ __forceinline__ ash(window<LIFE> &soup, uint32_t number, uint32_t *slots)
        : soup(soup), job(soup.job), lane(soup.lane), number(number), slots(slots), counted(0)
    {
    }

    __device__ __forceinline__ place place_of(uint32_t x, uint32_t y) const
    {
        const uint32_t row = y - SEED + lane, column = x - SEED;
        const uint32_t tile = row / CELLS_SIDE * WINDOW_SIDE + column / CELLS_SIDE;
        return {tile * TILE_WORDS + row % CELLS_SIDE, column % CELLS_SIDE};
    }

    __device__ __forceinline__ static uint32_t get(const uint32_t *array, const place &from)
    {
        uint32_t bits = array[from.at] >> from.shift | array[from.at + TILE_WORDS] << (CELLS_SIDE - from.shift);
        if (from.shift > 2 * CELLS_SIDE - 32)
            bits |= array[from.at + 2 * TILE_WORDS] << (2 * CELLS_SIDE - from.shift);
        return bits;
    }

    __device__ __forceinline__ static void remove(uint32_t *array, const place &from, uint32_t bits)
    {
        if (bits == 0)
            return;
        array[from.at] &= ~(bits << from.shift & CELLS);
        array[from.at + TILE_WORDS] &= ~(bits >> (CELLS_SIDE - from.shift) & CELLS);
        if (from.shift > 2 * CELLS_SIDE - 32)
            array[from.at + 2 * TILE_WORDS] &= ~(bits >> (2 * CELLS_SIDE - from.shift));
    }

    /* Fills the other array with the cells that are alive in one of two steps. Returns the tiles that have some. */
    __device__ __forceinline__ uint32_t remember() const
    {
        uint32_t some = 0;
        for_tiles(dilated(soup.alive, lane), [&](uint32_t x, uint32_t y) {
            const uint32_t tile = y * WINDOW_SIDE + x, cells = soup.load(tile);
            const uint32_t both = cells | soup.step(cells), past = soup.own ? both >> 2 & CELLS : 0;
            if (soup.own)
                soup.next[tile * TILE_WORDS + lane - 2] = past;
            const bool any = __any_sync(WARP_ALL, past != 0);
            some |= any && lane == y ? 1u << x : 0;
        });
        soup.touched |= dilated(soup.alive, lane);
        __syncwarp();
        return some;
    }

    /* Grows the cluster of the cell in the middle. Returns false if it may be larger than the 32 x 32 cells. */
    __device__ __forceinline__ bool grow(uint32_t around, uint32_t *cluster) const
    {
        uint32_t mine = lane == SEED ? 1u << SEED : 0;
        for (bool grows = true; grows;) {
            const uint32_t near = mine | mine << 1 | mine >> 1, wide = near | mine << 2 | mine >> 2;
            const uint32_t corner = job.diagonal ? wide : near;
            const uint32_t all = wide | __shfl_up_sync(WARP_ALL, wide, 1) | __shfl_down_sync(WARP_ALL, wide, 1) |
                                 __shfl_up_sync(WARP_ALL, corner, 2) | __shfl_down_sync(WARP_ALL, corner, 2);
            const uint32_t more = all & around & ~mine;
            mine |= more;
            grows = __any_sync(WARP_ALL, more != 0);
        }
        *cluster = mine;
        const bool outer = lane < 2 || lane >= 30 ? mine != 0 : (mine & 0xc0000003) != 0;
        return !__any_sync(WARP_ALL, outer);
    }

    /* The live cells of a cluster, from row 0 and bit 0 on. */
    __device__ __forceinline__ uint32_t shape_of(uint32_t cells) const
    {
        const uint32_t top = lowest(__ballot_sync(WARP_ALL, cells != 0));
        const uint32_t left = lowest(__reduce_or_sync(WARP_ALL, cells));
        const uint32_t row = __shfl_sync(WARP_ALL, cells >> left, (int) ((lane + top) % 32));
        return lane + top < 32 ? row : 0;
    }

    /* Finds a shape in the table. Returns false if it is not there. */
    __device__ __forceinline__ bool find(uint32_t row, uint32_t *slot) const
    {
        for (*slot = census_hash_end(__reduce_add_sync(WARP_ALL, census_hash_row(lane, row)));; (*slot)++) {
            *slot %= CENSUS_SLOTS;
            const uint32_t known = job.table[*slot].rows[lane];
            if (!__any_sync(WARP_ALL, known != row))
                return true;
            if (!__any_sync(WARP_ALL, known != 0))
                return false;
        }
    }

    /* Gives a shape to the host. Returns false if there is no room. */
    __device__ __forceinline__ bool report(uint32_t row) const
    {
        uint32_t at = 0;
        if (lane == 0)
            at = atomicAdd(&job.totals->reports, 1u);
        at = __shfl_sync(WARP_ALL, at, 0);
        if (at >= CENSUS_REPORTS)
            return false;
        job.reports[at].shape.rows[lane] = row;
        if (lane == 0)
            job.reports[at].soup = number;
        return true;
    }

    /* Takes the cluster of a cell. Returns false if the soup has to be run on the host. */
    __device__ __forceinline__ bool take_cluster(uint32_t x, uint32_t y)
    {
        const place from = place_of(x, y);
        uint32_t cluster, slot;
        if (!grow(get(soup.next, from), &cluster))
            return false;
        const uint32_t cells = get(soup.now, from) & cluster;
        remove(soup.next, from, cluster);
        __syncwarp();
        if (!__any_sync(WARP_ALL, cells != 0))
            return true;
        const uint32_t row = shape_of(cells);
        if (!find(row, &slot))
            return report(row);
        if (counted == CENSUS_CLUSTERS)
            return false;
        if (lane == 0)
            slots[counted] = slot;
        counted++;
        return true;
    }

    __device__ __forceinline__ bool take_tile(uint32_t x, uint32_t y)
    {
        const uint32_t *const words = soup.next + (y * WINDOW_SIDE + x) * TILE_WORDS;
        for (;;) {
            const uint32_t row = words[lane], rows = __ballot_sync(WARP_ALL, row != 0), top = lowest(rows);
            if (rows == 0)
                return true;
            const uint32_t left = lowest(__shfl_sync(WARP_ALL, row, (int) top));
            if (!take_cluster(CELLS_SIDE * x + left, CELLS_SIDE * y + top))
                return false;
        }
    }

    /* Finds all objects and counts them. Returns false if the soup has to be run on the host. */
    __device__ __forceinline__ bool take()
    {
        bool right = true;
        for_tiles(remember(), [&](uint32_t x, uint32_t y) { right = right && take_tile(x, y); });
        /* A shape without cells stands for gliders whose soup matters. */
        if (right && soup.gliders > 0 && job.report_gliders)
            for (uint32_t k = 0; k < soup.gliders; k++)
                right = right && report(0);
        if (!right)
            return false;
        __syncwarp();
        for (uint32_t k = lane; k < counted; k += 32)
            atomicAdd(job.counts + slots[k], 1u);
        if (lane == 0 && soup.gliders > 0 && !job.report_gliders)
            atomicAdd(&job.totals->gliders, soup.gliders);
        return true;
    }
};

/* ---- The kernels ------------------------------------------------------------------------------------------------- */

/* Makes the soups of a batch, one by a thread. */
__global__ void make_soups(const __grid_constant__ census_job job)
{
    const uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= job.count)
        return;
    char text[CENSUS_TEXT];
    uint64_t rest = job.first + number;
    uint32_t length = job.root_length + 1;
    for (uint64_t digits = rest; digits >= 10; digits /= 10)
        length++;
    for (uint32_t i = 0; i < job.root_length; i++)
        text[i] = job.root[i];
    for (uint32_t i = length; i > job.root_length; rest /= 10)
        text[--i] = (char) ('0' + rest % 10);
    struct soup soup;
    soup_put_together(text, length, &job.layout, &soup);
    job.soups[number] = soup;
}

/* Runs the soups of a batch, one after the other by each warp. */
template <bool LIFE>
__global__ void __launch_bounds__(CENSUS_THREADS) take_soups(const __grid_constant__ census_job job)
{
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    window<LIFE> soup(job, job.arrays + (uint64_t) warp * 2 * ARRAY_WORDS);
    for (;;) {
        uint32_t number = 0;
        if (soup.lane == 0)
            number = atomicAdd(&job.totals->next, 1u);
        number = __shfl_sync(WARP_ALL, number, 0);
        if (number >= job.count)
            return;
        soup.put(job.soups + number);
        bool right = soup.run() == WINDOW_SETTLED;
        if (right)
            right = ash<LIFE>(soup, number, job.slots + warp * CENSUS_CLUSTERS).take();
        if (!right && soup.lane == 0)
            job.left[atomicAdd(&job.totals->left, 1u)] = number;
        soup.clear();
    }
}

#endif
