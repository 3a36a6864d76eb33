/* What the files of ising share: the indices of its tables, its functions, and the rule itself, which CPU and CUDA
 * compile from here. */
#ifndef ISING_H
#define ISING_H

#define ENGINE_MINOR 4 /* for ENGINE_SEEDED */
#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SPIN };                              /* fields */
enum { RULE_OF_FLIPS, TEMPERATURE, FIELD }; /* parameters */
enum { METROPOLIS, HEAT_BATH };             /* choices of RULE_OF_FLIPS */
enum { ENERGY, MAGNETISATION };             /* metrics */

/* The probability of a flip, times 2^32. */
struct chances {
    uint64_t flip[2][5]; /* [spin: 0 down, 1 up][number of its four neighbours that are up] */
};

struct chances chances_of(const struct engine_plan *plan);

/* Counts over all cells. Energy and magnetisation follow from these integers, so every implementation gives the
 * same. */
struct counts {
    uint64_t up, alike; /* spins up; pairs of neighbours with equal spins */
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

enum { BLACK, WHITE, COLOURS };

/* The colours of a chessboard: x + y is even for black cells and odd for white ones. Cells of one colour are never
 * neighbours, so all of them may be updated at the same time.
 *
 * The x of cell number `half` of a colour in row y. */
ENGINE_INLINE uint64_t cell_x(uint64_t half, uint64_t y, uint32_t colour)
{
    return 2 * half + ((y + colour) & 1);
}

/* The stream of the random words for a sweep. [init] uses streams from 0 on; these are far from them. */
ENGINE_INLINE uint64_t stream_of(uint64_t step, uint32_t colour)
{
    return ((uint64_t) 1 << 63) + COLOURS * step + colour;
}

/* Random words for a row. A row begins at a multiple of 4, because random numbers come in blocks of 4 words. */
ENGINE_INLINE uint64_t row_words(uint64_t width)
{
    return (width / 2 + 3) / 4 * 4;
}

/* The index of a cell's random word in the stream. */
ENGINE_INLINE uint64_t word_of(uint64_t half, uint64_t y, uint64_t width)
{
    return y * row_words(width) + half;
}

/* The spin after its update with a random word. */
ENGINE_INLINE uint8_t turn(const struct chances *chances, uint8_t spin, uint32_t neighbours_up, uint32_t word)
{
    return (uint8_t) (spin ^ (word < chances->flip[spin][neighbours_up]));
}

#endif
