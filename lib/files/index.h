/* The index of a series that grows: a file that lists the files of the series. The file at its path is whole at any
 * time. Adding a member costs the same after a million members as after one. */
#ifndef LIB_FILES_INDEX_H
#define LIB_FILES_INDEX_H

#include "files/folder.h"
#include "files/format.h"

struct io_index;

/* One file of a series: the state at a step. */
struct io_member {
    const char *file; /* its name in the folder of the series */
    uint64_t step;
};

/* Begins an index of that name, for a format that has one. The folder must outlive it. Nothing is written yet. Returns
 * NULL, with an error recorded, where there is no memory. */
struct io_index *io_index_open(const struct io_format *format, const struct folder *folder, const char *name,
                               struct engine_error *error);

/* Adds a member to the list that the next io_index_write writes. The name is not copied. ENGINE_STATUS_DEVICE. */
int io_index_add(struct io_index *index, const struct io_member *member, struct engine_error *error);

/* Writes the file with all members. `last`: no more members follow, so the temporary file is given up.
 * ENGINE_STATUS_OUTPUT: the file is as before. */
int io_index_write(struct io_index *index, bool last, struct engine_error *error);

const char *io_index_name(const struct io_index *index);

/* Frees the index, which may be NULL. The file stays. */
void io_index_close(struct io_index *index);

#endif
