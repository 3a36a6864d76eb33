/* The tables of multi-indices up to an order. */
#include "tree.h"

/* Chooses how D of a term comes from D of lower ones, and of which term a monomial is a multiple. An axis of power 1 needs
 * no second. */
static void set_recurrence(struct tree_terms *terms, int t)
{
    const int stride[3] = {(terms->order + 1) * (terms->order + 1), terms->order + 1, 1}, *power = terms->power[t];
    int axis = power[0] ? 0 : power[1] ? 1 : 2;
    for (int c = 0; c < 3; c++)
        axis = power[c] == 1 ? c : axis;
    terms->axis[t] = axis;
    terms->first[t] = terms->offset[t] - stride[axis];
    terms->second[t] = power[axis] > 1 ? terms->offset[t] - 2 * stride[axis] : 0;
    terms->times[t] = power[axis] - 1;
    for (int u = 0; u < t; u++)
        for (int c = 0; c < 3; c++)
            if (terms->offset[u] + stride[c] == terms->offset[t])
                terms->up[c][u] = t;
    for (int u = 0; u < t; u++)
        if (terms->offset[u] == terms->first[t])
            terms->lower[t] = u;
    terms->inverse[t] = terms->inverse[terms->lower[t]] / power[axis];
}

static void add_term(struct tree_terms *terms, int i, int j, int k)
{
    const int t = terms->count++, side = terms->order + 1;
    terms->power[t][0] = i;
    terms->power[t][1] = j;
    terms->power[t][2] = k;
    terms->offset[t] = (i * side + j) * side + k;
    if (t == 0)
        terms->inverse[t] = 1;
    else
        set_recurrence(terms, t);
}

/* Adds the terms of an order that have an axis of power 1, or the others. The term of order 0 is one of the others. */
static void add_terms(struct tree_terms *terms, int order, int with)
{
    for (int i = order; i >= 0; i--)
        for (int j = order - i; j >= 0; j--)
            if (with == (i == 1 || j == 1 || order - i - j == 1))
                add_term(terms, i, j, order - i - j);
}

void tree_terms_make(int order, struct tree_terms *terms)
{
    *terms = (struct tree_terms){.order = order};
    for (int sum = 0; sum <= order; sum++) {
        add_terms(terms, sum, 1);
        terms->simple[sum] = terms->count;
        add_terms(terms, sum, 0);
        terms->end[sum] = terms->count;
    }
    terms->padded = (terms->count + TREE_PADDING - 1) / TREE_PADDING * TREE_PADDING;
}
