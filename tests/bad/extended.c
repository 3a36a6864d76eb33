/* Gives its capabilities as extensions. This is correct: they take the place of older members. */
#define ENGINE_MINOR 12
#define NAME         "extended"
#define ABI          ENGINE_ABI(12)
#include "base.h"

#include <engine/bench.h>
#include <engine/pictures.h>
#include <string.h>

BASE_PARAMS
BASE_FIELDS

static int old_advise(void *self, const struct engine_call *call, char *text, uint64_t size)
{
    (void) self, (void) call;
    strncpy(text, "old", size);
    return 0;
}

static int advise(void *self, const struct engine_call *call, char *text, uint64_t size)
{
    (void) self, (void) call;
    strncpy(text, "new", size);
    return 0;
}

static int colours(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint8_t (*rgb)[3],
                   uint32_t *count)
{
    (void) host, (void) plan, (void) field, (void) rgb;
    *count = 7;
    return 0;
}

static const struct engine_impl base_impls[] = {
    {.name = "cpu", .help = "with both", .flags = ENGINE_EXACT, .advance = ADVANCE, .advise = old_advise},
    {.name = "cpu-old", .help = "with a member", .flags = ENGINE_EXACT, .advance = ADVANCE, .advise = old_advise},
    {.name = "cpu-none", .help = "with none", .flags = ENGINE_EXACT, .advance = ADVANCE},
};

/* A table of a later engine is longer. */
static const void *extension(const char *name, uint32_t version)
{
    static const struct {
        struct engine_advice now;
        int (*later)(void);
    } advice = {{.size = sizeof advice, .advise = advise}, NULL};
    static const struct engine_colours table = {.size = sizeof table, .colours = colours};
    if (version != 1)
        return NULL;
    return strcmp(name, ENGINE_COLOURS) == 0         ? (const void *) &table
           : strcmp(name, ENGINE_ADVICE("cpu")) == 0 ? (const void *) &advice
                                                     : NULL;
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
