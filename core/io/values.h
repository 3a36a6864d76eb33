/* The values that a plugin has computed, and those that its fields declare. */
#ifndef CORE_IO_VALUES_H
#define CORE_IO_VALUES_H

#include "io/document.h"

/* Checks elements [begin, begin + count) of an array that a plugin has computed, before a file or a hash holds them.
 * ENGINE_STATUS_PLUGIN: one of them is not among the array's `values`. */
int io_check_values(const struct io_array *array, uint64_t begin, uint64_t count, const void *elements,
                    struct engine_error *error);

#endif
