/* [init]: what a run starts from. It has keys of its own, and one a field. */
#include "base/text.h"
#include "plan/settings_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INIT_KEY_SOURCE, INIT_KEY_FILE, INIT_KEY_FRAMES, INIT_KEY_AT, INIT_KEY_DENSITY, INIT_KEY_SEED, INIT_KEY_COUNT };
static const struct engine_param init_keys[] = {
    [INIT_KEY_SOURCE] =
        TEXT("source", "", "file, random, arrays, or a first state that `engine describe PLUGIN` lists"),
    [INIT_KEY_FILE] =
        TEXT("file", "", "pattern, particles, matrix or snapshot to start from, relative to the configuration"),
    [INIT_KEY_FRAMES] =
        TEXT("frames", "", "which of a file of many frames, as first:end:stride: 100:500:10; by default all"),
    [INIT_KEY_AT] = TEXT("at", "", "center, or x y [z] of the pattern's first cell"),
    [INIT_KEY_DENSITY] = REAL("density", "0.5", 0, 1, "source = random: share of cells that are not 0"),
    [INIT_KEY_SEED] =
        INTEGER("seed", "42", 0, 9e18, "source = random and generators: another number, other random values"),
};

/* Whole numbers separated by blanks, signs allowed. Returns how many, 0 for anything else. */
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
    if (!settings->centred && parse_integers(text, settings->at, 3) < 1)
        return REFUSE(reading, "init", "at", "'%s' is no place%s; center, or x y [z] was expected", text,
                      nearest_hint(hint, text, center_at, NULL));
    return 0;
}

static int read_file(const struct reading *reading, const char *path)
{
    if (strlen(path) + strlen(config_folder(reading->config)) + 2 >= SETTINGS_PATH_MAX)
        return REFUSE(reading, "init", "file", "longer than %d characters", SETTINGS_PATH_MAX);
    if (*path)
        settings_path(reading->config, path, reading->settings->file);
    return 0;
}

/* first:end:stride, of which any may be left out. */
static int read_frames(const struct reading *reading, const char *text)
{
    uint64_t *frames = reading->settings->frames;
    const uint64_t all[3] = {0, UINT64_MAX, 1};
    const char *at = text;
    if (!*text)
        return 0;
    for (int i = 0; i < 3; i++) {
        int64_t number = -1;
        const bool given = *at >= '0' && *at <= '9' && text_number(&at, &number);
        frames[i] = given ? (uint64_t) number : all[i];
        at += i < 2 && *at == ':';
    }
    if (*at || !strchr(text, ':') || frames[0] >= frames[1] || frames[2] == 0)
        return REFUSE(reading, "init", "frames",
                      "'%s' are no frames; first:end:stride was expected, as in 100:500:10 or 100: (the first is 0)",
                      text);
    return 0;
}

static const char *source_name_at(const void *list, uint32_t index)
{
    static const char *const names[] = {"file", "random", "arrays", "defaults"};
    const struct plugin *plugin = list;
    if (index < 4)
        return names[index];
    return index - 4 < plugin->about.generators.count ? plugin->about.generators.at[index - 4].name : NULL;
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
    static const enum init_source sources[] = {INIT_FILE, INIT_RANDOM, INIT_ARRAYS, INIT_DEFAULTS};
    struct settings *settings = reading->settings;
    if (!*word)
        word = settings->file[0] ? "file" : "defaults";
    const char *name;
    for (uint32_t i = 0; (name = source_name_at(reading->plugin, i)); i++)
        if (strcmp(name, word) == 0) {
            settings->source = i < 4 ? sources[i] : INIT_GENERATOR;
            settings->generator = i < 4 ? 0 : i - 4;
            if ((settings->source == INIT_FILE) != (settings->file[0] != '\0'))
                return REFUSE(reading, "init", "source",
                              settings->file[0]
                                  ? "'%s' does not go with [init] file; source = file does, or leave file out"
                                  : "'%s' needs [init] file",
                              word);
            return 0;
        }
    return refuse_source(reading, word);
}

/* Outputs start at 0, whatever they are called. */
static bool starts(const struct engine_field *field)
{
    return field->role != ENGINE_OUTPUT;
}

static int read_arrays(const struct reading *reading)
{
    struct settings *settings = reading->settings;
    const struct engine_field_array *fields = &reading->plugin->about.fields;
    for (uint32_t i = 0; i < fields->count; i++) {
        const char *path = starts(&fields->at[i]) ? config_get(reading->config, "init", fields->at[i].name) : NULL;
        settings->arrays[i] = path ? path : "";
        if (*settings->arrays[i] && settings->source != INIT_ARRAYS)
            return REFUSE(reading, "init", fields->at[i].name, "files of fields go with source = arrays");
    }
    return 0;
}

/* Adds a key for each field that a file may give. */
static uint32_t add_fields(const struct engine_field_array *fields, struct engine_param *keys, uint32_t count)
{
    for (uint32_t i = 0; i < fields->count; i++)
        if (starts(&fields->at[i]))
            keys[count++] = (struct engine_param) TEXT(fields->at[i].name, "", "source = arrays: file of the field");
    return count;
}

static int read_init(const struct reading *reading)
{
    const struct engine_field_array *fields = &reading->plugin->about.fields;
    struct engine_param keys[INIT_KEY_COUNT + 64];
    struct engine_value values[INIT_KEY_COUNT + 64];
    if (fields->count > 64)
        return error_set(reading->error, ENGINE_STATUS_PLUGIN, "%s: more than 64 fields", reading->plugin->path);
    memcpy(keys, init_keys, sizeof init_keys);
    if (section_read(reading, "init", keys, add_fields(fields, keys, INIT_KEY_COUNT), values) != 0)
        return reading->error->status;
    struct settings *settings = reading->settings;
    settings->density = values[INIT_KEY_DENSITY].real;
    settings->seed = (uint64_t) values[INIT_KEY_SEED].integer;
    settings->arrays = calloc(fields->count + 1, sizeof *settings->arrays);
    if (!settings->arrays)
        return error_memory(reading->error, fields->count, "settings");
    if (read_file(reading, values[INIT_KEY_FILE].text) != 0 ||
        read_frames(reading, values[INIT_KEY_FRAMES].text) != 0 ||
        read_source(reading, values[INIT_KEY_SOURCE].text) != 0 || read_at(reading, values[INIT_KEY_AT].text) != 0)
        return reading->error->status;
    return read_arrays(reading);
}

const struct section section_init = {
    {"init", "the first state; [init] FIELD names the file of that field where source = arrays",
     ENGINE_ARRAY(init_keys)},
    read_init};
