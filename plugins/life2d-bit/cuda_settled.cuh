/* Settled regions of 2D Life: passes of 12 steps that leave out the tiles which repeat themselves.
 *
 * A tile is needed if a cell of it, or within 12 cells of it, has changed in the 12 steps before. Any other tile is 12
 * steps later what it is now. There are two buffers, and a pass reads one and writes the other, which holds the state
 * 12 steps ago. So the cells of a tile that is not needed are right in both buffers, and nothing is written:
 *
 *     buffer      step 24    step 36    step 48         the tile did not change from 24 to 36 and is not needed
 *     0           A                     (A stays)       from 36 to 48: buffer 0 already holds step 48
 *     1                      A
 *
 * The blocks stay for all passes of a round and wait for each other after each pass. Up to twelve blocks are a team.
 * Each of n teams has every n-th tile, and a bitmap of those that are needed. All blocks of a team look at the whole
 * bitmap. Each of m blocks takes every m-th of the tiles in it, so that none has many more than others:
 *
 *     bitmap   0 1 1 0 0 1 0 1 ...      the tiles 1, 7, ... are those of the first block of two, 2, 5, ... of the other
 *
 * Whoever finds a change sets the bits of the tiles around it in a second bitmap, for the next pass. A third one, of
 * the pass before, is cleared meanwhile. */
#ifndef LIFE2D_CUDA_SETTLED_CUH
#define LIFE2D_CUDA_SETTLED_CUH

#include "cuda_tile.cuh"

/* ---- Passes ---------------------------------------------------------------------------------- */

/* A block's team, its place in the team, and the number of the team's blocks. `words` of the bitmap are looked at
 * together: four for each lane, or as many as the list can take if they are all ones. */
struct settled_team {
    uint32_t number, member, words;
    settled_divisor members;
};

__device__ __forceinline__ settled_team team_of_block(const settled_job &job)
{
    settled_team t;
    t.member = settled_divide(blockIdx.x, job.teams);
    t.number = blockIdx.x - t.member * job.teams.by;
    t.members.by = settled_divide(gridDim.x - 1 - t.number, job.teams) + 1;
    t.members.inverse = 0xffffffffu / t.members.by;
    t.words = min(4 * blockDim.x, (uint32_t) SETTLED_ENTRIES / 32 * t.members.by);
    return t;
}

/* The sum of `number` in the lanes before this one, of all lanes of the block; `total` has the sum of all. */
__device__ __forceinline__ uint32_t sum_before(uint32_t number, uint32_t *total)
{
    uint32_t *counts = (uint32_t *) (life2d_shared + SETTLED_COUNTS);
    const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    uint32_t sum = number, before = 0;
    for (uint32_t i = 1; i < 32; i *= 2) {
        const uint32_t other = __shfl_up_sync(~0u, sum, i);
        sum += lane >= i ? other : 0;
    }
    if (lane == 31)
        counts[warp] = sum;
    __syncthreads();
    const uint32_t count = lane < warps ? counts[lane] : 0;
    before = __reduce_add_sync(~0u, lane < warp ? count : 0);
    *total = __reduce_add_sync(~0u, count);
    return before + sum - number;
}

/* Lists the block's share of the needed tiles in some words of its team's bitmap. All tiles are needed if nothing is
 * known. Returns the length of the list. */
__device__ __forceinline__ uint32_t list_needed(const settled_job &job, const settled_team &team,
                                                const uint32_t *needed, uint32_t first, bool all)
{
    uint16_t *list = (uint16_t *) (life2d_shared + SETTLED_LIST);
    const uint32_t word = 4 * threadIdx.x, members = team.members.by;
    const bool reads = word < team.words && first + word < job.words;
    uint32_t bits[4] = {0, 0, 0, 0}, total;
    if (reads)
        read_group(bits, read_now((const uint4 *) (const void *) (needed + team.number * job.words + first + word)));
    for (uint32_t i = 0; i < 4; i++)
        bits[i] = all && reads ? ~0u : bits[i];
    const uint32_t count = (uint32_t) (__popc(bits[0]) + __popc(bits[1]) + __popc(bits[2]) + __popc(bits[3]));
    const uint32_t rank = sum_before(count, &total);
    uint32_t at = settled_divide(rank, team.members), member = rank - at * members;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t left = bits[i]; left; left &= left - 1) {
            if (member == team.member)
                list[at] = (uint16_t) ((word + i) * 32 + (uint32_t) __ffs((int) left) - 1);
            if (++member == members)
                member = 0, at++;
        }
    __syncthreads();
    return settled_divide(total + members - 1 - team.member, team.members);
}

/* Clears the block's share of its team's bitmap. */
__device__ __forceinline__ void clear_needed(const settled_job &job, const settled_team &team, uint32_t *needed)
{
    for (uint32_t i = team.member * blockDim.x + threadIdx.x; i < job.words; i += team.members.by * blockDim.x)
        needed[team.number * job.words + i] = 0;
}

/* The place of a tile in the team's bitmap. False: there is no such tile. */
__device__ __forceinline__ bool find_tile(const settled_job &job, uint32_t team, uint32_t place, settled_tile *tile)
{
    const uint32_t turn = turn_of(job, place), teams = job.teams.by;
    const uint32_t number = place * teams + (team >= turn ? team - turn : team + teams - turn);
    const uint32_t line = settled_divide(number, job.columns);
    if (line >= job.y.tiles)
        return false;
    *tile = settled_tile_of(job, number - line * job.x.tiles, line);
    return true;
}

