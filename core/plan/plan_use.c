/* Finds the keys of a configuration that nothing uses. */
#include "base/context.h"
#include "plan/parts.h"

#include <string.h>

/* A run, and the plan of its analysis or NULL. */
struct use {
    const struct plan *run, *analysis;
};

/* ---- What uses a key ---------------------------------------------------------------------------------------- */

static const struct settings *settings_of(const struct use *use)
{
    return &use->run->settings;
}

/* Does the source fill a field with cells, of which a fraction is not 0? */
static bool uses_density(const struct use *use)
{
    const struct engine_field_array *fields = &use->run->plugin->about.fields;
    bool any = false;
    for (uint32_t i = 0; i < fields->count; i++)
        any = any || (fields->at[i].role != ENGINE_OUTPUT && fields->at[i].values > 0);
    return any && settings_of(use)->source == INIT_RANDOM;
}

/* A plugin that was written for an older interface cannot say whether its steps use the seed. */
static bool uses_seed(const struct use *use)
{
    const struct engine_plugin *about = &use->run->plugin->about;
    const enum init_source source = settings_of(use)->source;
    bool steps = about->abi.minor < 4;
    for (uint32_t i = 0; i < about->impls.count; i++)
        steps = steps || about->impls.at[i].flags & ENGINE_SEEDED;
    return steps || source == INIT_RANDOM || source == INIT_GENERATOR;
}

static bool uses_place(const struct use *use)
{
    return use->run->found.pattern;
}

static bool analyses_steps(const struct use *use)
{
    return settings_of(use)->analyse.every > 0;
}

static bool has_kind(const struct use *use, uint32_t kind, uint32_t type)
{
    for (int i = 0; i < 2; i++) {
        const struct plan *plan = i ? use->analysis : use->run;
        for (uint32_t k = 0; plan && k < plan->plugin->about.fields.count; k++) {
            const struct engine_field *field = &plan->plugin->about.fields.at[k];
            if (field->kind == kind && (type == TYPE_COUNT || field->type == type))
                return true;
        }
    }
    return false;
}

static bool has_grid(const struct use *use)
{
    return has_kind(use, ENGINE_GRID, TYPE_COUNT);
}

static bool has_particles(const struct use *use)
{
    return has_kind(use, ENGINE_PARTICLES, TYPE_COUNT);
}

static bool has_matrix(const struct use *use)
{
    return has_kind(use, ENGINE_MATRIX, TYPE_COUNT);
}

static bool has_configured_type(const struct use *use)
{
    return has_kind(use, ENGINE_MATRIX, ENGINE_CONFIGURED);
}

static bool has_margins(const struct use *use)
{
    return settings_of(use)->parts > 1 && !plan_shares_work(use->run) && !plan_is_batch(use->run);
}

/* Is something carried between processes, or between devices? */
static bool has_transport(const struct use *use)
{
    return settings_of(use)->devices > 1 ||
           (parts_ranks(use->run) > 1 && (plan_shares_work(use->run) || has_margins(use)));
}

static bool has_metrics(const struct use *use)
{
    return use->run->plugin->about.metrics.count > 0 ||
           (use->analysis && use->analysis->plugin->about.metrics.count > 0) || *settings_of(use)->probes;
}

static bool writes_pictures(const struct use *use)
{
    for (uint32_t i = 0; i < settings_of(use)->format_count; i++)
        if (io_is_picture(settings_of(use)->formats[i]))
            return true;
    return false;
}

static bool has_conditions(const struct use *use)
{
    return settings_of(use)->until_count > 0;
}

static bool writes_films(const struct use *use)
{
    for (uint32_t i = 0; i < settings_of(use)->format_count; i++)
        if (io_is_picture(settings_of(use)->formats[i]) && io_grows(settings_of(use)->formats[i]))
            return true;
    return false;
}

/* ---- The keys ----------------------------------------------------------------------------------------------- */

/* The keys that something must use. An unused key of [init] or [analyse] is an error, because the run would compute
 * something else than the configuration describes. The keys of other sections give a warning, because one file may have
 * the sections of several plugins. */
