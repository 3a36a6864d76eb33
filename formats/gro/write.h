/* The functions of the format that write, write.c. */
#ifndef FORMATS_GRO_WRITE_H
#define FORMATS_GRO_WRITE_H

#define ENGINE_FORMAT_NEEDS 4 /* for remarks */
#include "common/atoms.h"

int gro_create(const struct engine_file *file, const struct engine_file_content *content, void **self);
int gro_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);

#endif
