/* The results of an ensemble: the row of a member, ensemble.json, and the summary for people. */
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "ensemble/ensemble.h"
#include "files/json.h"
#include "files/replace.h"
#include "files/run_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A row ------------------------------------------------------------------------------------------------------ */

static void print_values(FILE *to, const struct ensemble *ensemble, uint64_t member)
{
    fprintf(to, "%llu,", (unsigned long long) member);
    for (uint32_t i = 0; i < ensemble->sweeps.count; i++) {
        const struct sweep *sweep = &ensemble->sweeps.at[i];
        const char *value = sweep_value(&ensemble->sweeps, i, member - 1);
        for (uint32_t k = 0; k < sweep->key_count; k++) {
            char part[SWEEP_VALUE_MAX + 1];
            const size_t length = sweep->key_count > 1 ? strcspn(value, ":") : strlen(value);
            snprintf(part, sizeof part, "%.*s", (int) length, value);
            tables_print(to, part, ',');
            value += length + 1;
        }
    }
}

/* The metrics and the hash of a run or of its analysis, or empty cells. */
static void print_metrics(FILE *to, const struct engine_measured *measured)
{
    for (uint32_t i = 0; i < measured->about->metrics.count; i++)
        if (measured->values)
            fprintf(to, "%.17g,", measured->values[i]);
        else
            fputc(',', to);
    fprintf(to, "%s,", measured->hash);
}

static void print_row(FILE *to, const struct ensemble *ensemble, const struct result *result,
                      const struct outcome *outcome)
{
    const struct tables_row *row = &result->row;
    print_values(to, ensemble, row->member);
    fprintf(to, "%s,%llu,%.6g,", tables_states[row->state], (unsigned long long) row->steps, outcome->seconds);
    if (ensemble->exchange > 0 && outcome->tries > 0)
        fprintf(to, "%llu,%.6g,", (unsigned long long) outcome->tries,
                (double) outcome->accepted / (double) outcome->tries);
    else if (ensemble->exchange > 0)
        fputs(",,", to);
    for (int p = 0; p < TABLE_SERIES && outcome->measured[p].about; p++)
        print_metrics(to, &outcome->measured[p]);
    tables_print(to, outcome->ended ? outcome->ended : "", ',');
    tables_print(to, result->why.status ? result->why.text : "", '\n');
}

/* Takes the metrics of a member over time. Those of a run with a folder are in a file there. */
static int take_series(struct result *result, uint32_t series, const struct engine_run *run,
                       const struct engine_measured *measured, struct engine_error *error)
{
    struct folder *folder;
    size_t bytes;
    result->series[series] = measured->rows;
    if (measured->rows || !*measured->file)
        return 0;
    if (folder_open(engine_run_folder(run), &folder, error) != 0)
        return error->status;
    const int status = folder_read(folder, measured->file, UINT64_MAX >> 1, &result->owned[series], &bytes, error);
    result->series[series] = result->owned[series];
    folder_close(folder);
    return status;
}

static int check_executed(const struct ensemble *ensemble, const struct engine_measured *measured,
                          struct engine_error *error)
{
    return *measured->hash && strcmp(measured->about->name, ensemble->measured[0].about->name) == 0
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE,
                           "expected the run of a member of the ensemble, which engine_run_execute has executed");
}

/* Finds out how the executed run of a member has ended. */
static int take_outcome(const struct ensemble *ensemble, const struct engine_run *run, const struct engine_error *why,
                        struct outcome *outcome, struct engine_error *error)
{
    struct engine_result ended = {.size = sizeof ended};
    if (run)
        engine_run_result(run, &ended);
    *outcome = (struct outcome){.state = why             ? TABLE_FAILED
                                         : ended.stopped ? TABLE_STOPPED
                                                         : TABLE_DONE,
                                .steps = ended.step,
                                .seconds = ended.seconds,
                                .why = why};
    memcpy(outcome->measured, ensemble->measured, sizeof outcome->measured);
    if (outcome->state != TABLE_DONE)
        return 0;
    outcome->ended = engine_run_ended(run);
    for (uint32_t p = 0; p < TABLE_SERIES; p++)
        if (engine_run_measured(run, (int) p, &outcome->measured[p], error) != 0)
            return error->status;
    return check_executed(ensemble, &outcome->measured[0], error);
}

/* Makes the row of a member. `run` has the files of a member with a folder; or NULL. */
static int make_result(const struct ensemble *ensemble, uint64_t member, const struct engine_run *run,
                       const struct outcome *outcome, struct result *result, struct engine_error *error)
{
    size_t bytes = 0;
    *result = (struct result){.row = {.member = member, .steps = outcome->steps, .state = outcome->state}};
    if (outcome->why)
        result->why = *outcome->why;
    for (uint32_t p = 0; outcome->state == TABLE_DONE && p < TABLE_SERIES; p++)
        if (take_series(result, p, run, &outcome->measured[p], error) != 0)
            return error->status;
    FILE *to = open_memstream(&result->row.line, &bytes);
    if (to)
        print_row(to, ensemble, result, outcome);
    return to && text_stream_close(to, &result->row.line) ? 0 : error_memory(error, bytes, "the row of a member");
}

