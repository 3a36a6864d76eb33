/* Hints after a mistyped name: the name of a list that the user probably meant. */
#ifndef CORE_BASE_NEAREST_H
#define CORE_BASE_NEAREST_H

#include <stdint.h>

/* Returns the name of a list that is nearest to `name`, or NULL where none is near. name_at returns the i-th name of
 * the list, and NULL after the last. */
const char *nearest(const char *name, const char *(*name_at)(const void *list, uint32_t index), const void *list);

/* Writes ", did you mean 'x'?" to `hint`, or "" where no name is near. Returns hint. */
const char *nearest_hint(char hint[128], const char *name, const char *(*name_at)(const void *list, uint32_t index),
                         const void *list);

/* Writes the hint for a path, from the names in its folder. Returns hint. */
const char *nearest_file_hint(char hint[128], const char *path);

#endif
