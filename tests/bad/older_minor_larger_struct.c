/* Was compiled with a header of a later minor version but needs nothing of it. Its structures are longer than those of
 * this engine. This is correct: the plugin loads and runs. */
#define NAME "older_minor_larger_struct"
#define ABI \
    { \
        ENGINE_MAGIC, ENGINE_ABI_MAJOR, 0, (uint32_t) sizeof(struct later_plugin), (uint32_t) sizeof(void *) \
    }
#include "base.h"

struct later_param {
    struct engine_param now;
    const char *later[3];
};

struct later_plugin {
    struct engine_plugin now;
    void (*later[5])(void);
};

BASE_FIELDS
BASE_IMPLS
static const struct later_param base_params[] = {
    {{.name = "width", .help = "does nothing", .type = ENGINE_PARAM_INTEGER, .initial = "4", .min = 1, .max = 9},
     {"a", "b", "c"}},
    {{.name = "height", .help = "does nothing", .type = ENGINE_PARAM_INTEGER, .initial = "5", .min = 1, .max = 9},
     {"d", "e", "f"}},
};

#undef PARAMS
#define PARAMS \
    { \
        &base_params[0].now, 2, (uint32_t) sizeof base_params[0] \
    }

extern ENGINE_EXPORT const struct later_plugin later_plugin __asm__("engine_plugin");
const struct later_plugin later_plugin = {.now = DESCRIPTOR};
