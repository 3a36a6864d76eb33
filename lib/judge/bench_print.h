/* The results of a bench: a table for people, CSV and JSON for programs, a drawing of the rates as SVG. `command` is
 * the command line, as a shell would read it. */
#ifndef LIB_JUDGE_BENCH_PRINT_H
#define LIB_JUDGE_BENCH_PRINT_H

#include "judge/bench.h"
#include <stdio.h>

/* Prints engine, machine, date, command, subject and the limits of the devices: a line each. */
void bench_print_heading(FILE *to, const struct bench *bench, const char *command);

/* Prints the heading and the table. */
void bench_print_table(FILE *to, const struct bench *bench, const char *command);

/* Prints a line of titles and a line for each row. */
void bench_print_csv(FILE *to, const struct bench *bench);

/* Are there rows with several parts? Then the results have the efficiencies, too. */
bool bench_is_divided(const struct bench *bench);

/* Was work skipped in a row? Then the results have the rates that count it, too. */
static inline bool bench_row_skips(const struct bench_row *row)
{
    return row->status == 0 && row->skipped != 0;
}

/* Are the repeats so far apart that the median says little? */
static inline bool bench_row_is_noisy(const struct bench_row *row)
{
    return row->time.max > 2 * row->time.min;
}

bool bench_skips(const struct bench *bench); /* in any row */

/* Draws the rates as SVG, and the efficiencies of rows that are divided. ENGINE_STATUS_DEVICE where memory fails. */
int bench_print_plot(FILE *to, const struct bench *bench, const char *command, struct engine_error *error);

/* Draws the rows that declare their cost below the limits of their devices. ENGINE_STATUS_DEVICE where memory fails. */
int bench_print_roofline(FILE *to, const struct bench *bench, const char *command, struct engine_error *error);

/* Draws the heading of a drawing: subject, machine, command. */
void bench_put_heading(FILE *file, const struct bench *bench, double left, const char *command);

/* Names a row: its implementation and its values of the first `sweeps` sweeps, "cuda, nbody.block_stride=4". */
enum { BENCH_LABEL = 192 };
void bench_row_label(const struct bench *bench, const struct bench_row *row, uint32_t sweeps, char label[BENCH_LABEL]);

/* The results as one JSON object, which the caller frees. ENGINE_STATUS_DEVICE where memory fails. */
int bench_json(const struct bench *bench, const char *command, char **text, struct engine_error *error);

#endif
