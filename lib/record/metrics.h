/* The numbers that a plugin measures, and the values of probes, in a file with a row for each measurement. */
#ifndef LIB_RECORD_METRICS_H
#define LIB_RECORD_METRICS_H

#include "record/probes.h"
#include "record/rows.h"
#include "run/instance.h"

struct metrics {
    struct instance *instance;
    struct rows table;     /* not open: the implementation does not measure, and there are no probes */
    double *values;        /* of the last row; NULL: the implementation does not measure */
    uint32_t columns;      /* of the values; fewer than there are in a file of an older plugin that measured less */
    bool measured;         /* `values` are valid */
    struct rows universes; /* of a batch: a row for each universe; or not open */
    struct probes probes;  /* further columns */
};

/* Creates the file in the folder, if the instance measures or has probes. With folder NULL the rows stay in memory.
 * With `bytes` other than 0 it continues the existing file after so many bytes and cuts off the rest. The folder must
 * outlive the metrics. metrics_close may be called after an error too. ENGINE_STATUS_OUTPUT. */
int metrics_open(struct metrics *metrics, struct instance *instance, const struct folder *folder, const char *name,
                 uint64_t bytes, struct engine_error *error);
void metrics_close(struct metrics *metrics);

/* Adds a table with a row for each universe of a batch, if the configuration asks for it and there is a folder. `bytes`
 * as above. */
int metrics_open_universes(struct metrics *metrics, const struct folder *folder, uint64_t bytes,
                           struct engine_error *error);

/* Measures the present state. */
int metrics_measure(struct metrics *metrics, struct engine_error *error);

/* Measures the present state and adds a row for that step. */
int metrics_write(struct metrics *metrics, uint64_t step, struct engine_error *error);

#endif
