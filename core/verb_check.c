/* engine check: the plan, printed. */
#include "analysis.h"
#include "options.h"
#include "progress.h"
#include "state.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Says what `engine run` would do with a configuration, and does none of it: which implementation and why, sizes, "
    "memory, files. What is wrong is reported as `engine run` would report it, with the same exit status.\n";

/* What the files of one output take at most: the canonical array a format; of formats that hold all fields together, 25
 * characters a number, and as many before a row. */
static double output_bytes(const struct plan *plan)
{
    double bytes = 0;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        uint64_t field, elements;
        if (!shape_bytes(&plan->shapes[i], &field) || !shape_elements(&plan->shapes[i], &elements))
            continue;
        for (uint32_t f = 0; f < plan->settings.format_count; f++)
            if (plan->settings.formats[f]->table)
                bytes += plan->fields[i].about->kind == ENGINE_BINS ? 25 * (double) elements : 0;
            else if (plan->settings.formats[f]->together)
                bytes += 25 * ((double) elements + (i == 0 ? (double) elements / plan->shapes[i].components : 0));
            else if (state_counts(plan->fields[i].about))
                bytes += (double) field;
    }
    return bytes;
}

static uint64_t output_count(const struct settings *settings)
{
    if (settings->every == 0)
        return 1;
    return settings->steps / settings->every + 1 + (settings->steps % settings->every != 0);
}

static void print_fields(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &plan->fields[i];
        const struct engine_shape *shape = &plan->shapes[i];
        char bytes[32];
        printf("field           %s:", field->about->name);
        for (uint32_t axis = 0; axis < shape->rank; axis++)
            printf("%s%llu", axis ? " x " : " ", (unsigned long long) shape->extent[axis]);
        printf(" %s", type_name(shape->type));
        if (shape->components > 1)
            printf(" of %u components", shape->components);
        if (plan->sources[i].bound)
            printf(" of the run, read where it lies\n");
        else if (field->absent)
            printf(", absent\n");
        else
            printf(", %u buffer%s of %sB%s\n", field->buffers, field->buffers == 1 ? "" : "s",
                   si((double) field->bytes, bytes),
                   field->geometry[0].layout.cell_bits == 1 ? ", one bit a cell" : "");
    }
}

/* Arrays of [init] file that no field takes. */
static void print_unused(const struct plan *plan)
{
    for (uint32_t a = 0; source_is_arrays(plan) && a < plan->pattern->count; a++) {
        bool used = false;
        for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
            used = used || (plan->sources[i].document && plan->sources[i].array == a);
        if (!used)
            printf("%-15s %s is there too, and not used\n", "", plan->pattern->arrays[a].name);
    }
}

/* Which fields start from which files. */
static void print_sources(const struct plan *plan)
{
    const char *title = "start";
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct source *source = &plan->sources[i];
        if (source->document) {
            printf("%-15s %s from %s", title, plan->fields[i].about->name, source->path);
            if (source_has_frames(plan, i))
                printf(", %llu frames", (unsigned long long) plan->frames);
            printf("\n");
            title = "";
        }
    }
    print_unused(plan);
}

static void print_implementations(struct plan *plan)
{
    const struct engine_impl_array *impls = &plan->plugin->about.impls;
    for (uint32_t i = 0; i < impls->count; i++) {
        struct plan_verdict verdict = plan_judge(plan, &impls->at[i]);
        printf("%-15s %s: %s\n", i ? "" : "candidates", impls->at[i].name,
               &impls->at[i] == plan->impl ? "chosen"
               : verdict.usable            ? "usable"
                                           : verdict.reason);
    }
}

static void print_plugin(struct plan *plan)
{
    printf("plugin          %s %s (%s)\n", plan->plugin->about.name, plan->plugin->about.version, plan->plugin->path);
    printf("implementation  %s, asked for: %s\n", plan->impl->name, plan->settings.implementation);
    print_implementations(plan);
    for (uint32_t i = 0; i < plan->plugin->about.params.count; i++)
        printf("%-15s %s = %s\n", i ? "" : "parameters", plan->plugin->about.params.at[i].name, plan->values[i].text);
    print_fields(plan);
    print_sources(plan);
}

