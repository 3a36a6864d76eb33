/* Order statistics of a few measurements. */
#ifndef LIB_FILES_STATISTICS_H
#define LIB_FILES_STATISTICS_H

#include <stdint.h>

struct statistics {
    double min, first_quartile, median, third_quartile, max;
};

/* Sorts `values` and computes their statistics; count is at least 1. Quantile q is at index q * (count - 1) of the
 * sorted values, with linear interpolation between two values, as in NumPy and R (type 7). */
struct statistics statistics_of(double *values, uint32_t count);

/* Compares two doubles, so that qsort sorts them in ascending order. */
int compare_doubles(const void *a, const void *b);

/* Returns quantile q, 0 … 1, of sorted values. */
double quantile_of(const double *sorted, uint32_t count, double q);

#endif
