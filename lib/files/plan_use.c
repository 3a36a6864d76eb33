#include "files/plan_use.h"
#include "base/context.h"
#include "base/modules.h"
#include "base/text.h"
#include "files/init_files.h"
#include "plan/divider.h"

#include <string.h>

/* ---- What uses a key ---------------------------------------------------------------------------------------- */

/* Does the source fill a field with cells, of which a fraction is not 0? */
static bool uses_density(const struct plan *run, const struct plan *analysis)
{
    const struct engine_field_array *fields = &run->plugin->about.fields;
    bool any = false;
    (void) analysis;
    for (uint32_t i = 0; i < fields->count; i++)
        any = any || (fields->at[i].role != ENGINE_OUTPUT && fields->at[i].values > 0);
    return any && run->settings.source == INIT_RANDOM;
}

/* A plugin that was written for an older interface cannot say whether its steps use the seed. */
static bool uses_seed(const struct plan *run, const struct plan *analysis)
{
    const struct engine_plugin *about = &run->plugin->about;
    const enum init_source source = run->settings.source;
    bool steps = about->abi.minor < 4;
    (void) analysis;
    for (uint32_t i = 0; i < about->impls.count; i++)
        steps = steps || about->impls.at[i].flags & ENGINE_SEEDED;
    return steps || source == INIT_RANDOM || source == INIT_GENERATOR;
}

static bool uses_place(const struct plan *run, const struct plan *analysis)
{
    (void) analysis;
    return run->found.pattern;
}

static bool has_kind(const struct plan *run, const struct plan *analysis, uint32_t kind, uint32_t type)
{
    for (int i = 0; i < 2; i++) {
        const struct plan *plan = i ? analysis : run;
        for (uint32_t k = 0; plan && k < plan->plugin->about.fields.count; k++) {
            const struct engine_field *field = &plan->plugin->about.fields.at[k];
            if (field->kind == kind && (type == TYPE_COUNT || field->type == type))
                return true;
        }
    }
    return false;
}

static bool has_grid(const struct plan *run, const struct plan *analysis)
{
    return has_kind(run, analysis, ENGINE_GRID, TYPE_COUNT);
}

static bool has_particles(const struct plan *run, const struct plan *analysis)
{
    return has_kind(run, analysis, ENGINE_PARTICLES, TYPE_COUNT);
}

static bool has_matrix(const struct plan *run, const struct plan *analysis)
{
    return has_kind(run, analysis, ENGINE_MATRIX, TYPE_COUNT);
}

static bool has_configured_type(const struct plan *run, const struct plan *analysis)
{
    return has_kind(run, analysis, ENGINE_MATRIX, ENGINE_CONFIGURED);
}

static bool has_margins(const struct plan *run, const struct plan *analysis)
{
    (void) analysis;
    return plan_divider(run) && plan_divider(run)->has_margins(run);
}

static bool has_transport(const struct plan *run, const struct plan *analysis)
{
    (void) analysis;
    return plan_divider(run) && plan_divider(run)->has_transport(run);
}

/* ---- The keys ----------------------------------------------------------------------------------------------- */

static const struct key_use init_uses[] = {
    {"init",
     "density",
     uses_density,
     "only source = random uses it, for cells of two or more values",
     {"source", "file"},
     0},
    {"init", "seed", uses_seed, "only source = random and generators use it", {"source", "file"}, 0},
    {"init", "at", uses_place, "only a pattern in [init] file has a place", {"source", "file"}, 0},
    {.keys = NULL}};

static const struct key_use uses[] = {
    {"run", "margin", has_margins, "the run is not divided into blocks of a grid", {"parts", "devices"}, 0},
    {"run", "transport", has_transport, "no cells go from one process to another", {"parts", "devices"}, 0},
    {"grid", "size edges edge_shift edge_value batch", has_grid, "the plugin has no grid", {NULL, NULL}, 0},
    {"particles", "count box batch", has_particles, "the plugin has no particles", {NULL, NULL}, 0},
    {"matrix", "rows columns batch", has_matrix, "the plugin has no matrix", {NULL, NULL}, 0},
    {"matrix", "element", has_configured_type, "the plugin chooses its element types", {NULL, NULL}, 0},
    {.keys = NULL}};

