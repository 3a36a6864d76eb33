/* The kernel of `hashlife`, built once for each instruction set KERNEL_ISA. A row of 32 cells is a lane of 32 bits, and
 * all rows stay in registers: two vectors with AVX-512. A row's neighbours are the lanes before and after, and a cell's
 * neighbours are the bits beside it. Cells beyond the edges count as dead, so each step leaves one ring of wrong cells
 * more at the edges. After eight steps they have reached the middle. */
#include "hashlife_kernel.h"

#include "cpu_kernel_network.h"

#include <string.h>

#define VECTORS (1024 / LANES)
#define ROWS    (LANES / 32) /* of a vector */

typedef uint32_t lanes __attribute__((vector_size(LANES / 8), may_alias));

struct square {
    lanes rows[VECTORS];
};

/* What the kernel keeps for a rule. */
struct form {
    struct rule rule;
    int life, eight;
};
_Static_assert(sizeof(struct form) <= HASHLIFE_RULE_BYTES && _Alignof(struct form) <= HASHLIFE_RULE_ALIGN,
               "the form of a rule fits");

static void prepare(struct life_rule rule, const struct life2d_square_network *network, life2d_row_code *code,
                    void *memory)
{
    struct form *form = (struct form *) memory;
    *form = (struct form){.rule = make_rule(rule.birth, rule.survive),
                          .life = rule.birth == 1u << 3 && rule.survive == (1u << 2 | 1u << 3),
                          .eight = EIGHT_UNLIKE_FOUR(rule.birth) | EIGHT_UNLIKE_FOUR(rule.survive)};
    form->rule.network = rule.counts ? NULL : network;
    form->rule.row_code = code;
}

