#include "ensemble/terms.h"
#include "base/type.h"

#include <math.h>
#include <string.h>

enum {
    PACE = 240,      /* steps at least between two comparisons: a multiple of many periods */
    PACE_LEAST = 60, /* the steps between two looks of a run that are enough for a batch, too */
    HOST_MOST = 64,  /* members for each thread: enough to fill all vectors, and few enough for the caches */
    DEVICE_MOST = 1 << 13,
    DEVICE_LOOKS = 1 << 11 /* members whose states the host compares: their copies then stay in its caches */
};

/* Cell updates of a batch, so that its members end within seconds: a kill loses the results of a whole batch. */
static const double HOST_WORK = 0x1p40, DEVICE_WORK = 0x1p47;

static uint64_t number_of(const struct engine_config *config, const char *section, const char *key)
{
    const struct engine_param param = {.name = key, .type = ENGINE_PARAM_INTEGER, .max = 9e18};
    const char *text = engine_config_get(config, section, key);
    struct engine_value value = {.integer = 0};
    struct engine_error ignored; /* the plan has checked it */
    return text && *text && engine_parse(&param, text, &value, &ignored) == 0 ? (uint64_t) value.integer : 0;
}

static bool is_given(const struct engine_config *config, const char *section, const char *key)
{
    const char *text = engine_config_get(config, section, key);
    return text && *text;
}

/* Reads the conditions. Returns false if there are others. */
static bool read_conditions(const struct engine_run *run, struct terms *terms)
{
    struct engine_condition condition = {.size = sizeof condition};
    for (; engine_run_condition(run, terms->count, &condition); terms->count++) {
        const bool known = condition.kind == ENGINE_UNTIL_REPEATS || condition.kind == ENGINE_UNTIL_UNCHANGED;
        if (!known || terms->count == TERMS_CONDITIONS_MAX)
            return false;
        terms->conditions[terms->count] = condition.kind;
        terms->every = condition.every;
    }
    if (terms->count > 0)
        terms->pace = terms->every >= PACE_LEAST ? terms->every : (PACE / terms->every + 1) * terms->every;
    return true;
}

static bool has_outputs(const struct engine_plugin *about)
{
    for (uint32_t i = 0; i < about->fields.count; i++)
        if (about->fields.at[i].role == ENGINE_OUTPUT)
            return true;
    return false;
}

/* May the universes of a batch have plans of their own? Random cells and positions need those of one box. */
static bool takes_plans(const struct engine_config *config, const struct engine_plugin *about)
{
    const char *source = engine_config_get(config, "init", "source");
    bool takes = false;
    for (uint32_t i = 0; i < about->params.count; i++)
        takes = takes || about->params.at[i].flags & ENGINE_PARAM_BY_UNIVERSE;
    return takes && !(source && (strcmp(source, "random") == 0 || strcmp(source, "random-unit") == 0));
}

bool terms_read(const struct engine_config *config, const struct engine_run *run, struct terms *terms)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_run_info about = {.size = sizeof about};
    const struct engine_impl *impl = engine_run_impl(run);
    engine_run_plugin(run, &plugin);
    engine_run_about(run, &about);
    *terms = (struct terms){.steps = engine_run_steps(run),
                            .rows_every = number_of(config, "output", "metrics_every"),
                            .measures = impl->measure && plugin.about->metrics.count > 0,
                            .plans = takes_plans(config, plugin.about)};
    terms->together = terms->plans || impl->flags & (ENGINE_SEEDED | ENGINE_TIMED);
    if (!(impl->flags & ENGINE_BATCH) || about.parts > 1 || about.devices > 1 || about.bytes == 0 ||
        terms->steps == 0 || number_of(config, batch_section(plugin.about), "batch") > 1 ||
        is_given(config, "analyse", "plugin") || is_given(config, "output", "probes") || !read_conditions(run, terms))
        return false;
    return terms->count == 0 || (!terms->together && terms->rows_every == 0 && !has_outputs(plugin.about));
}

uint32_t terms_width(const struct terms *terms, const struct engine_run *run, uint32_t threads, uint64_t bytes)
{
    struct engine_run_info about = {.size = sizeof about};
    engine_run_about(run, &about);
    const bool host = about.memory == ENGINE_HOST_MEMORY;
    const double work = about.work_per_step * (double) terms->steps;
    double width = host ? HOST_MOST * threads : terms->count > 0 ? DEVICE_LOOKS : DEVICE_MOST;
    width = fmin(width, (double) bytes / (double) about.bytes);
    width = work > 0 ? fmin(width, (host ? HOST_WORK : DEVICE_WORK) / work) : width;
    return width >= 1 ? (uint32_t) width : 1;
}
