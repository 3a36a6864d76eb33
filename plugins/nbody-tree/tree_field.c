/* How strong the attraction on a cell's bodies is, roughly, so that an error can be relative to it. Cells of up to
 * COARSE bodies stand for theirs. Cells that look small enough are points. */
#include "tree.h"

enum { COARSE = 96 };

/* The attraction of all cells on the centre of a cell, or a share of the sum of their magnitudes. The latter counts
 * where they cancel. */
static double strength_at(const struct tree *tree, const struct tree_cell *cell)
{
    uint32_t stack[TREE_DEPTH + 2], depth = 0;
    double sum[3] = {0, 0, 0}, magnitudes = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const struct tree_cell *other = tree->cells + stack[--depth];
        const double d[3] = {other->centre[0] - cell->centre[0], other->centre[1] - cell->centre[1],
                             other->centre[2] - cell->centre[2]};
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (other->first && !(other->radius * other->radius < TREE_ESTIMATE * TREE_ESTIMATE * square)) {
            stack[depth++] = other->second;
            stack[depth++] = other->first;
            continue;
        }
        const double distance = sqrt(square) + cell->radius,
                     s = distance * distance + tree->softening * tree->softening;
        if (!(s > 0))
            continue;
        const double weight = other->mass / (s * sqrt(s));
        for (int c = 0; c < 3; c++)
            sum[c] += weight * d[c];
        magnitudes += weight * sqrt(square);
    }
    return fmax(sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]), TREE_CANCELLED * magnitudes);
}

static void set_all(const struct tree *tree, uint32_t index, double strength)
{
    struct tree_cell *cell = tree->cells + index;
    cell->strength = strength;
    if (cell->first) {
        set_all(tree, cell->first, strength);
        set_all(tree, cell->second, strength);
    }
}

void tree_set_strengths(const struct tree *tree, uint32_t index)
{
    struct tree_cell *cell = tree->cells + index;
    if (!cell->first || cell->end - cell->begin <= COARSE) {
        set_all(tree, index, strength_at(tree, cell));
        return;
    }
    tree_set_strengths(tree, cell->first);
    tree_set_strengths(tree, cell->second);
    cell->strength = fmin(tree->cells[cell->first].strength, tree->cells[cell->second].strength);
}
