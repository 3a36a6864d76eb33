/* What a run leaves, and its analysis: files of the fields at the steps that are due, and of metrics. */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include "analysis.h"
#include "metrics.h"
#include "snapshot.h"

struct output {
    struct instance *instance;
    struct analysis *analysis; /* whose fields are written with the run's; or NULL */
    const char *folder;
    uint32_t count, room;                     /* of paths */
    char **paths;                             /* every file written, in order */
    struct metrics metrics, analysis_metrics; /* of the run and of its analysis */
    uint64_t written;                         /* the step whose state was written last; UINT64_MAX: none yet */
    uint64_t row;                             /* the step of the last row of metrics; UINT64_MAX: none yet */
    struct snapshot_writing *writing;         /* a snapshot that is not finished yet; or NULL */
    struct io_options how;                    /* files are written: the settings', with what the first state decides */
};

/* What the run leaves, and the analysis, which may be NULL. Makes the folder, if it is missing; refuses one that holds
 * anything, unless forced. STATUS_OUTPUT. */
int output_open(struct instance *instance, struct analysis *analysis, bool force, struct output **output,
                struct error *error);
void output_close(struct output *output);

/* The next step after the state's at which a state or a row of metrics is due; UINT64_MAX: none. */
uint64_t output_next(const struct output *output);

/* Writes what is due at the state's step and is not written already: the state in every format with a row of metrics,
 * or the row alone. `final`: the state is due whatever its step. */
int output_write(struct output *output, bool final, struct error *error);

/* The fields of a state as a document. The state must outlive it; documents are freed by their close. */
int output_document(struct state *state, struct io_document **document, struct error *error);

#endif
