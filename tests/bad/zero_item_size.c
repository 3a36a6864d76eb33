/* Its parameters' elements have no size. */
#define NAME "zero_item_size"
#define PARAMS \
    { \
        base_params, 1, 0 \
    }
#include "base.h"

PLUGIN
