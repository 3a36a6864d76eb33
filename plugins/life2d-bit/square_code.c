/* Writes machine code for a network. The loop over the vectors of a row, for one that reads function f of its columns:
 *
 *     right f = f of the column i + 1       each function is computed once; a cell is a function too
 *     nodes                                 one vpternlogq each, in the order of the network
 *     above[i] = the last node
 *     left f = middle f, middle f = right f
 *
 * The processor renames registers for the moves in the last line. A vpternlogq overwrites its first operand, so this is a
 * result that nothing reads any more, or a copy. If all registers are taken, the result that is needed last moves to the
 * stack. */
#include "square_code.h"

#if defined(__x86_64__) && defined(__linux__)

#include <sys/mman.h>

/* General registers that hold addresses: the rows are arguments, and the stack has the results without a register. */
enum { STACK = 0 /* rax */, BELOW = 2 /* rdx */, ROW = 6 /* rsi */, ABOVE = 7 /* rdi */ };

enum {
    REGISTERS = 32,
    FUNCTIONS = LIFE2D_LINE_FUNCTIONS + 3, /* of a column: the line functions, and its three cells */
    VALUES = LIFE2D_SQUARE_INPUTS + LIFE2D_SQUARE_NODES,
    TEMPORARY = 254,
    NOWHERE = 255,
    CODE_BYTES = 16384 /* a node takes at most 5 instructions of at most 11 bytes */
};

/* An operand: a vector register, or memory at an offset from a general register. */
struct place {
    bool in_memory;
    uint8_t number; /* of the register */
    int32_t offset;
};

struct writer {
    const struct life2d_square_network *net;
    uint8_t *at;
    int start[FUNCTIONS], kept[FUNCTIONS]; /* the registers of a function: the first, and how many */
    int first_free;                        /* registers from here on hold results of nodes and temporary values */
    uint8_t owner[REGISTERS];              /* the signal of a result, or NOWHERE if the register is free */
    struct place place[VALUES];            /* of each signal */
};

/* ---- Instructions ------------------------------------------------------------------------------------------- */

static void put_bytes(struct writer *w, const char *bytes, size_t count)
{
    memcpy(w->at, bytes, count);
    w->at += count;
}
#define PUT(w, bytes) put_bytes(w, bytes, sizeof(bytes) - 1)

static void put_number(struct writer *w, int32_t number)
{
    memcpy(w->at, &number, sizeof number);
    w->at += sizeof number;
}

/* An instruction with EVEX prefix: map and prefix choose the table of opcodes. `second` is a vector register, or 0 where
 * there is no such operand. */
static void put_vector(struct writer *w, int map, int prefix, int opcode, int first, int second, struct place third)
{
    const int rm = third.number, extended = third.in_memory ? 0 : rm;
    *w->at++ = 0x62;
    *w->at++ = (uint8_t) ((~first & 8) << 4 | (~extended & 16) << 2 | (~extended & 8) << 2 | (~first & 16) | map);
    *w->at++ = (uint8_t) (0x80 | (~second & 15) << 3 | 4 | prefix);
    *w->at++ = (uint8_t) (0x40 | (~second & 16) >> 1);
    *w->at++ = (uint8_t) opcode;
    *w->at++ = (uint8_t) ((third.in_memory ? 0x80 : 0xc0) | (first & 7) << 3 | (rm & 7));
    if (third.in_memory)
        put_number(w, third.offset);
}

static struct place in_register(int number)
{
    const struct place place = {false, (uint8_t) number, 0};
    return place;
}

static struct place in_memory(int base, int vector)
{
    const struct place place = {true, (uint8_t) base, vector * LIFE2D_CODE_VECTOR};
    return place;
}

static void put_load(struct writer *w, int to, struct place from)
{
    put_vector(w, 1, 2, 0x6f, to, 0, from);
}

static void put_store(struct writer *w, int from, struct place to)
{
    put_vector(w, 1, 2, 0x7f, from, 0, to);
}

/* first = lut(first, second, third) */
static void put_lut(struct writer *w, int lut, int first, int second, struct place third)
{
    put_vector(w, 3, 1, 0x25, first, second, third);
    *w->at++ = (uint8_t) lut;
}

/* ---- Registers ---------------------------------------------------------------------------------------------- */

/* The next node from `node` on that reads a signal, or a number after the last one. */
static int next_reader(const struct writer *w, int signal, int node)
{
    for (; node < w->net->count; node++)
        for (int k = 0; k < 3; k++)
            if (w->net->node[node].input[k] == signal)
                return node;
    return node;
}

static bool is_result(int signal)
{
    return signal >= LIFE2D_SQUARE_INPUTS && signal < VALUES;
}

/* Takes a free register for a signal, or TEMPORARY. If there is none, it moves the result that is read last to the
 * stack. Registers in the set `busy` stay. */
