/* Writing G96 files. */
#ifndef FORMATS_G96_WRITE_H
#define FORMATS_G96_WRITE_H

#define ENGINE_FORMAT_NEEDS 4 /* for remarks */
#include "common/atoms.h"

int g96_create(const struct engine_file *file, const struct engine_file_content *content, void **self);
int g96_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);

#endif
