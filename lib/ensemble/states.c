#include "ensemble/states.h"
#include "base/error.h"
#include "base/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With one field, the universes are together in the run, too. With several, each has its share of each field. */
static uint64_t at_once(const struct states *states, uint64_t count)
{
    return states->count == 1 ? count : 1;
}

bool states_open(struct states *states, struct engine_run *run, uint64_t universes)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(run, &plugin);
    *states = (struct states){.run = run};
    for (uint32_t i = 0; i < plugin.about->fields.count; i++) {
        struct engine_shape shape = {.size = sizeof shape};
        if (plugin.about->fields.at[i].role == ENGINE_INPUT)
            continue;
        if (states->count == STATES_FIELDS_MAX)
            return false;
        engine_run_shape(run, i, &shape);
        const uint64_t elements = shape.extent[0] * shape.extent[1] * shape.extent[2] * shape.components / universes;
        states->at[states->count].field = i;
        states->at[states->count].elements = elements;
        states->at[states->count++].bytes = elements * type_bytes(shape.type);
        states->bytes += elements * type_bytes(shape.type);
    }
    return true;
}

int states_read(const struct states *states, uint64_t first, uint64_t count, char *out, struct engine_error *error)
{
    int status = 0;
    for (uint32_t f = 0; f < states->count && status == 0; out += states->at[f++].bytes) {
        const uint64_t elements = states->at[f].elements, bytes = states->at[f].bytes;
        char *all = states->count == 1 ? out : malloc(count * bytes);
        status =
            all ? engine_run_fetch(states->run, states->at[f].field, first * elements, count * elements, all, error)
                : error_memory(error, count * bytes, "the states of members");
        if (all == out)
            continue;
        for (uint64_t i = 0; i < count && status == 0; i++)
            memcpy(out + i * states->bytes, all + i * bytes, bytes);
        free(all);
    }
    return status;
}

int states_write(struct states *states, uint64_t first, uint64_t count, const char *in, struct engine_error *error)
{
    for (uint64_t n = at_once(states, count), i = 0; i < count; i += n)
        for (uint32_t f = 0; f < states->count; f++) {
            const uint64_t elements = states->at[f].elements;
            if (engine_run_feed(states->run, states->at[f].field, (first + i) * elements, n * elements, in, error) != 0)
                return error->status;
            in += n * states->at[f].bytes;
        }
    return 0;
}

XXH128_hash_t states_hash(const struct states *states, const char *bytes)
{
    return XXH3_128bits(bytes, states->bytes);
}

void states_hash_text(XXH128_hash_t hash, char text[ENGINE_HASH_SIZE])
{
    snprintf(text, ENGINE_HASH_SIZE, "%016llx%016llx", (unsigned long long) hash.high64,
             (unsigned long long) hash.low64);
}
