/* CUDA kernels on the host, so that they are tested where there is no GPU. Each thread of a block is a coroutine. A
 * shuffle and a barrier pass the turn to the next thread, and all threads of a block take turns. So the threads of a
 * warp reach a shuffle together if, as on a GPU, all of them call it. Barriers end between two rounds of turns, so that
 * the threads leave them together. `launch_here` starts a kernel whose blocks run one after the other, and
 * `launch_together` one whose blocks wait for each other (wait_for_blocks). */
#ifndef TESTS_STENCIL_SIMT_H
#define TESTS_STENCIL_SIMT_H

#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <ucontext.h>

#define __host__
#define __device__
#define __global__
#define __shared__
#define __grid_constant__
#define __forceinline__ inline
/* libstdc++ writes __attribute__((__noinline__)). */
#define __noinline__
#define __launch_bounds__(...)
#define __align__(bytes)

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

struct dim3 {
    unsigned x, y, z;

    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z)
    {
    }
};

enum { WARP = 32, THREADS = 1024, STACK = 1 << 19 };

static jmp_buf scheduler, turns[THREADS];
static bool started[THREADS], ended[THREADS];
static unsigned running;
static unsigned waiting[THREADS], phase[THREADS]; /* for each block: threads at its barrier; barriers that have ended */
static unsigned grid_waiting, grid_phase;         /* the same for the barrier of all blocks */
static unsigned some, some_waiting, some_phase;   /* the same for a barrier of some threads */
static unsigned arrived, arrived_phase;           /* the same for a barrier whose threads arrive before they wait */
static unsigned waiting_warp[THREADS / WARP], phase_warp[THREADS / WARP]; /* the same for each warp */
static uint64_t slots[2][THREADS]; /* what the threads give to a shuffle: two arrays, which take turns */
static unsigned shuffles[THREADS];
static dim3 blockDim, gridDim, places[THREADS], block_places[THREADS];
#define threadIdx (places[running])
#define blockIdx  (block_places[running])

static std::function<void()> kernel;

static void pass_the_turn()
{
    if (_setjmp(turns[running]) == 0)
        _longjmp(scheduler, 1);
}

/* A coroutine stays for the next blocks. */
static void begin_thread()
{
    for (;;) {
        kernel();
        ended[running] = true;
        pass_the_turn();
    }
}

/* Lets thread `running` continue until it passes the turn. */
__attribute__((noinline)) static void resume()
{
    if (_setjmp(scheduler) != 0)
        return;
    if (started[running])
        _longjmp(turns[running], 1);
    started[running] = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = malloc(STACK);
    context.uc_stack.ss_size = STACK;
    makecontext(&context, begin_thread, 0);
    setcontext(&context);
}

/* Threads of [first, end) that still run. */
static unsigned alive_in(unsigned first, unsigned end)
{
    unsigned alive = 0;
    for (unsigned i = first; i < end; i++)
        alive += !ended[i];
    return alive;
}

/* Ends the barriers at which all threads that still run have arrived. */
static void end_barriers(unsigned threads)
{
    const unsigned each = blockDim.x * blockDim.y;
    for (unsigned first = 0; first < threads; first += WARP)
        if (waiting_warp[first / WARP] == alive_in(first, first + WARP < threads ? first + WARP : threads))
            waiting_warp[first / WARP] = 0, phase_warp[first / WARP]++;
    for (unsigned first = 0; first < threads; first += each)
        if (waiting[first / each] == alive_in(first, first + each))
            waiting[first / each] = 0, phase[first / each]++;
    if (grid_waiting == alive_in(0, threads))
        grid_waiting = 0, grid_phase++;
    if (arrived == threads)
        arrived = 0, arrived_phase++;
    if (some_waiting > 0 && some_waiting == some)
        some_waiting = 0, some_phase++;
}

static void wait_at(unsigned &count, const unsigned &now)
{
    count++;
    for (const unsigned before = now; now == before;)
        pass_the_turn();
}

/* Runs blocks, the first of which is `block`, at the same time. */
static void run_blocks(unsigned blocks, dim3 block)
{
    const unsigned each = blockDim.x * blockDim.y, threads = blocks * each;
    for (unsigned i = 0; i < threads; i++) {
        places[i] = dim3(i % each % blockDim.x, i % each / blockDim.x, 0);
        block_places[i] = dim3(block.x + i / each, block.y, block.z);
        ended[i] = false;
        shuffles[i] = 0;
    }
    arrived = arrived_phase = some_waiting = grid_waiting = 0;
    for (unsigned b = 0; b < blocks; b++)
        waiting[b] = 0;
    for (unsigned w = 0; w < THREADS / WARP; w++)
        waiting_warp[w] = 0;
    for (bool busy = true; busy;) {
        busy = false;
        end_barriers(threads);
        for (running = 0; running < threads; running++)
            if (!ended[running]) {
                resume();
                busy = true;
            }
    }
}

template <class... Rest> static void launch_here(std::function<void()> run, dim3 blocks, dim3 threads, Rest...)
{
    static std::mutex one; /* the parts of a divided run launch at the same time */
    const std::lock_guard<std::mutex> lock(one);
    kernel = std::move(run);
    gridDim = blocks;
    blockDim = threads;
    dim3 block;
    for (block.z = 0; block.z < blocks.z; block.z++)
        for (block.y = 0; block.y < blocks.y; block.y++)
            for (block.x = 0; block.x < blocks.x; block.x++)
                run_blocks(1, block);
}

/* At most THREADS threads in all. */
[[maybe_unused]] static void launch_together(std::function<void()> run, unsigned blocks, unsigned threads)
{
    kernel = std::move(run);
    gridDim = blocks;
    blockDim = threads;
    run_blocks(blocks, dim3(0, 0, 0));
}

