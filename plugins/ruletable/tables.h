/* The tables from which `cpu` and `cuda` compute the next state of a cell.
 *
 * The neighbourhood is cut into three columns. A rule does not tell all columns apart: WireWorld looks at the left
 * column only for the number of electron heads in it. So a column of states a, b, c (from the top) belongs to a class
 * for each of its three roles, as the left, the middle and the right column of a cell. Four look-ups give the next
 * state:
 *
 *     pair[a << bits | b]                 a number for the two upper cells, shifted by `bits`
 *     column[that | c]                    the classes of the column: left, middle and right, in one word
 *     join[left of x-1 + middle of x]     a number for both columns
 *     next[that + right of x+1]           the state
 *
 * Each column is looked up once and serves three cells. If there are few states, `pair` would be the number itself, and
 * is left out. */
#ifndef RULETABLE_TABLES_H
#define RULETABLE_TABLES_H

#include "rule.h"

enum { TABLES_DIRECT_BITS = 4 }; /* with so many bits of a state at most there is no `pair` */

struct tables {
    uint32_t states, bits; /* 2^bits is at least states */

    /* NULL: the number is a << bits | b, shifted by bits. */
    uint32_t *pair;
    uint64_t pairs; /* entries: 4^bits */

    /* left | middle << middle_at | right << right_at. `left` is multiplied by the number of middle classes. The words
     * fit into 32 bits if `narrow`. */
    uint64_t *column;
    uint64_t columns;
    uint32_t middle_at, right_at;
    bool narrow;

    uint32_t *join; /* a number, multiplied by the number of right classes */
    uint64_t joins;
    uint8_t *next;
    uint64_t nexts;
    uint32_t left, middle, right; /* numbers of classes */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the tables. Returns NULL, or why they cannot be made; the text lives in `reason`. tables_free frees them in
 * both cases. */
const char *tables_make(const struct rule *rule, struct tables *tables, char reason[200]);
void tables_free(struct tables *tables);

#ifdef __cplusplus
}
#endif

#endif
