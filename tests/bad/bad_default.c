/* The default of a parameter is not a number. */
#define NAME   "bad_default"
#define PARAMS ENGINE_ARRAY(bad_params)
#include "base.h"

static const struct engine_param bad_params[] = {
    {.name = "width", .help = "does nothing", .type = ENGINE_PARAM_INTEGER, .initial = "12abc", .min = 1, .max = 99},
};

#undef BASE_PARAMS
#define BASE_PARAMS
PLUGIN
