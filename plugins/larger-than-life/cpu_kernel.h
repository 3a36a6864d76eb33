/* The kernels of larger-than-life on the CPU: cpu_kernel.c, compiled once for each instruction set. */
#ifndef LTL_CPU_KERNEL_H
#define LTL_CPU_KERNEL_H

#include "ltl.h"

#include <common/isa.h>

enum { WORD = 32 }; /* cells of a word */

/* A step in bit planes. Rows are words of 32 cells. */
struct march {
    struct bit_rule rule;
    int64_t width, height; /* in cells */
    int64_t pitch;         /* in words, from a row to the next */
    const uint32_t *cells; /* cell (0, 0), before the step and after it */
    uint32_t *result;
};

/* Counts from `first` to `first + span`. */
struct ltl_range {
    uint16_t first, span;
};

enum { LTL_CHUNK = 128 /* cells of a row that are counted together; the sums have as much slack */ };

/* A step by sums along rows. Cells are bytes. */
struct ltl_count {
    struct ltl_sums shape;
    struct ltl_taps taps;
    const struct ltl_tap *whole, *other;
    uint16_t *sums; /* of cell (0, 0) */
    const struct ltl_range *ranges[LTL_CONDITIONS];
    uint32_t range_counts[LTL_CONDITIONS];
    uint8_t state_weight[LTL_STATES_MAX], last; /* the last state */
    int64_t radius, width, height;
    int64_t pitch; /* in cells, from a row to the next */
    const uint8_t *cells;
    uint8_t *result;
};

struct ltl_kernel {
    struct isa_kernel isa;
    void (*take_rows)(const struct march *march, int64_t begin, int64_t end); /* the step in rows [begin, end) */
    void (*sum_rows)(const struct ltl_count *job, int64_t begin,
                     int64_t end); /* the sums of rows, from -R to height + R */
    void (*count_rows)(const struct ltl_count *job, int64_t begin,
                       int64_t end); /* then the step in rows [begin, end) */
};

/* One for each word of the Makefile's ISAS. The first two exist on x86-64 only. */
extern const struct ltl_kernel ltl_kernel_avx512, ltl_kernel_avx2, ltl_kernel_plain;

#endif
