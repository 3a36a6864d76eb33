/* XYZ and extended XYZ: xyz.c reads such files, xyz_write.c writes them. */
#ifndef FORMATS_PARTICLES_XYZ_H
#define FORMATS_PARTICLES_XYZ_H

#include <engine/format.h>

/* The function of the format that writes a frame. */
int xyz_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);

#endif