/* ---- Functions of the device ------------------------------------------------------------------------------------ */

template <class T> static T __shfl_sync(unsigned, T value, int lane)
{
    uint64_t(&slot)[THREADS] = slots[shuffles[running]++ % 2];
    memcpy(&slot[running], &value, sizeof value);
    pass_the_turn();
    memcpy(&value, &slot[running / WARP * WARP + (unsigned) lane % WARP], sizeof value);
    return value;
}

template <class T> static T __shfl_xor_sync(unsigned mask, T value, int lanes)
{
    return __shfl_sync(mask, value, (int) running % WARP ^ lanes);
}

template <class T> static T __shfl_up_sync(unsigned mask, T value, int lanes)
{
    const int lane = (int) running % WARP;
    return __shfl_sync(mask, value, lane < lanes ? lane : lane - lanes);
}

template <class T> static T __shfl_down_sync(unsigned mask, T value, int lanes)
{
    const int lane = (int) running % WARP;
    return __shfl_sync(mask, value, lane + lanes < WARP ? lane + lanes : lane);
}

[[maybe_unused]] static void __syncthreads()
{
    const unsigned block = running / (blockDim.x * blockDim.y);
    wait_at(waiting[block], phase[block]);
}

/* Is the number of any thread of the block not 0? */
[[maybe_unused]] static bool __syncthreads_or(int number)
{
    static bool any[THREADS];
    bool &found = any[running / (blockDim.x * blockDim.y)];
    found = found || number;
    __syncthreads();
    const bool result = found;
    __syncthreads();
    found = false;
    return result;
}

[[maybe_unused]] static void wait_for_blocks()
{
    wait_at(grid_waiting, grid_phase);
}

/* A barrier of so many threads of the block. */
[[maybe_unused]] static void wait_for_some(unsigned threads)
{
    some = threads;
    wait_at(some_waiting, some_phase);
}

/* A barrier in two halves, at which every thread of the block arrives. The parity of a phase is its lowest bit. */
[[maybe_unused]] static void arrive()
{
    arrived++;
}

[[maybe_unused]] static void wait_for_phase(unsigned parity)
{
    while (arrived_phase % 2 == parity)
        pass_the_turn();
}

[[maybe_unused]] static void __syncwarp()
{
    wait_at(waiting_warp[running / WARP], phase_warp[running / WARP]);
}

/* The largest value of the lanes of a warp. */
[[maybe_unused]] static int __reduce_max_sync(unsigned mask, int value)
{
    for (int lanes = 1; lanes < WARP; lanes *= 2) {
        const int other = __shfl_xor_sync(mask, value, lanes);
        value = other > value ? other : value;
    }
    return value;
}

[[maybe_unused]] static uint32_t __reduce_or_sync(unsigned mask, uint32_t value)
{
    for (int lanes = 1; lanes < WARP; lanes *= 2)
        value |= __shfl_xor_sync(mask, value, lanes);
    return value;
}

[[maybe_unused]] static uint32_t __reduce_add_sync(unsigned mask, uint32_t value)
{
    for (int lanes = 1; lanes < WARP; lanes *= 2)
        value += __shfl_xor_sync(mask, value, lanes);
    return value;
}

[[maybe_unused]] static int __reduce_min_sync(unsigned mask, int value)
{
    return -1 - __reduce_max_sync(mask, -1 - value);
}

[[maybe_unused]] static bool __any_sync(unsigned mask, bool value)
{
    return __reduce_max_sync(mask, value);
}

[[maybe_unused]] static bool __all_sync(unsigned mask, bool value)
{
    return !__any_sync(mask, !value);
}

[[maybe_unused]] static uint32_t __ballot_sync(unsigned mask, bool value)
{
    return __reduce_or_sync(mask, value ? 1u << running % WARP : 0);
}

template <class T> static T atomicAdd(T *at, T value)
{
    const T before = *at;
    *at += value;
    return before;
}

template <class T> static T atomicOr(T *at, T value)
{
    const T before = *at;
    *at |= value;
    return before;
}

[[maybe_unused]] static int __popc(uint32_t word)
{
    return __builtin_popcount(word);
}

[[maybe_unused]] static int __clz(int word)
{
    return word ? __builtin_clz((uint32_t) word) : 32;
}

[[maybe_unused]] static int __ffs(int word)
{
    return __builtin_ffs(word);
}

[[maybe_unused]] static uint32_t __byte_perm(uint32_t low, uint32_t high, uint32_t selector)
{
    const uint64_t both = (uint64_t) high << 32 | low;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++)
        result |= (uint32_t) (both >> (selector >> (4 * i) & 7) * 8 & 255) << (8 * i);
    return result;
}

[[maybe_unused]] static uint32_t __funnelshift_l(uint32_t low, uint32_t high, uint32_t shift)
{
    return (uint32_t) (((uint64_t) high << 32 | low) << (shift & 31) >> 32);
}

[[maybe_unused]] static uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t shift)
{
    return (uint32_t) (((uint64_t) high << 32 | low) >> (shift & 31));
}

/* Shifts of more than 32 bits count as 32. */
[[maybe_unused]] static uint32_t __funnelshift_lc(uint32_t low, uint32_t high, uint32_t shift)
{
    return (uint32_t) (((uint64_t) high << 32 | low) >> (32 - (shift < 32 ? shift : 32)));
}

[[maybe_unused]] static uint32_t __funnelshift_rc(uint32_t low, uint32_t high, uint32_t shift)
{
    return (uint32_t) (((uint64_t) high << 32 | low) >> (shift < 32 ? shift : 32));
}

#endif
