/* What format.c and box.c share to read an H5MD file. */
#ifndef FORMATS_H5MD_READER_H
#define FORMATS_H5MD_READER_H

#include "h5md.h"

#include <engine/format_cell.h>

enum { LABELS_MAX = 256, LABEL = 16, SKIPPED = 256, PIECE = 4096 };

struct reader {
    bool reads; /* true, as in struct writer */
    hid_t file, group;
    char name[HDF5_TEXT]; /* of the group */
    uint64_t particles, frames;
    uint32_t length;
    int dimension;         /* of the vectors in the file: 3 or 2 */
    struct hdf5_set moved; /* the steps of the box, if they are not those of the positions */
    bool has_moved;
    struct hdf5_set step, time, edges;
    bool has_step, has_time, has_edges, edges_change;
    bool periodic[3];
    struct hdf5_set sets[H5MD_ELEMENTS]; /* of each array */
    bool changes[H5MD_ELEMENTS];         /* its first axis counts frames */
    struct engine_file_array arrays[H5MD_ELEMENTS];
    uint32_t count;
    const char *labels[LABELS_MAX];
    char label[LABELS_MAX][LABEL], skipped[SKIPPED];
    const char *remarks; /* or NULL */
    uint32_t label_count;
    double rows[PIECE * 3];
};

/* Opens an element of the group of particles: NAME/value, which changes, or NAME. */
int h5md_open_element(const struct engine_file *file, struct reader *reader, const char *name, struct hdf5_set *set,
                      bool *changes);

/* Reads the step and the time of a frame. */
int h5md_read_moments(const struct engine_file *file, const struct reader *reader, uint64_t number,
                      struct engine_file_frame *frame);

/* Opens the box, if there is one, behind the steps of the positions. */
int h5md_open_box(const struct engine_file *file, struct reader *reader);

/* Makes the cell of a frame; without a box, all axes are open. */
int h5md_read_cell(const struct engine_file *file, const struct reader *reader, uint64_t number,
                   struct engine_cell *cell);

#endif
