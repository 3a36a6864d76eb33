/* The tree of nbody-tree. Bodies are sorted along Morton's curve. A cell is a range of sorted bodies; a cell of more
 * than TREE_LEAF bodies has two children, which are the halves of its box at the highest bit in which the keys differ.
 *
 * A cell has a multipole expansion about its centre of mass c, with moments
 *
 *     M_n = sum over bodies of  m (c - x)^n / n!            n = (i, j, k), order |n| = i + j + k <= order
 *
 * The potential of the cell's bodies near a point d away from c is a polynomial, whose coefficients are
 *
 *     L_m = 1 / m!  sum over |n| <= order - |m| of  M_n D_(n+m)(d)
 *
 * where D are the derivatives of 1 / sqrt(d^2 + softening^2): the softening is exact at all distances. */
#ifndef NBODY_TREE_TREE_H
#define NBODY_TREE_TREE_H

#include "cpu.h"

enum {
    TREE_LEAF = 40,     /* bodies of a leaf at most */
    TREE_LEAST = 8,     /* bodies of a cell at least, unless there are fewer */
    TREE_ORDER_MAX = 8, /* of expansions */
    TREE_TERMS_MAX = 165,
    TREE_STEPS_MAX = 486,
    TREE_TABLE_MAX = (TREE_ORDER_MAX + 1) * (TREE_ORDER_MAX + 1) * (TREE_ORDER_MAX + 1) + TREE_ORDER_MAX + 1,
    TREE_PADDING = 16, /* the moments of a cell are a multiple of this */
    TREE_ROUNDS = 3,   /* bodies with equal keys get new ones so many times */
    TREE_PARTS_MAX = 512,
    TREE_TOP_MAX = 2 * TREE_PARTS_MAX,
    TREE_DEPTH = 320 /* no cell is deeper: 63 bits a round, and halves of bodies at one place */
};

/* D at an offset = d[axis] D[first] + times D[second]. */
struct tree_step {
    uint16_t to, first, second, axis;
    float times;
};

/* Numbers of multi-indices and offsets between them. Index (i, j, k) has the offset (i s + j) s + k with s = order + 1,
 * so that the offset of a sum is the sum of the offsets. Terms are in ascending order. */
struct tree_terms {
    int order;
    int count;                      /* of terms */
    int padded;                     /* a multiple of TREE_PADDING */
    int end[TREE_ORDER_MAX + 1];    /* of the terms of an order */
    int offset[TREE_TERMS_MAX];     /* of a term */
    int power[TREE_TERMS_MAX][3];   /* i, j, k */
    double inverse[TREE_TERMS_MAX]; /* 1 / (i! j! k!) */

    /* The steps that compute all D from origins[n] = (-1)^n (2n - 1)!!, see cpu_kernel_far.h. origins[0] is at offset
     * 0, the others at `origin` + n. */
    int step_count, origin;
    double origins[TREE_ORDER_MAX + 1];
    struct tree_step steps[TREE_STEPS_MAX];

    int axis[TREE_TERMS_MAX];  /* along which a term is a multiple of a lower one */
    int lower[TREE_TERMS_MAX]; /* that term */
    int up[3][TREE_TERMS_MAX]; /* the term with one more of an axis, for orders below the highest */
};

/* Sets the terms of an order from 1 to TREE_ORDER_MAX. */
void tree_terms_make(int order, struct tree_terms *terms);

struct tree_cell {
    double centre[3], radius; /* no body is farther from the centre of mass */
    uint32_t first, second;   /* children; a leaf has first = 0 */
    uint32_t begin, end;      /* sorted bodies */
    double mass;
    double strength; /* of the attraction on its bodies, roughly: see tree_field.c */
};

struct tree_key {
    uint64_t key;
    uint64_t body;
};

struct tree_box {
    double low[3], high[3];
};

/* The bodies of a cell: their box, and M_n. */
struct tree_sum {
    struct tree_box box;
    double moments[TREE_TERMS_MAX];
};

/* Bodies in the state's order and sorted, and the cells. Cell 0 is the root. The caller of tree_make owns it all. */
struct tree {
    const struct engine_host *host;
    struct tree_terms terms;
    uint64_t count;
    uint32_t precision;
    double softening;
    const void *position[3], *mass; /* of the state: `count` numbers each, float or double */
    void *sorted[4];                /* x, y, z, mass; TREE_PADDING more than `count` */
    struct tree_key *keys, *spare;
    uint64_t *digits; /* counts of the parallel sort */
    struct tree_cell *cells;
    int narrow;           /* 1: moments are floats; 0: doubles */
    void *moments;        /* terms.padded for each cell: M_n / (mass radius^|n|) */
    struct tree_sum *top; /* of the first TREE_TOP_MAX cells */
    uint32_t *parts;      /* cells whose subtrees are the tasks of a parallel loop */
    uint32_t part_count;
};

/* A box without bodies; adds a point to a box. */
#define TREE_NO_BOX \
    { \
        {HUGE_VAL, HUGE_VAL, HUGE_VAL}, \
        { \
            -HUGE_VAL, -HUGE_VAL, -HUGE_VAL \
        } \
    }
static inline void tree_box_add(struct tree_box *box, const double x[3])
{
    for (int c = 0; c < 3; c++) {
        box->low[c] = x[c] < box->low[c] ? x[c] : box->low[c];
        box->high[c] = x[c] > box->high[c] ? x[c] : box->high[c];
    }
}

/* Cells that a tree of so many bodies has room for. */
uint64_t tree_cells_max(uint64_t count);

/* Bytes of tree.digits. */
uint64_t tree_digits_bytes(uint64_t count);

/* Sorts the bodies at `position` and makes the cells, their moments and strengths. The result depends on the bodies
 * alone. Returns 0 if a position is not finite. */
int tree_make(struct tree *tree);

/* ---- tree_field.c ------------------------------------------------------------------------------------------------ */

/* Sets the strengths of a cell and those below it. */
void tree_set_strengths(const struct tree *tree, uint32_t cell);

/* ---- tree_sort.c ------------------------------------------------------------------------------------------------- */

/* Sets keys and sorts them, on all threads. Returns 0 if a position is not finite. */
int tree_sort(struct tree *tree);

/* Gives the bodies of a range keys within their own box, and sorts them, on this thread. Returns 0 if all are at one
 * place. */
int tree_sort_again(const struct tree *tree, uint64_t begin, uint64_t end);

/* Number c (x, y, z, mass) of a sorted body. */
static inline double tree_sorted(const struct tree *tree, int c, uint64_t i)
{
    return tree->precision == NBODY_DOUBLE ? ((const double *) tree->sorted[c])[i]
                                           : (double) ((const float *) tree->sorted[c])[i];
}

/* A coordinate of a body in the state's order. */
static inline double tree_coordinate(const struct tree *tree, int axis, uint64_t body)
{
    return tree->precision == NBODY_DOUBLE ? ((const double *) tree->position[axis])[body]
                                           : (double) ((const float *) tree->position[axis])[body];
}

#endif
