/* Some vectors of a row by a network (square_network.h), for rules that do not count neighbours. The rule is not known
 * when this is compiled, so an operation is a jump by its truth table. Each operation works on NETWORK_BLOCK vectors,
 * so that the jump and the addresses of its operands cost little.
 *
 * The lines of the network are columns here, so that a function of a column serves three vectors of the row. Operands
 * are arrays of a workspace. The nine cells of a square are three rows at three places: cell (dx, dy) of vector i is
 * cells[dy][i + dx], and function f of column dx is lines[f][i + dx]. */
#ifndef LIFE2D_CPU_KERNEL_NETWORK_H
#define LIFE2D_CPU_KERNEL_NETWORK_H

#include "cpu_kernel_rule.h"
#include "square_network.h"

enum { NETWORK_BLOCK = 8 };

/* Row 0 is the one above. Vector 0 of a row is the one before the block. */
struct network_space {
    vec cells[3][NETWORK_BLOCK + 2];
    vec lines[LIFE2D_LINE_FUNCTIONS][NETWORK_BLOCK + 2];
    vec result[LIFE2D_SQUARE_NODES][NETWORK_BLOCK];
};

/* Bit b of a transposed square is row 2 - b % 3 of column 2 - b / 3. */
INLINE const vec *network_operand(const struct network_space *space, unsigned signal)
{
    if (signal < LIFE2D_SQUARE_CELLS)
        return &space->cells[2 - signal % 3][2 - signal / 3];
    if (signal < LIFE2D_SQUARE_INPUTS)
        return &space->lines[(signal - LIFE2D_SQUARE_CELLS) / 3][2 - signal % 3];
    return space->result[signal - LIFE2D_SQUARE_INPUTS];
}

/* Computes the functions that the network reads, of `count` columns from `first` on. */
INLINE void network_lines(struct network_space *space, uint32_t read, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        const vec a = space->cells[0][i], b = space->cells[1][i], c = space->cells[2][i];
        if (read & 1)
            space->lines[0][i] = LUT3(0x96, a, b, c);
        if (read & 2)
            space->lines[1][i] = LUT3(0xe8, a, b, c);
        if (read & 4)
            space->lines[2][i] = a ^ c;
        if (read & 8)
            space->lines[3][i] = a & c;
    }
}

#define NETWORK_VECTOR(lut, v) to[v] = LUT3(lut, a[v], b[v], c[v]);
#define NETWORK_LUT(lut) \
    case (lut): \
        NETWORK_VECTOR(lut, 0) \
        NETWORK_VECTOR(lut, 1) \
        NETWORK_VECTOR(lut, 2) \
        NETWORK_VECTOR(lut, 3) \
        NETWORK_VECTOR(lut, 4) NETWORK_VECTOR(lut, 5) NETWORK_VECTOR(lut, 6) NETWORK_VECTOR(lut, 7) break;
#define NETWORK_LUTS4(lut) NETWORK_LUT(lut) NETWORK_LUT((lut) + 1) NETWORK_LUT((lut) + 2) NETWORK_LUT((lut) + 3)
#define NETWORK_LUTS16(lut) \
    NETWORK_LUTS4(lut) NETWORK_LUTS4((lut) + 4) NETWORK_LUTS4((lut) + 8) NETWORK_LUTS4((lut) + 12)
#define NETWORK_LUTS64(lut) \
    NETWORK_LUTS16(lut) NETWORK_LUTS16((lut) + 16) NETWORK_LUTS16((lut) + 32) NETWORK_LUTS16((lut) + 48)

/* Evaluates the network for a block. Returns its last result. */
static const vec *network_block(struct network_space *space, const struct life2d_square_network *network)
{
    vec *to = space->result[0];
    for (int i = 0; i < network->count; i++) {
        const struct life_node n = network->node[i];
        const vec *a = network_operand(space, n.input[0]), *b = network_operand(space, n.input[1]),
                  *c = network_operand(space, n.input[2]);
        to = space->result[i];
        switch (n.lut) {
            NETWORK_LUTS64(0) NETWORK_LUTS64(64) NETWORK_LUTS64(128) NETWORK_LUTS64(192)
        }
    }
    return to;
}

#endif
