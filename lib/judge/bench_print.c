#include "judge/bench_print.h"
#include "base/machine.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = BENCH_CELL };

static const char *value(const struct bench *bench, const struct bench_row *row, uint32_t sweep)
{
    return sweep_value(bench->sweeps, sweep, row->combination);
}

/* ---- The heading -------------------------------------------------------------------------------------------- */

static void print_limits(FILE *to, const struct bench_limits *entry)
{
    const struct {
        const char *name, *unit;
        double rate;
    } limits[] = {{"copy", "B/s", entry->limits.copy},
                  {"logic", "/s", entry->limits.logic},
                  {"fma", "/s", entry->limits.fma},
                  {"fma64", "/s", entry->limits.fma64}};
    char number[32], threads[64];
    fprintf(to, "limits   %s, %s:", entry->run.device, text_count(entry->run.threads, "thread", threads));
    for (int i = 0; i < 4; i++)
        fprintf(to, "%s %s %s%s", i ? "," : "", limits[i].name, text_si(limits[i].rate, number), limits[i].unit);
    fprintf(to, "\n");
}

void bench_print_heading(FILE *to, const struct bench *bench, const char *command)
{
    char processor[128], date[32];
    fprintf(to, "engine   %s\n", machine_version());
    fprintf(to, "machine  %s\n", machine_processor(processor));
    fprintf(to, "date     %s\n", machine_date(date));
    if (command)
        fprintf(to, "command  %s\n", command);
    if (bench->subject[0])
        fprintf(to, "subject  %s\n", bench->subject);
    if (bench->draw)
        fprintf(to, "draw     %llu\n", (unsigned long long) bench->draw);
    for (uint32_t i = 0; i < bench->limits_count; i++)
        print_limits(to, &bench->limits[i]);
}

/* ---- The table ---------------------------------------------------------------------------------------------- */

static void write_threads(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%u", row->run.threads);
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
    snprintf(text, CELL, "%+.1f %+.1f %%%s", 100 * (row->time.min / row->time.median - 1),
             100 * (row->time.max / row->time.median - 1), bench_row_is_noisy(row) ? ", noisy" : "");
}

/* The rate with the work that was skipped. */
static void write_effective(const struct bench_row *row, char text[CELL])
{
    char number[32], skipped[32] = "an unknown share";
    if (!isnan(row->skipped))
        snprintf(skipped, sizeof skipped, "%.1f %%", 100 * row->skipped);
    if (bench_row_skips(row))
        snprintf(text, CELL, "%s%s/s, %s skipped", text_si(row->effective, number), row->unit, skipped);
}

static void write_speedup(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%.*f", row->speedup < 99.95 ? 2 : 0, row->speedup);
}

static void write_efficiency(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%.1f %%", 100 * row->efficiency);
}

/* The share of the time in which the devices only exchange margins. */
static void write_exchange(const struct bench_row *row, char text[CELL])
{
    if (row->run.parts > 1)
        snprintf(text, CELL, "%.1f %%", 100 * row->exchange_per_step * (double) row->steps / row->time.median);
}

static void write_delivery(const struct bench_row *row, char text[CELL])
{
    snprintf(text, CELL, "%.1f %%", 100 * fmin(row->delivery / row->time.median, 1));
}

static bool is_isolated(const struct bench *bench)
{
    return bench->draw != 0;
}

static void write_check(const struct bench_row *row, char text[CELL])
{
    const uint64_t last = row->hashes[BENCH_REPEATS].step;
    int length = 0;
    if (row->verdict[0])
        length = snprintf(text, CELL, "%s", row->verdict);
    else if (row->confirmed)
        length = snprintf(text, CELL, "hash equal at step %llu", (unsigned long long) row->confirmed);
    else
        snprintf(text, CELL, "%s", row->exact ? "nothing to compare its hash with" : "not exact: see verify");
    if (row->confirmed && row->confirmed < last)
        length += snprintf(text + length, CELL - (size_t) length, " of %llu", (unsigned long long) last);
    if (row->mark[0])
        snprintf(text + length, CELL - (size_t) length, "; %s", row->mark);
}

