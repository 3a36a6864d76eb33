/* What the files of ising share: the places of its tables, its functions, and the rule, which stands here once for CPU
 * and CUDA. */
#ifndef ISING_H
#define ISING_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SPIN };                              /* fields */
enum { RULE_OF_FLIPS, TEMPERATURE, FIELD }; /* parameters */
enum { METROPOLIS, HEAT_BATH };             /* choices of the first */
enum { ENERGY, MAGNETISATION };

/* The chance that a spin flips, times 2^32, by the spin (0 down, 1 up) and the number of its neighbours that are up. */
struct chances {
    uint64_t flip[2][5];
};

struct chances chances_of(const struct engine_plan *plan);

/* What cells count up to: energy and magnetisation a cell follow from these alone, by exact whole numbers. */
struct counts {
    uint64_t up, alike; /* spins up; pairs of neighbours that are alike */
};

void metrics_of(const struct engine_plan *plan, struct counts counts, double *values);

int cpu_create(const struct engine_call *call, void **self);
int cpu_advance(void *self, struct engine_call *call);
int cpu_measure(void *self, const struct engine_call *call, double *values);
int cuda_create(const struct engine_call *call, void **self);
int cuda_advance(void *self, struct engine_call *call);
int cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
#define RULE static __host__ __device__ inline
#else
#define RULE static inline
#endif

enum { BLACK, WHITE, COLOURS };

/* Cells of one colour have x + y even, of the other odd: none of them are neighbours, so that all may be updated at the
 * same time. The cell number `half` of row y, of this colour: */
RULE uint64_t cell_x(uint64_t half, uint64_t y, uint32_t colour)
{
    return 2 * half + ((y + colour) & 1);
}

/* Its random word: of this stream, */
RULE uint64_t stream_of(uint64_t step, uint32_t colour)
{
    return ((uint64_t) 1 << 63) + COLOURS * step + colour; /* far from [init]'s streams, which count from 0 */
}

/* this index. Rows begin at multiples of 4, which is a block of random words. */
RULE uint64_t row_words(uint64_t width)
{
    return (width / 2 + 3) / 4 * 4;
}

RULE uint64_t word_of(uint64_t half, uint64_t y, uint64_t width)
{
    return y * row_words(width) + half;
}

/* The spin after its turn. */
RULE uint8_t turn(const struct chances *chances, uint8_t spin, uint32_t neighbours_up, uint32_t word)
{
    return (uint8_t) (spin ^ (word < chances->flip[spin][neighbours_up]));
}

#endif