static void print_analysis(struct plan *plan)
{
    const struct settings *settings = &plan->settings;
    const unsigned long long frames = analysis_frames(settings, settings->steps);
    char number[32];
    printf("\nanalysis        %llu frame%s", frames, frames == 1 ? "" : "s");
    if (settings->analyse.every)
        printf(", every %llu steps from %llu on", (unsigned long long) settings->analyse.every,
               (unsigned long long) settings->analyse.from);
    printf("\n");
    print_plugin(plan);
    printf("memory          %sB\n", si((double) plan->bytes, number));
    printf("work            %s%s\n", si(plan->work.per_step * (double) frames, number), plan->work.unit);
}

/* `analysis` is NULL where there is none. */
static void print_plan(struct plan *plan, struct plan *analysis)
{
    const struct settings *settings = &plan->settings;
    char number[32];
    print_plugin(plan);
    printf("memory          %sB\n", si((double) plan->bytes, number));
    printf("steps           %llu", (unsigned long long) settings->steps);
    if (plan->most_steps != UINT64_MAX)
        printf(", at most %llu a call", (unsigned long long) plan->most_steps);
    printf("\nwork            %s%s\n", si(plan->work.per_step * (double) settings->steps, number), plan->work.unit);
    printf("threads         %u\n", settings->threads);
    printf("output          %s: %llu time%s, at most %sB each\n", settings->output,
           (unsigned long long) output_count(settings), output_count(settings) == 1 ? "" : "s",
           si(output_bytes(plan) + (analysis ? output_bytes(analysis) : 0), number));
    if (analysis)
        print_analysis(analysis);
}

static void add(struct json_object *object, const char *key, struct json_object *value)
{
    json_object_object_add(object, key, value);
}

/* What a run's plan and that of its analysis both have. */
static struct json_object *plugin_json(const struct plan *plan)
{
    struct json_object *json = json_object_new_object(), *params = json_object_new_object();
    for (uint32_t i = 0; i < plan->plugin->about.params.count; i++)
        add(params, plan->plugin->about.params.at[i].name, json_object_new_string(plan->values[i].text));
    add(json, "plugin", json_object_new_string(plan->plugin->about.name));
    add(json, "implementation", json_object_new_string(plan->impl->name));
    add(json, "parameters", params);
    add(json, "memory_bytes", json_object_new_uint64(plan->bytes));
    return json;
}

static struct json_object *analysis_json(const struct plan *plan)
{
    struct json_object *json = plugin_json(plan);
    add(json, "from", json_object_new_uint64(plan->settings.analyse.from));
    add(json, "every", json_object_new_uint64(plan->settings.analyse.every));
    add(json, "frames", json_object_new_uint64(analysis_frames(&plan->settings, plan->settings.steps)));
    return json;
}

static void print_json(const struct plan *plan, const struct plan *analysis)
{
    struct json_object *json = plugin_json(plan);
    add(json, "steps", json_object_new_uint64(plan->settings.steps));
    add(json, "threads", json_object_new_int64(plan->settings.threads));
    add(json, "work", json_object_new_double(plan->work.per_step * (double) plan->settings.steps));
    add(json, "work_unit", json_object_new_string(plan->work.unit));
    add(json, "output", json_object_new_string(plan->settings.output));
    add(json, "output_count", json_object_new_uint64(output_count(&plan->settings)));
    add(json, "output_bytes_each",
        json_object_new_double(output_bytes(plan) + (analysis ? output_bytes(analysis) : 0)));
    if (analysis)
        add(json, "analysis", analysis_json(analysis));
    printf("%s\n", json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}

static int check(int count, char **words)
{
    struct options options;
    struct error error;
    struct config *config = NULL;
    struct registry *registry = NULL;
    struct plan *plan = NULL, *analysis = NULL;
    if (options_read(&verb_check, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(STATUS_DONE);
    int status = STATUS_DONE;
    if (options_config(&options, options.words[0], &config, &error) != 0 ||
        options_registry(&options, &registry, &error) != 0 || plan_open(config, registry, &plan, &error) != 0 ||
        plan_choose(plan, plan->settings.implementation, &error) != 0 ||
        analysis_plan(plan, registry, &analysis, &error) != 0)
        status = report(&error);
    else if (options.json)
        print_json(plan, analysis);
    else
        print_plan(plan, analysis);
    plan_close(analysis);
    plan_close(plan);
    registry_close(registry);
    config_close(config);
    return finish_stdout(status);
}

const struct verb verb_check = {
    .name = "check",
    .summary = "says what run would do, without doing it",
    .words = "CONFIG",
    .least = 1,
    .most = 1,
    .options = OPTION_JSON | OPTION_SET,
    .help = help,
    .run = check,
};
