/* Tables in vector registers: vpermb looks up 64 bytes at once in a table of 64 bytes, and needs no cache.
 *
 * A step of 512 cells of a row, in two halves of 64 bytes with four cells each:
 *
 *     sums    six cells -> the sums of three of cells 0 and 2, and of cells 1 and 3, as nibbles       2 lookups a half
 *     add     three rows' sums: counts 0 … 9 of live cells
 *     rule    a count -> born, survives, for each of four cells                                       4 lookups a half
 *
 * That makes 12 lookups of 64 bytes for 512 cells. The sums of a row are kept for the three rows that need them. */
#include "cpu.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define VECTORS __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2")))

enum { VECTOR_CELLS = 512 };

/* The sums of 512 cells of a row, in bytes of two nibbles. Byte c of half h has cells 8 c + 4 h … 8 c + 4 h + 3: `even`
 * the sums of the first and third of these four, `odd` those of the second and fourth. */
struct sums {
    __m512i even[2], odd[2];
};

/* The tables: the sums of six cells, and for each of four cells the next states by count. */
struct tables {
    __m512i even, odd, rule[4];
};

int lut_sums_usable(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2");
}

/* Fills the tables. A count is the low nibble of a byte. vpermb uses six bits of the byte, so the tables of the rule
 * repeat their 16 entries four times, and the bits above the nibble do not matter. For cell i of four, bit i says
 * whether it is born, and bit 4 + i whether it survives. */
static void prepare(const struct life_rule *rule, uint8_t *bytes)
{
    for (uint32_t index = 0; index < 64; index++) {
        const uint32_t sums = lut_sums(index, 4, 4), count = index % 16;
        bytes[index] = (uint8_t) ((sums & 15) | (sums >> 4 & 0xf0));
        bytes[64 + index] = (uint8_t) ((sums >> 4 & 15) | (sums >> 8 & 0xf0));
        const uint32_t born = count < 9 ? lut_outcome(rule, 0, count) : 0;
        const uint32_t survives = count > 0 && count < 10 ? lut_outcome(rule, 1, count) : 0;
        for (uint32_t cell = 0; cell < 4; cell++)
            bytes[128 + 64 * cell + index] = (uint8_t) ((born | survives << 4) << cell);
    }
}

static uint64_t vectors(uint64_t width)
{
    return (width + VECTOR_CELLS - 1) / VECTOR_CELLS;
}

static uint64_t workspace(uint64_t width)
{
    return 3 * vectors(width) * sizeof(struct sums) + lut_ghost_row_words(width) * 8 + 64;
}

/* Makes the sums of row y. Half 0 looks up cells 8 c - 1 … 8 c + 4, half 1 looks up cells 8 c + 3 … 8 c + 8. */
VECTORS static void sum_row(const struct lut_band *band, int64_t y, struct sums *sums)
{
    const struct tables *tables = (const struct tables *) (const void *) band->table;
    uint64_t *row = (uint64_t *) band->workspace + 1;
    lut_copy_row(band, y, row);
    for (uint64_t i = 0; i < vectors(band->width); i++) {
        const uint64_t *words = row + 8 * i;
        const __m512i here = _mm512_loadu_si512(words);
        const __m512i halves[2] = {_mm512_shldi_epi64(here, _mm512_loadu_si512(words - 1), 1),
                                   _mm512_shrdi_epi64(here, _mm512_loadu_si512(words + 1), 3)};
        for (int h = 0; h < 2; h++) {
            sums[i].even[h] = _mm512_permutexvar_epi8(halves[h], tables->even);
            sums[i].odd[h] = _mm512_permutexvar_epi8(halves[h], tables->odd);
        }
    }
}

VECTORS static inline __m512i add_three(__m512i a, __m512i b, __m512i c)
{
    return _mm512_add_epi8(_mm512_add_epi8(a, b), c);
}

/* The next states of four cells a byte: born in the low nibble, survives in the high one. */
VECTORS static inline __m512i outcomes(const struct tables *tables, __m512i even, __m512i odd)
{
    const __m512i first = _mm512_permutexvar_epi8(even, tables->rule[0]);
    const __m512i second = _mm512_permutexvar_epi8(odd, tables->rule[1]);
    const __m512i third = _mm512_permutexvar_epi8(_mm512_srli_epi16(even, 4), tables->rule[2]);
    const __m512i fourth = _mm512_permutexvar_epi8(_mm512_srli_epi16(odd, 4), tables->rule[3]);
    return _mm512_or_si512(_mm512_or_si512(first, second), _mm512_or_si512(third, fourth));
}

/* mask ? a : b, bit by bit: the truth table of (mask, a, b) is 0xca = 11001010, from 111 down to 000. */
VECTORS static inline __m512i choose(__m512i mask, __m512i a, __m512i b)
{
    return _mm512_ternarylogic_epi64(mask, a, b, 0xca);
}

VECTORS static inline __m512i next_vector(const struct tables *tables, const struct sums *above,
                                          const struct sums *here, const struct sums *below, __m512i cells)
{
    const __m512i low = _mm512_set1_epi8(15);
    __m512i half[2];
    for (int h = 0; h < 2; h++)
        half[h] = outcomes(tables, add_three(above->even[h], here->even[h], below->even[h]),
                           add_three(above->odd[h], here->odd[h], below->odd[h]));
    const __m512i born = choose(low, half[0], _mm512_slli_epi16(half[1], 4));
    const __m512i survives = choose(low, _mm512_srli_epi16(half[0], 4), half[1]);
    return choose(cells, survives, born);
}

VECTORS static void step(const struct lut_band *band)
{
    const struct tables tables = *(const struct tables *) (const void *) band->table;
    const uint64_t count = vectors(band->width), row_bytes = lut_ghost_row_words(band->width) * 8;
    struct sums *above = (struct sums *) (void *) ((uint8_t *) band->workspace + (row_bytes + 63) / 64 * 64);
    struct sums *here = above + count, *below = here + count;
    sum_row(band, (int64_t) band->begin - 1, above);
    sum_row(band, (int64_t) band->begin, here);
    for (uint64_t y = band->begin; y < band->end; y++) {
        sum_row(band, (int64_t) y + 1, below);
        const uint64_t *source = band->source + y * band->row_words;
        uint64_t *result = band->result + y * band->row_words;
        for (uint64_t i = 0; i < count; i++)
            _mm512_store_si512(result + 8 * i,
                               next_vector(&tables, &above[i], &here[i], &below[i], _mm512_load_si512(source + 8 * i)));
        struct sums *free = above;
        above = here, here = below, below = free;
    }
}

const struct lut_method lut_method_sums = {.name = "sums",
                                           .entries = sizeof(struct tables),
                                           .prepare = prepare,
                                           .workspace_bytes = workspace,
                                           .step = step,
                                           .cells_per_lookup = 512.0 / (12 * 64)};

#else

int lut_sums_usable(void)
{
    return 0;
}

const struct lut_method lut_method_sums = {.name = "sums"};

#endif
