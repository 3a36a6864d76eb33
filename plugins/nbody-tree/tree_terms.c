/* The tables of multi-indices up to an order. */
#include "tree.h"

static int stride_of(const struct tree_terms *terms, int axis)
{
    const int side = terms->order + 1;
    return axis == 0 ? side * side : axis == 1 ? side : 1;
}

static void add_term(struct tree_terms *terms, int i, int j, int k)
{
    const int t = terms->count++;
    const int power[3] = {i, j, k};
    for (int c = 0; c < 3; c++) {
        terms->power[t][c] = power[c];
        terms->offset[t] += power[c] * stride_of(terms, c);
    }
}

/* Of which lower term a term is a multiple, along an axis of power 1 if there is one; and the terms above each term. */
static void set_neighbours(struct tree_terms *terms, int t)
{
    const int *power = terms->power[t];
    terms->axis[t] = power[0] ? 0 : power[1] ? 1 : 2;
    for (int c = 0; c < 3; c++)
        terms->axis[t] = power[c] == 1 ? c : terms->axis[t];
    for (int u = 0; u < t; u++)
        for (int c = 0; c < 3; c++)
            if (terms->offset[u] + stride_of(terms, c) == terms->offset[t]) {
                terms->up[c][u] = t;
                if (c == terms->axis[t])
                    terms->lower[t] = u;
            }
    terms->inverse[t] = terms->inverse[terms->lower[t]] / power[terms->axis[t]];
}

/* Where D of an offset is before function n: that of order 0 has places of its own. */
static uint16_t place_of(const struct tree_terms *terms, int offset, int n)
{
    return (uint16_t) (offset == 0 && n > 0 ? terms->origin + n : offset);
}

/* The step that computes D of term t of function n from those of function n + 1. */
static void add_step(struct tree_terms *terms, int t, int n)
{
    const int axis = terms->axis[t], stride = stride_of(terms, axis), power = terms->power[t][axis];
    struct tree_step *step = terms->steps + terms->step_count++;
    step->to = (uint16_t) terms->offset[t];
    step->axis = (uint16_t) axis;
    step->first = place_of(terms, terms->offset[t] - stride, n + 1);
    step->second = power > 1 ? place_of(terms, terms->offset[t] - 2 * stride, n + 1) : step->first;
    step->times = (float) (power - 1);
}

/* Higher terms first, so that those of the function before are still there. */
static void set_steps(struct tree_terms *terms)
{
    terms->origin = (terms->order + 1) * (terms->order + 1) * (terms->order + 1) - 1;
    terms->origins[0] = 1;
    for (int n = 1; n <= terms->order; n++)
        terms->origins[n] = -terms->origins[n - 1] * (2 * n - 1);
    for (int n = terms->order - 1; n >= 0; n--)
        for (int t = terms->end[terms->order - n] - 1; t > 0; t--)
            add_step(terms, t, n);
}

void tree_terms_make(int order, struct tree_terms *terms)
{
    *terms = (struct tree_terms){.order = order};
    for (int sum = 0; sum <= order; sum++) {
        for (int i = sum; i >= 0; i--)
            for (int j = sum - i; j >= 0; j--)
                add_term(terms, i, j, sum - i - j);
        terms->end[sum] = terms->count;
    }
    terms->inverse[0] = 1;
    for (int t = 1; t < terms->count; t++)
        set_neighbours(terms, t);
    terms->padded = (terms->count + TREE_PADDING - 1) / TREE_PADDING * TREE_PADDING;
    set_steps(terms);
}