/* Is the key one of the file, which an assignment made useless? Its user knows. */
static bool is_overridden(const struct config *config, const struct key_use *use, const char *key)
{
    bool decided = config_is_assigned(config, "run", "plugin");
    for (int i = 0; i < 2; i++)
        decided = decided || (use->by[i] && config_is_assigned(config, use->section, use->by[i]));
    return decided && !config_is_assigned(config, use->section, key);
}

/* Does nothing say how the initial state comes about? */
static bool lacks_source(const struct plan *plan)
{
    const char *source = config_get(plan->config, "init", "source");
    return plan->settings.source == INIT_DEFAULTS && !(source && *source);
}

static int report(const struct plan *run, const struct key_use *use, const char *key, struct engine_error *error)
{
    const bool init = strcmp(use->section, "init") == 0;
    error_set(error, ENGINE_STATUS_USAGE, "%s: [%s] %s: nothing uses this key, because %s; %s",
              config_place(run->config, use->section, key), use->section, key, use->why,
              init && lacks_source(run) ? "give [init] source, or leave the key out" : "leave it out");
    if (init || strcmp(use->section, "analyse") == 0)
        return error->status;
    context_message(run->context, ENGINE_LOG_WARNING, "%s", error->text);
    return 0;
}

/* Looks for keys of a table that are given, and that nothing uses. An empty text counts as not given. */
static int check(const struct plan *run, const struct plan *analysis, const struct key_use *use,
                 struct engine_error *error)
{
    for (; use && use->keys; use++) {
        const struct engine_param_array *keys = &keys_section_named(run->context, use->section)->keys;
        for (uint32_t i = 0; i < keys->count; i++) {
            const char *key = keys->at[i].name, *text = config_get(run->config, use->section, key);
            if (text && *text && (keys->at[i].flags & use->attributes || text_has_word(use->keys, key)) &&
                !use->is_used(run, analysis) && !is_overridden(run->config, use, key) &&
                report(run, use, key, error) != 0)
                return error->status;
        }
    }
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
    return check(plan, NULL, init_uses, error);
}

bool plan_is_empty(const struct plan *plan)
{
    return lacks_source(plan) && starts_empty(plan);
}

void plan_warn_init(const struct plan *plan)
{
    init_pattern_warn(plan);
    if (plan_is_empty(plan))
        context_message(plan->context, ENGINE_LOG_WARNING,
                        "%s: [init] source is missing, so every value starts as 0; give source = random, a generator, "
                        "or a file; source = defaults asks for zeros",
                        config_place(plan->config, "init", "source"));
}

void plan_warn_slow(const struct plan *plan)
{
    const uint32_t devices = plan->settings.devices;
    const double faster = plan->parts ? devices * plan->parts[0]->slab.efficiency : 0; /* 0: not known */
    if (devices > 1 && faster > 0 && faster < 1)
        context_message(
            plan->context, ENGINE_LOG_WARNING,
            "%s: [run] devices = %u: these devices are predicted to be %.2f times as fast as one; leave the "
            "key out",
            config_place(plan->config, "run", "devices"), devices, faster);
}

int plan_check_use(const struct plan *run, const struct plan *analysis, struct engine_error *error)
{
    const struct modules *modules = run->context ? run->context->modules : NULL;
    if (check(run, analysis, init_uses, error) != 0)
        return error->status;
    for (const struct section *const *more = modules ? modules->sections : NULL; more && *more; more++)
        if (check(run, analysis, (*more)->uses, error) != 0)
            return error->status;
    return check(run, analysis, uses, error); /* the kernel's: warnings alone, which stand before no error */
}

bool plan_uses_init(const struct plan *plan, uint32_t key)
{
    const char *name = keys_sections[KEYS_INIT].keys.at[key].name;
    for (const struct key_use *use = init_uses; use->keys; use++)
        if (text_has_word(use->keys, name))
            return use->is_used(plan, NULL);
    return true;
}
