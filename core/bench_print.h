/* The results of a bench: a table for people, CSV and JSON for programs. All on stdout; what goes before the CSV, on
 * stderr. */
#ifndef CORE_BENCH_PRINT_H
#define CORE_BENCH_PRINT_H

#include "bench.h"

/* command: the command line, as a shell would read it. */
void bench_print_table(const struct bench *bench, const char *command);
void bench_print_csv(const struct bench *bench, const char *command);

/* STATUS_DEVICE where memory fails. */
int bench_print_json(const struct bench *bench, const char *command, struct error *error);

#endif
