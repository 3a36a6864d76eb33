/* The summary of a run, as text for people and as JSON for programs. */
#include "base/context.h"
#include "base/machine.h"
#include "base/text.h"
#include "files/json.h"
#include "files/plan_config.h"
#include "parts/cost.h"
#include "parts/divided.h"
#include "parts/parts.h"
#include "record/recorded_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double rate(const struct plan *plan, const struct loop_result *result)
{
    return result->seconds > 0 ? plan->work.per_step * (double) result->steps / result->seconds : 0;
}

static const char *backend(const struct plan *plan)
{
    return plan->impl->memory == ENGINE_CUDA_MEMORY ? "cuda" : "cpu";
}

/* A whole number is printed without a fraction. */
static void add_number(struct json_object *object, const char *key, double value)
{
    const bool whole = value == rint(value) && fabs(value) < 9e15;
    json_add(object, key, whole ? json_new_integer((int64_t) value) : json_new_real(value));
}

static struct json_object *metrics_json(const struct metrics *metrics)
{
    struct json_object *json = json_new_object();
    const struct engine_metric_array *names = &metrics->instance->state->plan->plugin->about.metrics;
    for (uint32_t i = 0; metrics->measured && i < names->count; i++)
        add_number(json, names->at[i].name, metrics->values[i]);
    return json;
}

static struct json_object *units_json(const struct metrics *metrics)
{
    struct json_object *json = json_new_object();
    const struct engine_metric_array *names = &metrics->instance->state->plan->plugin->about.metrics;
    for (uint32_t i = 0; i < names->count; i++)
        if (names->at[i].unit)
            json_add_text(json, names->at[i].name, names->at[i].unit);
    return json;
}

static struct json_object *outputs_json(const struct output *output)
{
    struct json_object *paths = json_new_array();
    for (uint32_t i = 0; i < output->files.count; i++)
        json_append(paths, json_new_text(output->files.list[i].path));
    return paths;
}

static struct json_object *notes_json(const struct instance *instance)
{
    const struct host *host = instance_host(instance);
    struct json_object *notes = json_new_object();
    char *columns = plan_row_text(instance->state->plan);
    for (uint32_t i = 0; i < host->note_count; i++)
        json_add_text(notes, host->notes[i].key, host->notes[i].text);
    if (columns)
        json_add_text(notes, "columns", columns);
    free(columns);
    return notes;
}

/* The plugin's parameters, also those at their defaults. */
static struct json_object *parameters_json(const struct plan *plan)
{
    struct json_object *json = json_new_object();
    for (uint32_t i = 0; i < plan->plugin->about.params.count; i++)
        json_add_text(json, plan->plugin->about.params.at[i].name, plan->values[i].text);
    return json;
}

/* The folders of plugins that the run was given besides those that the engine finds itself, as absolute paths. */
static struct json_object *folders_json(const struct context *context)
{
    struct json_object *json = json_new_array();
    for (uint32_t i = 0; context && i < context->hooks.plugin_folder_count; i++) {
        char *path = realpath(context->hooks.plugin_folders[i], NULL);
        json_append(json, json_new_text(path ? path : context->hooks.plugin_folders[i]));
        free(path);
    }
    return json;
}

static struct json_object *analysis_json(const struct output *output, const char *hash)
{
    const struct analysis *analysis = output->analysis;
    struct json_object *json = json_new_object();
    const struct plan *plan = analysis->state->plan;
    json_add_text(json, "plugin", plan->plugin->about.name);
    json_add_text(json, "plugin_version", plan->plugin->about.version);
    json_add_text(json, "implementation", plan->impl->name);
    json_add(json, "parameters", parameters_json(plan));
    json_add_count(json, "frames", analysis->frames);
    add_number(json, "seconds", analysis->seconds);
    json_add_text(json, "hash", hash);
    json_add(json, "metrics", metrics_json(&output->analysis_metrics));
    json_add(json, "units", units_json(&output->analysis_metrics));
    json_add(json, "notes", notes_json(analysis->instance));
    return json;
}

/* The cost of a unit of work, by which `engine report` compares the rate with the machine's limits. */
static struct json_object *cost_json(const struct plan *plan)
{
    const struct engine_cost cost = cost_of_plan(plan);
    struct json_object *json = json_new_object();
    if (cost_operation(cost.operation))
        json_add_text(json, "operation", cost_operation(cost.operation));
    add_number(json, "operations", cost.operations);
    add_number(json, "bytes", cost.bytes);
    return json;
}

