/* A configuration as bytes, for another process. Its places go along, so that messages are the same there. */
#include "parts/config_pack.h"
#include "api/handles.h"
#include "config/config_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text, or no text at all, up to a final 0. */
static void put(FILE *to, const char *text)
{
    fprintf(to, "%c%s%c", text ? '=' : '-', text ? text : "", 0);
}

void config_pack(FILE *to, const struct engine_config *packed)
{
    const struct config *config = packed->config;
    put(to, config->path);
    put(to, config->folder);
    for (uint32_t i = 0; i < config->count; i++) {
        const struct config_section *section = &config->sections[i];
        fprintf(to, "%u%c", section->count, 0);
        put(to, section->name);
        put(to, section->place);
        for (uint32_t k = 0; k < section->count; k++) {
            const struct config_entry *entry = &section->entries[k];
            fprintf(to, "%u%c", entry->line, 0);
            put(to, entry->key);
            put(to, entry->text);
            put(to, entry->place);
            put(to, entry->set_place);
        }
    }
}

/* What is read, up to `end`. */
struct reader {
    const char *at, *end;
    bool whole; /* nothing was missing so far */
};

static const char *take(struct reader *reader)
{
    const char *text = reader->at;
    const size_t length = strnlen(text, (size_t) (reader->end - text));
    reader->whole = reader->whole && text + length < reader->end;
    reader->at = reader->whole ? text + length + 1 : reader->end;
    return reader->whole ? text : "";
}

/* Returns a copy of the next text, or NULL if there is none. */
static char *take_copy(struct reader *reader)
{
    const char *text = take(reader);
    char *copy = *text == '=' ? strdup(text + 1) : NULL;
    reader->whole = reader->whole && (copy || *text == '-');
    return copy;
}

static uint32_t take_number(struct reader *reader)
{
    return (uint32_t) strtoul(take(reader), NULL, 10);
}

static void unpack_entry(struct reader *reader, struct config *config, struct config_section *section)
{
    const uint32_t line = take_number(reader);
    char *key = take_copy(reader);
    struct config_entry *entry = key ? config_add_entry(config, section, key) : NULL;
    free(key);
    reader->whole = reader->whole && entry;
    if (!entry)
        return;
    entry->line = line;
    entry->text = take_copy(reader);
    entry->place = take_copy(reader);
    entry->set_place = take_copy(reader);
}

static void unpack_section(struct reader *reader, struct config *config)
{
    const uint32_t count = take_number(reader);
    char *name = take_copy(reader), *place = take_copy(reader);
    struct config_section *section = name && place ? config_add_section(config, name, place) : NULL;
    if (!name)
        free(place);
    free(name);
    reader->whole = reader->whole && section;
    for (uint32_t k = 0; reader->whole && k < count; k++)
        unpack_entry(reader, config, section);
}

/* Reads the texts into an empty configuration. */
static int unpack(struct reader *reader, struct config *config, struct engine_error *error)
{
    free(config->folder);
    config->path = take_copy(reader);
    config->folder = take_copy(reader);
    while (reader->whole && reader->at < reader->end)
        unpack_section(reader, config);
    return reader->whole ? 0 : config_no_memory(error);
}

int config_unpack(struct engine_context *context, const char *bytes, uint64_t count, struct engine_config **config,
                  struct engine_error *error)
{
    struct reader reader = {bytes, bytes + count, true};
    if (engine_config_open(context, NULL, config, error) != 0)
        return error->status;
    if (unpack(&reader, (*config)->config, error) == 0)
        return 0;
    engine_config_close(*config);
    *config = NULL;
    return error->status;
}
