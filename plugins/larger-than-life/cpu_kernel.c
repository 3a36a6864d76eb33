/* The kernels of larger-than-life on the CPU: bit planes, and sums along rows. */
#include "cpu_kernel.h"

#include <string.h>

/* ---- Bit planes ------------------------------------------------------------------------------------------------
 *
 * A strip is as wide as a vector, 256 cells or, with AVX-512, 512. It starts with the sums of the squares of the row
 * above the first, and moves them down from row to row. The last cells of a vector are undefined after the sums of
 * planes.h, so strips overlap by as many words. */

#ifdef __AVX512F__
typedef uint32_t vector __attribute__((vector_size(64)));
#define NEXT_WORDS 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15
#else
typedef uint32_t vector __attribute__((vector_size(32)));
#define NEXT_WORDS 1, 2, 3, 4, 5, 6, 7, 7
#endif

static inline __attribute__((always_inline)) vector ahead(vector plane, int k)
{
    const vector next = __builtin_shufflevector(plane, plane, NEXT_WORDS);
    if (k < WORD)
        return plane >> k | next << (WORD - k);
    return k == WORD ? next : __builtin_shufflevector(next, next, NEXT_WORDS);
}

/* Where a and b differ, c decides. */
static inline __attribute__((always_inline)) vector majority(vector a, vector b, vector c)
{
    const vector differ = a ^ b;
    return (differ & c) | (~differ & a);
}

#include "planes.h"

/* Reads a vector of row y, from cell x on. */
PLANES vector cells_at(const struct march *march, int64_t x, int64_t y)
{
    const int shift = x & (WORD - 1);
    const uint32_t *word = march->cells + y * march->pitch + (x - shift) / WORD;
    vector words, next;
    memcpy(&words, word, sizeof words);
    memcpy(&next, word + 1, sizeof next);
    return shift ? words >> shift | next << (WORD - shift) : words;
}

/* Writes `count` words from `word` on in rows [begin, end). */
PLANES void take_strip(const struct march *march, int64_t word, size_t count, int64_t begin, int64_t end, int levels)
{
    const int64_t radius = march->rule.radius, x = word * WORD, left = x - radius;
    const uint32_t side = 2 * march->rule.radius + 1;
    vector columns[LEVELS_MAX + 2] = {{0}}, squares[BITS_MAX + 1];
    for (int64_t y = begin - radius - 1; y < begin + radius; y++) {
        const vector cells[] = {cells_at(march, left, y), {0}};
        add(columns, levels + 1, cells, 2);
    }
    add_side(squares, columns, levels + 2, levels, side);
    for (int64_t y = begin; y < end; y++) {
        move_down(squares, cells_at(march, left, y + radius), cells_at(march, left, y - radius - 1), levels, side);
        const vector next = next_cells(squares, cells_at(march, x, y), &march->rule, 2 * levels + 2);
        memcpy(march->result + y * march->pitch + word, &next, count * sizeof(uint32_t));
    }
}

PLANES void take_strips(const struct march *march, int64_t begin, int64_t end, int levels)
{
    const int64_t lost = (2 * march->rule.radius + WORD - 1) / WORD;
    const int64_t own = (int64_t) (sizeof(vector) / sizeof(uint32_t)) - lost, words = (march->width + WORD - 1) / WORD;
    for (int64_t word = 0; word < words; word += own)
        take_strip(march, word, (size_t) (own < words - word ? own : words - word), begin, end, levels);
}

/* The number of levels decides how many planes there are, so each number is compiled by itself. */
static void take_rows(const struct march *march, int64_t begin, int64_t end)
{
    switch (march->rule.levels) {
    case 1:
        take_strips(march, begin, end, 1);
        break;
    case 2:
        take_strips(march, begin, end, 2);
        break;
    case 3:
        take_strips(march, begin, end, 3);
        break;
    case 4:
        take_strips(march, begin, end, 4);
        break;
    case 5:
        take_strips(march, begin, end, 5);
        break;
    case 6:
        take_strips(march, begin, end, 6);
        break;
    }
}

/* ---- Sums along rows: ltl.h explains them ------------------------------------------------------------------------ */

typedef uint16_t sums __attribute__((vector_size(sizeof(vector))));

enum { LANES = sizeof(vector) / sizeof(uint16_t), PARTS = LTL_CHUNK / LANES };

