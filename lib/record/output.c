#include "record/output.h"
#include "files/formats.h"
#include "files/run_folder.h"
#include "record/state_document.h"
#include "record/view.h"

#include <stdlib.h>
#include <string.h>

static struct output_series *current_series(const struct output *output)
{
    return &output->series[output->series_count - 1];
}

/* ---- Metrics ------------------------------------------------------------------------------------------------ */

static int open_metrics(struct output *output, struct metrics *metrics, struct instance *instance, const char *name,
                        uint64_t bytes, struct engine_error *error)
{
    if (metrics_open(metrics, instance, output->files.folder, name, bytes, error) != 0)
        return error->status;
    const struct rows *table = &metrics->table;
    return table->file && table->folder ? output_files_list(&output->files, table->name, error) : 0;
}

const char *output_metrics_name(const struct plan *plan, bool analysis, char name[192])
{
    snprintf(name, 192, "%.128s%s" FOLDER_METRICS, analysis ? plan->plugin->about.name : "", analysis ? "-" : "");
    return name;
}

static int open_all_metrics(struct output *output, const struct output_past *past, struct engine_error *error)
{
    char name[192];
    if (open_metrics(output, &output->metrics, output->instance,
                     output_metrics_name(output->instance->state->plan, false, name), past->metrics_bytes,
                     error) != 0 ||
        metrics_open_universes(&output->metrics, output->files.folder, past->universes_bytes, error) != 0 ||
        (output->metrics.universes.file && output_files_list(&output->files, FOLDER_UNIVERSES, error) != 0))
        return error->status;
    return output->analysis ? open_metrics(output, &output->analysis_metrics, output->analysis->instance,
                                           output_metrics_name(output->analysis->state->plan, true, name),
                                           past->analysis_metrics_bytes, error)
                            : 0;
}

static int open_hashes(struct output *output, const struct output_past *past, struct engine_error *error)
{
    if (hashes_open(&output->hashes, output->instance->state, output->files.folder, past->hashes_bytes, error) != 0)
        return error->status;
    return output->hashes.table.file ? output_files_list(&output->files, FOLDER_HASHES, error) : 0;
}

/* ---- Pictures ----------------------------------------------------------------------------------------------- */

/* Do pictures show particles as before the run was resumed? */
static bool is_same_view(const struct io_options *how, const struct output_past *past)
{
    return memcmp(how->bounds, past->bounds, sizeof how->bounds) == 0 && how->pixels == past->white_pixels &&
           how->weigh == past->white_weighs;
}

/* All pictures of particles show the bounds and the depth of the initial state, unless the settings give them. */
static int fix_bounds(struct output *output, const struct output_past *past, struct engine_error *error)
{
    struct state *state = output->instance->state;
    struct io_document *document;
    if (!(output->files.how.bounds[0] < output->files.how.bounds[1])) /* not given */
        memcpy(output->files.how.bounds, past->bounds, sizeof past->bounds);
    if (!output->files.how.slab)
        memcpy(output->files.how.depth, past->depth, sizeof past->depth);
    bool pictures = false;
    const struct output_settings *settings = output_settings(state->plan);
    for (uint32_t f = 0; f < settings->format_count; f++)
        pictures = pictures || io_is_picture(settings->formats[f]);
    if (!pictures)
        return 0;
    if (!(output->files.how.white > 0) && is_same_view(&output->files.how, past))
        output->files.how.white = past->white;
    if (state_document_open(state, &document, error) != 0)
        return error->status;
    const int status = view_fix_bounds(document, &output->files.how, error);
    document->close(document);
    return status;
}

/* The time of a step: the value of the plugin's parameter `dt`, if its unit is "time"; otherwise 0. */
static double time_of_step(const struct plan *plan)
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    for (uint32_t i = 0; i < params->count; i++)
        if (strcmp(params->at[i].name, "dt") == 0 && params->at[i].unit && strcmp(params->at[i].unit, "time") == 0)
            return plan->for_plugin.params.at[i].real;
    return 0;
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static uint64_t next_multiple(uint64_t every, uint64_t step)
{
    return every ? (step / every + 1) * every : UINT64_MAX;
}

