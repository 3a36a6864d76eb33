/* What cpu.c and strips.c share. */
#ifndef STRIPS_H
#define STRIPS_H

#include "larger-than-life.h"

/* A step on the CPU. Rows are words of 32 cells. */
struct march {
    struct bit_rule rule;
    int64_t width, height; /* in cells */
    int64_t pitch;         /* in words, from a row to the next */
    const uint32_t *cells; /* cell (0, 0), before the step and after it */
    uint32_t *result;
};

enum { WORD = 32 }; /* cells of a word */

/* Takes the step in rows [begin, end). The Makefile compiles strips.c once for every processor and, on x86-64, once for
 * each of two sets of instructions. */
void take_rows(const struct march *march, int64_t begin, int64_t end);
void take_rows_v3(const struct march *march, int64_t begin, int64_t end);
void take_rows_v4(const struct march *march, int64_t begin, int64_t end);

#endif
