/* The descriptor is smaller than that of any version. */
#define NAME "short_struct"
#define ABI \
    { \
        ENGINE_MAGIC, ENGINE_ABI_MAJOR, 0, 64, (uint32_t) sizeof(void *) \
    }
#include "base.h"

PLUGIN
