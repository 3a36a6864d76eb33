#include "run/checkpoint_record.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The identity of a run --------------------------------------------------------------------------------------- */

static void add_params(struct json_object *identity, const struct plan *plan)
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    char key[256];
    for (uint32_t i = 0; i < params->count; i++) {
        snprintf(key, sizeof key, "[%.100s] %.100s", plan->plugin->about.name, params->at[i].name);
        if (!(params->at[i].flags & ENGINE_PARAM_TUNING))
            json_add_text(identity, key, plan->values[i].text);
    }
}

static void add_shapes(struct json_object *identity, const struct plan *plan)
{
    char key[256], text[160];
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct engine_shape *shape = &plan->shapes[i];
        snprintf(key, sizeof key, "size of field %.100s", plan->plugin->about.fields.at[i].name);
        snprintf(text, sizeof text, "%" PRIu64 " x %" PRIu64 " x %" PRIu64 ", %u of %s", shape->extent[0],
                 shape->extent[1], shape->extent[2], shape->components, type_name(shape->type));
        json_add_text(identity, key, text);
    }
}

static void add_analysis(struct json_object *identity, const struct plan *plan)
{
    char text[64];
    json_add_text(identity, "[analyse] plugin", plan->plugin->about.name);
    snprintf(text, sizeof text, "from %" PRIu64 " every %" PRIu64, plan->settings.analyse.from,
             plan->settings.analyse.every);
    json_add_text(identity, "[analyse] from and every", text);
    add_params(identity, plan);
    add_shapes(identity, plan);
}

static void add_run(struct json_object *identity, const struct plan *plan)
{
    char text[256];
    json_add_text(identity, "[run] plugin", plan->plugin->about.name);
    snprintf(text, sizeof text, "%" PRIu64, plan->settings.seed);
    json_add_text(identity, "[init] seed", text);
    const uint64_t *frames = plan->settings.frames;
    snprintf(text, sizeof text, "%" PRIu64 ":%" PRIu64 ":%" PRIu64, frames[0], frames[1], frames[2]);
    json_add_text(identity, "[init] frames", text);
    const double *box =
        plan->frames > 1 ? plan->settings.box : plan->for_plugin.box; /* frames have boxes of their own */
    snprintf(text, sizeof text, "%.17g %.17g %.17g %.17g %.17g %.17g", box[0], box[1], box[2], box[3], box[4], box[5]);
    json_add_text(identity, "[particles] box", text);
    add_params(identity, plan);
    add_shapes(identity, plan);
}

int record_identity(const struct plan *plan, const struct plan *analysis, struct json_object **identity,
                    struct engine_error *error)
{
    *identity = json_new_object();
    add_run(*identity, plan);
    if (analysis)
        add_analysis(*identity, analysis);
    return json_check(identity, error);
}

static const char *text_of(struct json_object *object, const char *key)
{
    struct json_object *text;
    return json_object_object_get_ex(object, key, &text) ? json_object_get_string(text) : "none";
}

static int check_key(const char *key, struct json_object *then, struct json_object *now, struct engine_error *error)
{
    const char *was = text_of(then, key), *is = text_of(now, key);
    if (strcmp(was, is) == 0)
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "%s: was %s when the checkpoint was written, and is %s now; a resumed run cannot change this; "
                     "start a new run with `engine run`",
                     key, was, is);
}

