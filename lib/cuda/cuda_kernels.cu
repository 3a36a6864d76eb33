/* The core's own kernels: filling ghosts, regions and hashes of fields, and measuring the limits of a device.
 *
 * Ghosts: one kernel for each axis, as in geometry_wrap on the host. First x inside every row, then whole rows along y,
 * then whole planes along z, so that the corners are filled too. The kernels touch only the surface of the grid and
 * take a few microseconds each. */
#include "cuda/cuda_kernels.h"

#include "cuda/hash_kernel.h"
#include "memory/ghost_rows.h"
#include "memory/region_kernel.h"

static __device__ uint8_t *row_at(const struct wrap_x &wrap, uint64_t row)
{
    return wrap.origin + (int64_t) (row % wrap.height) * wrap.row_stride +
           (int64_t) (row / wrap.height) * wrap.plane_stride;
}

/* One thread for each row of bits, because both ends may share a byte. */
extern "C" __global__ void wrap_x_bits(struct wrap_x wrap)
{
    uint64_t row = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= wrap.rows)
        return;
    ghost_bits_fill(&wrap.layout, &wrap.edges, wrap.width, row_at(wrap, row), (int64_t) wrap.width, wrap.ghost);
    ghost_bits_fill(&wrap.layout, &wrap.edges, wrap.width, row_at(wrap, row), -(int64_t) wrap.ghost, wrap.ghost);
}

/* One thread for each ghost cell of elements. */
extern "C" __global__ void wrap_x_elements(struct wrap_x wrap)
{
    const uint64_t index = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x, ghosts = 2 * wrap.ghost;
    if (index >= wrap.rows * ghosts)
        return;
    uint8_t *row = row_at(wrap, index / ghosts);
    const int64_t to = edges_ghost(index % ghosts, wrap.ghost, wrap.width);
    const int64_t from = edges_source(wrap.edges.kind[0], to, wrap.width);
    for (int64_t byte = 0; byte < wrap.pitch; byte++)
        row[to * wrap.pitch + byte] =
            from < 0 ? wrap.edges.beyond[0][byte % EDGES_PATTERN] : row[from * wrap.pitch + byte];
}

template <class Word> static __device__ void copy_slice(const struct wrap_slices &wrap, uint64_t ghost, uint64_t set)
{
    const int64_t to = edges_ghost(ghost, wrap.ghost, wrap.extent);
    const int64_t from = edges_source(wrap.kind, to, wrap.extent);
    uint8_t *base = wrap.base + (int64_t) set * wrap.set_stride;
    const Word *source = (const Word *) (base + from * wrap.stride);
    Word *target = (Word *) (base + to * wrap.stride);
    const uint64_t threads = (uint64_t) gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < wrap.bytes / sizeof(Word); i += threads)
        if (from >= 0)
            target[i] = source[i];
        else
            memcpy(&target[i], wrap.beyond + i * sizeof(Word) % EDGES_PATTERN, sizeof(Word));
}

/* Block (x, ghost, set). Slices are rows, with one set for each plane, or planes, in one set. */
extern "C" __global__ void wrap_slices_16(struct wrap_slices wrap)
{
    for (uint64_t set = blockIdx.z; set < wrap.sets; set += gridDim.z)
        copy_slice<uint4>(wrap, blockIdx.y, set);
}

extern "C" __global__ void wrap_slices_1(struct wrap_slices wrap)
{
    for (uint64_t set = blockIdx.z; set < wrap.sets; set += gridDim.z)
        copy_slice<uint8_t>(wrap, blockIdx.y, set);
}

/* ---- Margins ------------------------------------------------------------------------------------------------------
 *
 * Copies from the memory of another device. A thread has FETCH_LOADS loads on their way at a time, because each takes
 * about two microseconds. */
