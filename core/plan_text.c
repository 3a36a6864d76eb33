/* The configuration of a plan as the text of a file that can be run from anywhere. */
#include "machine.h"
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_path(const struct plan *plan, const char *section, const char *key)
{
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    if (strcmp(section, "init") != 0)
        return false;
    bool found = strcmp(key, "file") == 0;
    for (uint32_t i = 0; !found && i < fields->count; i++)
        found = strcmp(key, fields->at[i].name) == 0;
    return found;
}

struct rewriting {
    const struct plan *plan;
    char path[SETTINGS_PATH_MAX];
};

/* Input files by their places in the whole tree of folders; the output folder is left out: it is where the text goes. */
static const char *rewrite(void *context, const char *section, const char *key, const char *text)
{
    struct rewriting *rewriting = context;
    char path[SETTINGS_PATH_MAX], *real;
    if (strcmp(section, "run") == 0 && strcmp(key, "output") == 0)
        return NULL;
    if (!*text || !is_path(rewriting->plan, section, key))
        return text;
    real = realpath(settings_path(rewriting->plan->config, text, path), NULL);
    snprintf(rewriting->path, sizeof rewriting->path, "%s", real ? real : text);
    free(real);
    return rewriting->path;
}

static int print(const struct plan *plan, FILE *out, struct error *error)
{
    char engine[96];
    struct rewriting rewriting = {.plan = plan};
    fprintf(out, "; What was run, with all that --set changed. engine %s, %s %s\n", machine_engine(engine),
            plan->plugin->about.name, plan->plugin->about.version);
    return config_print(plan->config, rewrite, &rewriting, out, error);
}

int plan_text(const struct plan *plan, char **text, struct error *error)
{
    size_t size;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return error_memory(error, 1 << 12, "the configuration");
    int status = print(plan, out, error);
    const bool failed = ferror(out);
    if ((fclose(out) != 0 || failed) && status == 0)
        status = error_memory(error, 1 << 12, "the configuration");
    if (status != 0) {
        free(*text);
        *text = NULL;
    }
    return status;
}
