/* The elements of the table of parameters have size 0. */
#define NAME "zero_item_size"
#define PARAMS \
    { \
        base_params, 1, 0 \
    }
#include "base.h"

PLUGIN
