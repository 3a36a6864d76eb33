/* What a run leaves, and its analysis: files of the fields at the steps that are due, and of metrics. */
#ifndef CORE_RUN_OUTPUT_H
#define CORE_RUN_OUTPUT_H

#include "io/index.h"
#include "run/analysis.h"
#include "run/metrics.h"
#include "run/snapshot.h"

/* Files that are written in the same way: every so many steps, in these formats. */
struct output_series {
    uint64_t every; /* 0: the final state only */
    uint64_t last;  /* the last step written so */
    uint32_t format_count;
    const struct io_format *formats[SETTINGS_FORMATS_MAX];
};

/* What was written so far: all that the output of the same run must know to go on from a checkpoint. */
struct output_past {
    uint64_t written; /* the step whose state was written last; UINT64_MAX: none yet */
    uint64_t row;     /* the step of the last row of metrics; UINT64_MAX: none yet */
    uint64_t metrics_bytes, analysis_metrics_bytes;
    double bounds[4]; /* of pictures, which the first state decided; 0: none */
    uint32_t series_count;
    struct output_series *series; /* one after the other: more than one where a resumed run was told otherwise */
};

struct output {
    struct instance *instance;
    struct analysis *analysis; /* whose fields are written with the run's; or NULL */
    const char *folder;
    uint32_t count, room;                     /* of paths */
    char **paths;                             /* every file written, in order */
    uint32_t synced;                          /* so many of them are on the disk for sure */
    struct metrics metrics, analysis_metrics; /* of the run and of its analysis */
    struct snapshot_writing *writing;         /* a snapshot that is not finished yet; or NULL */
    uint64_t written, row;                    /* as in output_past */
    struct io_options how;                    /* files are written: the settings', with what the first state decides */
    uint32_t series_count;
    struct output_series *series; /* the last one is what is written now */
    bool recalling;               /* files are listed, not written: they are there */
    uint32_t index_count;
    struct io_index **indexes; /* of series whose formats have one */
};

/* What the run leaves, and the analysis, which may be NULL, in the folder of the settings, which is there. `past` is
 * that of the checkpoint from which a run goes on, or NULL. ENGINE_STATUS_OUTPUT. */
int output_open(struct instance *instance, struct analysis *analysis, const struct output_past *past,
                struct output **output, struct engine_error *error);
void output_close(struct output *output);

/* What has been written until now. Its series are the output's. */
struct output_past output_past(const struct output *output);

/* What has been written until now is on the disk when this returns. ENGINE_STATUS_OUTPUT. */
int output_sync(struct output *output, struct engine_error *error);

/* The next step after the state's at which a state or a row of metrics is due; UINT64_MAX: none. */
uint64_t output_next(const struct output *output);

/* Writes what is due at the state's step and is not written already: the state in every format with a row of metrics,
 * or the row alone. `final`: the state is due whatever its step. */
int output_write(struct output *output, bool final, struct engine_error *error);

/* The fields of a state as a document. The state must outlive it; documents are freed by their close. */
int output_document(struct state *state, struct io_document **document, struct engine_error *error);

#endif
