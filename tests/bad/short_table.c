/* The table of an extension ends before its function. */
#define ENGINE_MINOR 12
#define NAME         "short_table"
#define ABI          ENGINE_ABI(12)
#include "base.h"

#include <engine/bench.h>
#include <string.h>

BASE_PARAMS
BASE_FIELDS
BASE_IMPLS

static const void *extension(const char *name, uint32_t version)
{
    static const struct engine_advice advice = {.size = 8};
    return version == 1 && strcmp(name, ENGINE_ADVICE("cpu")) == 0 ? &advice : NULL;
}

const struct engine_plugin engine_plugin = {
    .abi = ABI,
    .name = NAME,
    .version = "1.0",
    .summary = "left XOR above",
    .params = PARAMS,
    .fields = ENGINE_ARRAY(base_fields),
    .impls = IMPLS,
    .extension = extension,
};
