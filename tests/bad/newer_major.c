/* Was compiled with the header of a later major version. */
#define NAME "newer_major"
#define ABI \
    { \
        ENGINE_MAGIC, ENGINE_ABI_MAJOR + 1, 0, (uint32_t) sizeof(struct engine_plugin), (uint32_t) sizeof(void *) \
    }
#include "base.h"

PLUGIN
