/* The results of a bench: a table for people, CSV and JSON for programs, a drawing of the rates as SVG. `command` is
 * the command line, as a shell would read it. */
#ifndef LIB_JUDGE_BENCH_PRINT_H
#define LIB_JUDGE_BENCH_PRINT_H

#include "judge/bench.h"
#include <stdio.h>

/* A column of a table writes the text of each row. It is as wide as its widest text. */
enum { BENCH_CELL = 1024, BENCH_RUNG_COLUMNS = 5 };
struct bench_column {
    const char *title;
    void (*write)(const struct bench_row *row, char text[BENCH_CELL]);
    bool (*wanted)(const struct bench *bench); /* NULL: in every table */
    bool is_text;                              /* aligned to the left */
};

/* The columns of a ladder. The first one has a text also if the row failed. */
extern const struct bench_column bench_rung_columns[BENCH_RUNG_COLUMNS];

void bench_write_rate(const struct bench_row *row, char text[BENCH_CELL]);
void bench_write_share(const struct bench_row *row, char text[BENCH_CELL]);

/* Writes the rungs that this machine does not have, with the reasons, as one line; "": it has all. */
enum { BENCH_ABSENT = 4096 };
void bench_write_absent(const struct bench *bench, char text[BENCH_ABSENT]);

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

/* Draws a ladder in which nothing is swept: a bar for each rung that ran, and the rate at its limit. */
void bench_print_ladder(FILE *to, const struct bench *bench, const char *command);

/* Draws the rows that declare their cost below the limits of their devices. ENGINE_STATUS_DEVICE where memory fails. */
int bench_print_roofline(FILE *to, const struct bench *bench, const char *command, struct engine_error *error);

/* Draws the heading of a drawing: subject, machine. */
void bench_put_heading(FILE *file, const struct bench *bench, double left);

/* Draws the command, in lines of at most `most` letters, and returns their number. file NULL: counts them alone. */
int bench_put_command(FILE *file, double left, double y, int most, const char *command);

/* Names a row: its implementation and its values of the first `sweeps` sweeps, "cuda, nbody.block_stride=4". */
enum { BENCH_LABEL = 192 };
void bench_row_label(const struct bench *bench, const struct bench_row *row, uint32_t sweeps, char label[BENCH_LABEL]);

/* The results as one JSON object, which the caller frees. ENGINE_STATUS_DEVICE where memory fails. */
int bench_json(const struct bench *bench, const char *command, char **text, struct engine_error *error);

#endif
