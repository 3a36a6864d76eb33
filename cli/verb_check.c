/* engine check: the plan, printed. */
#include "base/json.h"
#include "options.h"
#include "plan/estimate.h"
#include "progress.h"
#include "run/analysis.h"
#include "run/state.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Says what `engine run` would do with a configuration, and does none of it: which implementation and why, sizes, "
    "memory, files. What is wrong is reported as `engine run` would report it, with the same exit status.\n";

static const char more[] = "Examples:\n"
                           "  engine check gosper-gun.ini\n"
                           "  engine check soup.ini --set grid.size='100000 100000'       # would it fit?\n";

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
                   text_si((double) field->bytes, bytes),
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
    printf("memory          %sB\n", text_si((double) plan->bytes, number));
    printf("work            %s%s\n", text_si(plan->work.per_step * (double) frames, number), plan->work.unit);
}

/* "3.2 GB", or "unknown". */
static const char *room_text(uint64_t bytes, char text[40])
{
    char number[32];
    if (bytes == UINT64_MAX)
        snprintf(text, 40, "unknown");
    else
        snprintf(text, 40, "%sB", text_si((double) bytes, number));
    return text;
}

static void print_memory(const struct plan *plan, const struct estimate *estimate)
{
    char number[32], room[40];
    printf("memory          %sB of buffers on %s, %s free\n", text_si((double) estimate->buffers, number),
           plan->device->name, room_text(estimate->device_available, room));
    if (estimate->checkpoint)
        printf("%-15s %sB of host memory while a checkpoint is written, %s free\n", "",
               text_si((double) estimate->checkpoint, number), room_text(estimate->host_available, room));
}

static void print_disk(const struct plan *plan, const struct estimate *estimate)
{
    char least[32], most[32], each[32], room[40];
    printf("output          %s: %llu time%s, at most %sB each\n", plan->settings.output,
           (unsigned long long) estimate->outputs, estimate->outputs == 1 ? "" : "s", text_si(estimate->each, each));
    printf("disk            %sB to %sB%s, by how well it compresses; %s free%s\n", text_si(estimate->disk_least, least),
           text_si(estimate->disk_most, most), estimate->checkpoint ? " with checkpoints" : "",
           room_text(estimate->disk_available, room),
           estimate->disk_most > (double) estimate->disk_available ? ": it may not be enough" : "");
}

/* `analysis` is NULL where there is none. */
static void print_plan(struct plan *plan, struct plan *analysis, const struct estimate *estimate)
{
    const struct settings *settings = &plan->settings;
    char number[32];
    print_plugin(plan);
    print_memory(plan, estimate);
    printf("steps           %llu", (unsigned long long) settings->steps);
    if (plan->most_steps != UINT64_MAX)
        printf(", at most %llu a call", (unsigned long long) plan->most_steps);
    printf("\nwork            %s%s\n", text_si(plan->work.per_step * (double) settings->steps, number),
           plan->work.unit);
    printf("threads         %u\n", settings->threads);
    print_disk(plan, estimate);
    if (analysis)
        print_analysis(analysis);
}

/* What a run's plan and that of its analysis both have. */
static struct json_object *plugin_json(const struct plan *plan)
{
    struct json_object *json = json_new_object(), *params = json_new_object();
    for (uint32_t i = 0; i < plan->plugin->about.params.count; i++)
        json_add(params, plan->plugin->about.params.at[i].name, json_new_text(plan->values[i].text));
    json_add(json, "plugin", json_new_text(plan->plugin->about.name));
    json_add(json, "implementation", json_new_text(plan->impl->name));
    json_add(json, "parameters", params);
    json_add(json, "memory_bytes", json_new_count(plan->bytes));
    return json;
}

static struct json_object *analysis_json(const struct plan *plan)
{
    struct json_object *json = plugin_json(plan);
    json_add(json, "from", json_new_count(plan->settings.analyse.from));
    json_add(json, "every", json_new_count(plan->settings.analyse.every));
    json_add(json, "frames", json_new_count(analysis_frames(&plan->settings, plan->settings.steps)));
    return json;
}

/* null: not known. */
static struct json_object *room_json(uint64_t bytes)
{
    return bytes == UINT64_MAX ? NULL : json_new_count(bytes);
}

static int print_json(const struct plan *plan, const struct plan *analysis, const struct estimate *estimate,
                      struct engine_error *error)
{
    struct json_object *json = plugin_json(plan);
    json_add(json, "steps", json_new_count(plan->settings.steps));
    json_add(json, "threads", json_new_integer(plan->settings.threads));
    json_add(json, "work", json_new_real(plan->work.per_step * (double) plan->settings.steps));
    json_add(json, "work_unit", json_new_text(plan->work.unit));
    json_add(json, "output", json_new_text(plan->settings.output));
    json_add(json, "output_count", json_new_count(estimate->outputs));
    json_add(json, "output_bytes_each", json_new_real(estimate->each));
    json_add(json, "disk_bytes_least", json_new_real(estimate->disk_least));
    json_add(json, "disk_bytes_most", json_new_real(estimate->disk_most));
    json_add(json, "disk_bytes_free", room_json(estimate->disk_available));
    json_add(json, "memory_bytes_free", room_json(estimate->device_available));
    json_add(json, "checkpoint_memory_bytes", json_new_count(estimate->checkpoint));
    json_add(json, "host_memory_bytes_free", room_json(estimate->host_available));
    if (analysis)
        json_add(json, "analysis", analysis_json(analysis));
    return json_print(json, error);
}

/* Prints the plan, and says what of it cannot fit. */
static int show(struct plan *plan, struct plan *analysis, bool json, struct engine_error *error)
{
    const struct estimate estimate = estimate_make(plan, analysis, 0);
    if (!json)
        print_plan(plan, analysis, &estimate);
    else if (print_json(plan, analysis, &estimate, error) != 0)
        return error->status;
    return estimate_check(&estimate, plan, error);
}

static int check(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct config *config = NULL;
    struct registry *registry = NULL;
    struct plan *plan = NULL, *analysis = NULL;
    if (options_read(&verb_check, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    int status = ENGINE_STATUS_DONE;
    if (options_config(&options, options.words[0], &config, &error) != 0 ||
        options_registry(&options, &registry, &error) != 0 || plan_open(config, registry, &plan, &error) != 0 ||
        plan_choose(plan, plan->settings.implementation, &error) != 0 ||
        analysis_plan(plan, registry, &analysis, &error) != 0 || show(plan, analysis, options.json, &error) != 0)
        status = report(&error);
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
    .more = more,
    .run = check,
};