static int take_register(struct writer *w, int signal, int node, uint32_t busy)
{
    int best = -1, latest = -1;
    for (int r = w->first_free; r < REGISTERS; r++) {
        const bool free = w->owner[r] == NOWHERE;
        const int reader = free ? VALUES : next_reader(w, w->owner[r], node);
        if (!(busy >> r & 1) && reader > latest)
            best = r, latest = reader;
    }
    if (w->owner[best] != NOWHERE) {
        const int moved = w->owner[best];
        w->place[moved] = in_memory(STACK, moved - LIFE2D_SQUARE_INPUTS);
        put_store(w, best, w->place[moved]);
    }
    w->owner[best] = (uint8_t) signal;
    return best;
}

static void free_register(struct writer *w, int r)
{
    w->owner[r] = NOWHERE;
}

/* ---- Nodes -------------------------------------------------------------------------------------------------- */

/* The lut for operands in the order a, b, c of the node's inputs. */
static int ordered_lut(int lut, const int *order)
{
    int result = 0;
    for (int i = 0; i < 8; i++) {
        int at = 0;
        for (int k = 0; k < 3; k++)
            at |= (i >> (2 - k) & 1) << (2 - order[k]);
        result |= (lut >> at & 1) << i;
    }
    return result;
}

/* Chooses the input of a node that its result may overwrite: one that no later node reads and that has a register, or
 * one in memory, which is loaded, or the first one. */
static int choose_first(const struct writer *w, int node)
{
    const struct life_node *n = &w->net->node[node];
    for (int k = 0; k < 3; k++)
        if (is_result(n->input[k]) && !w->place[n->input[k]].in_memory &&
            next_reader(w, n->input[k], node + 1) == w->net->count)
            return k;
    for (int k = 0; k < 3; k++)
        if (w->place[n->input[k]].in_memory)
            return k;
    return 0;
}

/* The registers of a node's inputs. */
static uint32_t input_registers(const struct writer *w, const struct life_node *n)
{
    uint32_t busy = 0;
    for (int k = 0; k < 3; k++)
        if (!w->place[n->input[k]].in_memory)
            busy |= 1u << w->place[n->input[k]].number;
    return busy;
}

static void write_node(struct writer *w, int node)
{
    const struct life_node *n = &w->net->node[node];
    const int signal = LIFE2D_SQUARE_INPUTS + node, first = choose_first(w, node);
    int order[3] = {first, (first + 1) % 3, (first + 2) % 3};
    const struct place from = w->place[n->input[first]];
    const bool overwrite =
        is_result(n->input[first]) && !from.in_memory && next_reader(w, n->input[first], node + 1) == w->net->count;
    uint32_t busy = input_registers(w, n);
    const int to = overwrite ? from.number : take_register(w, signal, node, busy);
    busy |= 1u << to;
    if (!overwrite)
        put_load(w, to, from);
    if (w->place[n->input[order[1]]].in_memory) { /* the third operand may be in memory, and the second may not */
        const int other = order[1];
        order[1] = order[2], order[2] = other;
    }
    struct place second = w->place[n->input[order[1]]];
    int temporary = -1;
    if (second.in_memory) {
        temporary = take_register(w, TEMPORARY, node, busy);
        put_load(w, temporary, second);
        second = in_register(temporary);
    }
    put_lut(w, ordered_lut(n->lut, order), to, second.number, w->place[n->input[order[2]]]);
    if (temporary >= 0)
        free_register(w, temporary);
    for (int r = w->first_free; r < REGISTERS; r++)
        if (is_result(w->owner[r]) && next_reader(w, w->owner[r], node + 1) == w->net->count)
            free_register(w, r);
    w->owner[to] = (uint8_t) signal;
    w->place[signal] = in_register(to);
}

/* ---- The loop ----------------------------------------------------------------------------------------------- */

/* The function of which an input is a value: a line function, or after those the cell of the row above, the row, and the
 * row below. Bit b of a transposed square is row 2 - b % 3 of column b / 3, counted from the right. */
static int function_of(int input)
{
    return input < LIFE2D_SQUARE_CELLS ? LIFE2D_LINE_FUNCTIONS + 2 - input % 3 : (input - LIFE2D_SQUARE_CELLS) / 3;
}

static int column_of(int input)
{
    return input < LIFE2D_SQUARE_CELLS ? input / 3 : input % 3;
}

/* The columns of which the network reads a function: bit 0 for the right one. */
static uint32_t columns_read(const struct life2d_square_network *net, int function)
{
    uint32_t columns = 0;
    for (int i = 0; i < net->count; i++)
        for (int k = 0; k < 3; k++) {
            const int input = net->node[i].input[k];
            if (input < LIFE2D_SQUARE_INPUTS && function_of(input) == function)
                columns |= 1u << column_of(input);
        }
    return columns;
}

