/* The instructions of machine code for networks (square_code.c), and where their operands are. */
#ifndef LIFE2D_SQUARE_INSTRUCTIONS_H
#define LIFE2D_SQUARE_INSTRUCTIONS_H

#include "square_gates.h"

/* General registers that hold addresses: the rows are arguments, and the stack has the results without a register. */
enum { STACK = 0 /* rax */, BELOW = 2 /* rdx */, ROW = 6 /* rsi */, ABOVE = 7 /* rdi */ };

enum {
    REGISTERS = 32,        /* of AVX-512 */
    NARROW_REGISTERS = 16, /* of AVX2, and those of them that functions may take */
    NARROW_KEPT = 9,
    FUNCTIONS = LIFE2D_LINE_FUNCTIONS + 3, /* of a column: the line functions, and its three cells */
    VALUES = LIFE2D_SQUARE_INPUTS + GATES,
    TEMPORARY = 254,
    NOWHERE = 255,
    WIDE = 64,         /* bytes of a vector of AVX-512 */
    CODE_BYTES = 16384 /* a node takes at most 5 instructions of at most 11 bytes, a gate fewer */
};

/* An operand: a vector register, or memory at an offset from a general register. */
struct place {
    bool in_memory;
    uint8_t number; /* of the register */
    int32_t offset;
};

struct writer {
    int vector, registers; /* bytes of a vector, and their number */
    bool inverted;         /* the last node gives the complement of the next state */
    int count;
    struct life_node node[GATES]; /* nodes with AVX-512, and gates with AVX2 */
    uint8_t *at;
    int kept[FUNCTIONS];             /* the columns of which a function is kept, from the right one on, */
    struct place keep[FUNCTIONS][3]; /* and their places, in registers or on the stack */
    int first_free;                  /* registers from here on hold results of nodes and temporary values */
    uint8_t owner[REGISTERS];        /* the signal of a result, or NOWHERE if the register is free */
    struct place place[VALUES];      /* of each signal */
};

static inline void put_bytes(struct writer *w, const char *bytes, size_t count)
{
    memcpy(w->at, bytes, count);
    w->at += count;
}
#define PUT(w, bytes) put_bytes(w, bytes, sizeof(bytes) - 1)

static inline void put_number(struct writer *w, int32_t number)
{
    memcpy(w->at, &number, sizeof number);
    w->at += sizeof number;
}

/* The prefix EVEX of AVX-512, or VEX of AVX2, up to the opcode. The arguments are the numbers of registers. */
static inline void put_prefix(struct writer *w, int map, int prefix, int first, int second, int third)
{
    const int high = (~first & 8) << 4 | (~third & 8) << 2 | map;
    if (w->vector == WIDE) {
        *w->at++ = 0x62;
        *w->at++ = (uint8_t) (high | (~third & 16) << 2 | (~first & 16));
        *w->at++ = (uint8_t) (0x80 | (~second & 15) << 3 | 4 | prefix);
        *w->at++ = (uint8_t) (0x40 | (~second & 16) >> 1);
    } else {
        *w->at++ = 0xc4;
        *w->at++ = (uint8_t) (high | 0x40);
        *w->at++ = (uint8_t) ((~second & 15) << 3 | 4 | prefix);
    }
}

/* An instruction on vectors: map and prefix choose the table of opcodes. `second` is a register, or 0 where there is no
 * such operand. */
static inline void put_vector(struct writer *w, int map, int prefix, int opcode, int first, int second,
                              struct place third)
{
    put_prefix(w, map, prefix, first, second, third.in_memory ? 0 : third.number);
    *w->at++ = (uint8_t) opcode;
    *w->at++ = (uint8_t) ((third.in_memory ? 0x80 : 0xc0) | (first & 7) << 3 | (third.number & 7));
    if (third.in_memory)
        put_number(w, third.offset);
}

static inline struct place in_register(int number)
{
    const struct place place = {false, (uint8_t) number, 0};
    return place;
}

static inline struct place in_memory(const struct writer *w, int base, int vector)
{
    const struct place place = {true, (uint8_t) base, vector * w->vector};
    return place;
}

static inline void put_load(struct writer *w, int to, struct place from)
{
    put_vector(w, 1, 2, 0x6f, to, 0, from);
}

static inline void put_store(struct writer *w, int from, struct place to)
{
    put_vector(w, 1, 2, 0x7f, from, 0, to);
}

/* AVX-512: first = lut(first, second, third) */
static inline void put_lut(struct writer *w, int lut, int first, int second, struct place third)
{
    put_vector(w, 3, 1, 0x25, first, second, third);
    *w->at++ = (uint8_t) lut;
}

/* AVX2: to = first gate second */
static inline void put_gate(struct writer *w, int kind, int to, int first, struct place second)
{
    put_vector(w, 1, 1, kind, to, first, second);
}

#endif
