/* Two parameters have the same name. */
#define NAME   "duplicate_param"
#define PARAMS ENGINE_ARRAY(bad_params)
#include "base.h"

static const struct engine_param bad_params[] = {
    {.name = "width", .help = "does nothing", .type = ENGINE_PARAM_INTEGER, .initial = "1", .min = 1, .max = 9},
    {.name = "width", .help = "the same", .type = ENGINE_PARAM_TEXT, .initial = ""},
};

#undef BASE_PARAMS
#define BASE_PARAMS
PLUGIN
