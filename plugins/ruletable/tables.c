#include "tables.h"
#include "diagram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTRIES_MAX = 1 << 24, /* of a table */
    ROLE_BYTES_MAX = 1 << 28
};

/* ---- The roles of a column --------------------------------------------------------------------------------------- */

/* What a column does to a set of nodes of the diagram: `vectors` holds the nodes to which it leads from each of them,
 * behind 0 to 3 of its cells. Columns with the same vector behind the third cell belong to one class. */
struct role {
    struct keys *vectors[4];
    uint32_t *step[3]; /* step[row][vector * states + state]: the vector behind this cell */
};

static void role_free(struct role *role)
{
    for (int row = 0; row < 4; row++)
        keys_close(role->vectors[row]);
    for (int row = 0; row < 3; row++)
        free(role->step[row]);
    *role = (struct role){{0}, {0}};
}

static bool has_input(const struct diagram *diagram, int column, int row)
{
    for (uint32_t i = 0; i < diagram->inputs; i++)
        if (diagram->column[i] == column && diagram->row[i] == row)
            return true;
    return false;
}

/* Fills in one row of the steps. `moved` has room for a vector. */
static bool make_step(const struct diagram *diagram, struct role *role, int row, bool input, uint32_t *moved)
{
    const uint32_t states = diagram->states, vectors = keys_count(role->vectors[row]);
    role->step[row] = (uint32_t *) malloc((size_t) vectors * states * sizeof *role->step[row]);
    for (uint32_t v = 0; role->step[row] && v < vectors; v++)
        for (uint32_t state = 0; state < states; state++) {
            uint32_t count;
            const uint32_t *nodes = keys_words(role->vectors[row], v, &count);
            for (uint32_t i = 0; i < count; i++)
                moved[i] = input ? diagram_child(diagram, nodes[i], state) : nodes[i];
            const uint32_t number = keys_number(role->vectors[row + 1], moved, count);
            if (number == UINT32_MAX)
                return false;
            role->step[row][(size_t) v * states + state] = number;
        }
    return role->step[row] != NULL;
}

/* Finds what a column does to these nodes. */
static bool role_make(const struct diagram *diagram, int column, const uint32_t *nodes, uint32_t count,
                      struct role *role)
{
    uint32_t *moved = (uint32_t *) malloc(count * sizeof *moved);
    bool good = moved != NULL;
    for (int row = 0; row < 4; row++) {
        role->vectors[row] = keys_open(ROLE_BYTES_MAX);
        good = good && role->vectors[row];
    }
    good = good && keys_number(role->vectors[0], nodes, count) == 0;
    for (int row = 0; good && row < 3; row++)
        good = make_step(diagram, role, row, has_input(diagram, column, row), moved);
    free(moved);
    return good;
}

static uint32_t classes(const struct role *role)
{
    return keys_count(role->vectors[3]);
}