/* Takes the steps of the block's needed tiles, and marks those of the next pass. Returns the number of the warp's. */
template <class RULE>
__device__ __forceinline__ uint32_t take_settled_pass(const settled_job &job, const settled_team &team, uint32_t from,
                                                      uint32_t at, bool all, const RULE &rule)
{
    const uint16_t *list = (const uint16_t *) (life2d_shared + SETTLED_LIST);
    const uint32_t warp = threadIdx.x >> 5, warps = blockDim.x >> 5, next = at < 2 ? at + 1 : 0;
    uint32_t taken = 0;
    for (uint32_t first = 0; first < job.words; first += team.words) {
        const uint32_t count = list_needed(job, team, job.needed[at], first, all);
        for (uint32_t i = warp; i < count; i += warps) {
            settled_tile tile;
            if (!find_tile(job, team.number, first * 32 + list[i], &tile))
                continue;
            const uint32_t where = take_tile(job, tile, job.cells[from], job.cells[1 - from], rule);
            mark_around(job, job.needed[next], tile, where);
            taken++;
        }
        __syncthreads();
    }
    clear_needed(job, team, job.needed[next < 2 ? next + 1 : 0]);
    return taken;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Each warp looks at one tile: would it change? The number of those that do is in *moving after the next wait. */
template <class RULE> __device__ __forceinline__ void try_tiles(const settled_job &job, uint32_t seed, const RULE &rule)
{
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const uint32_t first = (warp + seed * 40503) * 2654435761u, second = (first ^ first >> 15) * 2246822519u;
    const settled_tile tile = settled_tile_of(job, (first >> 4) % job.x.tiles, (second >> 4) % job.y.tiles);
    const uint32_t where = take_tile(job, tile, job.cells[0], (uint4 *) NULL, rule);
    if ((threadIdx.x & 31) == 0 && where)
        atomicAdd(&job.state->moving[seed % 2], 1u);
}

/* Does it pay to skip tiles? All blocks call it and find the same. */
template <class RULE> __device__ __forceinline__ bool trial_pays(const settled_job &job, const RULE &rule)
{
    const uint32_t seed = job.state->trials, samples = gridDim.x * (blockDim.x >> 5);
    try_tiles(job, seed, rule);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        job.state->moving[1 - seed % 2] = 0;
    wait_for_grid(&job.state->arrived);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        job.state->trials = seed + 1;
    return (uint64_t) read_now(&job.state->moving[seed % 2]) * 100 < (uint64_t) samples * job.most_moving;
}

/* Should tiles be skipped after a pass of which `needed` tiles were needed? */
__device__ __forceinline__ bool still_pays(const settled_job &job, uint32_t needed)
{
    return job.always || needed <= job.most_needed;
}

/* Takes up to job.passes passes of 12 steps, fewer if they do not pay, and says in job.state->done how many steps of
 * the series are then done: those before, and a multiple of 48 or all of the others. */
template <class RULE> __device__ __forceinline__ void take_passes(const settled_job &job, const RULE &rule)
{
    settled_state *s = job.state;
    const settled_team team = team_of_block(job);
    const bool leads = blockIdx.x == 0 && threadIdx.x == 0;
    bool known = s->known, on = job.always || (s->on && (known || job.passes >= job.least));
    uint32_t at = s->at, turn = s->turn, pass = 0, computed = 0;
    if (job.first > 0 && s->done > job.first * SETTLED_STEPS)
        return;
    if (!on && job.passes >= job.least)
        on = trial_pays(job, rule), known = false;
    while (on && pass < job.passes) {
        const bool counts = pass % 4 == 3 || pass + 1 == job.passes, all = !known;
        uint32_t *total = &s->total[turn];
        const uint32_t taken = take_settled_pass(job, team, pass & 1, at, all, rule);
        computed += taken;
        known = true, at = at < 2 ? at + 1 : 0, pass++;
        if (counts) {
            turn = turn < 2 ? turn + 1 : 0;
            if ((threadIdx.x & 31) == 0 && taken > 0)
                atomicAdd(total, taken);
            if (leads)
                s->total[turn] = 0;
        }
        wait_for_grid(&s->arrived);
        if (counts && !all)
            on = still_pays(job, read_now(total));
    }
    if ((threadIdx.x & 31) == 0 && computed > 0)
        atomicAdd(&s->computed, (unsigned long long) computed);
    if (!leads)
        return;
    if (pass > 0)
        s->on = s->known = on, s->at = at, s->turn = turn;
    else if (job.passes >= job.least)
        s->on = s->known = 0;
    const uint64_t tiles = (uint64_t) job.x.tiles * job.y.tiles;
    s->taken += tiles * job.steps, s->passed += tiles * pass;
    s->done = (job.first + pass) * SETTLED_STEPS;
}

template <class RULE>
__global__ void __launch_bounds__(32 * SETTLED_WARPS, 1)
    life2d_settled(const __grid_constant__ settled_job job, const __grid_constant__ RULE rule)
{
    take_passes(job, rule);
}

#endif
