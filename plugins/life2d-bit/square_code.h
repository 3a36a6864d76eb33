/* Machine code for a network of a rule that does not count neighbours (square_network.h), on x86-64 with AVX-512 or
 * AVX2: the rule is known when a run starts, and code of its own keeps the results of its operations in registers. */
#ifndef LIFE2D_SQUARE_CODE_H
#define LIFE2D_SQUARE_CODE_H

#include "square_network.h"

#include <stddef.h>

/* Replaces vectors 0 … columns - 1 of the row above by the next state of `row`; columns is at least 1. Vectors -1 and
 * `columns` of the rows are the neighbours at the ends. */
typedef void life2d_row_code(void *above, const void *row, const void *below, uint64_t columns);

struct life2d_square_code {
    life2d_row_code *row; /* NULL: there is no code */
    size_t bytes;
};

/* Makes code for the network of a transposed rule, for vectors of 64 bytes (AVX-512) or 32 bytes (AVX2). There is none
 * if the processor is not x86-64, if the system allows no executable memory, or if the network is too long for AVX2.
 * The caller makes sure that the processor has the instructions, and frees the code. */
struct life2d_square_code life2d_make_square_code(const struct life2d_square_network *net, int vector);
void life2d_free_square_code(struct life2d_square_code *code);

#endif
