/* The outputs of a run and of its analysis: files of the fields, and rows of metrics and of hashes, at the steps that
 * are due. */
#ifndef LIB_RECORD_OUTPUT_H
#define LIB_RECORD_OUTPUT_H

#include "files/index.h"
#include "record/analysis.h"
#include "record/hashes.h"
#include "record/metrics.h"
#include "record/output_files.h"
#include "run/observer.h"

/* The progress of the outputs. A run that is resumed from a checkpoint continues from it. */
struct output_past {
    uint64_t written; /* the step whose state was written last; UINT64_MAX: none yet */
    uint64_t row;     /* the step of the last row of metrics; UINT64_MAX: none yet */
    uint64_t hashed;  /* the step of the last row of hashes; UINT64_MAX: none yet */
    uint64_t metrics_bytes, analysis_metrics_bytes, hashes_bytes, universes_bytes;
    double bounds[4]; /* of pictures, which followed from the initial state; 0: none */
    double depth[2];  /* the same, of pictures with depth */
    double white;     /* of pictures of particles, which followed from the first one; 0: none. It belongs to: */
    uint64_t white_pixels;
    bool white_weighs;
    uint32_t series_count;
    struct output_series *series; /* in order; several if a resumed run had other settings */
};

struct output {
    struct instance *instance;
    struct analysis *analysis; /* its fields are written with those of the run; or NULL */
    struct output_files files;
    struct metrics metrics, analysis_metrics; /* of the run and of its analysis */
    struct hashes hashes;                     /* of the run */
    uint64_t written, row, hashed;            /* as in output_past */
    uint32_t series_count;
    struct output_series *series; /* files are written as the last one says */
};

/* Opens the outputs of a run and of its analysis, which may be NULL, in a folder, which must outlive them. With folder
 * NULL no file is written, and the rows of metrics stay in memory. `past` is
 * that of the checkpoint from which the run goes on, or NULL. ENGINE_STATUS_OUTPUT. */
int output_open(struct instance *instance, struct analysis *analysis, const struct folder *folder,
                const struct output_past *past, struct output **output, struct engine_error *error);
void output_close(struct output *output);

/* Writes the name of the file of metrics of a run, or of the plan of an analysis. Returns name. */
const char *output_metrics_name(const struct plan *plan, bool analysis, char name[192]);

/* The progress until now. Its series belong to the output. */
struct output_past output_past(const struct output *output);

/* Synchronises everything that has been written until now to disk. A file that was removed before is an error.
 * ENGINE_STATUS_OUTPUT. */
int output_sync(struct output *output, struct engine_error *error);

/* Checks that all files are there that this process has written. ENGINE_STATUS_OUTPUT. */
int output_check(const struct output *output, struct engine_error *error);

/* The next step after the state's at which a state or a row is due; UINT64_MAX: none. */
uint64_t output_next(const struct output *output);

/* Writes the outputs that are due at the state's step and are not written yet: the state in every format with a row of
 * metrics, or the row alone, and the row of its hash. `final`: all are due at any step. */
int output_write(struct output *output, bool final, struct engine_error *error);

struct observer output_observer(struct output *output);

#endif
