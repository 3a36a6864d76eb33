/* The kernel of `cpu-words`, which the Makefile compiles once for each instruction set. */
#ifndef LIFE2D_CPU_WORDS_H
#define LIFE2D_CPU_WORDS_H

#include <common/isa.h>
#include <stdint.h>

enum { LIFE2D_TOTALS = 10 }; /* a square of three by three has 0 … 9 live cells */

/* One step of a grid with ghosts of one cell on each side. Row y begins at cells + y * row_words; cell x is bit x % 64
 * of word x / 64, the lowest first. */
struct life2d_words_job {
    const uint64_t *cells;
    uint64_t *result;
    int64_t row_words;
    uint64_t width;

    /* All ones or 0: the next state of a dead cell whose square has so many live cells, and whether that of a live one
     * differs. The square contains the cell. */
    uint64_t dead[LIFE2D_TOTALS], differs[LIFE2D_TOTALS];
};

struct life2d_words_kernel {
    struct isa_kernel isa;
    void (*next_rows)(const struct life2d_words_job *job, int64_t begin, int64_t end);
};

#endif