static void sum_rows(const struct ltl_count *job, int64_t begin, int64_t end)
{
    const int64_t radius = job->radius, cells = job->width + 2 * radius;
    for (int64_t y = begin; y < end; y++) {
        const uint8_t *row = job->cells + y * job->pitch - radius;
        uint16_t *out = job->sums + y * job->shape.pitch - radius, before[LTL_STRIDE_MAX] = {0, 0};
        out[-1] = out[-2] = 0;
        switch (job->taps.stride) {
        case 0:
            for (int64_t x = 0; x < cells; x++)
                out[x] = job->state_weight[row[x]];
            break;
        case 1:
            for (int64_t x = 0; x < cells; x++)
                out[x] = before[0] = (uint16_t) (before[0] + job->state_weight[row[x]]);
            break;
        case 2:
            for (int64_t x = 0; x < cells; x++) {
                const uint16_t sum = (uint16_t) (before[1] + job->state_weight[row[x]]);
                before[1] = before[0];
                out[x] = before[0] = sum;
            }
            break;
        }
    }
}

/* Adds a list of taps to the counts of a chunk, whose sums begin at `at`. */
PLANES void add_taps(sums *counts, const struct ltl_tap *taps, uint32_t number, const uint16_t *at)
{
    sums own[PARTS];
    memcpy(own, counts, sizeof own);
    for (uint32_t i = 0; i < number; i++) {
        sums read[PARTS];
        memcpy(read, at + taps[i].offset, sizeof read);
        if (taps[i].weight == 1)
            UNROLL
        for (int k = 0; k < PARTS; k++)
            own[k] += read[k];
        else if (taps[i].weight == -1) UNROLL for (int k = 0; k < PARTS; k++) own[k] -= read[k];
        else UNROLL for (int k = 0; k < PARTS; k++) own[k] += read[k] * (uint16_t) taps[i].weight;
    }
    memcpy(counts, own, sizeof own);
}

/* Sets the lanes whose count is in one of the ranges to all ones, and the others to 0. */
PLANES void find_held(uint16_t *held, const sums *counts, const struct ltl_range *ranges, uint32_t number)
{
    sums all[PARTS] = {{0}};
    for (uint32_t i = 0; i < number; i++)
        UNROLL
    for (int k = 0; k < PARTS; k++)
        all[k] |= (sums) (counts[k] - ranges[i].first <= (sums){0} + ranges[i].span);
    memcpy(held, all, sizeof all);
}

PLANES void finish_chunk(const struct ltl_count *job, const sums *counts, const uint8_t *cells, uint8_t *result,
                         size_t n)
{
    uint16_t born[LTL_CHUNK], stays[LTL_CHUNK];
    uint8_t now[LTL_CHUNK] = {0}, next[LTL_CHUNK];
    memcpy(now, cells, n);
    find_held(born, counts, job->ranges[LTL_DEAD], job->range_counts[LTL_DEAD]);
    find_held(stays, counts, job->ranges[LTL_ALIVE], job->range_counts[LTL_ALIVE]);
    for (int i = 0; i < LTL_CHUNK; i++) {
        const uint8_t dead = now[i] == LTL_DEAD ? 255 : 0, alive = now[i] == LTL_ALIVE ? 255 : 0;
        const uint8_t kept = (uint8_t) ((dead & (uint8_t) born[i]) | (alive & (uint8_t) stays[i]));
        const uint8_t older = (uint8_t) ((now[i] + 1) & (now[i] == job->last ? 0 : 255));
        next[i] = (uint8_t) ((kept & 1) | (older & ~(dead | kept)));
    }
    memcpy(result, next, n);
}

/* Replaces the counts of the cells at which x + y is odd. A chunk begins at an even x. */
PLANES void count_turned(const struct ltl_count *job, sums *counts, const uint16_t *at, uint32_t y)
{
    sums turned[PARTS] = {{0}}, odd;
    add_taps(turned, job->other, job->taps.other, at);
    for (int lane = 0; lane < LANES; lane++)
        odd[lane] = (y + job->taps.odd + (uint32_t) lane) % 2 ? UINT16_MAX : 0;
    for (int k = 0; k < PARTS; k++)
        counts[k] = (counts[k] & ~odd) | (turned[k] & odd);
}

static void count_rows(const struct ltl_count *job, int64_t begin, int64_t end)
{
    for (int64_t x = 0; x < job->width; x += LTL_CHUNK) {
        const size_t n = (size_t) (job->width - x < LTL_CHUNK ? job->width - x : LTL_CHUNK);
        sums counts[PARTS];
        for (int64_t y = begin; y < end; y++) {
            const uint16_t *at = job->sums + y * job->shape.pitch + x;
            const int anew = y == begin || !job->taps.slides;
            if (anew)
                memset(counts, 0, sizeof counts);
            add_taps(counts, anew ? job->whole : job->other, anew ? job->taps.whole : job->taps.other, at);
            if (job->taps.triangular)
                count_turned(job, counts, at, (uint32_t) y);
            finish_chunk(job, counts, job->cells + y * job->pitch + x, job->result + y * job->pitch + x, n);
        }
    }
}

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

const struct ltl_kernel PASTE(ltl_kernel_, KERNEL_ISA) = {ISA_KERNEL, take_rows, sum_rows, count_rows};
