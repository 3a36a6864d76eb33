/* Reading [init]: the initial state. It has keys of its own, and one for each field of the plugin. */
#include "base/nearest.h"
#include "base/text.h"
#include "plan/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads whole numbers separated by blanks, signs allowed. Returns how many there are, 0 for any other text. */
static uint32_t parse_integers(const char *text, int64_t *numbers, uint32_t most)
{
    uint32_t count = 0;
    while (*text) {
        char *end;
        if (count == most || !strchr("-0123456789", *text) || text[strspn(text, "-0123456789")] == '.')
            return 0;
        long long number = strtoll(text, &end, 10);
        if (end == text || (*end && *end != ' ' && *end != '\t') || number > INT64_MAX / 4 || number < INT64_MIN / 4)
            return 0;
        numbers[count++] = number;
        text = end + strspn(end, " \t");
    }
    return count;
}

static const char *center_at(const void *list, uint32_t index)
{
    (void) list;
    return index == 0 ? "center" : NULL;
}

static int read_at(const struct reading *reading, const char *text)
{
    struct settings *settings = reading->settings;
    settings->at_given = *text != '\0';
    settings->centred = !*text || strcmp(text, "center") == 0;
    char hint[128];
    settings->at_count = settings->centred ? 0 : parse_integers(text, settings->at, 3);
    if (!settings->centred && settings->at_count < 1)
        return REFUSE(reading, "init", "at", "'%s' is not a position%s; expected center, or x y [z]", text,
                      nearest_hint(hint, text, center_at, NULL));
    return 0;
}

static int read_file(const struct reading *reading, const char *path)
{
    if (strlen(path) + strlen(config_folder(reading->config)) + 2 >= SETTINGS_PATH_MAX)
        return REFUSE(reading, "init", "file", "longer than %d characters", SETTINGS_PATH_MAX);
    if (*path)
        config_resolve(reading->config, path, reading->settings->file, SETTINGS_PATH_MAX);
    return 0;
}

static int read_frames(const struct reading *reading, const char *text)
{
    if (!*text || text_frames(text, reading->settings->frames))
        return 0;
    return REFUSE(reading, "init", "frames",
                  "'%s' is not a range of frames; expected first:end:stride, as in 100:500:10 or 100: (frame 0 is the "
                  "first)",
                  text);
}

/* In the order of keys_init_sources. */
static const enum init_source sources[] = {INIT_FILE, INIT_RANDOM, INIT_ARRAYS, INIT_DEFAULTS, INIT_RANDOM};

enum { SOURCES = sizeof sources / sizeof sources[0] };

/* The engine's own sources, then the plugin's generators. */
static const char *source_name_at(const void *list, uint32_t index)
{
    const struct engine_generator_array *generators = &((const struct plugin *) list)->about.generators;
    if (index < SOURCES)
        return keys_init_sources[index];
    return index - SOURCES < generators->count ? generators->at[index - SOURCES].name : NULL;
}

static int refuse_source(const struct reading *reading, const char *word)
{
    char hint[128], names[512] = "";
    const char *name;
    for (uint32_t i = 0; (name = source_name_at(reading->plugin, i)); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", name);
    return REFUSE(reading, "init", "source", "'%s' is unknown%s; expected one of %s", word,
                  nearest_hint(hint, word, source_name_at, reading->plugin), names);
}

static int read_source(const struct reading *reading, const char *word)
{
    struct settings *settings = reading->settings;
    if (!*word)
        word = settings->file[0] ? "file" : "defaults";
    const char *name;
    for (uint32_t i = 0; (name = source_name_at(reading->plugin, i)); i++)
        if (strcmp(name, word) == 0) {
            settings->source = i < SOURCES ? sources[i] : INIT_GENERATOR;
            settings->generator = i < SOURCES ? 0 : i - SOURCES;
            settings->unit = i == SOURCES - 1;
            if ((settings->source == INIT_FILE) != (settings->file[0] != '\0'))
                return REFUSE(reading, "init", "source",
                              settings->file[0]
                                  ? "'%s' cannot be used with [init] file; use source = file, or leave file out"
                                  : "'%s' needs [init] file, as in file = pattern.rle",
                              word);
            return 0;
        }
    return refuse_source(reading, word);
}

/* Can a file give the field's initial values? Outputs start at 0. */
static bool can_start_from_file(const struct engine_field *field)
{
    return field->role != ENGINE_OUTPUT;
}

static int read_arrays(const struct reading *reading)
{
    struct settings *settings = reading->settings;
    const struct engine_field_array *fields = &reading->plugin->about.fields;
    for (uint32_t i = 0; i < fields->count; i++) {
        const char *path =
            can_start_from_file(&fields->at[i]) ? config_get(reading->config, "init", fields->at[i].name) : NULL;
        settings->arrays[i] = path ? path : "";
        if (*settings->arrays[i] && settings->source != INIT_ARRAYS)
            return REFUSE(reading, "init", fields->at[i].name,
                          "this key, the file of one field, needs source = arrays");
    }
    bool any = settings->source != INIT_ARRAYS;
    for (uint32_t i = 0; i < fields->count; i++)
        any = any || *settings->arrays[i];
    if (any)
        return 0;
    const char *name = fields->at[0].name;
    return REFUSE(reading, "init", "source",
                  "arrays reads a file for each field, but no key of [init] names one; add one, as in "
                  "%s = %s.npy",
                  name, name);
}

/* Fills in the keys of [init] and one for each field that a file can give. Returns their number. */
static uint32_t fill_keys(const struct engine_field_array *fields, struct engine_param *keys)
{
    uint32_t count = KEYS_OF_INIT;
    memcpy(keys, keys_sections[KEYS_INIT].keys.at, KEYS_OF_INIT * sizeof *keys);
    for (uint32_t i = 0; i < fields->count; i++)
        if (can_start_from_file(&fields->at[i]))
            keys[count++] = (struct engine_param){.name = fields->at[i].name,
                                                  .help = "source = arrays: file of this field",
                                                  .type = ENGINE_PARAM_TEXT,
                                                  .initial = ""};
    return count;
}

int section_read_init(const struct reading *reading)
{
    const struct engine_field_array *fields = &reading->plugin->about.fields;
    struct engine_param keys[KEYS_OF_INIT + SETTINGS_FIELDS_MAX];
    struct engine_value values[KEYS_OF_INIT + SETTINGS_FIELDS_MAX];
    const struct engine_param_array table = {keys, fill_keys(fields, keys), sizeof *keys};
    if (param_read_section(reading->config, "init", &table, NULL, NULL, values, reading->error) != 0)
        return reading->error->status;
    struct settings *settings = reading->settings;
    settings->length = (uint32_t) values[KEY_INIT_LENGTH].integer; /* the words are in the order of the units */
    settings->density = values[KEY_INIT_DENSITY].real;
    settings->seed = (uint64_t) values[KEY_INIT_SEED].integer;
    settings->arrays = calloc(fields->count + 1, sizeof *settings->arrays);
    if (!settings->arrays)
        return error_memory(reading->error, fields->count, "settings");
    if (read_file(reading, values[KEY_INIT_FILE].text) != 0 ||
        read_frames(reading, values[KEY_INIT_FRAMES].text) != 0 ||
        read_source(reading, values[KEY_INIT_SOURCE].text) != 0 || read_at(reading, values[KEY_INIT_AT].text) != 0)
        return reading->error->status;
    return read_arrays(reading);
}
