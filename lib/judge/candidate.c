#include "judge/candidate.h"
#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *candidate_impl(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

/* Cuts a copy of a list. Its count is 0 where a part is empty. */
static int split(struct candidate_names *names, const char *list, char separator, struct engine_error *error)
{
    *names = (struct candidate_names){.text = strdup(list)};
    if (!names->text)
        return error_memory(error, strlen(list), "names of implementations");
    names->count = text_split(separator, names->text, names->at, CANDIDATES_MAX);
    return 0;
}

int candidate_names_read(struct candidate_names *names, const char *list, struct engine_error *error)
{
    *names = (struct candidate_names){0};
    if (!list)
        return 0;
    if (split(names, list, ',', error) != 0 || names->count)
        return names->text ? 0 : error->status;
    candidate_names_release(names);
    return error_set(error, ENGINE_STATUS_USAGE, "expected names separated by commas, as in cpu,cuda");
}

int candidate_texts_read(struct candidate_names *texts, const char *list, uint32_t count, struct engine_error *error)
{
    if (split(texts, list, '|', error) != 0 || texts->count == count)
        return texts->text ? 0 : error->status;
    candidate_names_release(texts);
    return error_set(error, ENGINE_STATUS_USAGE,
                     "expected %u texts with | between them, one for each implementation of [bench] impl; write - for "
                     "none",
                     count);
}

void candidate_names_release(struct candidate_names *names)
{
    free(names->text);
    *names = (struct candidate_names){0};
}

const char *candidate_plugin(const char *name, char plugin[128])
{
    const char *impl = candidate_impl(name);
    if (impl == name)
        return NULL;
    snprintf(plugin, 128, "%.*s", (int) (impl - name - 1), name);
    return plugin;
}

int candidate_open(const struct engine_config *config, const char *name, struct engine_run **run,
                   struct engine_error *error)
{
    char plugin[128];
    if (engine_run_plan_steps(config, candidate_plugin(name, plugin), run, error) == 0 &&
        engine_run_choose(*run, candidate_impl(name), error) == 0 && engine_run_start(*run, error) == 0)
        return 0;
    engine_run_close(*run);
    *run = NULL;
    return error->status;
}
