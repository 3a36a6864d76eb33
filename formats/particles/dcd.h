/* DCD trajectories: dcd.c reads them, dcd_write.c writes them. */
#ifndef FORMATS_PARTICLES_DCD_H
#define FORMATS_PARTICLES_DCD_H

#include <engine/format.h>

/* A file is a series of Fortran records, each between two 4-byte markers that hold its length:
 *
 *     header of 84 bytes | titles | number of atoms | frame | frame | …
 *     frame: unit cell, where the header states one | x | y | z | a fourth coordinate, where the header states one
 *
 * Coordinates are single-precision numbers. The unit cell is A, cos gamma, B, cos beta, cos alpha, C in double
 * precision, or with angles in degrees. */
enum { DCD_HEADER = 92, DCD_CELL = 48, DCD_MARKERS = 8 }; /* bytes; DCD_HEADER includes the markers */

/* Words of the header after CORD: the number of frames, the step of the first and the steps from each to the next, the
 * last step, the number of fixed atoms, the time of a step (a float), and what a frame has. */
enum {
    DCD_FRAMES = 0,
    DCD_FIRST = 1,
    DCD_EVERY = 2,
    DCD_LAST = 3,
    DCD_FIXED = 8,
    DCD_DELTA = 9,
    DCD_HAS_CELL = 10,
    DCD_HAS_FOURTH = 11,
    DCD_VERSION = 19,
    DCD_WORDS = 20
};

/* The functions of the format that write. */
int dcd_create(const struct engine_file *file, const struct engine_file_content *content, void **self);
int dcd_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);
int dcd_finish(const struct engine_file *file, void *self);
int dcd_cut(const struct engine_file *file, uint64_t frames, uint64_t *end);

#endif
