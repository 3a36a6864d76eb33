/* The values that a plugin has computed, and those that its fields declare. */
#ifndef CORE_BASE_VALUES_H
#define CORE_BASE_VALUES_H

#include "base/error.h"

#include <engine/format.h>

/* Checks elements [begin, begin + count) of an array that a plugin has computed, before a file or a hash holds them.
 * ENGINE_STATUS_PLUGIN: one of them is not among the array's `values`. */
int values_check(const struct engine_file_array *array, uint64_t begin, uint64_t count, const void *elements,
                 struct engine_error *error);

#endif