static __device__ __forceinline__ void copy_16(uint4 *to, const uint4 *from, uint64_t count)
{
    for (uint64_t first = (uint64_t) blockIdx.x * blockDim.x * FETCH_LOADS + threadIdx.x; first < count;
         first += (uint64_t) gridDim.x * blockDim.x * FETCH_LOADS) {
        uint4 loaded[FETCH_LOADS];
#pragma unroll
        for (int i = 0; i < FETCH_LOADS; i++)
            if (first + i * blockDim.x < count)
                loaded[i] = from[first + i * blockDim.x];
#pragma unroll
        for (int i = 0; i < FETCH_LOADS; i++)
            if (first + i * blockDim.x < count)
                to[first + i * blockDim.x] = loaded[i];
    }
}

extern "C" __global__ void fetch_16(uint4 *to, const uint4 *from, uint64_t count)
{
    copy_16(to, from, count);
}

/* Makes several copies, each by a row of blocks. The memory that is written may be that of another process. */
extern "C" __global__ void put_16(const __grid_constant__ struct puts puts)
{
    const uint4 *from = (const uint4 *) puts.from[blockIdx.y];
    uint4 *to = (uint4 *) puts.to[blockIdx.y];
    copy_16(to, from, puts.words[blockIdx.y]);
}

static __device__ uint64_t nanoseconds()
{
    uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

/* Waits until *flag is at least `round`. The host's word is on the other side of the bus, so it is read rarely. */
static __device__ void wait_for_round(const struct cuda_barrier &barrier, const uint64_t *flag, uint64_t round,
                                      uint32_t index)
{
    const uint64_t begin = nanoseconds();
    for (uint32_t tries = 1;; tries++) {
        uint64_t told;
        asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(told) : "l"(flag) : "memory");
        if (told >= round)
            return;
        if (tries % 4096 != 0)
            continue;
        if (*barrier.stop != 0)
            return;
        if (nanoseconds() - begin > barrier.limit) {
            *barrier.stop = index + 1;
            __threadfence_system();
            return;
        }
    }
}

/* One block, a thread for each other process. What earlier work of the stream has stored in their memory is there before
 * they see the number, because the stores of the numbers are releases. */
extern "C" __global__ void pass_barrier(const __grid_constant__ struct cuda_barrier barrier)
{
    __shared__ uint64_t round;
    if (threadIdx.x == 0)
        round = ++*barrier.round;
    __syncthreads();
    if (threadIdx.x >= barrier.count)
        return;
    __threadfence_system();
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(barrier.theirs[threadIdx.x]), "l"(round) : "memory");
    wait_for_round(barrier, barrier.own[threadIdx.x], round, threadIdx.x);
}

/* ---- Sums over parts ---------------------------------------------------------------------------------------------- */

extern "C" __global__ void sum_arrays(const __grid_constant__ struct sum_arrays sum)
{
    for (uint64_t k = sum.begin + (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; k < sum.end;
         k += (uint64_t) gridDim.x * blockDim.x) {
        uint64_t total = 0;
#pragma unroll 4
        for (uint32_t i = 0; i < sum.count; i++)
            total += sum.array[i][k];
        for (uint32_t i = 0; i < sum.count; i++)
            sum.array[i][k] = total;
    }
}

/* ---- Regions ------------------------------------------------------------------------------------------------------ */

/* A thread for each result. */
extern "C" __global__ void region_threads(const __grid_constant__ struct region_task task)
{
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < task.count;
         i += (uint64_t) gridDim.x * blockDim.x)
        region_make_result(&task, i);
}

/* A warp for each result. A lane takes every 32nd row of the block, and all lanes join the parts in the order of rows. */
extern "C" __global__ void region_warps(const __grid_constant__ struct region_task task)
{
    const uint64_t lane = threadIdx.x % 32, warps = (uint64_t) gridDim.x * blockDim.x / 32;
    for (uint64_t i = ((uint64_t) blockIdx.x * blockDim.x + threadIdx.x) / 32; i < task.count; i += warps) {
        const struct region_place place = region_place_of(&task, i);
        union region_part total, part;
        total.natural = 0;
        for (uint64_t first = 0; first < place.rows; first += 32) {
            part.natural = 0;
            if (first + lane < place.rows)
                part = region_row_part(&task, &place, (first + lane) % place.height, (first + lane) / place.height);
            for (uint32_t from = 0; from < 32 && first + from < place.rows; from++) {
                union region_part next;
                next.natural = __shfl_sync(0xffffffffu, (unsigned long long) part.natural, (int) from);
                total = region_join(&task, total, next, first + from == 0);
            }
        }
        if (lane == 0)
            region_store(&task, &place, i, total);
    }
}