int record_check(struct json_object *then, struct json_object *now, struct engine_error *error)
{
    struct json_object *const both[] = {now, then};
    for (int i = 0; i < 2; i++) {
        json_object_object_foreach(both[i], key, value)
        {
            (void) value;
            if (check_key(key, then, now, error) != 0)
                return error->status;
        }
    }
    return 0;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* Adds a step; null: none. */
static void add_step(struct json_object *object, const char *key, uint64_t step)
{
    json_add(object, key, step == UINT64_MAX ? NULL : json_new_count(step));
}

static struct json_object *series_json(const struct output_series *series)
{
    struct json_object *json = json_new_object(), *formats = json_new_array();
    add_step(json, "every", series->every);
    add_step(json, "last", series->last);
    for (uint32_t f = 0; f < series->format_count; f++)
        json_append(formats, json_new_text(series->formats[f]->name));
    json_add(json, "formats", formats);
    if (*series->fields)
        json_add_text(json, "fields", series->fields);
    return json;
}

static struct json_object *output_json(const struct output_past *past)
{
    struct json_object *json = json_new_object(), *series = json_new_array();
    struct json_object *bounds = json_new_array();
    add_step(json, "written", past->written);
    add_step(json, "row", past->row);
    add_step(json, "metrics_bytes", past->metrics_bytes);
    add_step(json, "analysis_metrics_bytes", past->analysis_metrics_bytes);
    for (int i = 0; i < 4; i++)
        json_append(bounds, json_new_real(past->bounds[i]));
    json_add(json, "bounds", bounds);
    for (uint32_t i = 0; i < past->series_count; i++)
        json_append(series, series_json(&past->series[i]));
    json_add(json, "series", series);
    return json;
}

int record_text(const struct output *output, struct json_object *identity, char **text, struct engine_error *error)
{
    const struct output_past past = output_past(output);
    struct json_object *json = json_new_object();
    json_add(json, "subject", json_object_get(identity));
    json_add(json, "output", output_json(&past));
    if (output->analysis) {
        add_step(json, "analysis_frames", output->analysis->frames);
        add_step(json, "analysis_last", output->analysis->last);
    }
    return json_take_text(json, JSON_C_TO_STRING_PLAIN, text, error);
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* The member of an object, if it has that type; else NULL. */
static struct json_object *member(struct json_object *object, const char *key, enum json_type type)
{
    struct json_object *found;
    return json_object_object_get_ex(object, key, &found) && json_object_is_type(found, type) ? found : NULL;
}

static uint64_t step_of(struct json_object *object, const char *key)
{
    struct json_object *step = member(object, key, json_type_int);
    return step ? json_object_get_uint64(step) : UINT64_MAX;
}

static bool read_series(struct json_object *json, struct output_series *series)
{
    struct json_object *formats = member(json, "formats", json_type_array);
    series->every = step_of(json, "every");
    series->last = step_of(json, "last");
    const size_t count = formats ? json_object_array_length(formats) : 0;
    if (!formats || count > SETTINGS_FORMATS_MAX || series->every == UINT64_MAX || series->last == UINT64_MAX)
        return false;
    for (size_t f = 0; f < count; f++) {
        const char *name = json_object_get_string(json_object_array_get_idx(formats, f));
        const struct io_format *format = name ? io_format_named(name) : NULL;
        if (!format || !format->writes)
            return false;
        series->formats[series->format_count++] = format;
    }
    struct json_object *fields = member(json, "fields", json_type_string);
    const int length = fields ? json_object_get_string_len(fields) : 0;
    if (length >= SETTINGS_LIST_MAX)
        return false;
    if (length > 0)
        memcpy(series->fields, json_object_get_string(fields), (size_t) length);
    return true;
}

static bool read_all_series(struct json_object *json, struct output_past *past)
{
    const size_t count = json ? json_object_array_length(json) : 0;
    past->series = json ? calloc(count + 1, sizeof *past->series) : NULL;
    if (!past->series)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!read_series(json_object_array_get_idx(json, i), &past->series[past->series_count++]))
            return false;
    return true;
}

static bool read_output(struct json_object *json, struct output_past *past)
{
    struct json_object *bounds = member(json, "bounds", json_type_array);
    past->written = step_of(json, "written");
    past->row = step_of(json, "row");
    past->metrics_bytes = step_of(json, "metrics_bytes");
    past->analysis_metrics_bytes = step_of(json, "analysis_metrics_bytes");
    if (!bounds || json_object_array_length(bounds) != 4 || past->metrics_bytes == UINT64_MAX ||
        past->analysis_metrics_bytes == UINT64_MAX)
        return false;
    for (size_t i = 0; i < 4; i++)
        past->bounds[i] = json_object_get_double(json_object_array_get_idx(bounds, i));
    return read_all_series(member(json, "series", json_type_array), past);
}

int record_read(const char *text, struct checkpoint_record *record, struct engine_error *error)
{
    *record = (struct checkpoint_record){0};
    struct json_object *json = json_tokener_parse(text);
    struct json_object *output = json ? member(json, "output", json_type_object) : NULL;
    struct json_object *identity = json ? member(json, "subject", json_type_object) : NULL;
    const bool good = output && identity && read_output(output, &record->output);
    record->identity = json_object_get(identity);
    if (json) {
        const uint64_t frames = step_of(json, "analysis_frames");
        record->analysis_frames = frames == UINT64_MAX ? 0 : frames;
        record->analysis_last = step_of(json, "analysis_last");
    }
    json_object_put(json);
    return good ? 0
                : error_set(error, ENGINE_STATUS_INPUT,
                            "is a snapshot but not a checkpoint: it has no record of what the run "
                            "had written");
}

void record_release(struct checkpoint_record *record)
{
    free(record->output.series);
    json_object_put(record->identity);
    *record = (struct checkpoint_record){0};
}
