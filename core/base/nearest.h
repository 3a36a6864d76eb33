/* Near-miss hints: the name of a list that a person probably meant. */
#ifndef CORE_BASE_NEAREST_H
#define CORE_BASE_NEAREST_H

#include <stdint.h>

/* The name nearest to `name` in a list, or NULL where none is near: the hint after "unknown …". A list is a function
 * that gives the i-th name, NULL after the last. */
const char *nearest(const char *name, const char *(*name_at)(const void *list, uint32_t index), const void *list);

/* Writes ", did you mean 'x'?" to `hint`, or "" where nothing is near. Returns hint. */
const char *nearest_hint(char hint[128], const char *name, const char *(*name_at)(const void *list, uint32_t index),
                         const void *list);

/* The same of a path: the nearest name in its folder, where that can be read. */
const char *nearest_file_hint(char hint[128], const char *path);

#endif