/* Counts the members that have ended since the tables were opened. */
static void count_result(struct ensemble *ensemble, const struct result *result)
{
    ensemble->done += result->row.state == TABLE_DONE;
    ensemble->failed += result->row.state == TABLE_FAILED;
    if (result->row.state == TABLE_FAILED &&
        (ensemble->first_failed == 0 || result->row.member < ensemble->first_failed)) {
        ensemble->first_failed = result->row.member;
        ensemble->why = result->why;
    }
}

int ensemble_keep(struct ensemble *ensemble, struct result *result, struct engine_error *error)
{
    for (uint32_t s = 0; s < TABLE_SERIES; s++)
        if (result->series[s] &&
            tables_add_series(&ensemble->tables, s, result->row.member, result->series[s], error) != 0)
            return error->status;
    count_result(ensemble, result);
    const struct tables_row row = result->row;
    result->row.line = NULL;
    return tables_add(&ensemble->tables, row, error);
}

static int record(struct ensemble *ensemble, uint64_t member, const struct engine_run *run,
                  const struct outcome *outcome, struct engine_error *error)
{
    struct result result;
    int status = make_result(ensemble, member, run, outcome, &result, error);
    if (status == 0)
        status = ensemble->elsewhere ? packed_results_put(&ensemble->packed, &result, error)
                                     : ensemble_keep(ensemble, &result, error);
    result_release(&result);
    return status;
}

int ensemble_record(struct ensemble *ensemble, uint64_t member, const struct engine_run *run,
                    const struct engine_error *why, struct engine_error *error)
{
    struct outcome outcome;
    return take_outcome(ensemble, run, why, &outcome, error) != 0 ? error->status
                                                                  : record(ensemble, member, run, &outcome, error);
}

int ensemble_record_outcome(struct ensemble *ensemble, uint64_t member, const struct outcome *outcome,
                            struct engine_error *error)
{
    return record(ensemble, member, NULL, outcome, error);
}

/* ---- ensemble.json ---------------------------------------------------------------------------------------------- */

static uint64_t count_of(const struct ensemble *ensemble, enum tables_state state)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < ensemble->tables.count; i++)
        count += ensemble->tables.rows[i].state == state;
    return count;
}

/* What comes before the rows. */
static struct json_object *head_json(const struct ensemble *ensemble)
{
    const struct engine_plugin *about = ensemble->measured[0].about;
    struct json_object *json = json_new_object();
    char text[128], name[32];
    machine_date(text);
    json_add_text(json, "engine", machine_version());
    json_add_text(json, "date", text);
    json_add_text(json, "processor", machine_processor(text));
    json_add_text(json, "plugin", about->name);
    json_add_text(json, "plugin_version", about->version);
    json_add_text(json, "device", ensemble->about.device);
    json_add_text(json, "sweep", engine_config_get(ensemble->config, "ensemble", "sweep"));
    json_add_count(json, "members", ensemble->count);
    for (int state = 0; tables_states[state]; state++) {
        snprintf(name, sizeof name, "%s", tables_states[state]);
        json_add_count(json, name, count_of(ensemble, (enum tables_state) state));
    }
    json_add_count(json, "at_once", ensemble->at_once);
    if (ensemble->transport)
        json_add_count(json, "ranks", ensemble->transport->ranks);
    return json;
}

/* A cell as a number where it is one. */
static struct json_object *cell_json(const char *cell)
{
    char *end;
    const double number = strtod(cell, &end);
    if (*cell == '\0')
        return NULL;
    if (*end || !strchr("-+.0123456789", *cell))
        return json_new_text(cell);
    return number == rint(number) && fabs(number) < 9e15 ? json_new_integer((int64_t) number) : json_new_real(number);
}

/* An object with the columns of the table as its members. */
static struct json_object *row_json(const struct tables *tables, const struct tables_row *row)
{
    struct json_object *json = json_new_object();
    const char *titles = tables->header, *at = row->line;
    char title[256], cell[4096];
    while (tables_cell(&titles, title, sizeof title)) {
        if (!tables_cell(&at, cell, sizeof cell))
            *cell = '\0';
        const size_t length = strlen(title);
        const bool text = length >= 4 && strcmp(title + length - 4, "hash") == 0; /* digits alone, perhaps */
        json_add(json, title, text && *cell ? json_new_text(cell) : cell_json(cell));
    }
    return json;
}

