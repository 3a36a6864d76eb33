/* Counts the live cells of a grid in host memory, of one bit or one byte a cell: the metric `population`. */
#ifndef LIFE_POPULATION_H
#define LIFE_POPULATION_H

#include <engine/plugin.h>
#include <string.h>

/* The body of the two functions below. */
static inline __attribute__((always_inline)) uint64_t life_row_bits(const uint8_t *row, uint64_t width, int reversed)
{
    uint64_t population = 0, bytes = width / 8, i = 0;
    for (; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, row + i, 8);
        population += (uint64_t) __builtin_popcountll(word);
    }
    for (; i < bytes; i++)
        population += (uint64_t) __builtin_popcount(row[i]);
    const unsigned rest = (unsigned) (width % 8);
    if (rest)
        population += (uint64_t) __builtin_popcount(reversed ? (uint32_t) row[i] >> (8 - rest)
                                                             : (uint32_t) row[i] & ((1u << rest) - 1));
    return population;
}

/* The live cells among the first `width` of a row of bits. `reversed`: bytes with the first cell in the highest bit
 * (ENGINE_ORDER_REVERSED with words of one byte); else the first cell is in the lowest bit. */
static inline uint64_t life_row_population(const uint8_t *row, uint64_t width, int reversed)
{
    return life_row_bits(row, width, reversed);
}

/* The same with the instruction that counts bits, which is not part of the base of x86-64: four times as fast. */
#if defined(__x86_64__)
__attribute__((target("popcnt"))) static inline uint64_t life_row_population_popcnt(const uint8_t *row, uint64_t width,
                                                                                    int reversed)
{
    return life_row_bits(row, width, reversed);
}
#endif

/* The same of a row of bytes. */
static inline uint64_t life_row_population_bytes(const uint8_t *row, uint64_t width)
{
    uint64_t population = 0;
    for (uint64_t x = 0; x < width; x++)
        population += row[x];
    return population;
}

/* The live cells of the part in a field's current buffer: of bytes, or of bits in linear or byte-wise reversed
 * order. */
static inline uint64_t life_population(const struct engine_call *call, uint32_t field)
{
    const struct engine_buffer *cells = engine_field_buffer(call, field);
    const uint8_t *origin = (const uint8_t *) cells->origin[call->current];
    const int reversed = cells->layout->order == ENGINE_ORDER_REVERSED;
    uint64_t (*of_row)(const uint8_t *, uint64_t, int) = life_row_population;
    uint64_t population = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt"))
        of_row = life_row_population_popcnt;
#endif
    const uint64_t width = cells->shape->extent[0];
    for (uint64_t z = call->begin[2]; z < call->end[2]; z++)
        for (uint64_t y = call->begin[1]; y < call->end[1]; y++) {
            const uint8_t *row = origin + (int64_t) z * cells->plane_stride + (int64_t) y * cells->row_stride;
            population +=
                cells->layout->cell_bits == 1 ? of_row(row, width, reversed) : life_row_population_bytes(row, width);
        }
    return population;
}

#define LIFE_POPULATION_METRIC \
    { \
        ENGINE_METRIC("population", "cells", "cells that are alive") \
    }

/* For an implementation's table. The field `cells` is the plugin's first. */
static inline int life_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    values[0] += (double) life_population(call, 0);
    return 0;
}

#endif
