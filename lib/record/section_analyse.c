#include "record/section_analyse.h"
#include "base/context.h"
#include "plan/section.h"

enum { KEY_ANALYSE_PLUGIN, KEY_ANALYSE_IMPLEMENTATION, KEY_ANALYSE_FROM, KEY_ANALYSE_EVERY };

static const struct engine_param keys[] = {
    [KEY_ANALYSE_PLUGIN] = KEY_TEXT("plugin", KEY_SUBJECT | KEY_COMMON | KEY_BASIC, "",
                                    "name of the plugin that analyses the fields of the run"),
    [KEY_ANALYSE_IMPLEMENTATION] =
        KEY_TEXT("implementation", KEY_SUBJECT | KEY_IMPLEMENTATION, "auto", "auto, or the name of an implementation"),
    [KEY_ANALYSE_FROM] = KEY_INTEGER("from", KEY_SUBJECT, "0", 0, 1e18, "first step to analyse"),
    [KEY_ANALYSE_EVERY] =
        KEY_INTEGER("every", KEY_SUBJECT, "0", 0, 1e18, "number of steps between analyses; 0: the final state only"),
};

static int read(const struct reading *reading, const struct engine_value *values, void *own)
{
    struct analyse_settings *settings = own;
    char clause[CONTEXT_WORDS];
    *settings = (struct analyse_settings){.plugin = values[KEY_ANALYSE_PLUGIN].text,
                                          .implementation = values[KEY_ANALYSE_IMPLEMENTATION].text,
                                          .from = (uint64_t) values[KEY_ANALYSE_FROM].integer,
                                          .every = (uint64_t) values[KEY_ANALYSE_EVERY].integer};
    if (!*settings->plugin && config_key_at(reading->config, "analyse", 0))
        return REFUSE(reading, "analyse", "plugin", "this key is missing%s",
                      context_clause(reading->context, ENGINE_WORDS_PLUGINS, "", clause));
    if (*settings->plugin && reading->settings->universes > 1)
        return REFUSE_BATCH(reading, reading->error, "[analyse] takes a run of one universe; leave the section out");
    return 0;
}

static bool analyses_steps(const struct plan *run, const struct plan *analysis)
{
    (void) analysis;
    return analyse_settings(run)->every > 0;
}

static const struct key_use uses[] = {{"analyse",
                                       "from",
                                       analyses_steps,
                                       "only the final state is analysed if [analyse] every is missing",
                                       {"every", NULL},
                                       0},
                                      {.keys = NULL}};

const struct section analyse_section = {
    .about = {"analyse", "a second plugin that analyses the fields of the run", ENGINE_ARRAY(keys)},
    .bytes = sizeof(struct analyse_settings),
    .read = read,
    .uses = uses,
};

uint64_t analyse_frames(const struct plan *plan, uint64_t last)
{
    const struct analyse_settings *settings = analyse_settings(plan);
    if (settings->every == 0)
        return 1;
    return last < settings->from ? 0 : (last - settings->from) / settings->every + 1;
}
