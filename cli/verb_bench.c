/* engine bench: implementations timed side by side. */
#include "bench_print.h"
#include "help.h"
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Times implementations side by side, from the same first state, and prints a table: time, spread, rate, share of "
    "what this machine was measured to do at most, and how many times as fast as the first row. Nothing is written. A "
    "row whose final state differs from that of another exact implementation has an error in place of its figures.\n";

static const char more[] =
    "Examples:\n"
    "  engine bench soup.ini --set grid.size='4096 4096'\n"
    "  engine bench soup.ini --impl cpu --sweep run.threads=1,2,4 --sweep life2d-bit.steps_per_pass=8,48\n"
    "  engine bench soup.ini --impl life2d-bit:cpu,life2d-lut:cpu\n"
    "  engine bench bench/life3d.ini --plot life3d.svg\n"
    "\n"
    "A configuration may say all this in a section [bench], with the keys impl, sweep (several with \" and \" between "
    "them), repeats and steps; an option takes the place of a key. `engine bench --help` lists the tables "
    "that came with the engine.\n"
    "\n"
    "Exit status: 0 done, also where some rows have errors; 1 states differ; 2 command line or configuration; where no "
    "row ran, what `engine run` would have said.\n";

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

/* Texts of [bench] that the options point into. */
struct texts {
    char *impls, *sweeps;
};

/* Sweeps with " and " between them, cut apart in place. */
static int split_sweeps(char *text, struct options *options, struct engine_error *error)
{
    static const char between[] = " and ";
    while (text) {
        char *end = strstr(text, between);
        if (options->sweep_count == sizeof options->sweeps / sizeof options->sweeps[0])
            return error_set(error, ENGINE_STATUS_USAGE, "more than %u sweeps", options->sweep_count);
        options->sweeps[options->sweep_count++] = text;
        if (end)
            *end = '\0';
        text = end ? end + strlen(between) : NULL;
    }
    return 0;
}

static int keep_text(const char *text, char **kept, struct engine_error *error)
{
    *kept = strdup(text);
    return *kept ? 0 : error_memory(error, strlen(text), "names and sweeps");
}

/* Options that were not given are as [bench] says. The caller frees the texts. */
static int read_section(const struct config *config, struct options *options, struct texts *texts,
                        struct engine_error *error)
{
    struct engine_value values[KEYS_OF_BENCH];
    if (settings_bench(config, values, error) != 0)
        return error->status;
    if (options->impl_count == 0 && *values[KEY_BENCH_IMPL].text) {
        if (keep_text(values[KEY_BENCH_IMPL].text, &texts->impls, error) != 0)
            return error->status;
        if (options_impls(options, texts->impls, error) != 0)
            return error_prefix(error, "%s: [bench] impl: ", config_place(config, "bench", "impl"));
    }
    if (options->sweep_count == 0 && *values[KEY_BENCH_SWEEP].text) {
        if (keep_text(values[KEY_BENCH_SWEEP].text, &texts->sweeps, error) != 0)
            return error->status;
        if (split_sweeps(texts->sweeps, options, error) != 0)
            return error_prefix(error, "%s: [bench] sweep: ", config_place(config, "bench", "sweep"));
    }
    if (options->repeats == 0)
        options->repeats = (uint32_t) values[KEY_BENCH_REPEATS].integer;
    if (options->steps == 0)
        options->steps = (uint64_t) values[KEY_BENCH_STEPS].integer;
    return 0;
}

static int prepare(struct options *options, struct texts *texts, struct bench *bench, struct engine_error *error)
{
    struct config *config;
    if (options_config(options, options->words[0], &config, error) != 0)
        return error->status;
    int status = read_section(config, options, texts, error);
    if (status == 0)
        status = sweeps_read(bench->sweeps, &bench->sweep_count, options->sweeps, options->sweep_count, error);
    bench->repeats = options->repeats;
    bench->steps = options->steps;
    config_close(config);
    return status;
}

