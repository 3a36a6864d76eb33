/* The descriptor claims more bytes than the symbol has. */
#define NAME "long_struct"
#define ABI \
    { \
        ENGINE_MAGIC, ENGINE_ABI_MAJOR, 0, (uint32_t) sizeof(struct engine_plugin) + 4096, (uint32_t) sizeof(void *) \
    }
#include "base.h"

PLUGIN
