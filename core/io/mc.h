/* Macrocell files: mc.c reads them, mc_write.c writes them. */
#ifndef CORE_IO_MC_H
#define CORE_IO_MC_H

#include "io/format.h"

/* The level of the smallest squares of a file, of 2^level cells along an axis. */
enum { MC_LEAF_TWO = 3, MC_LEAF_MANY = 1 };

int mc_write(int file, struct io_document *document, const struct io_options *options, struct engine_error *error);

#endif
