/* H5MD, trajectories in HDF5 files (https://www.nongnu.org/h5md/h5md.html, version 1.1):
 *
 *     h5md                          version, author, creator
 *     particles/GROUP/box           dimension, boundary; edges
 *     particles/GROUP/position      step (frames), time (frames), value (frames, particles, 3)
 *     particles/GROUP/species       (particles)
 *
 * An element that changes is a group with step, time and value, and one that does not is a data set. */
#ifndef FORMATS_H5MD_H5MD_H
#define FORMATS_H5MD_H5MD_H

#define ENGINE_FORMAT_NEEDS 4 /* for remarks */
#include "common/hdf5.h"

enum { H5MD_POSITION, H5MD_VELOCITY, H5MD_FORCE, H5MD_MASS, H5MD_CHARGE, H5MD_SPECIES, H5MD_ID, H5MD_ELEMENTS };

static const struct h5md_element {
    const char *name;
    uint32_t components;
    int32_t lengths;
    bool integer;
} h5md_elements[H5MD_ELEMENTS] = {
    [H5MD_POSITION] = {"position", 3, 1, false},
    [H5MD_VELOCITY] = {"velocity", 3, 1, false},
    [H5MD_FORCE] = {"force", 3, -1, false},
    [H5MD_MASS] = {"mass", 1, 0, false},
    [H5MD_CHARGE] = {"charge", 1, 0, false},
    [H5MD_SPECIES] = {"species", 1, 0, true},
    [H5MD_ID] = {"id", 1, 0, true},
};

int h5md_create(const struct engine_file *file, const struct engine_file_content *content, void **self);
int h5md_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);
int h5md_finish(const struct engine_file *file, void *self);
void h5md_close_writer(const struct engine_file *file, void *self);

#endif
