#include "summary.h"
#include "json.h"
#include "machine.h"
#include "progress.h"
#include "run_folder.h"
#include "share.h"

#include <math.h>
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

static void number(struct json_object *object, const char *key, double value)
{
    struct json_object *json = NULL; /* null: JSON has no infinities */
    if (isfinite(value))
        json = value == rint(value) && fabs(value) < 9e15 ? json_new_integer((int64_t) value) : json_new_real(value);
    json_add(object, key, json);
}

static void text(struct json_object *object, const char *key, const char *value)
{
    json_add(object, key, json_new_text(value));
}

static struct json_object *metrics_json(const struct metrics *metrics)
{
    struct json_object *json = json_new_object();
    const struct engine_metric_array *names = &metrics->instance->state->plan->plugin->about.metrics;
    for (uint32_t i = 0; metrics->measured && i < names->count; i++)
        number(json, names->at[i].name, metrics->values[i]);
    return json;
}

static struct json_object *outputs_json(const struct output *output)
{
    struct json_object *paths = json_new_array();
    for (uint32_t i = 0; i < output->count; i++)
        json_append(paths, json_new_text(output->paths[i]));
    return paths;
}

static struct json_object *notes_json(const struct host *host)
{
    struct json_object *notes = json_new_object();
    for (uint32_t i = 0; i < host->note_count; i++)
        text(notes, host->notes[i].key, host->notes[i].text);
    return notes;
}

static struct json_object *analysis_json(const struct output *output, const char *hash)
{
    const struct analysis *analysis = output->analysis;
    struct json_object *json = json_new_object();
    const struct plan *plan = analysis->state->plan;
    text(json, "plugin", plan->plugin->about.name);
    text(json, "plugin_version", plan->plugin->about.version);
    text(json, "implementation", plan->impl->name);
    json_add(json, "frames", json_new_count(analysis->frames));
    number(json, "seconds", analysis->seconds);
    text(json, "hash", hash);
    json_add(json, "metrics", metrics_json(&output->analysis_metrics));
    json_add(json, "notes", notes_json(&analysis->instance->host));
    return json;
}

/* What is printed: hashes of the run's state, and of the analysis' where there is one. */
struct hashes {
    char run[HASH_TEXT], analysis[HASH_TEXT];
};

/* What a unit of work costs, so that `engine report` can hold the rate against the machine's limits. */
static struct json_object *cost_json(const struct plan *plan)
{
    const struct engine_cost cost = share_cost(plan);
    struct json_object *json = json_new_object();
    if (share_operation(cost.operation))
        text(json, "operation", share_operation(cost.operation));
    number(json, "operations", cost.operations);
    number(json, "bytes", cost.bytes);
    return json;
}

/* What ran, and on what. */
static void add_setting(struct json_object *run, const struct plan *plan)
{
    char engine[96], processor[128], date[32];
    text(run, "engine", machine_engine(engine));
    text(run, "processor", machine_processor(processor));
    text(run, "date", machine_date(date));
    text(run, "plugin", plan->plugin->about.name);
    text(run, "plugin_version", plan->plugin->about.version);
    text(run, "implementation", plan->impl->name);
    text(run, "backend", backend(plan));
    text(run, "device", plan->device->name);
    number(run, "device_number", plan->settings.device);
    number(run, "threads", plan->shared.threads);
}

static void add_steps(struct json_object *run, const struct instance *instance, const struct loop_result *result)
{
    const struct plan *plan = instance->state->plan;
    json_add(run, "first_step", json_new_count(result->first));
    json_add(run, "step", json_new_count(instance->state->step));
    json_add(run, "signal", result->signal ? json_new_integer(result->signal) : NULL);
    json_add(run, "steps", json_new_count(result->steps));
    number(run, "seconds", result->seconds);
    number(run, "rate", rate(plan, result));
    char unit[96];
    snprintf(unit, sizeof unit, "%s/s", plan->work.unit);
    text(run, "rate_unit", unit);
    json_add(run, "cost", cost_json(plan));
}

static struct json_object *summary_json(const struct instance *instance, const struct output *output,
                                        const struct loop_result *result, const struct hashes *hashes)
{
    struct json_object *run = json_new_object();
    add_setting(run, instance->state->plan);
    add_steps(run, instance, result);
    text(run, "hash", hashes->run);
    json_add(run, "metrics", metrics_json(&output->metrics));
    json_add(run, "notes", notes_json(&instance->host));
    if (output->analysis)
        json_add(run, "analysis", analysis_json(output, hashes->analysis));
    json_add(run, "outputs", outputs_json(output));
    return run;
}

