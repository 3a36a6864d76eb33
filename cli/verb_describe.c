/* engine describe: describes a plugin. */
#include "describe.h"
#include "help.h"
#include "installed.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Describes a plugin: its fields, its parameters with units, ranges and defaults, its implementations, its metrics, "
    "and its generators of initial states.\n";

static const char more[] = "Example:\n"
                           "  engine describe life2d-bit\n";

enum { TEXT_COLUMN = 26 };

/* ---- Fields ------------------------------------------------------------------------------------------------- */

/* "state: grid of 2 axes, each cell uint8 from 0 to 1" */
static void format_field(const struct engine_field *field, char *text, size_t size)
{
    static const char *const kinds[] = {
        [ENGINE_GRID] = "grid", [ENGINE_PARTICLES] = "particles", [ENGINE_MATRIX] = "matrix", [ENGINE_BINS] = "bins"};
    static const char *const roles[] = {[ENGINE_STATE] = "state", [ENGINE_INPUT] = "input", [ENGINE_OUTPUT] = "output"};
    static const char *const each[] = {
        [ENGINE_GRID] = "cell ", [ENGINE_PARTICLES] = "", [ENGINE_MATRIX] = "element ", [ENGINE_BINS] = "bin "};
    char axes[32] = "", components[32] = "", values[32] = "";
    if (field->kind == ENGINE_GRID)
        snprintf(axes, sizeof axes, " of %u %s", field->rank, field->rank == 1 ? "axis" : "axes");
    if (field->components > 1)
        snprintf(components, sizeof components, "%u x ", field->components);
    if (field->values)
        snprintf(values, sizeof values, " from 0 to %u", field->values - 1);
    snprintf(text, size, "%s: %s%s, each %s%s%s%s", roles[field->role], kinds[field->kind], axes, each[field->kind],
             components,
             field->type == ENGINE_CONFIGURED ? "of the type [matrix] element" : engine_type_name(field->type), values);
}

static void describe_fields(const struct engine_plugin_info *plugin)
{
    printf("\nfields: the arrays of the simulation\n");
    for (uint32_t i = 0; i < plugin->about->fields.count; i++) {
        const struct engine_field *field = &plugin->about->fields.at[i];
        char shape[160], text[1024];
        format_field(field, shape, sizeof shape);
        snprintf(text, sizeof text, "%s%s(%s)", field->help ? field->help : "", field->help ? " " : "", shape);
        printf("  %-*s", TEXT_COLUMN - 2, field->name);
        help_print_text(stdout, text, TEXT_COLUMN);
    }
}

/* ---- Parameters --------------------------------------------------------------------------------------------- */

/* Describes the tuning parameters, or the others: those whose flag ENGINE_PARAM_TUNING is `flag`. */
static void describe_params(const struct engine_plugin_info *plugin, uint32_t flag, const char *title)
{
    bool any = false;
    for (uint32_t i = 0; i < plugin->about->params.count; i++) {
        const struct engine_param *param = &plugin->about->params.at[i];
        if ((param->flags & ENGINE_PARAM_TUNING) != flag)
            continue;
        if (!any)
            printf("\n%s: section [%s] of a configuration\n", title, plugin->about->name);
        describe_param(param, TEXT_COLUMN);
        any = true;
    }
}

/* ---- All of it ---------------------------------------------------------------------------------------------- */

static void describe_implementations(struct engine_context *context, const struct engine_plugin_info *plugin)
{
    printf("\nimplementations: `implementation = auto` chooses the one with the highest rank that can run here\n");
    for (uint32_t i = 0; i < plugin->about->impls.count; i++) {
        const struct engine_impl *impl = &plugin->about->impls.at[i];
        struct engine_error error;
        const char *absent = engine_impl_missing(context, impl, &error);
        printf("  %-14s rank %3d  %s%s%s%s%s\n", impl->name, (int) impl->rank, impl->help ? impl->help : "",
               describe_reference(plugin, impl), describe_edges(impl), absent ? "; not available: " : "",
               absent ? absent : "");
    }
}

static void describe_metrics(const struct engine_plugin_info *plugin)
{
    const struct engine_metric_array *metrics = &plugin->about->metrics;
    if (metrics->count)
        printf("\nmetrics: columns of metrics.csv\n");
    for (uint32_t i = 0; i < metrics->count; i++)
        printf("  %-*s%s%s%s%s\n", TEXT_COLUMN - 2, metrics->at[i].name, metrics->at[i].help,
               metrics->at[i].unit ? " (unit: " : "", metrics->at[i].unit ? metrics->at[i].unit : "",
               metrics->at[i].unit ? ")" : "");
}

static void describe_generators(const struct engine_plugin_info *plugin)
{
    const struct engine_generator_array *generators = &plugin->about->generators;
    if (generators->count)
        printf("\ngenerators of initial states, as in [init] source = %s\n", generators->at[0].name);
    for (uint32_t i = 0; i < generators->count; i++)
        printf("  %-*s%s\n", TEXT_COLUMN - 2, generators->at[i].name, generators->at[i].help);
}

static void describe_plugin(struct engine_context *context, const struct engine_plugin_info *plugin)
{
    char below[256], page[INSTALLED_PATH], path[INSTALLED_PATH];
    snprintf(below, sizeof below, "plugins/%s/README.md", plugin->about->name);
    const bool has_page = installed_page(below, page); /* before printing: it changes errno */
    snprintf(path, sizeof path, "%s", plugin->path);
    printf("%s %s: %s\n%s\n", plugin->about->name, plugin->about->version, plugin->about->summary, printable(path));
    describe_fields(plugin);
    describe_params(plugin, 0, "parameters");
    describe_params(plugin, ENGINE_PARAM_TUNING, "tuning parameters, which change the speed and never a result");
    describe_implementations(context, plugin);
    describe_metrics(plugin);
    describe_generators(plugin);
    if (has_page)
        printf("\ndocumentation: %s\n", page);
}

static int describe(struct options *options, struct engine_context *context)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error error;
    char *text;
    if (engine_plugin_find(context, options->words[0], &plugin, &error) != 0 ||
        (options->json && engine_plugin_json(context, options->words[0], &text, &error) != 0))
        return report(&error);
    if (options->json)
        print_text(text);
    else
        describe_plugin(context, &plugin);
    return ENGINE_STATUS_DONE;
}

const struct verb verb_describe = {
    .name = "describe",
    .summary = "describes a plugin and its parameters",
    .words = "PLUGIN",
    .min_words = 1,
    .max_words = 1,
    .options = OPTION_JSON,
    .help = help,
    .more = more,
    .run = describe,
};
