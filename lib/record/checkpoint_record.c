#include "record/checkpoint_record.h"
#include "files/formats.h"
#include "files/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What decides the bits ------------------------------------------------------------------------------------- */

/* The text of a note, or NULL. */
static const char *note_of(const struct host *host, const char *key)
{
    for (uint32_t i = 0; i < host->note_count; i++)
        if (strcmp(host->notes[i].key, key) == 0)
            return host->notes[i].text;
    return NULL;
}

/* Adds what an implementation that is not exact has chosen: the note about a parameter, or its value where that is not
 * `auto`. */
static void add_choices(struct json_object *computed, const struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    const struct engine_param_array *params = &plan->plugin->about.params;
    char key[256];
    for (uint32_t i = 0; i < params->count; i++) {
        const char *noted = note_of(instance_host(instance), params->at[i].name),
                   *text = noted ? noted : plan->values[i].text;
        snprintf(key, sizeof key, "%.100s.%.100s", plan->plugin->about.name, params->at[i].name);
        if (plugin_param_decides_bits(plan->impl, &params->at[i]) && strcmp(text, "auto") != 0)
            json_add_text(computed, key, text);
    }
}

static void add_computed(struct json_object *computed, const char *key, const struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    const bool exact = plan->impl->flags & ENGINE_EXACT;
    json_add_text(computed, key, exact ? "exact" : plan->impl->name);
    add_choices(computed, instance);
    if (!exact && plan->impl->memory == ENGINE_CUDA_MEMORY)
        json_add_text(computed, "run.device", plan->device->name);
}

static struct json_object *computed_json(const struct instance *instance, const struct analysis *analysis)
{
    struct json_object *computed = json_new_object();
    add_computed(computed, "run.implementation", instance);
    if (analysis)
        add_computed(computed, "analyse.implementation", analysis->instance);
    return computed;
}

int record_computed(const struct instance *instance, const struct analysis *analysis, struct json_object **computed,
                    struct engine_error *error)
{
    *computed = computed_json(instance, analysis);
    return json_check(computed, error);
}

int record_add_earlier(const struct checkpoint_record *record, uint64_t step, struct json_object **earlier,
                       struct engine_error *error)
{
    struct json_object *list = json_new_array(), *last = json_new_object();
    const size_t count = record->earlier ? json_object_array_length(record->earlier) : 0;
    for (size_t i = 0; i < count; i++)
        json_append(list, json_object_get(json_object_array_get_idx(record->earlier, i)));
    json_add_count(last, "until", step);
    json_object_object_foreach(record->computed, key, value)
    {
        json_add(last, key, json_object_get(value));
    }
    json_append(list, last);
    *earlier = list;
    return json_check(earlier, error);
}

