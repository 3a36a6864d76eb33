/* What a configuration is made of, for config.c and config_scan.c alone. */
#ifndef CORE_CONFIG_CONFIG_LISTS_H
#define CORE_CONFIG_CONFIG_LISTS_H

#include "config/config.h"

enum {
    LARGEST_FILE = 1 << 20, /* bytes */
    LONGEST_LINE = 1022,    /* bytes before the line's end; iniparser cuts its lines at 1023 with it */
    LONGEST_NAME = 64,
    MOST_KEYS = 4096 /* and sections; both readers search lists, and this bounds the time they take */
};

struct config_entry {
    char *key, *text;
    char *place;     /* in the file, or NULL */
    char *set_place; /* in an assignment, or NULL; counts where both are there */
    uint32_t line;
};

struct config_section {
    char *name, *place;
    struct config_entry *entries;
    uint32_t count;
};

struct config {
    char *path, *folder; /* path: NULL without a file */
    struct config_section *sections;
    uint32_t count, keys;
};

/* Records that there is no memory. */
int config_no_memory(struct engine_error *error);

/* By name, in any case; NULL: none. */
struct config_section *config_find_section(const struct config *config, const char *name);

/* A key of a section; NULL: none. */
struct config_entry *config_find_entry(const struct config *config, const char *section_name, const char *key);

/* A text of its own, as printf makes it; NULL: no memory. The caller frees it. */
char *config_print_copy(const char *format, ...) ENGINE_PRINTF(1, 2);

/* Adds one; takes `place` over. NULL: no memory. */
struct config_section *config_add_section(struct config *config, const char *name, char *place);

/* Adds a key without text. NULL: no memory. */
struct config_entry *config_add_entry(struct config *config, struct config_section *section, const char *key);

/* The text without blanks around it; its end is cut off in place. */
char *config_trim(char *text);

/* Letters, digits, '_' and '-', and not too many. */
bool config_is_name(const char *text);

/* The first control character, or NULL. */
const char *config_find_control(const char *text, size_t length);

/* A space or a tab. */
bool config_is_blank(char c);

/* Reads the configuration's file strictly: sections, keys and their lines, without texts. ENGINE_STATUS_USAGE. */
int config_scan_file(struct config *config, struct engine_error *error);

#endif
