#include "judge/bench_print.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 1024 };

static const char *value(const struct bench *bench, const struct bench_row *row, uint32_t sweep)
{
    return sweep_value(bench->sweeps, bench->sweep_count, sweep, row->combination);
}

/* ---- What goes before --------------------------------------------------------------------------------------- */

static void print_limits(FILE *to, const struct bench_limits *entry)
{
    const struct {
        const char *name, *unit;
        double rate;
    } limits[] = {{"copy", "B/s", entry->limits.copy},
                  {"logic", "/s", entry->limits.logic},
                  {"fma", "/s", entry->limits.fma},
                  {"fma64", "/s", entry->limits.fma64}};
    char number[32];
    fprintf(to, "limits   %s, %u thread%s:", entry->device->name, entry->threads, entry->threads == 1 ? "" : "s");
    for (int i = 0; i < 4; i++)
        fprintf(to, "%s %s %s%s", i ? "," : "", limits[i].name, text_si(limits[i].rate, number), limits[i].unit);
    fprintf(to, "\n");
}

int bench_print_heading(FILE *to, const struct bench *bench, const char *command, struct engine_error *error)
{
    (void) error;
    char processor[128], date[32];
    fprintf(to, "engine   %s\n", machine_version());
    fprintf(to, "machine  %s\n", machine_processor(processor));
    fprintf(to, "date     %s\n", machine_date(date));
    fprintf(to, "command  %s\n", command);
    if (bench->subject[0])
        fprintf(to, "subject  %s\n", bench->subject);
    for (uint32_t i = 0; i < bench->limits_count; i++)
        print_limits(to, &bench->limits[i]);
    return 0;
}

/* ---- The table ---------------------------------------------------------------------------------------------- */

/* Each column writes the text of a row; the table's columns are as wide as their widest text. */
struct column {
    const char *title;
    void (*write)(const struct bench_row *row, char text[CELL]);
};

static void write_impl(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%s", row->impl);
}

static void write_threads(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%u", row->threads);
}

static void write_steps(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%llu", (unsigned long long) row->steps);
}

static void write_median(const struct bench_row *row, char text[CELL])
{
    const double seconds = row->time.median;
    if (seconds >= 1)
        snprintf(text, CELL, "%.3f s", seconds);
    else if (seconds >= 1e-3)
        snprintf(text, CELL, "%.1f ms", seconds * 1e3);
    else
        snprintf(text, CELL, "%.1f us", seconds * 1e6);
}

static void write_quartiles(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%+.1f %+.1f %%", 100 * (row->time.first_quartile / row->time.median - 1),
             100 * (row->time.third_quartile / row->time.median - 1));
}

static void write_range(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%+.1f %+.1f %%", 100 * (row->time.min / row->time.median - 1),
             100 * (row->time.max / row->time.median - 1));
}

static void write_rate(const struct bench_row *row, char text[CELL])
{
    char number[32];
    snprintf(text, CELL, "%s%s/s", text_si(row->rate, number), row->unit);
}

static void write_share(const struct bench_row *row, char text[CELL])
{
    if (row->limit)
        snprintf(text, CELL, "%.1f %% %s", 100 * row->share, row->limit);
}

static void write_speedup(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%.*f", row->speedup < 99.95 ? 2 : 0, row->speedup);
}

static void write_check(const struct bench_row *row, char text[CELL])
{
    if (row->confirmed)
        snprintf(text, CELL, "hash equal at step %llu", (unsigned long long) row->confirmed);
    else
        snprintf(text, CELL, "%s", row->exact ? "nothing to compare its hash with" : "not exact: see engine verify");
}