bool bench_is_divided(const struct bench *bench)
{
    for (uint32_t i = 0; i < bench->count; i++)
        if (bench->rows[i].run.parts > 1)
            return true;
    return false;
}

bool bench_skips(const struct bench *bench)
{
    for (uint32_t i = 0; i < bench->count; i++)
        if (bench_row_skips(&bench->rows[i]))
            return true;
    return false;
}

static const struct bench_column columns[] = {
    {"threads", write_threads, NULL, false},
    {"steps", write_steps, NULL, false},
    {"median", write_median, NULL, false},
    {"quartiles", write_quartiles, NULL, false},
    {"range", write_range, NULL, false},
    {"rate", bench_write_rate, NULL, false},
    {"of limit", bench_write_share, NULL, false},
    {"effective", write_effective, bench_skips, false},
    {"speed-up", write_speedup, NULL, false},
    {"efficiency", write_efficiency, bench_is_divided, false},
    {"exchange", write_exchange, bench_is_divided, false},
    {"delivery", write_delivery, is_isolated, false},
    {"check", write_check, NULL, true},
};

enum { COLUMNS_MAX = sizeof columns / sizeof columns[0] };

/* The columns of this table, behind those of the swept values. */
static uint32_t own_columns(const struct bench *bench, const struct bench_column *own[COLUMNS_MAX])
{
    const struct bench_column *all = bench->removes ? bench_rung_columns : columns;
    const uint32_t most = bench->removes ? (uint32_t) BENCH_RUNG_COLUMNS : (uint32_t) COLUMNS_MAX;
    uint32_t count = 0;
    for (uint32_t i = 0; i < most; i++)
        if (!all[i].wanted || all[i].wanted(bench))
            own[count++] = &all[i];
    return count;
}

static uint32_t column_count(const struct bench *bench)
{
    const struct bench_column *own[COLUMNS_MAX];
    return 1 + bench->sweeps->count + own_columns(bench, own);
}

/* The text of a cell: implementation, swept values, then the columns above. The last column of a row that failed has
 * the error. */
static const char *cell(const struct bench *bench, const struct bench_row *row, uint32_t column, char text[CELL])
{
    const struct bench_column *own[COLUMNS_MAX];
    const uint32_t count = own_columns(bench, own), first = 1 + bench->sweeps->count;
    snprintf(text, CELL, "-");
    if (column == 0)
        snprintf(text, CELL, "%s", row->impl);
    else if (column <= bench->sweeps->count)
        snprintf(text, CELL, "%s", value(bench, row, column - 1));
    else if (row->status == 0 || own[column - first] == bench_rung_columns)
        own[column - first]->write(row, text);
    else if (column == first + count - 1)
        snprintf(text, CELL, "error: %s", row->text);
    return text;
}

static const char *title(const struct bench *bench, uint32_t column)
{
    const struct bench_column *own[COLUMNS_MAX];
    own_columns(bench, own);
    if (column == 0)
        return bench->removes ? "rung" : "implementation";
    return column <= bench->sweeps->count ? bench->sweeps->at[column - 1].name
                                          : own[column - 1 - bench->sweeps->count]->title;
}

static int column_width(const struct bench *bench, uint32_t column)
{
    char text[CELL];
    size_t width = strlen(title(bench, column));
    for (uint32_t i = 0; i < bench->count; i++) {
        const size_t length = bench->rows[i].absent ? 0 : strlen(cell(bench, &bench->rows[i], column, text));
        width = length > width ? length : width;
    }
    return (int) width;
}

static bool is_text(const struct bench *bench, uint32_t column)
{
    const struct bench_column *own[COLUMNS_MAX];
    own_columns(bench, own);
    return column <= bench->sweeps->count || own[column - 1 - bench->sweeps->count]->is_text;
}