/* Prints objects line by line: json-c would need several times the memory for all of them. */
static int print_json(FILE *to, const struct ensemble *ensemble, struct engine_error *error)
{
    char *text;
    if (json_take_text(head_json(ensemble), JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, &text, error) !=
        0)
        return error->status;
    fprintf(to, "%.*s,\n  \"rows\": [", (int) (strlen(text) - 2), text); /* without the brace and its line feed */
    free(text);
    for (uint64_t i = 0; i < ensemble->tables.count; i++) {
        struct json_object *row = row_json(&ensemble->tables, &ensemble->tables.rows[i]);
        if (json_take_text(row, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &text, error) != 0)
            return error->status;
        fprintf(to, "%s\n    %s", i ? "," : "", text);
        free(text);
    }
    fprintf(to, "\n  ]\n}\n");
    return 0;
}

/* ---- For people ------------------------------------------------------------------------------------------------- */

/* Prints the mean and the range of each metric over the members that are done. */
static void print_statistics(FILE *to, const struct ensemble *ensemble)
{
    const struct engine_metric_array *metrics = &ensemble->measured[0].about->metrics;
    const struct tables *tables = &ensemble->tables;
    for (uint32_t m = 0; m < metrics->count; m++) {
        double sum = 0, low = INFINITY, high = -INFINITY;
        uint64_t count = 0;
        for (uint64_t i = 0; i < tables->count; i++) {
            const char *titles = tables->header, *at = tables->rows[i].line;
            char title[256], cell[2048], *end;
            while (tables->rows[i].state == TABLE_DONE && tables_cell(&titles, title, sizeof title) &&
                   tables_cell(&at, cell, sizeof cell) && strcmp(title, metrics->at[m].name) != 0) {
            }
            const double value = strtod(cell, &end);
            if (tables->rows[i].state != TABLE_DONE || strcmp(title, metrics->at[m].name) != 0 || end == cell)
                continue;
            sum += value, low = fmin(low, value), high = fmax(high, value), count++;
        }
        if (count > 0)
            fprintf(to, "  %-14s %.6g on average, %.6g to %.6g\n", metrics->at[m].name, sum / (double) count, low,
                    high);
    }
}

static void print_text(FILE *to, const struct ensemble *ensemble)
{
    const uint64_t done = count_of(ensemble, TABLE_DONE), failed = count_of(ensemble, TABLE_FAILED);
    const double seconds = machine_clock() - ensemble->opened;
    char threads[64], where[64] = "";
    if (ensemble->transport)
        snprintf(where, sizeof where, " in each of %u processes", ensemble->transport->ranks);
    fprintf(to, "%s/%s on %s, %u at once%s, each on %s\n", ensemble->measured[0].about->name,
            engine_run_impl(ensemble->first)->name, ensemble->about.device, ensemble->at_once, where,
            text_count(ensemble->threads ? ensemble->threads : ensemble->about.threads, "thread", threads));
    fprintf(to, "  %-14s %llu: %llu done, %llu failed\n", "members", (unsigned long long) ensemble->count,
            (unsigned long long) done, (unsigned long long) failed);
    if (done > ensemble->found)
        fprintf(to, "  %-14s %.4g members a second, %llu in %.3f s\n", "rate",
                (double) (done - ensemble->found) / seconds, (unsigned long long) (done - ensemble->found), seconds);
    print_statistics(to, ensemble);
    fprintf(to, "  %-14s %s/" FOLDER_MEMBERS "\n", "output", ensemble->folder->path);
    fprintf(to, "  %-14s %s/" FOLDER_ENSEMBLE_SUMMARY "\n", "", ensemble->folder->path);
    for (int s = 0; s < TABLE_SERIES; s++)
        if (ensemble->tables.series[s].header)
            fprintf(to, "  %-14s %s/%s\n", "", ensemble->folder->path, ensemble->tables.series[s].name);
}

int ensemble_print(const struct ensemble *ensemble, bool as_json, char **text, struct engine_error *error)
{
    size_t bytes = 0;
    *text = NULL;
    FILE *to = open_memstream(text, &bytes);
    int status = to ? 0 : error_memory(error, bytes, "the results of an ensemble");
    if (to && as_json)
        status = print_json(to, ensemble, error);
    else if (to)
        print_text(to, ensemble);
    if (to && !text_stream_close(to, text) && status == 0)
        status = error_memory(error, bytes, "the results of an ensemble");
    if (status != 0) {
        free(*text);
        *text = NULL;
    }
    return status;
}

int ensemble_finish(struct ensemble *ensemble, struct engine_error *error)
{
    char *json;
    if (tables_finish(&ensemble->tables, error) != 0 || ensemble_print(ensemble, true, &json, error) != 0)
        return error->status;
    const int status = replace_text(ensemble->folder, FOLDER_ENSEMBLE_SUMMARY, json, error);
    free(json);
    return status;
}
