/* What the table of a ladder shows. A ladder has rows of a bench of which each removes some work or waiting of the row
 * before it. */
#include "base/text.h"
#include "judge/bench_print.h"

#include <math.h>
#include <string.h>

static void write_removes(const struct bench_row *row, char text[BENCH_CELL])
{
    snprintf(text, BENCH_CELL, "%s", row->removes);
}

/* Writes the declared cost of a unit of work, "0.25 logic operations, 0.00521 bytes". */
static void write_counted(const struct bench_row *row, char text[BENCH_CELL])
{
    const char *name = engine_operation_name(row->cost.operation);
    int length = 0;
    if (name && row->cost.operations > 0)
        length = snprintf(text, BENCH_CELL, "%.3g %s operation%s", row->cost.operations, name,
                          row->cost.operations == 1 ? "" : "s");
    if (row->cost.bytes > 0)
        snprintf(text + length, BENCH_CELL - (size_t) length, "%s%.3g byte%s", length ? ", " : "", row->cost.bytes,
                 row->cost.bytes == 1 ? "" : "s");
}

static void write_known(double rate, const char *unit, char text[BENCH_CELL])
{
    char number[32];
    if (!isnan(rate))
        snprintf(text, BENCH_CELL, "%s%s/s", text_si(rate, number), unit);
}

static void write_most(const struct bench_row *row, char text[BENCH_CELL])
{
    write_known(row->most, row->unit, text);
}

void bench_write_rate(const struct bench_row *row, char text[BENCH_CELL])
{
    write_known(row->rate, row->unit, text);
}

void bench_write_share(const struct bench_row *row, char text[BENCH_CELL])
{
    if (row->limit)
        snprintf(text, BENCH_CELL, "%.1f %% %s%s", 100 * row->share, row->limit, row->share > 1 ? ", above" : "");
}

const struct bench_column bench_rung_columns[BENCH_RUNG_COLUMNS] = {
    {"what it removes", write_removes, NULL, true}, {"counted", write_counted, NULL, true},
    {"at most", write_most, NULL, false},           {"measured", bench_write_rate, NULL, false},
    {"share", bench_write_share, NULL, true},
};

/* Is this the reason of a later rung too? Then it stands behind that one. */
static bool shares_reason(const struct bench *bench, uint32_t row)
{
    for (uint32_t i = row + 1; i < bench->count; i++)
        if (bench->rows[i].absent && bench->rows[i].combination == bench->rows[0].combination)
            return strcmp(bench->rows[i].text, bench->rows[row].text) == 0;
    return false;
}

void bench_write_absent(const struct bench *bench, char text[BENCH_ABSENT])
{
    size_t length = 0;
    const char *before = "not on this machine: ";
    text[0] = '\0';
    for (uint32_t i = 0; i < bench->count && length < BENCH_ABSENT; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (!row->absent || row->combination != bench->rows[0].combination)
            continue;
        const bool shares = shares_reason(bench, i);
        length += (size_t) snprintf(text + length, BENCH_ABSENT - length, "%s%s%s%s%s", before, row->impl,
                                    shares ? "" : " (", shares ? "" : row->text, shares ? "" : ")");
        before = ", ";
    }
}
