/* What a run leaves: files of the fields at the steps that are due, and metrics.csv. */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include "instance.h"
#include <stdio.h>

struct output {
    struct instance *instance;
    const char *folder;
    uint32_t count, room; /* of paths */
    char **paths;         /* every file written, in order */
    FILE *metrics;        /* or NULL, where nothing is measured */
    bool written;         /* the state of step `last` is written */
    uint64_t last;
    struct io_options how; /* files are written: the settings', with what the first state decides */
    double *values;        /* of the metrics, at step `last` */
    bool measured;
};

/* Makes the folder, if it is missing; refuses one that holds anything, unless forced. STATUS_OUTPUT. */
int output_open(struct instance *instance, bool force, struct output **output, struct error *error);
void output_close(struct output *output);

/* The next step after the state's at which output is due; UINT64_MAX: none. */
uint64_t output_next(const struct output *output);

/* Writes the state as it stands, in every format, and a row of metrics; nothing where this step is written already. */
int output_write(struct output *output, struct error *error);

/* The fields of a state as a document. The state must outlive it; documents are freed by their close. */
int output_document(struct state *state, struct io_document **document, struct error *error);

#endif