/* Returns the different nodes in all vectors of a role, each once, as an array that the caller frees. */
static uint32_t *nodes_behind(const struct role *role, struct keys *numbers, uint32_t *count)
{
    uint32_t there;
    for (uint32_t v = 0; v < classes(role); v++) {
        const uint32_t *nodes = keys_words(role->vectors[3], v, &there);
        for (uint32_t i = 0; i < there; i++)
            if (keys_number(numbers, &nodes[i], 1) == UINT32_MAX)
                return NULL;
    }
    *count = keys_count(numbers);
    uint32_t *all = (uint32_t *) malloc(*count * sizeof *all);
    for (uint32_t i = 0; all && i < *count; i++)
        all[i] = *keys_words(numbers, i, &there);
    return all;
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static uint32_t bits_of(uint64_t largest)
{
    uint32_t bits = 0;
    while (largest >> bits)
        bits++;
    return bits;
}

static bool fits(uint64_t a, uint64_t b)
{
    return a * b <= ENTRIES_MAX;
}

/* The classes of all columns. The parts of a column are followed in all three roles at once. */
static bool make_columns(struct tables *tables, const struct role role[3])
{
    const uint32_t states = tables->states, bits = tables->bits;
    const bool direct = bits <= TABLES_DIRECT_BITS;
    struct keys *pairs = keys_open(ROLE_BYTES_MAX);
    bool good = pairs != NULL;
    tables->pairs = (uint64_t) 1 << 2 * bits;
    tables->pair = (uint32_t *) calloc(tables->pairs, sizeof *tables->pair);
    good = good && tables->pair;
    for (uint32_t a = 0; good && a < states; a++)
        for (uint32_t b = 0; good && b < states; b++) {
            uint32_t key[3];
            for (int r = 0; r < 3; r++)
                key[r] = role[r].step[1][(size_t) role[r].step[0][a] * states + b];
            const uint32_t number = keys_number(pairs, key, 3), at = a << bits | b;
            good = number != UINT32_MAX;
            tables->pair[at] = (direct ? at : number) << bits;
        }
    tables->columns = (direct ? tables->pairs : good ? keys_count(pairs) : 0) << bits;
    tables->column = (uint64_t *) calloc(tables->columns, sizeof *tables->column);
    good = good && tables->column;
    for (uint32_t a = 0; good && a < states; a++)
        for (uint32_t b = 0; b < states; b++)
            for (uint32_t c = 0; c < states; c++) {
                uint64_t class[3];
                for (int r = 0; r < 3; r++) {
                    const uint32_t vector = role[r].step[1][(size_t) role[r].step[0][a] * states + b];
                    class[r] = role[r].step[2][(size_t) vector * states + c];
                }
                tables->column[tables->pair[a << bits | b] | c] =
                    class[0] * tables->middle | class[1] << tables->middle_at | class[2] << tables->right_at;
            }
    if (direct) {
        free(tables->pair);
        tables->pair = NULL;
        tables->pairs = 0;
    }
    keys_close(pairs);
    return good;
}

static bool make_ends(struct tables *tables, const struct role role[3], struct keys *joined)
{
    uint32_t count;
    tables->joins = (uint64_t) tables->left * tables->middle;
    tables->nexts = (uint64_t) keys_count(joined) * tables->right;
    tables->join = (uint32_t *) malloc(tables->joins * sizeof *tables->join);
    tables->next = (uint8_t *) malloc(tables->nexts);
    if (!tables->join || !tables->next)
        return false;
    for (uint32_t m = 0; m < tables->middle; m++)
        for (uint32_t l = 0; l < tables->left; l++) {
            const uint32_t node = keys_words(role[1].vectors[3], m, &count)[l];
            tables->join[(uint64_t) l * tables->middle + m] = keys_number(joined, &node, 1) * tables->right;
        }
    for (uint32_t r = 0; r < tables->right; r++)
        for (uint32_t q = 0; q < keys_count(joined); q++)
            tables->next[(uint64_t) q * tables->right + r] = (uint8_t) keys_words(role[2].vectors[3], r, &count)[q];
    return true;
}

/* The nodes behind the left column are numbered like the left classes: a left vector has one node. */
static bool make_roles(const struct diagram *diagram, struct role role[3], struct keys *lefts, struct keys *joined)
{
    uint32_t count = 0;
    bool good = role_make(diagram, 0, &diagram->root, 1, &role[0]);
    uint32_t *nodes = good ? nodes_behind(&role[0], lefts, &count) : NULL;
    good = nodes && role_make(diagram, 1, nodes, count, &role[1]);
    free(nodes);
    nodes = good ? nodes_behind(&role[1], joined, &count) : NULL;
    good = nodes && role_make(diagram, 2, nodes, count, &role[2]);
    free(nodes);
    return good;
}

static bool make_all(const struct diagram *diagram, struct tables *tables, char reason[200])
{
    struct role role[3] = {{{0}, {0}}};
    struct keys *lefts = keys_open(ROLE_BYTES_MAX), *joined = keys_open(ROLE_BYTES_MAX);
    bool good = lefts && joined && make_roles(diagram, role, lefts, joined);
    if (good) {
        tables->left = classes(&role[0]), tables->middle = classes(&role[1]), tables->right = classes(&role[2]);
        tables->middle_at = bits_of((uint64_t) (tables->left - 1) * tables->middle);
        tables->right_at = tables->middle_at + bits_of(tables->middle - 1);
        const uint32_t width = tables->right_at + bits_of(tables->right - 1);
        tables->narrow = width <= 32 && tables->right_at < 32;
        good = width <= 64 && fits(tables->left, tables->middle) && fits(keys_count(joined), tables->right) &&
               make_columns(tables, role) && make_ends(tables, role, joined);
        snprintf(reason, 200,
                 "the rule tells %u left, %u middle and %u right columns of three cells apart, and its tables would be "
                 "too large",
                 tables->left, tables->middle, tables->right);
    }
    for (int r = 0; r < 3; r++)
        role_free(&role[r]);
    keys_close(lefts);
    keys_close(joined);
    return good;
}

const char *tables_make(const struct rule *rule, struct tables *tables, char reason[200])
{
    struct diagram diagram;
    *tables = (struct tables){.states = rule->states, .bits = bits_of(rule->states - 1)};
    snprintf(reason, 200, "the decision diagram of the rule would take more than %d MiB", DIAGRAM_BYTES_MAX >> 20);
    const bool good = diagram_make(rule, &diagram) && make_all(&diagram, tables, reason);
    diagram_free(&diagram);
    return good ? NULL : reason;
}

void tables_free(struct tables *tables)
{
    free(tables->pair);
    free(tables->column);
    free(tables->join);
    free(tables->next);
    *tables = (struct tables){0};
}
