/* What the files of ising share: the indices of its tables, its functions, and the rule itself, which CPU and CUDA
 * compile from here. */
#ifndef ISING_H
#define ISING_H

#define ENGINE_MINOR 5 /* for ENGINE_DIVISIBLE */
#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SPIN };                              /* fields */
enum { RULE_OF_FLIPS, TEMPERATURE, FIELD }; /* parameters */
enum { METROPOLIS, HEAT_BATH };             /* choices of RULE_OF_FLIPS */
enum { ENERGY, MAGNETISATION };             /* metrics */

enum { UNLIKE = 5, CHANCES = 2 * UNLIKE, FEW = 2 };

/* The probabilities of flips, times 2^32; a certain flip has the chance ALWAYS. */
struct chances {
    uint64_t flip[CHANCES]; /* [UNLIKE * spin (0 down, 1 up) + number of its four neighbours that differ from it] */
};

struct chances chances_of(const struct engine_plan *plan);

/* Whether chances do not depend on the spin, and a spin with two or more unlike neighbours always flips: the Metropolis
 * rule without a field. Then only the first FEW chances of the table have to be drawn. */
int few_chances(const struct chances *chances);

/* Counts over all cells. Energy and magnetisation follow from these integers, so every implementation gives the
 * same. */
struct counts {
    uint64_t up, alike; /* spins up; pairs of neighbours with equal spins */
};

/* Adds the counts of a part to those of the parts before it, which `values` hold, and makes the metrics of them after
 * the last part. Counts are less than 2^53, so a double holds them exactly. */
void add_counts(const struct engine_plan *plan, struct counts counts, double *values);

int cpu_create(const struct engine_call *call, void **self);
int cpu_advance(void *self, struct engine_call *call);
int cpu_measure(void *self, const struct engine_call *call, double *values);
int cuda_create(const struct engine_call *call, void **self);
int cuda_advance(void *self, struct engine_call *call);
int cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

/* ---- Cells ----------------------------------------------------------------------------------------------------------
 *
 * The colours of a chessboard: x + y is even for black cells and odd for white ones. Cells of one colour are never
 * neighbours, so all of them may be updated at the same time.
 *
 * A cell is a bit. Rows 2j and 2j + 1, the upper and the lower row of pair j, hold 32 black and 32 white cells in each
 * column of words. Either colour fits into one word without gaps, because the rows alternate:
 *
 *     upper row   b w b w b w …         black   b b b b b b …     of the upper, the lower, the upper row …
 *     lower row   w b w b w b …         white   w w w w w w …     of the lower, the upper, the lower row …
 *
 * If `mask` has the bits where the upper row has the colour, then mix(mask, upper, lower) are the cells of the colour,
 * and mix(mask, lower, upper) are those of the other colour. The latter are also the neighbours below the cells of the
 * upper row and above those of the lower row. The other neighbours along y are mix(mask, above, below), from the rows
 * above and below the pair. */
enum { BLACK, WHITE, COLOURS };

ENGINE_INLINE uint32_t mask_of(uint32_t colour)
{
    return colour == BLACK ? 0x55555555u : 0xAAAAAAAAu;
}

ENGINE_INLINE uint32_t mix(uint32_t mask, uint32_t a, uint32_t b)
{
    return (mask & a) | (~mask & b);
}

/* In a run that the engine divides, a part is a torus of some rows of the grid, and its first and its last row may be
 * halves of pairs. All of these pairs are at the seam of the torus, where the engine expects no right cells: the halves
 * stay as they are. Pair i of the part begins at its row first + 2 i, and is pair (place + i) mod whole of the grid. */
struct pairs {
    uint32_t count, first, place, whole;
};

static inline struct pairs pairs_of(const struct engine_plan *plan)
{
    const uint64_t rows = engine_field_shape(plan, SPIN)->extent[1];
    const uint64_t offset = plan->part.offset[1], whole = plan->part.whole[1], first = offset % 2;
    const struct pairs pairs = {(uint32_t) ((rows - first) / 2), (uint32_t) first,
                                (uint32_t) ((offset + first) % whole / 2), (uint32_t) (whole / 2)};
    return pairs;
}

/* Words in a row. Sides are less than 2^32. */
ENGINE_INLINE uint32_t words_of(uint32_t width)
{
    return width / 32 + (width % 32 != 0);
}