uint64_t output_next(const struct output *output)
{
    const struct state *state = output->instance->state;
    const struct output_settings *settings = output_settings(state->plan);
    const uint64_t next = next_multiple(current_series(output)->every, state->step);
    const bool rows = output->metrics.table.file || output->analysis_metrics.table.file;
    const uint64_t row = rows ? next_multiple(settings->metrics_every, state->step) : UINT64_MAX;
    const uint64_t hash = next_multiple(hashes_every(&output->hashes), state->step);
    return next < row ? (next < hash ? next : hash) : row < hash ? row : hash;
}

static int write_states(struct output *output, uint64_t step, bool final, struct engine_error *error)
{
    const struct output_series *series = current_series(output);
    const struct state *state = output->instance->state;
    final = final || state->step == state->plan->settings.steps;
    if (output_files_write(&output->files, output->instance, series, step, final, error) != 0 ||
        (output->analysis &&
         output_files_write(&output->files, output->analysis->instance, series, step, final, error) != 0))
        return error->status;
    output->written = current_series(output)->last = step;
    return 0;
}

/* Adds a row to the metrics of the run and to those of its analysis. */
static int write_row(struct output *output, uint64_t step, struct engine_error *error)
{
    if (metrics_write(&output->metrics, step, error) != 0 ||
        (output->analysis_metrics.table.file && analysis_follow(output->analysis, error) != 0) ||
        metrics_write(&output->analysis_metrics, step, error) != 0)
        return error->status;
    output->row = step;
    return 0;
}

/* Measures for the summary, where the row of this step was written before the run was resumed. */
static int measure_again(struct output *output, struct engine_error *error)
{
    if (!output->metrics.measured && metrics_measure(&output->metrics, error) != 0)
        return error->status;
    if (output->analysis_metrics.measured || !output->analysis_metrics.table.file)
        return 0;
    return analysis_follow(output->analysis, error) != 0 ? error->status
                                                         : metrics_measure(&output->analysis_metrics, error);
}

static bool is_multiple(uint64_t step, uint64_t every)
{
    return every && step % every == 0;
}

/* Adds the row of hashes that is due. */
static int write_hash(struct output *output, bool final, struct engine_error *error)
{
    const uint64_t step = output->instance->state->step, every = hashes_every(&output->hashes);
    if (output->hashed == step || !(is_multiple(step, every) || (final && every)))
        return 0;
    output->hashed = step;
    return hashes_write(&output->hashes, error);
}

int output_write(struct output *output, bool final, struct engine_error *error)
{
    const struct state *state = output->instance->state;
    const bool due = final || is_multiple(state->step, current_series(output)->every);
    const bool row_due = due || is_multiple(state->step, output_settings(state->plan)->metrics_every);
    if (due && output->written != state->step && write_states(output, state->step, final, error) != 0)
        return error->status;
    if (row_due && output->row != state->step && write_row(output, state->step, error) != 0)
        return error->status;
    const int status = write_hash(output, final, error);
    if (status != 0 || !final)
        return status;
    if (output_files_finish(&output->files, error) != 0 || measure_again(output, error) != 0)
        return error->status;
    return output_files_encode(&output->files, current_series(output), error);
}

/* ---- Going on from a checkpoint ----------------------------------------------------------------------------- */

/* Counts the frames of films that were written in [from, last), in a series that has no other files. */
static void count_frames(struct output *output, uint64_t from, uint64_t last)
{
    const struct output_series *series = current_series(output);
    const uint64_t every = series->every;
    const uint64_t frames = every ? (last + every - 1) / every - (from + every - 1) / every : 0;
    for (uint32_t i = 0; i < output->files.count; i++) {
        const struct io_format *format = NULL;
        struct engine_error ignored;
        formats_find_ending(output->instance->state->plan->context, output->files.list[i].name, &format, &ignored);
        for (uint32_t f = 0; f < series->format_count; f++)
            if (series->formats[f] == format && io_grows(format))
                output->files.list[i].frames += frames;
    }
}

