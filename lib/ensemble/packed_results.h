/* The result of a member, and results as bytes for the process that writes the tables. */
#ifndef LIB_ENSEMBLE_PACKED_RESULTS_H
#define LIB_ENSEMBLE_PACKED_RESULTS_H

#include "base/error.h"
#include "ensemble/tables.h"

struct result {
    struct tables_row row;
    const char *series[TABLE_SERIES]; /* metrics over time: a CSV text with its header; NULL: none */
    char *owned[TABLE_SERIES];        /* those of the texts that belong to the result; or NULL */
    struct engine_error why;          /* status 0: the member did not fail */
};

void result_release(struct result *result);

/* Results one after the other. All members are 0 at first; the caller frees `data`. */
struct packed_results {
    char *data;
    uint64_t bytes, room, results;
};

/* Appends a result, which stays the caller's. */
int packed_results_put(struct packed_results *packed, const struct result *result, struct engine_error *error);

/* Copies the result at *at, which ends before `end`, and moves *at behind it. The caller calls result_release. */
int packed_results_take(const char **at, const char *end, struct result *result, struct engine_error *error);

#endif
