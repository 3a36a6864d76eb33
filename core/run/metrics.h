/* Numbers that a plugin measures, in a file: a row for each time. */
#ifndef CORE_RUN_METRICS_H
#define CORE_RUN_METRICS_H

#include "run/instance.h"
#include <stdio.h>

struct metrics {
    struct instance *instance;
    FILE *file; /* NULL: nothing is measured, nothing written */
    char path[SETTINGS_PATH_MAX + 256];
    double *values; /* of the last row */
    bool measured;  /* there is one */
    uint64_t bytes; /* of the file */
};

/* Makes the file, of that name in the folder, where the instance measures; or, if `bytes` is not 0, goes on with the
 * one that is there, of which so many bytes count: what came behind them is cut off. What was opened is closed whatever
 * this returns. ENGINE_STATUS_OUTPUT. */
int metrics_open(struct metrics *metrics, struct instance *instance, const char *folder, const char *name,
                 uint64_t bytes, struct engine_error *error);
void metrics_close(struct metrics *metrics);

/* Measures the state as it is. */
int metrics_measure(struct metrics *metrics, struct engine_error *error);

/* Measures the state as it is, and adds a row for that step. */
int metrics_write(struct metrics *metrics, uint64_t step, struct engine_error *error);

#endif
