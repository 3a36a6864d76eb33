/* The configuration: sections of keys and their texts, each with the place it was written at.
 *
 * iniparser reads the file; a strict scan beside it finds line numbers and refuses what iniparser lets pass: duplicate
 * keys, keys outside a section, lines too long for it, control characters, a folder instead of a file. Values are text
 * here; core/param.h turns them into numbers. */
#ifndef CORE_CONFIG_CONFIG_H
#define CORE_CONFIG_CONFIG_H

#include "base/error.h"
#include <stdbool.h>

struct config;

/* Reads a file. path may be NULL: an empty configuration, to be filled by config_set. Names of sections and keys are
 * the same in any case and handed out in lower case; a section may be opened again, a key given once. ENGINE_STATUS_USAGE. */
int config_open(const char *path, struct config **config, struct engine_error *error);
/* Copies a configuration with all its places, so that keys of the copy can be set. */
int config_clone(const struct config *config, struct config **copy, struct engine_error *error);
void config_close(struct config *config);

/* Sets one key from text "section.key=value", as --set does: it takes the place of what the file says. */
int config_set(struct config *config, const char *assignment, struct engine_error *error);

/* The text of a key, or NULL. Lives as long as the configuration, or until the key is set again. */
const char *config_get(const struct config *config, const char *section, const char *key);

/* Where a key was written: "gun.ini:7", or "--set run.steps"; "gun.ini" for a key that is not there (what a message
 * about a missing key starts with); "command line" without a file. With key NULL: where the section was first opened.
 * Lives as long as the configuration. */
const char *config_place(const struct config *config, const char *section, const char *key);

/* Sections and keys in the order they were first written; NULL after the last. */
const char *config_section_at(const struct config *config, uint32_t index);
const char *config_key_at(const struct config *config, const char *section, uint32_t index);

/* The path that config_open was given, or NULL. */
const char *config_path(const struct config *config);

/* The folder of the file, for paths relative to it; "." without a file. */
const char *config_folder(const struct config *config);

#endif