/* The rows above those of `here`, or below: `before` and `after` are the vectors beside it. */
#if LANES == 512
#define ABOVE(before, here) \
    __builtin_shufflevector(before, here, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define BELOW(here, after) __builtin_shufflevector(here, after, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
#elif LANES == 256
#define ABOVE(before, here) __builtin_shufflevector(before, here, 7, 8, 9, 10, 11, 12, 13, 14)
#define BELOW(here, after)  __builtin_shufflevector(here, after, 1, 2, 3, 4, 5, 6, 7, 8)
#else
#define ABOVE(before, here) __builtin_shufflevector(before, here, 3, 4, 5, 6)
#define BELOW(here, after)  __builtin_shufflevector(here, after, 1, 2, 3, 4)
#endif

/* What is around the cells of vector i. */
INLINE struct around around_rows(const struct square *square, int i)
{
    const lanes none = {0}, here = square->rows[i];
    const lanes above_rows = ABOVE(i > 0 ? square->rows[i - 1] : none, here);
    const lanes below_rows = BELOW(here, i + 1 < VECTORS ? square->rows[i + 1] : none);
    const vec above = (vec) above_rows, below = (vec) below_rows, cell = (vec) here;
    const lanes sum1 = (lanes) SUM1(above, cell, below), sum2 = (lanes) SUM2(above, cell, below);
    return (struct around){(vec) (sum1 << 1),
                           (vec) (sum2 << 1),
                           (vec) (sum1 >> 1),
                           (vec) (sum2 >> 1),
                           PAIR1(above, below),
                           PAIR2(above, below),
                           cell};
}

#define TAKE_STEPS(next_cells) \
    for (; steps > 0; steps--) { \
        struct square next; \
        UNROLL \
        for (int i = 0; i < VECTORS; i++) { \
            const struct around n = around_rows(square, i); \
            next.rows[i] = (lanes) (next_cells); \
        } \
        *square = next; \
    }

static void take_life_steps(struct square *square, unsigned steps)
{
    TAKE_STEPS(life_cell(n))
}

static void take_steps(struct square *square, unsigned steps, struct rule *rule)
{
    TAKE_STEPS(masked_cell(n, rule, 0, 0))
}

static void take_steps_eight(struct square *square, unsigned steps, struct rule *rule)
{
    TAKE_STEPS(masked_cell(n, rule, 0, 1))
}

/* The lines of the network are rows of the square: what cpu_kernel_network.h says of rows and columns is exchanged.
 * Row y is lane y / VECTORS of vector y % VECTORS, so the vectors beside one have the rows above and below its rows. */
static void take_network_steps(struct square *square, unsigned steps, const struct rule *rule)
{
    const lanes none = {0};
    const uint32_t read = life2d_lines_read(rule->network);
    struct network_space space;
    vec *west = space.cells[0] + 1, *here = space.cells[1] + 1, *east = space.cells[2] + 1;
    uint32_t rows[32], moved[32];
    memset(space.cells, 0, sizeof space.cells);
    memcpy(rows, square, sizeof rows);
    for (int y = 0; y < 32; y++)
        moved[y % VECTORS * ROWS + y / VECTORS] = rows[y];
    memcpy(here, moved, sizeof moved);
    for (; steps > 0; steps--) {
        here[-1] = (vec) ABOVE(none, (lanes) here[VECTORS - 1]);
        here[VECTORS] = (vec) BELOW((lanes) here[0], none);
        for (int i = -1; i <= VECTORS; i++)
            west[i] = (vec) ((lanes) here[i] << 1), east[i] = (vec) ((lanes) here[i] >> 1);
        if (rule->row_code) {
            rule->row_code(west, here, east, VECTORS);
            memcpy(here, west, sizeof moved);
        } else {
            network_lines(&space, read, 0, NETWORK_BLOCK + 2);
            memcpy(here, network_block(&space, rule->network), sizeof moved);
        }
    }
    memcpy(moved, here, sizeof moved);
    for (int y = 0; y < 32; y++)
        rows[y] = moved[y % VECTORS * ROWS + y / VECTORS];
    memcpy(square, rows, sizeof rows);
}

static void take_any_steps(struct square *square, unsigned steps, struct form *form)
{
    if (form->rule.network)
        take_network_steps(square, steps, &form->rule);
    else if (form->life)
        take_life_steps(square, steps);
    else if (form->eight)
        take_steps_eight(square, steps, &form->rule);
    else
        take_steps(square, steps, &form->rule);
}

/* Few squares have walls, so it does not matter that these steps are slower. */
static void take_steps_in_walls(struct square *square, unsigned steps, struct form *form, const store_walls walls[4])
{
    uint32_t rows[32];
    struct square inside;
    for (int y = 0; y < 32; y++) {
        rows[y] = 0;
        for (int x = 0; x < 4; x++)
            if (!(walls[y / 16 * 2 + x / 2] >> (y / 8 % 2 * 2 + x % 2) & 1))
                rows[y] |= UINT32_C(0xff) << (8 * x);
    }
    memcpy(&inside, rows, sizeof inside);
    for (; steps > 0; steps--) {
        take_any_steps(square, 1, form);
        for (int i = 0; i < VECTORS; i++)
            square->rows[i] &= inside.rows[i];
    }
}

static void advance(void *memory, const struct store_leaf *const quarters[4], const store_walls walls[4],
                    unsigned steps, struct store_leaf *middle)
{
    struct form *form = (struct form *) memory;
    uint32_t rows[32];
    struct square square;
    for (int y = 0; y < 16; y++) {
        rows[y] = quarters[0]->row[y] | (uint32_t) quarters[1]->row[y] << 16;
        rows[16 + y] = quarters[2]->row[y] | (uint32_t) quarters[3]->row[y] << 16;
    }
    memcpy(&square, rows, sizeof square);
    if (walls[0] | walls[1] | walls[2] | walls[3])
        take_steps_in_walls(&square, steps, form, walls);
    else
        take_any_steps(&square, steps, form);
    memcpy(rows, &square, sizeof rows);
    for (int y = 0; y < 16; y++)
        middle->row[y] = (uint16_t) (rows[8 + y] >> 8);
}

static uint32_t population(const struct store_leaf *leaf, uint32_t metric)
{
    (void) metric;
    uint64_t words[4];
    uint32_t alive = 0;
    memcpy(words, leaf, sizeof words);
    for (int i = 0; i < 4; i++)
        alive += (uint32_t) __builtin_popcountll(words[i]);
    return alive;
}

const struct life2d_kernel JOIN(hashlife_kernel_, KERNEL_ISA) = {
    .isa = ISA_KERNEL,
    .prepare = prepare,
    .squares = {.advance = advance, .population = population, .metrics = 1},
};
