/* engine bench: implementations timed side by side. */
#include "bench_print.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: engine bench CONFIG [options]\n"
    "\n"
    "Times implementations of a configuration's plugin side by side, from the same first state, and prints a table: "
    "time,\n"
    "spread, rate, share of what this machine was measured to do at most, and speed-up over the first row. Nothing is\n"
    "written. States are compared by hash: a row whose state differs from another exact one's has an error for a "
    "number.\n"
    "\n"
    "  --impl A,B,C              these, in this order; by default all that are there on this machine\n"
    "  --sweep SECTION.KEY=V,W   a row for each value; with several, for each combination\n"
    "  --repeats N               times each is measured, 5 by default; the median counts\n"
    "  --steps N                 steps of one repeat; by default as many as take about half a second\n"
    "  --set SECTION.KEY=VALUE   takes the place of what the configuration says; as often as wanted\n"
    "  --csv, --json             for programs, on stdout\n"
    "  --plugins FOLDER          looks for plugins there first\n"
    "  --quiet, --verbose\n"
    "\n"
    "  engine bench configs/gosper-gun.ini --set grid.size='4096 4096'\n"
    "  engine bench configs/gosper-gun.ini --impl cpu --sweep run.threads=1,2,4 --sweep "
    "life2d-bit.steps_per_pass=8,48\n"
    "\n"
    "Exit status: 0 done, also where some rows have errors; 1 states differ; 2 command line or configuration; where no "
    "row\n"
    "ran, what `engine run` would have said.\n";

/* ---- The command, to be copied ------------------------------------------------------------------------------ */

/* Appends a word as a shell would read it. */
static void quote(char *text, size_t size, const char *word)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:@%+-";
    size_t at = strlen(text);
    const bool plain = *word && strspn(word, harmless) == strlen(word);
    at += (size_t) snprintf(text + at, size - at, plain ? " " : " '");
    for (; *word && at + 8 < size; word++)
        at += (size_t) snprintf(text + at, size - at, *word == '\'' ? "'\\''" : "%c", *word);
    snprintf(text + at, size - at, plain ? "" : "'");
}

static void command_of(int count, char **words, char *text, size_t size)
{
    snprintf(text, size, "engine bench");
    for (int i = 0; i < count && strlen(text) + 16 < size; i++)
        quote(text, size, words[i]);
}

/* ---- The verb ----------------------------------------------------------------------------------------------- */

static int read_sweeps(const struct options *options, struct bench *bench, struct error *error)
{
    for (uint32_t i = 0; i < options->sweep_count; i++) {
        const int status = sweep_read(&bench->sweeps[bench->sweep_count++], options->sweeps[i], error);
        if (status != 0)
            return status;
    }
    return 0;
}

/* A configuration with a combination's values in it: its rows, or one that says why there are none. */
static int run_combination(const struct options *options, struct bench *bench, uint64_t combination,
                           struct error *error)
{
    struct config *config;
    struct error why;
    if (options_config(options, options->words[0], &config, error) != 0)
        return error->status;
    int status;
    if (sweep_set(bench->sweeps, bench->sweep_count, combination, config, &why) == 0)
        status = bench_combination(bench, config, combination, options->impls, options->impl_count, error);
    else
        status = bench_refused(bench, combination, &why, error);
    config_close(config);
    return status;
}

static int run_all(const struct options *options, struct bench *bench, struct error *error)
{
    if (read_sweeps(options, bench, error) != 0 || options_registry(options, &bench->registry, error) != 0)
        return error->status;
    const uint64_t combinations = sweep_combinations(bench->sweeps, bench->sweep_count);
    for (uint64_t i = 0; i < combinations; i++)
        if (run_combination(options, bench, i, error) != 0)
            return error->status;
    bench_finish(bench);
    return 0;
}

/* The errors are in the rows; one on stderr for those who look at the exit status. */
static int report_rows(const struct bench *bench)
{
    const int status = bench_status(bench);
    for (uint32_t i = 0; status != 0 && i < bench->count; i++)
        if (bench->rows[i].status == status) {
            fprintf(stderr, "engine: %s: %s\n", bench->rows[i].impl, bench->rows[i].text);
            break;
        }
    return status;
}

static int bench(int count, char **words)
{
    struct options options;
    struct error error;
    char command[4096];
    command_of(count, words, command, sizeof command);
    if (options_read(&verb_bench, count, words, OPTION_JSON | OPTION_SET | OPTION_IMPL | OPTION_STEPS | OPTION_BENCH, 1,
                     1, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(STATUS_DONE);
    struct bench all = {.repeats = options.repeats ? options.repeats : BENCH_REPEATS, .steps = options.steps};
    int status = run_all(&options, &all, &error);
    if (status != 0)
        report(&error);
    else {
        (options.json ? bench_print_json : options.csv ? bench_print_csv : bench_print_table)(&all, command);
        status = report_rows(&all);
    }
    bench_release(&all);
    registry_close(all.registry);
    return finish_stdout(status);
}

const struct verb verb_bench = {"bench", "times implementations side by side", help, bench};