/* Numbers are aligned to the right. The last column is not padded, because errors may be long. */
static void print_line(FILE *to, const struct bench *bench, const struct bench_row *row, const int *widths)
{
    const uint32_t count = column_count(bench);
    char text[CELL];
    for (uint32_t c = 0; c < count; c++) {
        const int width = c + 1 == count ? 0 : is_text(bench, c) ? -widths[c] : widths[c];
        fprintf(to, "| %*s ", width, row ? cell(bench, row, c, text) : title(bench, c));
    }
    fprintf(to, "|\n");
}

static void print_rule(FILE *to, const struct bench *bench, const int *widths)
{
    const uint32_t last = column_count(bench) - 1;
    for (uint32_t c = 0; c <= last; c++) {
        fprintf(to, "|");
        for (int i = c == last ? widths[c] : 0; i < widths[c] + 1; i++)
            fprintf(to, "-");
        fprintf(to, is_text(bench, c) ? "-" : ":");
    }
    fprintf(to, "-|\n");
}

void bench_print_table(FILE *to, const struct bench *bench, const char *command)
{
    int widths[1 + SWEEPS_MAX + COLUMNS_MAX] = {0};
    for (uint32_t c = 0; c < column_count(bench); c++)
        widths[c] = column_width(bench, c);
    bench_print_heading(to, bench, command);
    fprintf(to, "\n");
    print_line(to, bench, NULL, widths);
    print_rule(to, bench, widths);
    for (uint32_t i = 0; i < bench->count; i++)
        if (!bench->rows[i].absent)
            print_line(to, bench, &bench->rows[i], widths);
    char absent[BENCH_ABSENT];
    bench_write_absent(bench, absent);
    if (*absent)
        fprintf(to, "\n%s\n", absent);
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

/* Nothing is printed for a number that is not known. */
static void print_known(FILE *to, double number, bool known, const char *end)
{
    if (known && !isnan(number))
        fprintf(to, "%.9g", number);
    fputs(end, to);
}

static void print_numbers(FILE *to, const struct bench_row *row, uint32_t repeats)
{
    fprintf(to, "%u,%llu,%u,%.9g,%.9g,%.9g,%.9g,%.9g,", row->run.threads, (unsigned long long) row->steps, repeats,
            row->time.median, row->time.min, row->time.first_quartile, row->time.third_quartile, row->time.max);
    print_known(to, row->rate, true, ",");
    print_field(to, row->unit, "/s,");
    fprintf(to, "%s,", row->limit ? row->limit : "");
    print_known(to, row->share, row->limit, ",");
    fprintf(to, "%.6g,%s,%llu,%llu,", row->speedup, row->hashes[BENCH_REPEATS].text,
            (unsigned long long) row->hashes[BENCH_REPEATS].step, (unsigned long long) row->confirmed);
}

void bench_print_csv(FILE *to, const struct bench *bench)
{
    fprintf(to, "implementation,");
    for (uint32_t s = 0; s < bench->sweeps->count; s++)
        print_field(to, bench->sweeps->at[s].name, ",");
    fprintf(
        to,
        "threads,steps,repeats,seconds_median,seconds_min,seconds_q1,seconds_q3,seconds_max,rate,rate_unit,limit,share,"
        "speedup,hash,hash_step,confirmed_step,error,effective,skipped\n");
    for (uint32_t i = 0; i < bench->count; i++) {
        const struct bench_row *row = &bench->rows[i];
        print_field(to, row->impl, ",");
        for (uint32_t s = 0; s < bench->sweeps->count; s++)
            print_field(to, value(bench, row, s), ",");
        if (row->status == 0)
            print_numbers(to, row, bench->repeats);
        else
            fprintf(to, ",,,,,,,,,,,,,,,,");
        print_field(to, row->status == 0 ? "" : row->text, ",");
        print_known(to, row->effective, bench_row_skips(row), ",");
        print_known(to, row->skipped, bench_row_skips(row), "\n");
    }
}
