/* Inside a configuration: its lists of sections and keys, for the files config_*.c alone. */
#ifndef CORE_CONFIG_CONFIG_STORE_H
#define CORE_CONFIG_CONFIG_STORE_H

#include "base/context.h"
#include "config/config.h"

enum {
    CONFIG_FILE_MAX = 1 << 20, /* bytes of a file */
    CONFIG_KEYS_MAX = 4096     /* keys, and also sections; both readers search lists, and this bounds their time */
};

struct config_entry {
    char *key, *text;
    char *place;     /* in the file, or NULL */
    char *set_place; /* in an assignment, or NULL; used if the file has the key too */
    uint32_t line;
};

struct config_section {
    char *name, *place;
    struct config_entry *entries;
    uint32_t count;
};

struct config {
    const struct context *context; /* whose caller names assignments in messages, or NULL */
    char *path, *folder;           /* path: NULL without a file */
    struct config_section *sections;
    uint32_t count, keys;
};

/* Records that there is no memory. */
int config_no_memory(struct engine_error *error);

/* Finds a section by its name in upper or lower case; NULL: there is none. */
struct config_section *config_find_section(const struct config *config, const char *name);

/* Finds a key of a section; NULL: there is none. */
struct config_entry *config_find_entry(const struct config *config, const char *section_name, const char *key);

/* Returns a new text, formatted as by printf, which the caller frees; NULL: no memory. */
char *config_print_copy(const char *format, ...) ENGINE_PRINTF(1, 2);

/* Returns the section of that name, and adds it if it is new. `place` then belongs to the section; otherwise it is
 * freed. NULL: no memory. */
struct config_section *config_add_section(struct config *config, const char *name, char *place);

/* Adds a key. The caller sets its text and places. NULL: no memory. */
struct config_entry *config_add_entry(struct config *config, struct config_section *section, const char *key);

/* Cuts the blanks off both ends of a text, in place. */
char *config_trim(char *text);

/* Is the text 1 to CONFIG_NAME_MAX letters, digits, '_' and '-'? */
bool config_is_name(const char *text);

/* The first control character that no line may hold, or NULL. */
const char *config_find_control(const char *text, size_t length);

/* Is it a space or a tab? */
bool config_is_blank(char c);

/* Reads the configuration's file (config_file.c). ENGINE_STATUS_USAGE. */
int config_read_file(struct config *config, struct engine_error *error);

#endif
