/* Measures the host's limits: the highest rates of copying and computing of all threads together, among several short
 * runs.
 *
 * On x86-64 the widest vectors of the machine are used, whatever the engine was compiled for. A three-input operation
 * is one instruction (vpternlogd) with AVX-512, otherwise two (and, xor). A multiply-add is one instruction where the
 * machine has it, otherwise a multiplication and an addition. This file is compiled with -ffp-contract=fast. */
#include "base/machine.h"
#include "parts/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define ISA              plain
#define TARGET           __attribute__((noinline))
#define BYTES            16
#define TERNARY(a, b, c) (((a) & (b)) ^ (c))
#include "parts/host_limits_kernel.h"

#if defined(__x86_64__)
#define ISA              avx2
#define TARGET           __attribute__((noinline, target("avx2,fma")))
#define BYTES            32
#define TERNARY(a, b, c) (((a) & (b)) ^ (c))
#include "parts/host_limits_kernel.h"

#define ISA              avx512
#define TARGET           __attribute__((noinline, target("avx512f")))
#define BYTES            64
#define TERNARY(a, b, c) ((words_avx512) _mm512_ternarylogic_epi32((__m512i) (a), (__m512i) (b), (__m512i) (c), 0x6a))
#include "parts/host_limits_kernel.h"
#endif

typedef double kernel(uint64_t rounds);

struct kernels {
    kernel *logic, *fma, *fma64;
};

static struct kernels kernels_here(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return (struct kernels){logic_avx512, fma_avx512, fma64_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct kernels){logic_avx2, fma_avx2, fma64_avx2};
#endif
    return (struct kernels){logic_plain, fma_plain, fma64_plain};
}

/* The time that this thread has computed. On a busy machine threads wait, and a limit says what they do if they do
 * not. */
static double own_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* ---- Computing ---------------------------------------------------------------------------------------------- */

/* Measures the operations per second of all threads, `rounds` rounds each, which they begin at the same time. */
static double team_rate(kernel *run, uint64_t rounds, uint32_t threads, double *seconds)
{
    const int team = (int) threads;
    double operations = 0, longest = 0;
#pragma omp parallel num_threads(team) reduction(+ : operations) reduction(max : longest)
    {
#pragma omp barrier
        const double begin = own_clock();
        operations += run(rounds) * (double) rounds;
        longest = own_clock() - begin;
    }
    *seconds = longest;
    return operations / longest;
}

/* Measures with longer and longer runs, until they are long enough and the rate does not rise any more. So a run that
 * was interrupted does not count, even where all runs of one length were. On a busy machine the time ends first. */
static double best_rate(kernel *run, uint32_t threads)
{
    static const double long_enough = 1e-3, too_long = 0.2, patience = 1;
    const double deadline = machine_clock() + patience;
    double best = 0, before, shortest;
    uint64_t rounds = 1 << 14;
    do {
        before = best, shortest = too_long;
        for (int i = 0; i < 6 && (best == 0 || machine_clock() < deadline); i++) {
            double seconds, rate = team_rate(run, rounds, threads, &seconds);
            best = rate > best ? rate : best;
            shortest = seconds < shortest ? seconds : shortest;
        }
        rounds *= 4;
    } while (machine_clock() < deadline && (shortest < long_enough || (best > 1.05 * before && shortest < too_long)));
    return best;
}

/* ---- Copying ------------------------------------------------------------------------------------------------ */

/* Copies with stores that bypass the caches; a plain store first reads the old bytes into the cache. `bytes` is a
 * multiple of 64. */
static void copy_streaming(char *to, const char *from, uint64_t bytes)
{
#if defined(__x86_64__)
    for (uint64_t i = 0; i < bytes; i += 64)
#pragma GCC unroll 4
        for (int k = 0; k < 64; k += 16)
            _mm_stream_si128((__m128i *) (void *) (to + i + k),
                             _mm_load_si128((const __m128i *) (const void *) (from + i + k)));
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

static void copy_plain(char *to, const char *from, uint64_t bytes)
{
    memcpy(to, from, bytes);
}

typedef void copy(char *to, const char *from, uint64_t bytes);

static double copy_rate(copy *run, char *to, const char *from, uint64_t bytes, uint32_t threads)
{
    const int team = (int) threads;
    const uint64_t slice = bytes / threads / 64 * 64;
    double longest = 0;
#pragma omp parallel for num_threads(team) schedule(static, 1) reduction(max : longest)
    for (int i = 0; i < team; i++) {
        const double begin = own_clock();
        run(to + (uint64_t) i * slice, from + (uint64_t) i * slice, slice);
        longest = own_clock() - begin;
    }
    return 2 * (double) (slice * threads) / longest;
}

/* Allocates two buffers, one behind the other, and touches them, so that they have their pages. On a busy machine, the
 * time ends first; then they are smaller. *bytes is the size of each. */
static char *make_buffers(uint64_t *bytes)
{
    enum { PAGE = 1 << 21, SMALL_PAGE = 1 << 12, PAGES_LEAST = 16 };
    const double deadline = machine_clock() + 0.5;
    char *buffers = aligned_alloc(PAGE, 2 * *bytes / PAGE * PAGE);
    uint64_t pages = 0;
    if (buffers)
        madvise(buffers, 2 * *bytes / PAGE * PAGE, MADV_HUGEPAGE); /* for speed only; a refusal does not matter */
    for (; buffers && pages < 2 * *bytes / PAGE && (pages < PAGES_LEAST || machine_clock() < deadline); pages++)
        for (uint64_t at = 0; at < PAGE; at += SMALL_PAGE)
            buffers[pages * PAGE + at] = 0;
    *bytes = pages * PAGE / 2;
    return buffers;
}

/* Returns the size of each of the two buffers: at least as large as the last cache where that is possible. */
static uint64_t copy_bytes(void)
{
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const uint64_t least = 64u << 20, most = 256u << 20, wanted = cache > 0 ? 2 * (uint64_t) cache : least;
    return wanted < least ? least : wanted > most ? most : wanted;
}

static double best_copy(char *to, const char *from, uint64_t bytes, uint32_t threads)
{
    static copy *const ways[] = {copy_streaming, copy_plain};
    double best = 0, begin = machine_clock();
    for (int i = 0; i < 8 && (i < 2 || machine_clock() - begin < 0.3); i++) {
        double rate = copy_rate(ways[i % 2], to, from, bytes, threads);
        best = rate > best ? rate : best;
    }
    return best;
}

int host_limits(uint32_t threads, struct engine_limits *limits, struct engine_error *error)
{
    const struct kernels kernels = kernels_here();
    uint64_t bytes = copy_bytes();
    char *buffers = make_buffers(&bytes);
    if (!buffers)
        return error_memory(error, 2 * copy_bytes(), "measuring limits");
    limits->copy = best_copy(buffers + bytes, buffers, bytes, threads);
    limits->logic = best_rate(kernels.logic, threads);
    limits->fma = best_rate(kernels.fma, threads);
    limits->fma64 = best_rate(kernels.fma64, threads);
    free(buffers);
    return 0;
}
