/* The results of a bench: a table for people, CSV and JSON for programs, a drawing of the rates as SVG. What goes
 * before CSV on stdout goes to stderr. */
#ifndef CORE_JUDGE_BENCH_PRINT_H
#define CORE_JUDGE_BENCH_PRINT_H

#include "judge/bench.h"
#include <stdio.h>

/* command: the command line, as a shell would read it. */
/* Print all they have been given, whatever memory there is. */
int bench_print_heading(FILE *to, const struct bench *bench, const char *command, struct engine_error *error);
int bench_print_table(FILE *to, const struct bench *bench, const char *command, struct engine_error *error);
int bench_print_csv(FILE *to, const struct bench *bench, const char *command, struct engine_error *error);

/* ENGINE_STATUS_DEVICE where memory fails. */
int bench_print_plot(FILE *to, const struct bench *bench, const char *command, struct engine_error *error);
int bench_print_json(FILE *to, const struct bench *bench, const char *command, struct engine_error *error);

#endif
