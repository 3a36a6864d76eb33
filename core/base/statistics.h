/* Order statistics of a few measurements. */
#ifndef CORE_BASE_STATISTICS_H
#define CORE_BASE_STATISTICS_H

#include <stdint.h>

struct statistics {
    double min, first_quartile, median, third_quartile, max;
};

/* Sorts `values` and takes its statistics; count at least 1. A quantile between two values lies on the line between
 * them: q x (count - 1) counted from the smallest, as numpy and R (type 7) have it. */
struct statistics statistics_of(double *values, uint32_t count);

/* The quantile q, 0 … 1, of sorted values. */
double quantile_of(const double *sorted, uint32_t count, double q);

#endif
