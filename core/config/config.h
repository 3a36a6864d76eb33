/* The configuration: sections of keys and their texts, each with the place where it was written.
 *
 * iniparser reads the file. A second, strict reader finds line numbers and refuses what iniparser accepts: duplicate
 * keys, keys outside a section, lines that are too long for it, control characters, a folder instead of a file. Values
 * are texts here; config/param.h turns them into numbers. */
#ifndef CORE_CONFIG_CONFIG_H
#define CORE_CONFIG_CONFIG_H

#include "base/error.h"
#include <stdbool.h>
#include <stdio.h>

struct config;
struct context;

enum {
    CONFIG_NAME_MAX = 64,  /* characters of the name of a section or key, and so of a plugin and its parameters */
    CONFIG_LINE_MAX = 1022 /* bytes of a line without its end; iniparser cuts its lines at 1023 with it */
};

/* Reads a file. path may be NULL: an empty configuration, to be filled by config_set. Names of sections and keys are
 * the same in upper and lower case; this interface returns them in lower case. A file may open a section several
 * times, but give a key only once. ENGINE_STATUS_USAGE. */
int config_open(const char *path, struct config **config, struct engine_error *error);
/* Copies a configuration with all its places, so that keys of the copy can be set. */
int config_clone(const struct config *config, struct config **copy, struct engine_error *error);
void config_close(struct config *config);

/* From here on, places of assigned keys are the words that the caller of the context has for them. The context outlives
 * the configuration, and its copies have it too. Without this call, the place is "run.steps". */
void config_set_context(struct config *config, const struct context *context);

/* Sets one key from the text "section.key=value". It replaces the value in the file. */
int config_set(struct config *config, const char *assignment, struct engine_error *error);

/* Sets one key as config_set does; section, key and value are separate texts. It removes blanks at both ends of the
 * value. */
int config_put(struct config *config, const char *section, const char *key, const char *value,
               struct engine_error *error);

/* The text of a key, or NULL. It lives as long as the configuration, or until the key is set again. */
const char *config_get(const struct config *config, const char *section, const char *key);

/* Has config_set or config_put set the key? */
bool config_is_assigned(const struct config *config, const char *section, const char *key);

/* Where a key was written: "gun.ini:7", or the words for an assignment, such as "run.steps". For a key that is not given it is "gun.ini", with which a
 * message about a missing key starts, or "configuration" without a file. With key NULL: where the section was first
 * opened. The text lives as long as the configuration. */
const char *config_place(const struct config *config, const char *section, const char *key);

/* Sections and keys in the order they were first written; NULL after the last. */
const char *config_section_at(const struct config *config, uint32_t index);
const char *config_key_at(const struct config *config, const char *section, uint32_t index);

/* The path that config_open was given, or NULL. */
const char *config_path(const struct config *config);

/* The folder of the file, for paths relative to it; "." without a file. */
const char *config_folder(const struct config *config);

/* Writes the path of a file that the configuration names: a relative path is relative to the configuration's folder.
 * `bytes` is the size of `out`. Returns out. */
const char *config_resolve(const struct config *config, const char *path, char *out, size_t bytes);

#endif