/* Do the parts of the run have margins, which they exchange? */
static bool has_margins(const struct plan *plan)
{
    return plan->parts && plan->parts[0]->slab.margin > 0;
}

/* Adds the names and versions of what ran, and of what it ran on. */
static void add_identity(struct json_object *run, const struct plan *plan, const struct ranks *ranks, const char *date)
{
    char processor[128], sizes[SHAPE_TEXT];
    json_add_text(run, "engine", machine_version());
    json_add_text(run, "processor", machine_processor(processor));
    json_add_text(run, "date", date);
    json_add_text(run, "plugin", plan->plugin->about.name);
    json_add_text(run, "plugin_version", plan->plugin->about.version);
    json_add_text(run, "implementation", plan->impl->name);
    json_add_text(run, "backend", backend(plan));
    json_add_text(run, "device", plan->device->name);
    add_number(run, "device_number", plan->settings.device);
    add_number(run, "threads", plan_threads(plan));
    if (plan->parts) {
        add_number(run, "devices", plan->settings.devices);
        add_number(run, "parts", plan->settings.parts);
        if (has_margins(plan))
            json_add_count(run, "margin", plan->parts[0]->slab.margin);
        add_number(run, "ranks", parts_ranks(plan));
        if (ranks)
            json_add_text(run, "transport", device_transport_name(ranks->transport));
    }
    json_add_text(run, "size", plan_size_text(plan, 0, sizes));
    json_add(run, "plugin_folders", folders_json(plan->context));
    json_add(run, "parameters", parameters_json(plan));
    json_add_count(run, "seed", plan->settings.seed);
    if (plan_is_batch(plan))
        json_add_count(run, "batch", plan->settings.universes);
}

static void add_steps(struct json_object *run, const struct instance *instance, const struct loop_result *result)
{
    const struct plan *plan = instance->state->plan;
    json_add_count(run, "first_step", result->first);
    json_add_count(run, "step", instance->state->step);
    json_add(run, "ended", json_new_text(result->ended));
    json_add(run, "signal", result->signal ? json_new_integer(result->signal) : NULL);
    json_add_count(run, "steps", result->steps);
    add_number(run, "seconds", result->seconds);
    add_number(run, "rate", rate(plan, result));
    char unit[96];
    snprintf(unit, sizeof unit, "%s/s", plan->work.unit);
    json_add_text(run, "rate_unit", unit);
    json_add(run, "cost", cost_json(plan));
}

int recorded_summary_json(const struct recorded_run *recorded, char **text_out, struct engine_error *error)
{
    const struct output *output = recorded->output;
    char *config;
    if (plan_config(recorded->run.plan, &config, error) != 0)
        return error->status;
    struct json_object *json = json_new_object();
    add_identity(json, recorded->run.plan, state_ranks(recorded->run.state), recorded->date);
    if (recorded->earlier)
        json_add(json, "computed_before", json_object_get(recorded->earlier));
    json_add_lines(json, "config", config);
    free(config);
    add_steps(json, recorded->run.instance, &recorded->result);
    if (has_margins(recorded->run.plan))
        add_number(json, "exchange", recorded->exchange);
    if (recorded->edge.met)
        json_add_count(json, "edge", recorded->edge.step);
    json_add_text(json, "hash", recorded->hash);
    json_add(json, "metrics", metrics_json(&output->metrics));
    json_add(json, "units", units_json(&output->metrics));
    json_add(json, "notes", notes_json(recorded->run.instance));
    if (output->analysis)
        json_add(json, "analysis", analysis_json(output, recorded->analysis_hash));
    json_add(json, "outputs", outputs_json(output));
    return json_take_lines(json, text_out, error);
}

/* ---- As text --------------------------------------------------------------------------------------------------- */

static void print_shape(FILE *to, const struct plan *plan)
{
    const struct engine_field *field = &plan->plugin->about.fields.at[0];
    char sizes[SHAPE_TEXT];
    fprintf(to, "  %-14s %s %s\n", "size", field->name, plan_size_text(plan, 0, sizes));
}

static void print_metrics(FILE *to, const struct metrics *metrics)
{
    const struct engine_metric_array *table = &metrics->instance->state->plan->plugin->about.metrics;
    for (uint32_t i = 0; metrics->measured && i < table->count; i++)
        fprintf(to, "  %-14s %.12g%s%s\n", table->at[i].name, metrics->values[i], table->at[i].unit ? " " : "",
                table->at[i].unit ? table->at[i].unit : "");
}