int record_check_bits(struct json_object *then, struct json_object *now, struct engine_error *error)
{
    json_object_object_foreach(now, key, value)
    {
        struct json_object *before = json_member(then, key, json_type_string);
        if (before && !json_object_equal(before, value))
            return error_set(error, ENGINE_STATUS_USAGE,
                             "%s: was %s when the checkpoint was written, and is %s now, which gives other bits", key,
                             json_object_get_string(before), json_object_get_string(value));
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
        json_append(formats, json_new_text(series->formats[f]->about->name));
    json_add(json, "formats", formats);
    if (*series->fields)
        json_add_text(json, "fields", series->fields);
    const struct selection *selection = &series->selection;
    if (!selection_is_whole(selection)) {
        json_add_text(json, "region", selection->region);
        json_add_text(json, "stride", selection->stride);
        json_add_text(json, "reduce", selection_word(selection->reduce));
    }
    return json;
}

static struct json_object *reals_json(const double *numbers, size_t count)
{
    struct json_object *json = json_new_array();
    for (size_t i = 0; i < count; i++)
        json_append(json, json_new_real(numbers[i]));
    return json;
}

static struct json_object *output_json(const struct output_past *past)
{
    struct json_object *json = json_new_object(), *series = json_new_array();
    add_step(json, "written", past->written);
    add_step(json, "row", past->row);
    add_step(json, "metrics_bytes", past->metrics_bytes);
    add_step(json, "analysis_metrics_bytes", past->analysis_metrics_bytes);
    if (past->hashes_bytes > 0) {
        add_step(json, "hashed", past->hashed);
        add_step(json, "hashes_bytes", past->hashes_bytes);
    }
    if (past->universes_bytes > 0)
        add_step(json, "universes_bytes", past->universes_bytes);
    json_add(json, "bounds", reals_json(past->bounds, 4));
    if (past->depth[0] < past->depth[1])
        json_add(json, "depth", reals_json(past->depth, 2));
    if (past->white > 0) {
        struct json_object *white = json_new_object();
        json_add_real(white, "level", past->white);
        json_add_count(white, "pixels", past->white_pixels);
        json_add_count(white, "mass", past->white_weighs);
        json_add(json, "white", white);
    }
    for (uint32_t i = 0; i < past->series_count; i++)
        json_append(series, series_json(&past->series[i]));
    json_add(json, "series", series);
    return json;
}

static struct json_object *until_json(const struct until_memory *until)
{
    struct json_object *json = json_new_object(), *first = json_new_array();
    add_step(json, "start", until->start);
    for (uint32_t i = 0; i < until->metrics; i++)
        json_append(first, json_new_real(until->first[i]));
    json_add(json, "first", first);
    add_step(json, "looked", until->looked);
    json_add_text(json, "hash", until->hash);
    json_add(json, "again", json_new_flag(until->again));
    add_step(json, "kept", until->kept);
    json_add_text(json, "kept_hash", until->kept_hash);
    add_step(json, "looks", until->looks);
    add_step(json, "limit", until->limit);
    return json;
}

int record_text(const struct output *output, struct json_object *identity, struct json_object *earlier,
                const struct until_memory *until, char **text, struct engine_error *error)
{
    const struct output_past past = output_past(output);
    struct json_object *json = json_new_object();
    json_add(json, "identity", json_object_get(identity));
    json_add(json, "computed", computed_json(output->instance, output->analysis));
    if (earlier)
        json_add(json, "computed_before", json_object_get(earlier));
    json_add(json, "output", output_json(&past));
    if (until)
        json_add(json, "until", until_json(until));
    if (output->analysis) {
        add_step(json, "analysis_frames", output->analysis->frames);
        add_step(json, "analysis_last", output->analysis->last);
    }
    return json_take_text(json, JSON_C_TO_STRING_PLAIN, text, error);
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* The largest number of outputs whose files a series may list. A resumed run lists their paths again, so a number that
 * nobody has counted would take any amount of memory and time. */
enum { SERIES_FILES_MAX = 1 << 24 };

/* Reads a whole number of at most `most`; or UINT64_MAX, where the object lacks it or has null. */
static bool read_step(struct json_object *object, const char *key, uint64_t most, uint64_t *step)
{
    struct json_object *number = json_member(object, key, json_type_int);
    *step = number ? json_object_get_uint64(number) : UINT64_MAX;
    return number ? json_object_get_int64(number) >= 0 && *step <= most : !json_object_object_get(object, key);
}

static bool read_formats(const struct context *context, struct json_object *formats, struct output_series *series)
{
    const size_t count = formats ? json_object_array_length(formats) : 0;
    for (size_t f = 0; f < count && count <= OUTPUT_FORMATS_MAX; f++) {
        const char *name = json_object_get_string(json_object_array_get_idx(formats, f));
        const struct io_format *format = name ? formats_named(context, name) : NULL;
        if (!format || !io_is_written(format))
            return false;
        series->formats[series->format_count++] = format;
    }
    return formats && count <= OUTPUT_FORMATS_MAX;
}

/* An earlier engine wrote all fields and recorded none. */
static bool read_fields(struct json_object *fields, struct output_series *series)
{
    const int length = fields ? json_object_get_string_len(fields) : 0;
    if (length > 0 && length < OUTPUT_FIELDS_MAX)
        memcpy(series->fields, json_object_get_string(fields), (size_t) length);
    return length < OUTPUT_FIELDS_MAX;
}

/* An earlier engine wrote whole grids and recorded no region. */
static bool read_selection(struct json_object *json, struct selection *selection)
{
    struct json_object *region = json_member(json, "region", json_type_string);
    struct json_object *stride = json_member(json, "stride", json_type_string);
    struct json_object *reduce = json_member(json, "reduce", json_type_string);
    if (!region && !stride && !reduce)
        return true;
    if (!region || !stride || !reduce || !selection_read_region(selection, json_object_get_string(region)) ||
        !selection_read_stride(selection, json_object_get_string(stride)))
        return false;
    for (uint32_t i = 0; selection_words[i]; i++) {
        selection->reduce = (enum region_reduce) i;
        if (strcmp(selection_words[i], json_object_get_string(reduce)) == 0)
            return selection->strides > 0 || i == REGION_FIRST;
    }
    return false;
}

static bool read_series(const struct context *context, struct json_object *json, uint64_t step,
                        struct output_series *series)
{
    if (!json_object_is_type(json, json_type_object) || !read_step(json, "every", INT64_MAX, &series->every) ||
        !read_step(json, "last", step, &series->last) || series->every == UINT64_MAX || series->last == UINT64_MAX ||
        !read_formats(context, json_member(json, "formats", json_type_array), series) ||
        !read_fields(json_member(json, "fields", json_type_string), series) ||
        !read_selection(json, &series->selection))
        return false;
    return series->every == 0 || series->last / series->every < SERIES_FILES_MAX || !output_series_has_files(series);
}

static bool read_all_series(const struct context *context, struct json_object *json, uint64_t step,
                            struct output_past *past)
{
    const size_t count = json ? json_object_array_length(json) : 0;
    for (size_t i = 0; i < count; i++)
        if (!read_series(context, json_object_array_get_idx(json, i), step, &past->series[past->series_count++]))
            return false;
    return json;
}

static bool read_reals(struct json_object *json, double *values, size_t count)
{
    bool finite = json != NULL && json_object_array_length(json) == count;
    for (size_t i = 0; finite && i < count; i++) {
        values[i] = json_object_get_double(json_object_array_get_idx(json, i));
        finite = isfinite(values[i]);
    }
    return finite;
}

/* The scale of pictures of particles. Checkpoints of earlier versions do not have it. */
static void read_white(struct json_object *white, struct output_past *past)
{
    struct json_object *level = white ? json_member(white, "level", json_type_double) : NULL;
    uint64_t weighs = 0;
    if (!level || !(json_object_get_double(level) > 1) || !isfinite(json_object_get_double(level)) ||
        !read_step(white, "pixels", UINT32_MAX, &past->white_pixels) || !read_step(white, "mass", 1, &weighs))
        return;
    past->white = json_object_get_double(level);
    past->white_weighs = weighs == 1;
}

/* The bytes of a table, which most runs do not have. */
static bool read_bytes(struct json_object *json, const char *key, uint64_t *bytes)
{
    if (!read_step(json, key, INT64_MAX, bytes))
        return false;
    *bytes = *bytes == UINT64_MAX ? 0 : *bytes;
    return true;
}

/* The steps that are recorded are not later than the state, and sizes are those that a file can have. Most checkpoints
 * have no range of depth. */
static bool read_output(struct json_object *json, uint64_t step, struct output_past *past)
{
    read_white(json ? json_member(json, "white", json_type_object) : NULL, past);
    read_reals(json ? json_member(json, "depth", json_type_array) : NULL, past->depth, 2);
    return json && read_step(json, "written", step, &past->written) && read_step(json, "row", step, &past->row) &&
           read_step(json, "metrics_bytes", INT64_MAX, &past->metrics_bytes) && past->metrics_bytes != UINT64_MAX &&
           read_step(json, "analysis_metrics_bytes", INT64_MAX, &past->analysis_metrics_bytes) &&
           past->analysis_metrics_bytes != UINT64_MAX && read_step(json, "hashed", step, &past->hashed) &&
           read_bytes(json, "hashes_bytes", &past->hashes_bytes) &&
           read_bytes(json, "universes_bytes", &past->universes_bytes) &&
           read_reals(json_member(json, "bounds", json_type_array), past->bounds, 4);
}

static bool read_analysis(struct json_object *json, uint64_t step, struct checkpoint_record *record)
{
    if (!read_step(json, "analysis_frames", step + 1, &record->analysis_frames) ||
        !read_step(json, "analysis_last", step, &record->analysis_last))
        return false;
    if (record->analysis_frames == UINT64_MAX)
        record->analysis_frames = 0;
    return true;
}

/* A hash of 32 hexadecimal digits, or "". */
static bool read_hash(struct json_object *object, const char *key, char hash[HASH_TEXT])
{
    struct json_object *json = json_member(object, key, json_type_string);
    const char *text = json ? json_object_get_string(json) : "-";
    const size_t length = strlen(text);
    if (strspn(text, "0123456789abcdef") != length || (length != 0 && length != HASH_TEXT - 1))
        return false;
    memcpy(hash, text, length + 1);
    return true;
}

/* Reads the metrics of the first look; null: one that was not finite. */
static bool read_first(struct json_object *list, struct until_memory *until)
{
    const size_t count = list ? json_object_array_length(list) : UNTIL_ERRORS_MAX + 1;
    for (size_t i = 0; i < count && count <= UNTIL_ERRORS_MAX; i++) {
        struct json_object *value = json_object_array_get_idx(list, i);
        until->first[until->metrics++] = value ? json_object_get_double(value) : NAN;
    }
    return count <= UNTIL_ERRORS_MAX;
}

static bool read_until(struct json_object *json, uint64_t step, struct checkpoint_record *record)
{
    struct until_memory *until = &record->until;
    record->has_until = json;
    if (!json)
        return true;
    struct json_object *again = json_member(json, "again", json_type_boolean);
    until->again = again && json_object_get_boolean(again);
    return again && read_first(json_member(json, "first", json_type_array), until) &&
           read_step(json, "start", step, &until->start) && until->start != UINT64_MAX &&
           read_step(json, "looked", step, &until->looked) && read_step(json, "kept", step, &until->kept) &&
           until->kept != UINT64_MAX && read_step(json, "looks", step + 1, &until->looks) &&
           until->looks != UINT64_MAX && read_step(json, "limit", INT64_MAX, &until->limit) &&
           until->limit != UINT64_MAX && read_hash(json, "hash", until->hash) &&
           read_hash(json, "kept_hash", until->kept_hash);
}

/* Records of older engines have sentences for keys, in `subject`. */
static struct json_object *read_identity(struct json_object *json)
{
    struct json_object *subject = json_member(json, "subject", json_type_object);
    return subject ? identity_of_sentences(subject) : json_object_get(json_member(json, "identity", json_type_object));
}

int record_read(const struct context *context, const char *text, uint64_t step, struct checkpoint_record *record,
                struct engine_error *error)
{
    struct json_object *json;
    *record = (struct checkpoint_record){0};
    if (json_parse_object(text, strlen(text), &json, error) != 0)
        return error_prefix(error, "is not a checkpoint: its record ");
    struct json_object *output = json_member(json, "output", json_type_object);
    struct json_object *series = json_member(output, "series", json_type_array);
    const size_t count = series ? json_object_array_length(series) : 0;
    record->output.series = calloc(count + 1, sizeof *record->output.series);
    if (!record->output.series) {
        json_object_put(json);
        return error_memory(error, count * sizeof *record->output.series, "the record of a checkpoint");
    }
    record->identity = read_identity(json);
    record->computed = json_object_get(json_member(json, "computed", json_type_object));
    record->earlier = json_object_get(json_member(json, "computed_before", json_type_array));
    const bool good = record->identity && read_analysis(json, step, record) &&
                      read_until(json_object_object_get(json, "until"), step, record) &&
                      read_output(output, step, &record->output) &&
                      read_all_series(context, series, step, &record->output);
    json_object_put(json);
    return good ? 0
                : error_set(error, ENGINE_STATUS_INPUT,
                            "is not a checkpoint: its record of what the run had written is missing or wrong: the file "
                            "is damaged, or another program wrote it");
}

void record_release(struct checkpoint_record *record)
{
    free(record->output.series);
    json_object_put(record->identity);
    json_object_put(record->computed);
    json_object_put(record->earlier);
    *record = (struct checkpoint_record){0};
}
