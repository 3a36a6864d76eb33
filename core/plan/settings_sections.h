/* The engine's own sections of a configuration, for the files settings*.c alone: each file has some of them, a table of
 * keys beside what reads them. */
#ifndef CORE_PLAN_SETTINGS_SECTIONS_H
#define CORE_PLAN_SETTINGS_SECTIONS_H

#include "config/param.h"
#include "plan/settings.h"

#define INTEGER(key, text, low, high, line) \
    { \
        .name = key, .help = line, .type = ENGINE_PARAM_INTEGER, .initial = text, .min = low, .max = high \
    }
#define REAL(key, text, low, high, line) \
    { \
        .name = key, .help = line, .type = ENGINE_PARAM_REAL, .initial = text, .min = low, .max = high \
    }
#define TEXT(key, text, line) \
    { \
        .name = key, .help = line, .type = ENGINE_PARAM_TEXT, .initial = text \
    }
#define CHOICE(key, text, words, line) \
    { \
        .name = key, .help = line, .type = ENGINE_PARAM_CHOICE, .initial = text, .choices = words \
    }

/* What the readers of the sections share. */
struct reading {
    const struct config *config;
    const struct plugin *plugin;
    struct settings *settings;
    struct engine_error *error;
};

/* Records "place: [section] key: text" as a usage error. */
#define REFUSE(reading, section, key, ...) \
    (error_set((reading)->error, ENGINE_STATUS_USAGE, __VA_ARGS__), \
     error_prefix((reading)->error, "%s: [%s] %s: ", config_place((reading)->config, section, key), section, key))

/* A section, and what reads it into the settings. ENGINE_STATUS_USAGE. */
struct section {
    struct settings_section about;
    int (*read)(const struct reading *reading);
};

extern const struct section section_run, section_grid, section_particles, section_matrix, section_init, section_analyse,
    section_output, section_checkpoint, section_bench;

/* Reads these keys of a section, into as many values; a plugin of the section's name may have keys there, too. */
int section_read(const struct reading *reading, const char *section, const struct engine_param *keys, size_t count,
                 struct engine_value *values);

#define READ_SECTION(reading, section, keys, values) \
    section_read(reading, section, keys, sizeof(keys) / sizeof((keys)[0]), values)

/* Finite numbers with blanks between them. Returns how many, at most `most`; 0 for anything else. */
uint32_t section_reals(const char *text, double *numbers, uint32_t most);

#endif
