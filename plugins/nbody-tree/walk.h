/* Forces on the bodies of a subtree, from all cells. */
#ifndef NBODY_TREE_WALK_H
#define NBODY_TREE_WALK_H

#include "cpu_kernel.h"

#define TREE_WIDE 0.5 /* a leaf meets cells of less than this share of its radius body by body */

/* What a walk reads, and where its sums go. */
struct walk {
    const struct tree *tree;
    const struct tree_kernel *kernel;
    double error;   /* of such an interaction, in units of the strength of the attraction on the bodies */
    int potentials; /* 1: potentials instead of forces */

    /* Takes the sums of a leaf: along x, y, z, or [3] the potential. */
    void (*take)(const struct walk *walk, const struct tree_targets *targets);
    void *taker;
};

/* Computes the forces on the bodies of a cell and hands those of each leaf to `take`. */
void walk_cell(const struct walk *walk, uint32_t cell);

#endif