/* Lists the files of the current series that were written at step `from` or later. */
static int recall_series(struct output *output, uint64_t from, struct engine_error *error)
{
    struct output_series *series = current_series(output);
    const uint64_t last = series->last;
    int status = 0;
    for (uint64_t step = output_series_has_files(series) ? from : last; status == 0 && step < last;
         step = next_multiple(series->every, step))
        if (is_multiple(step, series->every))
            status = write_states(output, step, false, error);
    if (status == 0)
        status = write_states(output, last, false, error);
    if (status == 0 && !output_series_has_files(series) && from < last)
        count_frames(output, from, last);
    return status;
}

static int recall(struct output *output, const struct output_past *past, struct engine_error *error)
{
    uint64_t from = 0;
    int status = 0;
    output->files.listing_only = true;
    for (uint32_t i = 0; status == 0 && i < past->series_count; i++) {
        output->series[output->series_count++] = past->series[i];
        if (past->series[i].last < from) /* this series wrote no file */
            continue;
        status = recall_series(output, from, error);
        from = past->series[i].last + 1;
    }
    output->files.listing_only = false;
    output->written = past->written;
    output->row = past->row;
    output->hashed = past->hashed;
    return status;
}

static int cut_animation(const struct output *output, const struct io_format *format, const struct output_file *file,
                         struct engine_error *error)
{
    const struct folder *folder = output->files.folder;
    bool found;
    if (folder_has(folder, file->name, &found, error) != 0)
        return error->status;
    if (!found)
        return error_set(error, ENGINE_STATUS_OUTPUT,
                         "%s: there is no such file; the run adds frames to it: put it back, or set other [output] "
                         "formats",
                         file->path);
    return io_cut(format, folder, file->name, file->frames, error);
}

/* Removes from animations the frames that were appended after the checkpoint, or only in part. */
static int cut_animations(const struct output *output, struct engine_error *error)
{
    for (uint32_t i = 0; output->written != UINT64_MAX && i < output->files.count; i++) {
        const struct output_file *file = &output->files.list[i];
        const struct io_format *format = NULL;
        struct engine_error ignored;
        formats_find_ending(output->instance->state->plan->context, file->name, &format, &ignored);
        if (format && io_grows(format) && cut_animation(output, format, file, error) != 0)
            return error->status;
    }
    return 0;
}

/* Lists the fields that the parameters ask for, or "" for all. */
static void list_asked(const struct output *output, char fields[OUTPUT_FIELDS_MAX])
{
    const struct instance *const instances[] = {output->instance, output->analysis ? output->analysis->instance : NULL};
    size_t used = 0;
    bool all = true;
    for (int k = 0; k < 2 && instances[k]; k++) {
        const struct plan *plan = instances[k]->state->plan;
        for (uint32_t i = 0; i < plan->plugin->about.fields.count && used < OUTPUT_FIELDS_MAX; i++) {
            const struct engine_field *field = &plan->plugin->about.fields.at[i];
            const bool written = plan_is_result(field) && plan_is_asked(plan, field);
            all = all && (written || !plan_is_result(field));
            if (written)
                used += (size_t) snprintf(fields + used, OUTPUT_FIELDS_MAX - used, " %s", field->name);
        }
    }
    if (all || used >= OUTPUT_FIELDS_MAX)
        *fields = '\0';
}

/* Begins a series, unless the settings are those of the last one. */
static void begin_series(struct output *output)
{
    const struct output_settings *settings = output_settings(output->instance->state->plan);
    struct output_series series = {
        .every = settings->every, .format_count = settings->format_count, .selection = settings->selection};
    memcpy(series.formats, settings->formats, sizeof series.formats);
    memcpy(series.fields, settings->fields, sizeof series.fields);
    if (!*series.fields && (output->series_count == 0 || *current_series(output)->fields)) /* older engines wrote all */
        list_asked(output, series.fields);
    if (output->series_count > 0) {
        const struct output_series *before = current_series(output);
        series.last = before->last;
        if (before->every == series.every && before->format_count == series.format_count &&
            strcmp(before->fields, series.fields) == 0 && selection_is_same(&before->selection, &series.selection) &&
            memcmp(before->formats, series.formats, series.format_count * sizeof series.formats[0]) == 0)
            return;
    }
    output->series[output->series_count++] = series;
}