/* Kept in the folder, and printed where that is wanted. */
static int put_json(struct json_object *run, const char *folder, bool print, struct error *error)
{
    char *json, *lines = NULL;
    if (json_take_text(run, JSON_C_TO_STRING_PRETTY, &json, error) != 0)
        return error->status;
    int status = asprintf(&lines, "%s\n", json) < 0 ? error_memory(error, strlen(json), "the summary") : 0;
    free(json);
    if (status != 0)
        return status;
    status = folder_write(folder, FOLDER_SUMMARY, lines, error);
    if (status == 0 && print)
        fputs(lines, stdout);
    free(lines);
    return status;
}

static void print_shape(const struct plan *plan)
{
    const struct engine_shape *shape = &plan->shapes[0];
    fprintf(stderr, "  %-14s %s", "size", plan->plugin->about.fields.at[0].name);
    for (uint32_t axis = 0; axis < shape->rank; axis++)
        fprintf(stderr, "%s%llu", axis ? " x " : " ", (unsigned long long) shape->extent[axis]);
    fprintf(stderr, "\n");
}

static void print_metrics(const struct metrics *metrics)
{
    const struct engine_metric_array *table = &metrics->instance->state->plan->plugin->about.metrics;
    for (uint32_t i = 0; metrics->measured && i < table->count; i++)
        fprintf(stderr, "  %-14s %.12g%s%s\n", table->at[i].name, metrics->values[i], table->at[i].unit ? " " : "",
                table->at[i].unit ? table->at[i].unit : "");
}

static void print_notes(const struct host *host)
{
    for (uint32_t i = 0; i < host->note_count; i++)
        fprintf(stderr, "  %-14s %s\n", host->notes[i].key, host->notes[i].text);
}

static void print_analysis(const struct output *output, const char *hash)
{
    const struct analysis *analysis = output->analysis;
    const struct plan *plan = analysis->state->plan;
    fprintf(stderr, "  %-14s %s/%s, %llu frame%s in %.3f s\n", "analysis", plan->plugin->about.name, plan->impl->name,
            (unsigned long long) analysis->frames, analysis->frames == 1 ? "" : "s", analysis->seconds);
    print_notes(&analysis->instance->host);
    print_metrics(&output->analysis_metrics);
    fprintf(stderr, "  %-14s %s\n", "hash", hash);
}

static void print_text(const struct instance *instance, const struct output *output, const struct loop_result *result,
                       const struct hashes *hashes)
{
    const struct plan *plan = instance->state->plan;
    char per_second[32];
    fprintf(stderr, "%s/%s on %s, %u thread%s\n", plan->plugin->about.name, plan->impl->name, plan->device->name,
            plan->shared.threads, plan->shared.threads == 1 ? "" : "s");
    print_shape(plan);
    fprintf(stderr, "  %-14s %llu in %.3f s", "steps", (unsigned long long) result->steps, result->seconds);
    fprintf(stderr, result->first ? ", after %llu before\n" : "\n", (unsigned long long) result->first);
    fprintf(stderr, "  %-14s %s%s a second\n", "rate", si(rate(plan, result), per_second), plan->work.unit);
    print_notes(&instance->host);
    print_metrics(&output->metrics);
    fprintf(stderr, "  %-14s %s\n", "hash", hashes->run);
    if (output->analysis)
        print_analysis(output, hashes->analysis);
    const uint32_t shown = output->count > 6 ? 6 : output->count; /* the last ones: the final state */
    for (uint32_t i = output->count - shown; i < output->count; i++)
        fprintf(stderr, "  %-14s %s\n", i + shown == output->count ? "output" : "", output->paths[i]);
    if (shown < output->count)
        fprintf(stderr, "  %-14s … and %u more files in %s\n", "", output->count - shown, output->folder);
}

int summary_print(const struct instance *instance, const struct output *output, const struct loop_result *result,
                  bool json, struct error *error)
{
    struct hashes hashes;
    if (state_hash(instance->state, hashes.run, error) != 0)
        return error->status;
    if (output->analysis && state_hash(output->analysis->state, hashes.analysis, error) != 0)
        return error->status;
    if (host_verbosity != HOST_QUIET)
        print_text(instance, output, result, &hashes);
    return put_json(summary_json(instance, output, result, &hashes), output->folder, json, error);
}
