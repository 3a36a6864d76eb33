/* The files of a run: how those of a state are named, listed and written. */
#ifndef LIB_RECORD_OUTPUT_FILES_H
#define LIB_RECORD_OUTPUT_FILES_H

#include "record/section_output.h"
#include "record/snapshot.h"

/* Files that are written at the same steps and in the same formats. */
struct output_series {
    uint64_t every; /* 0: the final state only */
    uint64_t last;  /* the last step written */
    uint32_t format_count;
    const struct io_format *formats[OUTPUT_FORMATS_MAX];
    char fields[OUTPUT_FIELDS_MAX]; /* names of the fields; "": all */
    struct selection selection;     /* the part of each grid */
};

struct output_file {
    char *path;       /* with the folder's path in front */
    const char *name; /* the end of path */
    uint64_t frames;  /* the number of times that it was written */
    bool written;     /* by this process; otherwise before the run was resumed */
    bool unsynced;    /* it was written after output_sync */
};

struct output_files {
    const struct folder *folder;
    struct io_options how; /* how files are written: the settings, with bounds that follow from the initial state, and
                                 a scale for particles that follows from the first picture */
    uint32_t count, capacity; /* of list */
    struct output_file *list; /* every file, in order */
    bool listing_only;        /* files are listed and not written, because they exist */
    uint32_t index_count;
    struct io_index **indexes;        /* of series whose formats have one */
    struct snapshot_writing *writing; /* a snapshot that is not finished yet; or NULL */
};

/* Waits for the snapshot that is being written, and frees the lists. */
void output_files_close(struct output_files *files);

/* Writes the state of an instance as of that step in the formats of a series, and lists the files. `final`: the run
 * ends with this step. */
int output_files_write(struct output_files *files, struct instance *instance, const struct output_series *series,
                       uint64_t step, bool final, struct engine_error *error);

/* Makes the files that are made of films, for the formats of a series. The run has ended. */
int output_files_encode(struct output_files *files, const struct output_series *series, struct engine_error *error);

/* Does a format of the series write a file of its own at every output, instead of one that grows or is replaced? */
bool output_series_has_files(const struct output_series *series);

/* Adds a file of the folder to the list, unless it is there. Unless the files are only listed, records that it was
 * written and has not been synchronised. */
int output_files_list(struct output_files *files, const char *name, struct engine_error *error);

/* Waits for the snapshot that is being written, if there is one. */
int output_files_finish(struct output_files *files, struct engine_error *error);

#endif
