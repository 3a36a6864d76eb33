/* The descriptor does not start with the magic bytes. */
#define NAME "wrong_magic"
#define ABI \
    { \
        "NOTMINE", ENGINE_ABI_MAJOR, 0, (uint32_t) sizeof(struct engine_plugin), (uint32_t) sizeof(void *) \
    }
#include "base.h"

PLUGIN
