#include "base/list.h"

#include <stdlib.h>

void *list_grow(void *items, uint32_t count, size_t item_size)
{
    if (count == 0)
        return realloc(items, 8 * item_size);
    return count >= 8 && (count & (count - 1)) == 0 ? realloc(items, item_size * 2 * count) : items;
}