/* ---- Hashes ------------------------------------------------------------------------------------------------------- */

/* A warp reduces some blocks, so that it writes whole lines to the memory of the host. After the sums over the warp, all
 * lanes of the same parity have the same four sums. */
extern "C" __global__ void hash_blocks(const __grid_constant__ struct hash_task task)
{
    const uint64_t threads = (uint64_t) gridDim.x * blockDim.x,
                   index = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t lane = threadIdx.x % 32, part = lane % 8 / 2;
    uint64_t *const out = (uint64_t *) (task.out + task.head);
    for (uint64_t i = index; i < task.head + task.tail; i += threads)
        hash_copy_byte(&task, i);
    for (uint64_t first = index / 32 * HASH_TOGETHER; first < task.blocks; first += threads / 32 * HASH_TOGETHER) {
        uint64_t own = 0;
#pragma unroll 1
        for (uint32_t b = 0; b < HASH_TOGETHER; b++) {
            uint64_t sums[HASH_WORDS] = {0, 0, 0, 0};
            if (first + b < task.blocks && hash_add_share(&task, first + b, lane, sums))
                *task.wrong = 1;
#pragma unroll
            for (int distance = 2; distance < 32; distance *= 2)
#pragma unroll
                for (int i = 0; i < HASH_WORDS; i++)
                    sums[i] += __shfl_xor_sync(0xffffffffu, (unsigned long long) sums[i], distance);
            if (lane / 8 == b)
                own = part < 2 ? (part == 0 ? sums[0] : sums[1]) : part == 2 ? sums[2] : sums[3];
        }
        if (first + lane / 8 < task.blocks)
            out[(first + lane / 8) * 8 + lane % 2 * HASH_WORDS + part] = own;
    }
}

/* ---- Limits: loops that keep one kind of arithmetic unit busy ----------------------------------------------------
 *
 * Each thread works on LIMIT_VALUES values. Each value depends on values of several operations before, so that the
 * compiler cannot shorten a loop and no operation waits for another. A store that never happens, which the compiler
 * does not know, keeps the loop. */

extern "C" __global__ void limit_logic(uint32_t *out, uint64_t rounds)
{
    uint32_t v[LIMIT_VALUES];
    for (int i = 0; i < LIMIT_VALUES; i++)
        v[i] = threadIdx.x * 2654435761u + (uint32_t) i;
    for (uint64_t r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < LIMIT_VALUES; i++)
            v[i] = (v[i] & v[(i + 1) % LIMIT_VALUES]) ^ v[(i + 2) % LIMIT_VALUES];
    uint32_t left = 0;
    for (int i = 0; i < LIMIT_VALUES; i++)
        left |= v[i];
    if (left == 0x12345678u)
        *out = left;
}

template <class Real> static __device__ void multiply_add(Real *out, uint64_t rounds)
{
    const Real factor = (Real) 0.999, term = (Real) 0.001;
    Real v[LIMIT_VALUES];
    for (int i = 0; i < LIMIT_VALUES; i++)
        v[i] = (Real) (threadIdx.x + i);
    for (uint64_t r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < LIMIT_VALUES; i++)
            v[i] = v[i] * factor + term;
    Real left = 0;
    for (int i = 0; i < LIMIT_VALUES; i++)
        left += v[i];
    if (left == (Real) -1)
        *out = left;
}

extern "C" __global__ void limit_fma(float *out, uint64_t rounds)
{
    multiply_add(out, rounds);
}

extern "C" __global__ void limit_fma64(double *out, uint64_t rounds)
{
    multiply_add(out, rounds);
}