static const struct key {
    enum keys_section section;
    uint32_t key;
    bool (*is_used)(const struct use *use);
    const char *why;   /* it is not used */
    const char *by[2]; /* keys of the same section that decide whether it is used */
} keys[] = {
    {KEYS_INIT,
     KEY_INIT_DENSITY,
     uses_density,
     "only source = random uses it, for cells of two or more values",
     {"source", "file"}},
    {KEYS_INIT, KEY_INIT_SEED, uses_seed, "only source = random and generators use it", {"source", "file"}},
    {KEYS_INIT, KEY_INIT_AT, uses_place, "only a pattern in [init] file has a place", {"source", "file"}},
    {KEYS_ANALYSE,
     KEY_ANALYSE_FROM,
     analyses_steps,
     "only the final state is analysed if [analyse] every is missing",
     {"every", NULL}},
    {KEYS_RUN, KEY_RUN_MARGIN, has_margins, "the run is not divided into blocks of a grid", {"parts", "devices"}},
    {KEYS_RUN, KEY_RUN_TRANSPORT, has_transport, "no cells go from one process to another", {"parts", "devices"}},
    {KEYS_RUN, KEY_RUN_UNTIL_EVERY, has_conditions, "the run has no [run] until", {"until", NULL}},
    {KEYS_GRID, KEY_GRID_SIZE, has_grid, "the plugin has no grid", {NULL, NULL}},
    {KEYS_GRID, KEY_GRID_EDGES, has_grid, "the plugin has no grid", {NULL, NULL}},
    {KEYS_GRID, KEY_GRID_EDGE_SHIFT, has_grid, "the plugin has no grid", {NULL, NULL}},
    {KEYS_GRID, KEY_GRID_EDGE_VALUE, has_grid, "the plugin has no grid", {NULL, NULL}},
    {KEYS_GRID, KEY_GRID_BATCH, has_grid, "the plugin has no grid", {NULL, NULL}},
    {KEYS_PARTICLES, KEY_PARTICLES_COUNT, has_particles, "the plugin has no particles", {NULL, NULL}},
    {KEYS_PARTICLES, KEY_PARTICLES_BOX, has_particles, "the plugin has no particles", {NULL, NULL}},
    {KEYS_MATRIX, KEY_MATRIX_ROWS, has_matrix, "the plugin has no matrix", {NULL, NULL}},
    {KEYS_MATRIX, KEY_MATRIX_COLUMNS, has_matrix, "the plugin has no matrix", {NULL, NULL}},
    {KEYS_MATRIX, KEY_MATRIX_BATCH, has_matrix, "the plugin has no matrix", {NULL, NULL}},
    {KEYS_MATRIX, KEY_MATRIX_ELEMENT, has_configured_type, "the plugin chooses its element types", {NULL, NULL}},
    {KEYS_OUTPUT,
     KEY_OUTPUT_METRICS_EVERY,
     has_metrics,
     "the plugin has no metrics and there are no [output] probes",
     {NULL, NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_SCALE, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_VIEW, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_AXIS, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_SLICE, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_BOUNDS, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_PIXELS, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_WEIGHT, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_PARTICLE_SIZE, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_RANGE, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_COLOURS, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_COMPONENT, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_UNIVERSE, writes_pictures, "no picture is among the formats", {"formats", NULL}},
    {KEYS_OUTPUT, KEY_OUTPUT_RATE, writes_films, "no film is among the formats", {"formats", NULL}},
};

enum { KEYS = sizeof keys / sizeof keys[0] };

static const char *name_of(const struct key *key)
{
    return keys_sections[key->section].keys.at[key->key].name;
}

/* Is the key given, and used by nothing? An empty text counts as not given. */
static bool is_unused(const struct use *use, const struct key *key)
{
    const char *text = config_get(use->run->config, keys_sections[key->section].name, name_of(key));
    return text && *text && !key->is_used(use);
}

/* Is the key one of the file, which an assignment made useless? Its user knows. */
static bool is_overridden(const struct config *config, const struct key *key)
{
    const char *section = keys_sections[key->section].name;
    bool decided = config_is_assigned(config, "run", "plugin");
    for (int i = 0; i < 2; i++)
        decided = decided || (key->by[i] && config_is_assigned(config, section, key->by[i]));
    return decided && !config_is_assigned(config, section, name_of(key));
}

/* Does nothing say how the initial state comes about? */
static bool lacks_source(const struct plan *plan)
{
    const char *source = config_get(plan->config, "init", "source");
    return plan->settings.source == INIT_DEFAULTS && !(source && *source);
}

static int report(const struct use *use, const struct key *key, struct engine_error *error)
{
    const struct config *config = use->run->config;
    const char *section = keys_sections[key->section].name;
    error_set(error, ENGINE_STATUS_USAGE, "%s: [%s] %s: nothing uses this key, because %s; %s",
              config_place(config, section, name_of(key)), section, name_of(key), key->why,
              key->section == KEYS_INIT && lacks_source(use->run) ? "give [init] source, or leave the key out"
                                                                  : "leave it out");
    if (key->section == KEYS_INIT || key->section == KEYS_ANALYSE)
        return error->status;
    context_message(use->run->context, ENGINE_LOG_WARNING, "%s", error->text);
    return 0;
}

/* Do all states start as 0, or all inputs of a plugin that has no state? */
static bool starts_empty(const struct plan *plan)
{
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    for (uint32_t role = ENGINE_STATE; role <= ENGINE_INPUT; role++) {
        uint32_t count = 0, zeros = 0;
        for (uint32_t i = 0; i < fields->count; i++) {
            const bool counts = fields->at[i].role == role && !(fields->at[i].flags & ENGINE_FIELD_OPTIONAL);
            count += counts;
            zeros += counts && fields->at[i].initial == 0;
        }
        if (count > 0)
            return zeros == count;
    }
    return false;
}

int plan_check_init(const struct plan *plan, struct engine_error *error)
{
    const struct use use = {plan, NULL};
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].section == KEYS_INIT && is_unused(&use, &keys[i]) && !is_overridden(plan->config, &keys[i]))
            return report(&use, &keys[i], error);
    return 0;
}

bool plan_is_empty(const struct plan *plan)
{
    return lacks_source(plan) && starts_empty(plan);
}

void plan_warn_empty(const struct plan *plan)
{
    if (plan_is_empty(plan))
        context_message(plan->context, ENGINE_LOG_WARNING,
                        "%s: [init] source is missing, so every value starts as 0; give source = random, a generator, "
                        "or a file; source = defaults asks for zeros",
                        config_place(plan->config, "init", "source"));
}

int plan_check_use(const struct plan *run, const struct plan *analysis, struct engine_error *error)
{
    const struct use use = {run, analysis};
    if (plan_check_init(run, error) != 0)
        return error->status;
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].section != KEYS_INIT && is_unused(&use, &keys[i]) && !is_overridden(run->config, &keys[i]) &&
            report(&use, &keys[i], error) != 0)
            return error->status;
    return 0;
}

bool plan_uses_init(const struct plan *plan, uint32_t key)
{
    const struct use use = {plan, NULL};
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].section == KEYS_INIT && keys[i].key == key)
            return keys[i].is_used(&use);
    return true;
}
