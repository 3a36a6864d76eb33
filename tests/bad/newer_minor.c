/* Was compiled with the header of a newer engine and needs a later minor version than this engine has. */
#define NAME "newer_minor"
#define ABI \
    { \
        ENGINE_MAGIC, ENGINE_ABI_MAJOR, ENGINE_ABI_MINOR + 1, (uint32_t) sizeof(struct engine_plugin), \
            (uint32_t) sizeof(void *) \
    }
#include "base.h"

PLUGIN