struct output_past output_past(const struct output *output)
{
    struct output_past past = {.written = output->written,
                               .row = output->row,
                               .hashed = output->hashed,
                               .metrics_bytes = output->metrics.table.bytes,
                               .analysis_metrics_bytes = output->analysis_metrics.table.bytes,
                               .hashes_bytes = output->hashes.table.bytes,
                               .universes_bytes = output->metrics.universes.bytes,
                               .series = output->series};
    memcpy(past.bounds, output->files.how.bounds, sizeof past.bounds);
    memcpy(past.depth, output->files.how.depth, sizeof past.depth);
    past.white = output->files.how.white;
    past.white_pixels = output->files.how.pixels;
    past.white_weighs = output->files.how.weigh;
    past.series_count = output->written == UINT64_MAX ? 0 : output->series_count;
    return past;
}

int output_sync(struct output *output, struct engine_error *error)
{
    struct output_files *files = &output->files;
    bool any = false;
    if (output_files_finish(files, error) != 0 || rows_sync(&output->metrics.table, error) != 0 ||
        rows_sync(&output->analysis_metrics.table, error) != 0 || rows_sync(&output->hashes.table, error) != 0 ||
        rows_sync(&output->metrics.universes, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < files->count; i++) {
        struct output_file *file = &files->list[i];
        if (file->unsynced && folder_sync_file(files->folder, file->name, error) != 0)
            return error->status;
        any = any || file->unsynced;
        file->unsynced = false;
    }
    return any ? folder_sync(files->folder, error) : 0;
}

int output_check(const struct output *output, struct engine_error *error)
{
    const struct output_files *files = &output->files;
    for (uint32_t i = 0; i < files->count; i++) {
        bool found = true;
        if (files->list[i].written && folder_has(files->folder, files->list[i].name, &found, error) != 0)
            return error->status;
        if (!found)
            return error_set(error, ENGINE_STATUS_OUTPUT,
                             "%s: the run wrote this file, and it was removed before the run had ended",
                             files->list[i].path);
    }
    return 0;
}

/* ---- Opening and closing ------------------------------------------------------------------------------------ */

static int start(struct output *output, const struct output_past *past, struct engine_error *error)
{
    output->series = calloc(past->series_count + 1, sizeof *output->series);
    if (!output->series)
        return error_memory(error, past->series_count, "output");
    if (fix_bounds(output, past, error) != 0 || open_all_metrics(output, past, error) != 0 ||
        open_hashes(output, past, error) != 0 || recall(output, past, error) != 0 || cut_animations(output, error) != 0)
        return error->status;
    begin_series(output);
    return 0;
}

int output_open(struct instance *instance, struct analysis *analysis, const struct folder *folder,
                const struct output_past *past, struct output **out, struct engine_error *error)
{
    static const struct output_past none = {.written = UINT64_MAX, .row = UINT64_MAX, .hashed = UINT64_MAX};
    const struct plan *plan = instance->state->plan;
    struct output *output = calloc(1, sizeof *output);
    *out = NULL;
    if (!output)
        return error_memory(error, sizeof *output, "output");
    output->instance = instance;
    output->analysis = analysis;
    output->files.folder = folder;
    output->files.how = output_settings(plan)->how;
    output->files.how.time_step = time_of_step(plan);
    if (start(output, past ? past : &none, error) != 0) {
        output_close(output);
        return error->status;
    }
    *out = output;
    return 0;
}

void output_close(struct output *output)
{
    if (!output)
        return;
    output_files_close(&output->files);
    metrics_close(&output->metrics);
    metrics_close(&output->analysis_metrics);
    hashes_close(&output->hashes);
    free(output->series);
    free(output);
}

/* ---- As an observer ----------------------------------------------------------------------------------------- */

static uint64_t observer_next(void *self)
{
    return output_next(self);
}

static int observer_see(void *self, enum moment moment, const struct loop_view *view, struct engine_error *error)
{
    (void) view;
    if (moment == MOMENT_CLOSE)
        return output_sync(self, error) != 0 ? error->status : output_check(self, error);
    return moment <= MOMENT_DUE || moment == MOMENT_FINAL ? output_write(self, moment == MOMENT_FINAL, error) : 0;
}

struct observer output_observer(struct output *output)
{
    return (struct observer){.self = output, .next = observer_next, .see = observer_see};
}
