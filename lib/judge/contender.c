#include "judge/contender.h"
#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *contender_impl(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

int contender_names_read(struct contender_names *names, const char *list, struct engine_error *error)
{
    *names = (struct contender_names){0};
    if (!list)
        return 0;
    if (!(names->text = strdup(list)))
        return error_memory(error, strlen(list), "names of implementations");
    names->count = text_split(',', names->text, names->at, CONTENDERS_MAX);
    if (names->count)
        return 0;
    contender_names_release(names);
    return error_set(error, ENGINE_STATUS_USAGE, "expected names separated by commas, as in cpu,cuda");
}

void contender_names_release(struct contender_names *names)
{
    free(names->text);
    *names = (struct contender_names){0};
}

const char *contender_plugin(const char *name, char plugin[128])
{
    const char *impl = contender_impl(name);
    if (impl == name)
        return NULL;
    snprintf(plugin, 128, "%.*s", (int) (impl - name - 1), name);
    return plugin;
}

int contender_open(const struct engine_config *config, const char *name, struct engine_run **run,
                   struct engine_error *error)
{
    char plugin[128];
    if (engine_run_plan_steps(config, contender_plugin(name, plugin), run, error) == 0 &&
        engine_run_choose(*run, contender_impl(name), error) == 0 && engine_run_start(*run, error) == 0)
        return 0;
    engine_run_close(*run);
    *run = NULL;
    return error->status;
}
