#include "config.h"

#include <stdio.h>
#include <stdlib.h>

static void put_section(FILE *out, const struct config *config, const char *section,
                        bool (*keep)(void *context, const char *section, const char *key), void *context)
{
    const char *key;
    bool opened = false;
    for (uint32_t i = 0; (key = config_key_at(config, section, i)) != NULL; i++) {
        if (keep != NULL && !keep(context, section, key))
            continue;
        if (!opened)
            fprintf(out, "[%s]\n", section);
        fprintf(out, "%s = %s\n", key, config_get(config, section, key));
        opened = true;
    }
}

char *config_text(const struct config *config, bool (*keep)(void *context, const char *section, const char *key),
                  void *context)
{
    char *text = NULL;
    size_t length = 0;
    const char *section;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return NULL;
    for (uint32_t i = 0; (section = config_section_at(config, i)) != NULL; i++)
        put_section(out, config, section, keep, context);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
