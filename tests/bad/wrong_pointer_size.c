/* The descriptor claims another pointer size. */
#define NAME "wrong_pointer_size"
#define ABI \
    { \
        ENGINE_MAGIC, ENGINE_ABI_MAJOR, 0, (uint32_t) sizeof(struct engine_plugin), (uint32_t) sizeof(void *) / 2 \
    }
#include "base.h"

PLUGIN
