/* A configuration as the text of a file, which reads as the same configuration. */
#include "config_lists.h"

#include <stdlib.h>
#include <string.h>

/* The quote that a value needs around it, or '\0'; -1: nothing can express it. iniparser ends a plain value at a
 * comment's beginning and takes the blanks off it, and knows no way to have a quote inside quotes of its kind. */
static int quote_for(const char *value)
{
    const size_t length = strlen(value);
    const bool plain = length == 0 || (strpbrk(value, ";#") == NULL && *value != '"' && *value != '\'' &&
                                       value[length - 1] != '\\' && !config_is_blank(*value) &&
                                       !config_is_blank(value[length - 1]));
    if (plain)
        return '\0';
    return !strchr(value, '"') ? '"' : !strchr(value, '\'') ? '\'' : -1;
}

static int print_key(const struct config *config, const char *section, const char *key, const char *value, FILE *out,
                     struct error *error)
{
    const int quote = quote_for(value);
    const char *place = config_place(config, section, key);
    if (quote < 0)
        return error_set(error, STATUS_USAGE, "%s: a value with both kinds of quotes and a comment's sign in it cannot "
                                              "be kept in a file",
                         place);
    if (strlen(key) + strlen(value) + 5 > LONGEST_LINE)
        return error_set(error, STATUS_USAGE, "%s: is longer than a line of a file may be (%d bytes)", place,
                         LONGEST_LINE);
    const char quotes[2] = {(char) quote, '\0'};
    fprintf(out, "%s =%s%s%s%s\n", key, *value ? " " : "", quotes, value, quotes);
    return 0;
}

static int print_section(const struct config *config, const struct config_section *section, config_value *value,
                         void *context, FILE *out, struct error *error)
{
    bool opened = false;
    for (uint32_t k = 0; k < section->count; k++) {
        const struct config_entry *entry = &section->entries[k];
        const char *text = value(context, section->name, entry->key, entry->text);
        if (!text)
            continue;
        if (!opened)
            fprintf(out, "\n[%s]\n", section->name);
        opened = true;
        if (print_key(config, section->name, entry->key, text, out, error) != 0)
            return error->status;
    }
    return 0;
}

int config_print(const struct config *config, config_value *value, void *context, FILE *out, struct error *error)
{
    for (uint32_t i = 0; i < config->count; i++)
        if (print_section(config, &config->sections[i], value, context, out, error) != 0)
            return error->status;
    return 0;
}