/* Completes other[0 … count + 1], the cells of the other colour in words begin - 1 … begin + count of a pair, of which
 * the caller has set all but the first and the last. Where the torus ends, the cells of its other end follow. */
ENGINE_INLINE void join_ends(uint32_t *other, uint32_t begin, uint32_t count, uint32_t mask, const uint32_t *upper,
                             const uint32_t *lower, uint32_t width)
{
    const uint32_t words = words_of(width), left = begin > 0 ? begin - 1 : words - 1;
    const uint32_t right = begin + count < words ? begin + count : 0, cells = width - 32 * begin;
    other[0] = mix(mask, lower[left], upper[left]) << (begin > 0 ? 0 : (32 - width % 32) % 32);
    other[count + 1] = mix(mask, lower[right], upper[right]);
    if (cells < 32 * count) /* the row ends inside: its first cell follows the last */
        for (uint32_t i = 0; i < count; i++)
            if (i == cells / 32)
                other[i + 1] = mix(~0u << cells % 32, other[count + 1] << cells % 32, other[i + 1]);
}

/* ---- Random numbers -------------------------------------------------------------------------------------------------
 *
 * In each update, a cell has a number of 32 random bits. Its highest bit that is set is bit k with probability
 * 2^(k - 32). If bit k of the cell's chance is set too, the cell flips. These probabilities add up to chance / 2^32. If
 * the number is 0, bit 32 of the chance decides, which is only set in ALWAYS.
 *
 * Most cells need only the first bits of their number, so the numbers are made bit by bit: word 2^32 j + i of stream
 * stream_of(step, colour) + n holds bit 31 - n of the numbers of the 32 cells in word i of pair j of the grid. So a
 * number depends on the seed, the step and the cell's place alone, and neither on the size of the grid nor on who
 * computes it. */
enum { BITS = 32 };
#define ALWAYS (((uint64_t) 2 << BITS) - 1)

/* [init] uses streams from 0 on; these are far from them. */
ENGINE_INLINE uint64_t stream_of(uint64_t step, uint32_t colour)
{
    return ((uint64_t) 1 << 63) + BITS * (COLOURS * step + colour);
}

/* All bits are bit `bit` of a chance. */
ENGINE_INLINE uint32_t bit_of(uint64_t chance, int bit)
{
    return 0 - (uint32_t) (chance >> bit & 1);
}

/* ---- The rule, for 32 cells ----------------------------------------------------------------------------------------
 *
 * The cells that flip. event[] has the cells that would flip with each of the chances: all CHANCES, or the first
 * FEW if few_chances(). */
ENGINE_INLINE uint32_t flips(int chances, const uint32_t *event, uint32_t mine, uint32_t left, uint32_t right,
                             uint32_t near, uint32_t far)
{
    const uint32_t sum = left ^ right ^ near ^ mine, carry = ((left & right) | (near & (left ^ right))) ^ mine;
    const uint32_t last = far ^ mine, one = sum ^ last, two = sum & last; /* of sum + last; 2 * carry more are unlike */
    uint32_t flip[UNLIKE];
    for (int i = 0; i < UNLIKE; i++)
        flip[i] = chances == CHANCES ? mix(mine, event[UNLIKE + i], event[i]) : i < FEW ? event[i] : ~0u;
    return mix(carry, mix(two, flip[4], mix(one, flip[3], flip[2])), mix(two, flip[2], mix(one, flip[1], flip[0])));
}

/* ---- Counting, for one word of a row ---------------------------------------------------------------------------- */

ENGINE_INLINE uint32_t bits_set(uint32_t word)
{
#ifdef __CUDA_ARCH__
    return (uint32_t) __popc(word);
#else
    return (uint32_t) __builtin_popcount(word);
#endif
}

/* Adds the cells of word i, and their pairs with the neighbours to the right and below. */
ENGINE_INLINE void count_word(struct counts *counts, const uint32_t *row, const uint32_t *below, uint32_t i,
                              uint32_t width)
{
    const uint32_t cells = width - 32 * i;
    const int last = cells <= 32;
    const uint32_t valid = last ? ~0u >> (32 - cells) : ~0u, next = last ? row[0] << (cells - 1) : row[i + 1] << 31;
    const uint32_t right = (row[i] & valid) >> 1 | next;
    counts->up += bits_set(row[i] & valid);
    counts->alike += bits_set(~(row[i] ^ right) & valid) + bits_set(~(row[i] ^ below[i]) & valid);
}

#endif
