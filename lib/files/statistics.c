#include "files/statistics.h"

#include <stdlib.h>

int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

double quantile_of(const double *sorted, uint32_t count, double q)
{
    double place = q * (count - 1);
    uint32_t below = (uint32_t) place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]);
}

struct statistics statistics_of(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (struct statistics){
        .min = values[0],
        .first_quartile = quantile_of(values, count, 0.25),
        .median = quantile_of(values, count, 0.5),
        .third_quartile = quantile_of(values, count, 0.75),
        .max = values[count - 1],
    };
}
