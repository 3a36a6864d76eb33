#include "config/config_store.h"
#include "base/list.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Lists -------------------------------------------------------------------------------------------------- */

int config_no_memory(struct engine_error *error)
{
    return error_memory(error, CONFIG_FILE_MAX, "the configuration");
}

struct config_section *config_find_section(const struct config *config, const char *name)
{
    for (uint32_t i = 0; i < config->count; i++)
        if (strcasecmp(config->sections[i].name, name) == 0)
            return &config->sections[i];
    return NULL;
}

struct config_entry *config_find_entry(const struct config *config, const char *section_name, const char *key)
{
    const struct config_section *section = config_find_section(config, section_name);
    for (uint32_t i = 0; section && i < section->count; i++)
        if (strcasecmp(section->entries[i].key, key) == 0)
            return &section->entries[i];
    return NULL;
}

char *config_print_copy(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

/* Names are the same in upper and lower case; like iniparser this keeps them in lower case. */
static char *lower_copy(const char *name)
{
    char *copy = strdup(name);
    for (char *c = copy; c && *c; c++)
        *c = (char) tolower((unsigned char) *c);
    return copy;
}

struct config_section *config_add_section(struct config *config, const char *name, char *place)
{
    struct config_section *section = config_find_section(config, name), *list = NULL;
    char *copy = section ? NULL : lower_copy(name);
    if (copy && place)
        list = list_grow(config->sections, config->count, sizeof *list);
    if (!list) {
        free(copy), free(place);
        return section;
    }
    config->sections = list;
    section = &list[config->count++];
    *section = (struct config_section){.name = copy, .place = place};
    return section;
}

struct config_entry *config_add_entry(struct config *config, struct config_section *section, const char *key)
{
    char *copy = lower_copy(key);
    struct config_entry *list = copy ? list_grow(section->entries, section->count, sizeof *list) : NULL;
    if (!list) {
        free(copy);
        return NULL;
    }
    config->keys++;
    section->entries = list;
    list[section->count] = (struct config_entry){.key = copy};
    return &list[section->count++];
}

/* ---- Text --------------------------------------------------------------------------------------------------- */

bool config_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

char *config_trim(char *text)
{
    while (config_is_blank(*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && config_is_blank(text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

bool config_is_name(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char) text[length]) || text[length] == '_' || text[length] == '-')
        length++;
    return length > 0 && length <= CONFIG_NAME_MAX && text[length] == '\0';
}

/* Bytes above 127 pass: file names and comments are UTF-8. */
const char *config_find_control(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char) text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7f)
            return text + i;
    return NULL;
}