static const struct column columns[] = {
    {"threads", write_threads},     {"steps", write_steps},      {"median", write_median},
    {"quartiles", write_quartiles}, {"range", write_range},      {"rate", write_rate},
    {"of limit", write_share},      {"speed-up", write_speedup}, {"check", write_check},
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

/* The text of a cell: implementation, swept values, then the columns above. A row that failed says why in the last one.
 */
static const char *cell(const struct bench *bench, const struct bench_row *row, uint32_t column, char text[CELL])
{
    const uint32_t own = column - 1 - bench->sweep_count;
    snprintf(text, CELL, "-");
    if (column == 0)
        write_impl(row, text);
    else if (column <= bench->sweep_count)
        snprintf(text, CELL, "%s", value(bench, row, column - 1));
    else if (row->status == 0)
        columns[own].write(row, text);
    else if (own == COLUMN_COUNT - 1)
        snprintf(text, CELL, "error: %s", row->text);
    return text;
}

static const char *title(const struct bench *bench, uint32_t column)
{
    if (column == 0)
        return "implementation";
    return column <= bench->sweep_count ? bench->sweeps[column - 1].name
                                        : columns[column - 1 - bench->sweep_count].title;
}

static int column_width(const struct bench *bench, uint32_t column)
{
    char text[CELL];
    size_t width = strlen(title(bench, column));
    for (uint32_t i = 0; i < bench->count; i++) {
        const size_t length = strlen(cell(bench, &bench->rows[i], column, text));
        width = length > width ? length : width;
    }
    return (int) width;
}

static bool is_text(const struct bench *bench, uint32_t column)
{
    return column <= bench->sweep_count || column == bench->sweep_count + COLUMN_COUNT;
}

/* Columns of numbers are aligned right. The last column is not filled up: errors may be long. */
static void print_line(FILE *to, const struct bench *bench, const struct bench_row *row, const int *widths)
{
    const uint32_t count = 1 + bench->sweep_count + COLUMN_COUNT;
    char text[CELL];
    for (uint32_t c = 0; c < count; c++) {
        const int width = c + 1 == count ? 0 : is_text(bench, c) ? -widths[c] : widths[c];
        fprintf(to, "| %*s ", width, row ? cell(bench, row, c, text) : title(bench, c));
    }
    fprintf(to, "|\n");
}

static void print_rule(FILE *to, const struct bench *bench, const int *widths)
{
    const uint32_t last = bench->sweep_count + COLUMN_COUNT;
    for (uint32_t c = 0; c <= last; c++) {
        fprintf(to, "|");
        for (int i = c == last ? widths[c] : 0; i < widths[c] + 1; i++)
            fprintf(to, "-");
        fprintf(to, is_text(bench, c) ? "-" : ":");
    }
    fprintf(to, "-|\n");
}

int bench_print_table(FILE *to, const struct bench *bench, const char *command, struct engine_error *error)
{
    (void) error;
    int widths[1 + SWEEPS_MAX + COLUMN_COUNT] = {0};
    for (uint32_t c = 0; c < 1 + bench->sweep_count + COLUMN_COUNT; c++)
        widths[c] = column_width(bench, c);
    bench_print_heading(to, bench, command, error);
    fprintf(to, "\n");
    print_line(to, bench, NULL, widths);
    print_rule(to, bench, widths);
    for (uint32_t i = 0; i < bench->count; i++)
        print_line(to, bench, &bench->rows[i], widths);
    return 0;
}

/* ---- CSV ---------------------------------------------------------------------------------------------------- */

static void print_field(FILE *to, const char *text, const char *end)
{
    const bool plain = strcspn(text, ",\"\n\r") == strlen(text);
    fputs(plain ? "" : "\"", to);
    for (const char *c = text; *c; c++)
        fprintf(to, *c == '"' ? "\"\"" : "%c", *c);
    fprintf(to, "%s%s", plain ? "" : "\"", end);
}

static void print_numbers(FILE *to, const struct bench_row *row, uint32_t repeats)
{
    fprintf(to, "%u,%llu,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,", row->threads, (unsigned long long) row->steps, repeats,
            row->time.median, row->time.min, row->time.first_quartile, row->time.third_quartile, row->time.max,
            row->rate);
    print_field(to, row->unit, "/s,");
    if (row->limit)
        fprintf(to, "%s,%.6g,", row->limit, row->share);
    else
        fprintf(to, ",,");
    fprintf(to, "%.6g,%s,%llu,%llu,", row->speedup, row->hashes[1].text, (unsigned long long) row->hashes[1].step,
            (unsigned long long) row->confirmed);
}

int bench_print_csv(FILE *to, const struct bench *bench, const char *command, struct engine_error *error)
{
    (void) error;
    (void) command;
    fprintf(to, "implementation,");
    for (uint32_t s = 0; s < bench->sweep_count; s++)
        print_field(to, bench->sweeps[s].name, ",");
    fprintf(
        to,
        "threads,steps,repeats,seconds_median,seconds_min,seconds_q1,seconds_q3,seconds_max,rate,rate_unit,limit,share,"
        "speedup,hash,hash_step,confirmed_step,error\n");
    for (uint32_t i = 0; i < bench->count; i++) {
        const struct bench_row *row = &bench->rows[i];
        print_field(to, row->impl, ",");
        for (uint32_t s = 0; s < bench->sweep_count; s++)
            print_field(to, value(bench, row, s), ",");
        if (row->status == 0)
            print_numbers(to, row, bench->repeats);
        else
            fprintf(to, ",,,,,,,,,,,,,,,,");
        print_field(to, row->status == 0 ? "" : row->text, "\n");
    }
    return 0;
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static void add_text(struct json_object *object, const char *key, const char *text)
{
    json_add(object, key, text && *text ? json_new_text(text) : NULL);
}

static void add_number(struct json_object *object, const char *key, double number)
{
    json_add(object, key, json_new_real(number));
}

static void add_count(struct json_object *object, const char *key, uint64_t count)
{
    json_add(object, key, json_new_count(count));
}

static struct json_object *seconds_json(const struct bench *bench, const struct bench_row *row)
{
    struct json_object *json = json_new_array();
    for (uint32_t r = 0; r < bench->repeats; r++)
        json_append(json, json_new_real(row->seconds[r]));
    return json;
}

static void add_measured(struct json_object *json, const struct bench *bench, const struct bench_row *row)
{
    char unit[96];
    snprintf(unit, sizeof unit, "%s/s", row->unit);
    add_count(json, "threads", row->threads);
    add_count(json, "steps", row->steps);
    json_add(json, "seconds", seconds_json(bench, row));
    add_number(json, "seconds_median", row->time.median);
    add_number(json, "rate", row->rate);
    add_text(json, "rate_unit", unit);
    add_text(json, "limit", row->limit);
    json_add(json, "share", row->limit ? json_new_real(row->share) : NULL);
    add_number(json, "speedup", row->speedup);
    json_add(json, "exact", json_new_flag(row->exact));
    add_text(json, "hash", row->hashes[1].text);
    add_count(json, "hash_step", row->hashes[1].step);
    add_count(json, "confirmed_step", row->confirmed);
    add_text(json, "notes", row->notes);
}

static struct json_object *row_json(const struct bench *bench, const struct bench_row *row)
{
    struct json_object *json = json_new_object(), *swept = json_new_object();
    add_text(json, "implementation", row->impl);
    for (uint32_t s = 0; s < bench->sweep_count; s++)
        add_text(swept, bench->sweeps[s].name, value(bench, row, s));
    json_add(json, "swept", swept);
    add_text(json, "error", row->text);
    if (row->status == 0)
        add_measured(json, bench, row);
    return json;
}

static struct json_object *limits_json(const struct bench_limits *entry)
{
    struct json_object *json = json_new_object();
    add_text(json, "device", entry->device->name);
    add_count(json, "threads", entry->threads);
    add_number(json, "copy", entry->limits.copy);
    add_number(json, "logic", entry->limits.logic);
    add_number(json, "fma", entry->limits.fma);
    add_number(json, "fma64", entry->limits.fma64);
    return json;
}

int bench_print_json(FILE *to, const struct bench *bench, const char *command, struct engine_error *error)
{
    struct json_object *json = json_new_object(), *limits = json_new_array(), *rows = json_new_array();
    char processor[128], date[32];
    add_text(json, "engine", machine_version());
    add_text(json, "machine", machine_processor(processor));
    add_text(json, "date", machine_date(date));
    add_text(json, "command", command);
    add_text(json, "subject", bench->subject);
    add_count(json, "repeats", bench->repeats);
    for (uint32_t i = 0; i < bench->limits_count; i++)
        json_append(limits, limits_json(&bench->limits[i]));
    for (uint32_t i = 0; i < bench->count; i++)
        json_append(rows, row_json(bench, &bench->rows[i]));
    json_add(json, "limits", limits);
    json_add(json, "rows", rows);
    char *text;
    if (json_take_lines(json, &text, error) != 0)
        return error->status;
    fputs(text, to);
    free(text);
    return 0;
}
