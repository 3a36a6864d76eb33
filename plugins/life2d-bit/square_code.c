/* Writes machine code for a network. The loop over the vectors of a row, for one that reads function f of its columns:
 *
 *     right f = f of the column i + 1       each function is computed once; a cell is a function too
 *     nodes                                 in the order of the network
 *     above[i] = the last node
 *     left f = middle f, middle f = right f
 *
 * With AVX-512, a node is one vpternlogq, which overwrites its first operand: a result that nothing reads any more, or
 * a copy. With AVX2, a node is one to four gates of two inputs (square_gates.h). The processor renames registers for
 * the moves in the last line. If all registers are taken, the result that is needed last moves to the stack. */
#include "square_code.h"

#include "square_instructions.h"

#if defined(__x86_64__) && defined(__linux__)

#include <sys/mman.h>

/* ---- Registers ---------------------------------------------------------------------------------------------- */

/* The next node from `node` on that reads a signal, or a number after the last one. */
static int next_reader(const struct writer *w, int signal, int node)
{
    for (; node < w->count; node++)
        for (int k = 0; k < 3; k++)
            if (w->node[node].input[k] == signal)
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
    int best = w->first_free, latest = -1;
    for (int r = w->first_free; r < w->registers; r++) {
        const bool free = w->owner[r] == NOWHERE;
        const int reader = free ? VALUES : next_reader(w, w->owner[r], node);
        if (!(busy >> r & 1) && reader > latest)
            best = r, latest = reader;
    }
    if (w->owner[best] != NOWHERE) {
        const int moved = w->owner[best];
        w->place[moved] = in_memory(w, STACK, moved - LIFE2D_SQUARE_INPUTS);
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

/* Has a signal a register that no node after this one needs? */
static bool dies_at(const struct writer *w, int signal, int node)
{
    return is_result(signal) && !w->place[signal].in_memory && next_reader(w, signal, node + 1) == w->count;
}

/* Chooses the input of a node that its result may overwrite: one that no later node reads and that has a register, or
 * one in memory, which is loaded, or the first one. */
static int choose_first(const struct writer *w, int node)
{
    const struct life_node *n = &w->node[node];
    for (int k = 0; k < 3; k++)
        if (dies_at(w, n->input[k], node))
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
    const struct life_node *n = &w->node[node];
    const int signal = LIFE2D_SQUARE_INPUTS + node, first = choose_first(w, node);
    int order[3] = {first, (first + 1) % 3, (first + 2) % 3};
    const struct place from = w->place[n->input[first]];
    const bool overwrite = dies_at(w, n->input[first], node);
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
    for (int r = w->first_free; r < w->registers; r++)
        if (is_result(w->owner[r]) && next_reader(w, w->owner[r], node + 1) == w->count)
            free_register(w, r);
    w->owner[to] = (uint8_t) signal;
    w->place[signal] = in_register(to);
}

/* The same for AVX2, where the result may have any register. */
static void write_gate(struct writer *w, int node)
{
    const struct life_node *n = &w->node[node];
    const int signal = LIFE2D_SQUARE_INPUTS + node;
    struct place first = w->place[n->input[0]], second = w->place[n->input[1]];
    uint32_t busy = input_registers(w, n);
    if (first.in_memory && !second.in_memory && n->lut != GATE_ANDN) {
        const struct place other = first;
        first = second, second = other;
    }
    if (first.in_memory) {
        const int temporary = take_register(w, TEMPORARY, node, busy);
        put_load(w, temporary, first);
        first = in_register(temporary);
        busy |= 1u << temporary;
    }
    for (int k = 0; k < 2; k++)
        if (dies_at(w, n->input[k], node))
            free_register(w, w->place[n->input[k]].number), busy &= ~(1u << w->place[n->input[k]].number);
    const int to = w->owner[first.number] == TEMPORARY ? first.number : take_register(w, signal, node, busy);
    put_gate(w, n->lut, to, first.number, second);
    w->owner[to] = (uint8_t) signal;
    w->place[signal] = in_register(to);
}

/* ---- The loop ----------------------------------------------------------------------------------------------- */

/* The function of which an input is a value: a line function, or after those the cell of the row above, the row, and
 * the row below. Bit b of a transposed square is row 2 - b % 3 of column b / 3, counted from the right. */
static int function_of(int input)
{
    return input < LIFE2D_SQUARE_CELLS ? LIFE2D_LINE_FUNCTIONS + 2 - input % 3 : (input - LIFE2D_SQUARE_CELLS) / 3;
}

static int column_of(int input)
{
    return input < LIFE2D_SQUARE_CELLS ? input / 3 : input % 3;
}

/* The columns of which the network reads a function: bit 0 for the right one. */
static uint32_t columns_read(const struct writer *w, int function)
{
    uint32_t columns = 0;
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < 3; k++) {
            const int input = w->node[i].input[k];
            if (input < LIFE2D_SQUARE_INPUTS && function_of(input) == function)
                columns |= 1u << column_of(input);
        }
    return columns;
}

/* Gives the columns of a function, from the right one to the leftmost that is read, registers, or places on the stack
 * behind those of all results. A cell that is read in one column stays in memory, unless it is the one at the upper
 * left, which has been replaced. Returns the number of places on the stack so far. */
static int keep_function(struct writer *w, int f, int on_stack)
{
    const uint32_t columns = columns_read(w, f);
    const bool memory =
        f >= LIFE2D_LINE_FUNCTIONS && (columns & (columns - 1)) == 0 && !(f == LIFE2D_LINE_FUNCTIONS && columns == 4);
    w->kept[f] = memory ? 0 : columns & 4 ? 3 : columns & 2 ? 2 : (int) columns;
    for (int column = 0; column < w->kept[f]; column++)
        if (w->vector == WIDE || w->first_free < NARROW_KEPT)
            w->keep[f][column] = in_register(w->first_free++);
        else
            w->keep[f][column] = in_memory(w, STACK, w->count + on_stack++);
    return on_stack;
}

static void place_inputs(struct writer *w)
{
    static const uint8_t rows[3] = {ABOVE, ROW, BELOW};
    int on_stack = 0;
    for (int f = 0; f < FUNCTIONS; f++)
        on_stack = keep_function(w, f, on_stack);
    for (int i = 0; i < LIFE2D_SQUARE_INPUTS; i++) {
        const int f = function_of(i), column = column_of(i);
        w->place[i] = w->kept[f] > column ? w->keep[f][column] : in_memory(w, rows[(f + 2) % 3], 1 - column);
    }
    memset(w->owner, NOWHERE, sizeof w->owner);
}

/* Copies a vector. Register `by` is free. */
static void put_copy(struct writer *w, struct place to, struct place from, int by)
{
    if (!to.in_memory) {
        put_load(w, to.number, from);
        return;
    }
    if (from.in_memory)
        put_load(w, by, from);
    put_store(w, from.in_memory ? by : from.number, to);
}

/* Puts line function f of the cells in registers `above` and `row`, and of the one below, into a register. */
static void put_line(struct writer *w, int f, int to, int above, int row, struct place below)
{
    if (w->vector == WIDE) {
        put_load(w, to, in_register(above));
        put_lut(w, life2d_line_lut(f), to, row, below);
        return;
    }
    put_gate(w, f == 3 ? GATE_AND : GATE_XOR, to, above, below); /* a & c, or a ^ c */
    if (f < 2)
        put_gate(w, f == 0 ? GATE_XOR : GATE_AND, to, to, in_register(row));
    if (f == 1) { /* (a & c) | ((a ^ c) & b) */
        put_gate(w, GATE_AND, above, above, below);
        put_gate(w, GATE_OR, to, to, in_register(above));
    }
}

/* Computes the functions for vector `vector` of the rows. Registers from first_free on are free here. */
static void write_column(struct writer *w, int vector, int column)
{
    const int above = w->first_free, row = above + 1, result = above + 2;
    const struct place below = in_memory(w, BELOW, vector);
    put_load(w, row, in_memory(w, ROW, vector));
    for (int f = 0; f < FUNCTIONS; f++) {
        if (column >= w->kept[f])
            continue;
        const struct place cells[3] = {in_memory(w, ABOVE, vector), in_register(row), below};
        const struct place to = w->keep[f][column];
        if (f >= LIFE2D_LINE_FUNCTIONS) {
            put_copy(w, to, cells[f - LIFE2D_LINE_FUNCTIONS], result);
            continue;
        }
        const int made = to.in_memory ? result : to.number;
        put_load(w, above, cells[0]);
        put_line(w, f, made, above, row, below);
        if (to.in_memory)
            put_store(w, made, to);
    }
}

/* Each column becomes the one to the left of it. */
static void move_columns(struct writer *w)
{
    for (int f = 0; f < FUNCTIONS; f++)
        for (int column = w->kept[f] - 1; column > 0; column--)
            put_copy(w, w->keep[f][column], w->keep[f][column - 1], w->first_free);
}

/* Stores the result of the last node, or its complement. */
static void write_result(struct writer *w)
{
    const int result = w->place[LIFE2D_SQUARE_INPUTS + w->count - 1].number;
    const int ones = result == w->first_free ? result + 1 : w->first_free;
    if (w->inverted) {
        put_vector(w, 1, 1, 0x76, ones, ones, in_register(ones)); /* vpcmpeqd: all ones */
        put_gate(w, GATE_XOR, result, result, in_register(ones));
    }
    put_store(w, result, in_memory(w, ABOVE, 0));
}

static void write_loop(struct writer *w)
{
    const uint8_t *start = w->at;
    write_column(w, 1, 0);
    for (int node = 0; node < w->count; node++)
        (w->vector == WIDE ? write_node : write_gate)(w, node);
    write_result(w);
    move_columns(w);
    for (int row = 0; row < 3; row++) {
        PUT(w, "\x48\x83"); /* add the bytes of a vector to rdi, rsi and rdx */
        *w->at++ = (uint8_t) "\xc7\xc6\xc2"[row];
        *w->at++ = (uint8_t) w->vector;
    }
    PUT(w, "\x48\xff\xc9\x0f\x85"); /* dec rcx; jnz start */
    put_number(w, (int32_t) (start - w->at - 4));
}

static void write_code(struct writer *w)
{
    PUT(w, "\x55\x48\x89\xe5\x48\x81\xec"); /* push rbp; mov rbp, rsp; sub rsp, the stack for results and columns */
    put_number(w, (w->count + 3 * FUNCTIONS) * w->vector);
    PUT(w, "\x48\x83\xe4\xc0\x48\x89\xe0"); /* and rsp, -64; mov rax, rsp */
    write_column(w, -1, 2);
    write_column(w, 0, 1);
    write_loop(w);
    PUT(w, "\x48\x89\xec\x5d\xc5\xf8\x77\xc3"); /* mov rsp, rbp; pop rbp; vzeroupper; ret */
}

/* Takes over the network, as gates for AVX2. Returns false if there are too many. */
static bool take_network(struct writer *w, const struct life2d_square_network *net)
{
    struct gates gates;
    w->registers = w->vector == WIDE ? REGISTERS : NARROW_REGISTERS;
    w->count = net->count;
    memcpy(w->node, net->node, (size_t) net->count * sizeof *net->node);
    if (w->vector == WIDE)
        return true;
    if (!make_gates(&gates, net))
        return false;
    w->count = gates.count;
    w->inverted = gates.inverted;
    memcpy(w->node, gates.gate, sizeof gates.gate);
    return true;
}

struct life2d_square_code life2d_make_square_code(const struct life2d_square_network *net, int vector)
{
    struct life2d_square_code code = {NULL, CODE_BYTES};
    struct writer w = {.vector = vector};
    if (!take_network(&w, net))
        return code;
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

struct life2d_square_code life2d_make_square_code(const struct life2d_square_network *net, int vector)
{
    const struct life2d_square_code code = {NULL, 0};
    (void) net, (void) vector;
    return code;
}

void life2d_free_square_code(struct life2d_square_code *code)
{
    (void) code;
}

#endif
