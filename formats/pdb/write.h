/* The functions of the format that write, write.c. */
#ifndef FORMATS_PDB_WRITE_H
#define FORMATS_PDB_WRITE_H

#include "common/atoms.h"

int pdb_create(const struct engine_file *file, const struct engine_file_content *content, void **self);
int pdb_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);
int pdb_finish(const struct engine_file *file, void *self);

#endif