/* Gives each function a register for each column from the right one to the leftmost that is read. A cell that is read in
 * one column stays in memory, unless it is the one at the upper left, which has been replaced. */
static void place_inputs(struct writer *w)
{
    static const uint8_t rows[3] = {ABOVE, ROW, BELOW};
    for (int f = 0; f < FUNCTIONS; f++) {
        const uint32_t columns = columns_read(w->net, f);
        const bool memory = f >= LIFE2D_LINE_FUNCTIONS && (columns & (columns - 1)) == 0 &&
                            !(f == LIFE2D_LINE_FUNCTIONS && columns == 4);
        w->start[f] = w->first_free;
        w->kept[f] = memory ? 0 : columns & 4 ? 3 : columns & 2 ? 2 : (int) columns;
        w->first_free += w->kept[f];
    }
    for (int i = 0; i < LIFE2D_SQUARE_INPUTS; i++) {
        const int f = function_of(i), column = column_of(i);
        w->place[i] = w->kept[f] > 0 ? in_register(w->start[f] + column)
                                     : in_memory(rows[(f + 3 - LIFE2D_LINE_FUNCTIONS) % 3], 1 - column);
    }
    memset(w->owner, NOWHERE, sizeof w->owner);
}

/* Computes the functions for vector `vector` of the rows in the registers of a column. The cells of the upper two rows
 * are in registers that are free here. */
static void write_column(struct writer *w, int vector, int column)
{
    const int above = w->first_free, row = above + 1;
    const struct place cells[3] = {in_register(above), in_register(row), in_memory(BELOW, vector)};
    put_load(w, above, in_memory(ABOVE, vector));
    put_load(w, row, in_memory(ROW, vector));
    for (int f = 0; f < FUNCTIONS; f++) {
        if (column >= w->kept[f])
            continue;
        const bool cell = f >= LIFE2D_LINE_FUNCTIONS;
        put_load(w, w->start[f] + column, cells[cell ? f - LIFE2D_LINE_FUNCTIONS : 0]);
        if (!cell)
            put_lut(w, life2d_line_lut(f), w->start[f] + column, row, cells[2]);
    }
}

/* Each column becomes the one to the left of it. */
static void move_columns(struct writer *w)
{
    for (int f = 0; f < FUNCTIONS; f++)
        for (int column = w->kept[f] - 1; column > 0; column--)
            put_load(w, w->start[f] + column, in_register(w->start[f] + column - 1));
}

static void write_code(struct writer *w)
{
    const int last = LIFE2D_SQUARE_INPUTS + w->net->count - 1;
    PUT(w, "\x55\x48\x89\xe5\x48\x81\xec"); /* push rbp; mov rbp, rsp; sub rsp, the stack for all results */
    put_number(w, w->net->count * LIFE2D_CODE_VECTOR);
    PUT(w, "\x48\x83\xe4\xc0\x48\x89\xe0"); /* and rsp, -64; mov rax, rsp */
    write_column(w, -1, 2);
    write_column(w, 0, 1);
    const uint8_t *start = w->at;
    write_column(w, 1, 0);
    for (int node = 0; node < w->net->count; node++)
        write_node(w, node);
    put_store(w, w->place[last].number, in_memory(ABOVE, 0));
    move_columns(w);
    PUT(w, "\x48\x83\xc7\x40\x48\x83\xc6\x40\x48\x83\xc2\x40"); /* add 64 to rdi, rsi and rdx */
    PUT(w, "\x48\xff\xc9\x0f\x85");                             /* dec rcx; jnz start */
    put_number(w, (int32_t) (start - w->at - 4));
    PUT(w, "\x48\x89\xec\x5d\xc5\xf8\x77\xc3"); /* mov rsp, rbp; pop rbp; vzeroupper; ret */
}

struct life2d_square_code life2d_make_square_code(const struct life2d_square_network *net)
{
    struct life2d_square_code code = {NULL, CODE_BYTES};
    struct writer w = {.net = net};
    void *memory = mmap(NULL, code.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return code;
    w.at = (uint8_t *) memory;
    place_inputs(&w);
    write_code(&w);
    if (mprotect(memory, code.bytes, PROT_READ | PROT_EXEC) != 0)
        munmap(memory, code.bytes);
    else
        memcpy(&code.row, &memory, sizeof code.row); /* C has no cast from an object to a function */
    return code;
}

void life2d_free_square_code(struct life2d_square_code *code)
{
    void *memory;
    memcpy(&memory, &code->row, sizeof memory);
    if (memory)
        munmap(memory, code->bytes);
    code->row = NULL;
}

#else

struct life2d_square_code life2d_make_square_code(const struct life2d_square_network *net)
{
    const struct life2d_square_code code = {NULL, 0};
    (void) net;
    return code;
}

void life2d_free_square_code(struct life2d_square_code *code)
{
    (void) code;
}

#endif
