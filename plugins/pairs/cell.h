/* A skewed box: its edges are (Lx, 0, 0), (xy, Ly, 0) and (xz, yz, Lz). A vector is the sum of the edges times its
 * fractions. Two particles within half of each height of the box have a vector whose fractions are at most 1/2, so the
 * nearest image is that of the nearest integers. */
#ifndef PAIRS_CELL_H
#define PAIRS_CELL_H

#include "pairs.h"

#include <math.h>

ENGINE_INLINE void pairs_to_fractions(const struct pairs_plan *plan, const double x[3], double s[3])
{
    s[2] = x[2] / plan->box[2];
    s[1] = (x[1] - plan->tilt[2] * s[2]) / plan->box[1];
    s[0] = (x[0] - plan->tilt[0] * s[1] - plan->tilt[1] * s[2]) / plan->box[0];
}

ENGINE_INLINE void pairs_from_fractions(const struct pairs_plan *plan, const double s[3], double x[3])
{
    x[0] = plan->box[0] * s[0] + plan->tilt[0] * s[1] + plan->tilt[1] * s[2];
    x[1] = plan->box[1] * s[1] + plan->tilt[2] * s[2];
    x[2] = plan->box[2] * s[2];
}

/* Takes whole edges off a vector, as many as `whole` says. */
ENGINE_INLINE void pairs_take_edges(const struct pairs_plan *plan, const double whole[3], double x[3])
{
    double edges[3];
    pairs_from_fractions(plan, whole, edges);
    for (int c = 0; c < 3; c++)
        x[c] -= edges[c];
}

/* Makes the vector between two particles that between nearest images. */
ENGINE_INLINE void pairs_nearest(const struct pairs_plan *plan, double d[3])
{
    double s[3];
    pairs_to_fractions(plan, d, s);
    for (int c = 0; c < 3; c++)
        s[c] = rint(s[c]);
    pairs_take_edges(plan, s, d);
}

#endif