/* A configuration with a combination's values in it: its rows, or one that says why there are none. */
static int run_combination(const struct options *options, struct bench *bench, uint64_t combination,
                           struct engine_error *error)
{
    struct config *config;
    struct engine_error why;
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

static int run_all(const struct options *options, struct bench *bench, struct engine_error *error)
{
    if (options_registry(options, &bench->registry, error) != 0)
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
    uint32_t i = 0;
    while (i < bench->count && bench->rows[i].status != status)
        i++;
    fflush(stdout);
    if (status != 0 && i < bench->count)
        fprintf(stderr, "engine: %s: %s%s\n", bench->rows[i].impl, bench->rows[i].text,
                status == ENGINE_STATUS_PLUGIN
                    ? "; `engine list` shows what can run here, --impl NAME,NAME compares that"
                    : "");
    return status;
}

/* ---- What is printed ---------------------------------------------------------------------------------------- */

enum { FILES = 3 };

/* A file besides the table. */
struct file {
    const char *path; /* NULL: not asked for */
    int (*print)(FILE *to, const struct bench *bench, const char *command, struct engine_error *error);
    FILE *file;
};

static int no_file(const struct file *file, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot be written: %s", file->path, strerror(errno));
}

/* Before anything is measured: who waited for minutes does not want to hear that a folder is missing. */
static int open_files(const struct options *options, struct file files[FILES], struct engine_error *error)
{
    const struct file wanted[FILES] = {{options->csv_file, bench_print_csv, NULL},
                                       {options->json_file, bench_print_json, NULL},
                                       {options->plot_file, bench_print_plot, NULL}};
    memcpy(files, wanted, sizeof wanted);
    for (int i = 0; i < FILES; i++)
        if (files[i].path && !(files[i].file = fopen(files[i].path, "we")))
            return no_file(&files[i], error);
    return 0;
}

/* Prints into the files where there is something to print, and closes them. */
static int close_files(struct file files[FILES], const struct bench *bench, const char *command,
                       struct engine_error *error)
{
    int status = 0;
    for (int i = 0; i < FILES; i++) {
        if (!files[i].file)
            continue;
        errno = 0;
        if (bench && status == 0)
            status = files[i].print(files[i].file, bench, command, error);
        const bool failed = ferror(files[i].file);
        if ((fclose(files[i].file) != 0 || failed) && status == 0)
            status = no_file(&files[i], error);
        if (!bench)
            unlink(files[i].path);
    }
    return status;
}

static int print_all(const struct options *options, struct file files[FILES], const struct bench *bench,
                     const char *command)
{
    struct engine_error error, other;
    int (*const print)(FILE *, const struct bench *, const char *, struct engine_error *) =
        options->json  ? bench_print_json
        : options->csv ? bench_print_csv
                       : bench_print_table;
    if (print(stdout, bench, command, &error) != 0) {
        close_files(files, NULL, command, &other);
        return report(&error);
    }
    return close_files(files, bench, command, &error) != 0 ? report(&error) : report_rows(bench);
}

/* Measures and prints; the exit status. */
static int measure_and_print(struct options *options, struct texts *texts, struct bench *bench, const char *command)
{
    struct engine_error error, other;
    struct file files[FILES] = {{.path = NULL}};
    if (prepare(options, texts, bench, &error) == 0 && open_files(options, files, &error) == 0 &&
        run_all(options, bench, &error) == 0)
        return print_all(options, files, bench, command);
    close_files(files, NULL, command, &other);
    return report(&error);
}

static void list_tables(void)
{
    help_print_configs(true);
}

static int bench(int count, char **words)
{
    struct options options;
    struct engine_error error;
    char command[4096];
    command_of(count, words, command, sizeof command);
    if (options_read(&verb_bench, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    struct bench all = {0};
    struct texts texts = {NULL, NULL};
    const int status = measure_and_print(&options, &texts, &all, command);
    bench_release(&all);
    free(texts.impls);
    free(texts.sweeps);
    registry_close(all.registry);
    return finish_stdout(status);
}

const struct verb verb_bench = {
    .name = "bench",
    .summary = "times implementations side by side",
    .words = "CONFIG",
    .least = 1,
    .most = 1,
    .options = OPTION_SET | OPTION_BENCH,
    .help = help,
    .more = more,
    .lists = list_tables,
    .run = bench,
};
