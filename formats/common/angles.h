/* Boxes of lengths and angles. */
#ifndef FORMATS_COMMON_ANGLES_H
#define FORMATS_COMMON_ANGLES_H

#include <math.h>
#include <stdbool.h>

#define ANGLES_RADIAN (3.14159265358979323846 / 180)

/* A right angle has a cosine of exactly 0, and the other way round. */
static inline double angles_cosine(double degrees)
{
    return degrees == 90 ? 0 : cos(degrees * ANGLES_RADIAN);
}

static inline double angles_degrees(double cosine)
{
    return cosine == 0 ? 90 : acos(cosine < -1 ? -1 : cosine > 1 ? 1 : cosine) / ANGLES_RADIAN;
}

/* Makes a box of lengths and of the cosines of alpha, beta and gamma. Its first edge lies along x, and its second in the
 * plane of x and y. Returns false if no box has them. */
static inline bool angles_make_box(const double length[3], const double cosine[3], double box[6])
{
    const double xy = length[1] * cosine[2], ly = sqrt(length[1] * length[1] - xy * xy), xz = length[2] * cosine[1];
    const double yz = ly > 0 ? (length[1] * length[2] * cosine[0] - xy * xz) / ly : 0;
    const double made[6] = {length[0], ly, sqrt(length[2] * length[2] - xz * xz - yz * yz), xy, xz, yz};
    bool finite = true;
    for (int i = 0; i < 6; i++) {
        box[i] = made[i];
        finite = finite && isfinite(made[i]);
    }
    return finite && made[1] > 0 && made[2] > 0;
}

/* The lengths and the cosines of a box. Cosines of an axis of length 0 are 0. */
static inline void angles_of_box(const double box[6], double length[3], double cosine[3])
{
    const double bc = box[3] * box[4] + box[1] * box[5];
    length[0] = box[0];
    length[1] = sqrt(box[1] * box[1] + box[3] * box[3]);
    length[2] = sqrt(box[2] * box[2] + box[4] * box[4] + box[5] * box[5]);
    cosine[0] = bc != 0 ? bc / (length[1] * length[2]) : 0;
    cosine[1] = box[4] != 0 ? box[4] / length[2] : 0;
    cosine[2] = box[3] != 0 ? box[3] / length[1] : 0;
}

#endif