static void print_notes(FILE *to, const struct instance *instance)
{
    const struct host *host = instance_host(instance);
    char *columns = plan_row_text(instance->state->plan);
    for (uint32_t i = 0; i < host->note_count; i++)
        fprintf(to, "  %-14s %s\n", host->notes[i].key, host->notes[i].text);
    if (columns)
        fprintf(to, "  %-14s %s\n", "columns", columns);
    free(columns);
}

static void print_analysis(FILE *to, const struct output *output, const char *hash)
{
    const struct analysis *analysis = output->analysis;
    const struct plan *plan = analysis->state->plan;
    char frames[64];
    fprintf(to, analysis->seconds < 1 ? "  %-14s %s/%s, %s in %.3g s\n" : "  %-14s %s/%s, %s in %.3f s\n", "analysis",
            plan->plugin->about.name, plan->impl->name, text_count(analysis->frames, "frame", frames),
            analysis->seconds);
    print_notes(to, analysis->instance);
    print_metrics(to, &output->analysis_metrics);
    fprintf(to, "  %-14s %s\n", "hash", hash);
}

static void print_exchanges(FILE *to, const struct recorded_run *recorded)
{
    const uint32_t ranks = parts_ranks(recorded->run.plan);
    fprintf(to, "  %-14s %.1f %% of the time", "exchanges", 100 * recorded->exchange);
    if (ranks > 1)
        fprintf(to, ", %s between %u processes (transport %s)", link_name(recorded->run.plan->context->link), ranks,
                device_transport_name(state_ranks(recorded->run.state)->transport));
    fputc('\n', to);
}

static void print_text(FILE *to, const struct recorded_run *recorded)
{
    const struct plan *plan = recorded->run.plan;
    const struct loop_result *result = &recorded->result;
    const struct output *output = recorded->output;
    char per_second[32], threads[64];
    fprintf(to, "%s/%s on %s, %s", plan->plugin->about.name, plan->impl->name, plan->device->name,
            text_count(plan_threads(plan), "thread", threads));
    if (plan->settings.devices > 1)
        fprintf(to, ", %u devices", plan->settings.devices);
    if (plan->parts)
        fprintf(to, ", %u parts", plan->settings.parts);
    if (has_margins(plan))
        fprintf(to, " with margins of %llu", (unsigned long long) plan->parts[0]->slab.margin);
    fputc('\n', to);
    print_shape(to, plan);
    fprintf(to, result->seconds < 1 ? "  %-14s %llu in %.3g s" : "  %-14s %llu in %.3f s", "steps",
            (unsigned long long) result->steps, result->seconds);
    fprintf(to, result->first ? ", resumed from step %llu\n" : "\n", (unsigned long long) result->first);
    if (result->ended)
        fprintf(to, "  %-14s at step %llu, %s\n", "ended", (unsigned long long) recorded->run.state->step,
                result->ended);
    if (recorded->edge.met)
        fprintf(to, "  %-14s live cells were at a dead edge at step %llu\n", "edge",
                (unsigned long long) recorded->edge.step);
    fprintf(to, "  %-14s %s%s a second\n", "rate", text_si(rate(plan, result), per_second), plan->work.unit);
    if (has_margins(plan) || state_ranks(recorded->run.state))
        print_exchanges(to, recorded);
    print_notes(to, recorded->run.instance);
    print_metrics(to, &output->metrics);
    fprintf(to, "  %-14s %s\n", "hash", recorded->hash);
    if (output->analysis)
        print_analysis(to, output, recorded->analysis_hash);
    const uint32_t shown = output->files.count > 6 ? 6 : output->files.count; /* the last ones hold the final state */
    for (uint32_t i = output->files.count - shown; i < output->files.count; i++)
        fprintf(to, "  %-14s %s\n", i + shown == output->files.count ? "output" : "", output->files.list[i].path);
    if (shown < output->files.count)
        fprintf(to, "  %-14s … and %s in %s\n", "", text_count(output->files.count - shown, "more file", threads),
                output->files.folder->path);
}

int recorded_summary_text(const struct recorded_run *recorded, char **text_out, struct engine_error *error)
{
    size_t length = 0;
    *text_out = NULL;
    FILE *to = open_memstream(text_out, &length);
    if (to)
        print_text(to, recorded);
    return to && text_stream_close(to, text_out) ? 0 : error_memory(error, length, "the summary");
}
