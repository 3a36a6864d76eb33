/* Lists that grow. */
#ifndef CORE_BASE_LIST_H
#define CORE_BASE_LIST_H

#include <stddef.h>
#include <stdint.h>

/* Returns the list with space for one more item after `count`. The space doubles at powers of two. NULL: no memory, and
 * the list stays as it is. */
void *list_grow(void *items, uint32_t count, size_t item_size);

#endif
