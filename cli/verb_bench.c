/* engine bench: times implementations side by side. */
#include "help.h"
#include "judge.h"
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Times implementations side by side, and prints a table: time, spread, rate, share of the machine's measured "
    "limit, and speed-up over the first row. Every repeat starts from the same initial state. Nothing is skipped, "
    "unless you set `settled` of the plugin. It writes no files of the simulation. If the final state of a row differs "
    "from that of another exact implementation, the row shows an error instead of a rate.\n"
    "\n"
    "With --isolated, each implementation runs in a process of its own, so code that crashes or cheats harms no other "
    "row. The process gets a drawn state when the clock starts, and the reference of CONFIG's plugin then takes the "
    "same steps. Use it for code that you have not written; docs/explain/judging.md says what it finds.\n";

static const char more[] =
    "Examples:\n"
    "  engine bench soup.ini --set grid.size='512 512'\n"
    "  engine bench soup.ini --impl cpu --sweep run.threads=1,2,4 --sweep life2d-bit.steps_per_pass=8,48\n"
    "  engine bench soup.ini --impl life2d-bit:cpu,life2d-lut:cpu\n"
    "  engine bench soup.ini --impl life2d-bit:cpu-serial,their-life:fast --plugins their-folder --isolated\n"
    "  engine bench bench/life3d.ini --plot life3d.svg --plot roofline.svg\n"
    "  engine bench ladder/life3d.ini --plot ladder.svg\n"
    "  engine bench soup.ini --devices 1,2,4 --set grid.size='65536 65536'\n"
    "\n"
    "The section [bench] of a configuration can hold these settings in the keys impl, sweep, repeats and steps; ' and "
    "' separates several sweeps. An option overrides its key. If the section has `removes`, with a text for each of "
    "`impl` "
    "and | between the texts, the table is a ladder: what each implementation removes, what is counted, the rate that "
    "the limit allows, and the rate that was measured. The list \"Tables\" names the configurations with such a "
    "section that come with the engine.\n"
    "\n"
    "Exit status:\n"
    "  0  success, even if some rows have errors; if all have errors, the exit status of `engine run`\n"
    "  1  final states differ\n"
    "  2  error in the command line or the configuration\n";

/* ---- The files of --csv, --json and --plot ----------------------------------------------------------------------- */

enum { FILES = 4 };

struct file {
    const char *path; /* NULL: not asked for */
    int form;         /* of engine_bench_print */
    FILE *stream;     /* NULL: not open */
};

static int fail_to_write(const struct file *file, struct engine_error *error)
{
    return fail(error, ENGINE_STATUS_OUTPUT, "%s: cannot be written: %s", file->path, strerror(errno));
}

/* Opens the files. It is called before anything is measured, so that a missing folder is reported at once. */
static int open_files(struct file files[FILES], struct engine_error *error)
{
    for (int i = 0; i < FILES; i++)
        if (files[i].path && !(files[i].stream = fopen(files[i].path, "we")))
            return fail_to_write(&files[i], error);
    return 0;
}

/* Prints the results in a form of engine_bench_print. */
static int print_form(FILE *to, const struct engine_bench *bench, int form, const char *command,
                      struct engine_error *error)
{
    char *text;
    if (engine_bench_print(bench, form, command, &text, error) != 0)
        return error->status;
    fputs(text, to);
    free(text);
    return 0;
}

/* Writes the results into the files and closes them. If `bench` is NULL, removes the files. */
static int close_files(struct file files[FILES], const struct engine_bench *bench, const char *command,
                       struct engine_error *error)
{
    int status = 0;
    for (int i = 0; i < FILES; i++) {
        if (!files[i].stream)
            continue;
        errno = 0;
        if (bench && status == 0)
            status = print_form(files[i].stream, bench, files[i].form, command, error);
        const int failed = ferror(files[i].stream);
        if ((fclose(files[i].stream) != 0 || failed) && status == 0)
            status = fail_to_write(&files[i], error);
        if (!bench)
            unlink(files[i].path);
    }
    return status;
}

/* ---- The verb ---------------------------------------------------------------------------------------------------- */

/* Explains an exit status that is not 0: the table has the errors of the rows, and stderr gets one of them. */
static int report_rows(const struct engine_bench *bench)
{
    struct engine_error error;
    const int status = engine_bench_status(bench, &error);
    const char *next = status == ENGINE_STATUS_PLUGIN
                           ? "; `engine list` shows what can run here, and --impl NAME,NAME chooses implementations"
                           : "";
    fflush(stdout);
    if (status != 0)
        fprintf(stderr, "engine: %s%s\n", error.text, next);
    return status;
}

/* Names the implementations that have no place in a roofline. */
static void report_left_out(struct options *options, const struct engine_bench *bench)
{
    char names[1024] = "", name[160], text[2048];
    struct engine_bench_row row = {.size = sizeof row};
    for (uint32_t i = 0; engine_bench_row(bench, i, &row); i++) {
        const size_t length = strlen(names);
        snprintf(name, sizeof name, " %s,", row.impl);
        if (!row.error && !row.limit && !strstr(names, name))
            snprintf(names + length, sizeof names - length, "%s", name);
    }
    if (!*names)
        return;
    snprintf(text, sizeof text, "%s leaves out%.*s: the table shows no share of a limit for them",
             options->roofline_file, (int) strlen(names) - 1, names);
    terminal_message(&options->terminal, ENGINE_LOG_WARNING, "engine", text);
}

/* Prints the results. With --csv, the heading goes to stderr, so that stdout has the CSV alone. */
static int print_results(const struct options *options, const struct engine_bench *bench, const char *command,
                         struct engine_error *error)
{
    if (options->csv && options->terminal.verbosity != QUIET &&
        print_form(stderr, bench, ENGINE_HEADING, command, error) != 0)
        return error->status;
    const int form = options->json ? ENGINE_JSON : options->csv ? ENGINE_CSV : ENGINE_TEXT;
    return print_form(stdout, bench, form, command, error);
}

/* Appends a value of the sweep for a number of devices: "512 1024:2" if its last number is 512 for one device. */
static void add_weak(char *sweep, size_t bytes, const char *size, const char *devices)
{
    const char *last = size + strlen(size);
    while (last > size && last[-1] != ' ')
        last--;
    const size_t length = strlen(sweep);
    snprintf(sweep + length, bytes - length, "%s%.*s%llu:%s", sweep[length - 1] == '=' ? "" : ",", (int) (last - size),
             size, strtoull(last, NULL, 10) * strtoull(devices, NULL, 10), devices);
}

/* Makes a sweep of --devices, and of [grid] size with --weak. */
static int make_sweep(const struct options *options, const struct engine_config *config, char *sweep, size_t bytes,
                      struct engine_error *error)
{
    const char *size = engine_config_get(config, "grid", "size");
    char list[256];
    if (snprintf(list, sizeof list, "%s", options->devices) >= (int) sizeof list)
        return fail(error, ENGINE_STATUS_USAGE, "--devices %s: expected numbers such as 1,2,4", options->devices);
    snprintf(sweep, bytes, options->weak ? "grid.size:run.devices=" : "run.devices=%s", list);
    if (!options->weak)
        return 0;
    if (!size || !*size)
        return fail(error, ENGINE_STATUS_USAGE, "--weak: give the grid of one device in [grid] size");
    char *next = list;
    for (const char *devices; (devices = strsep(&next, ","));)
        add_weak(sweep, bytes, size, devices);
    return 0;
}

/* Adds the sweep of --devices to the options, which then refer to its text. */
static int add_devices(struct options *options, const struct engine_config *config, char *sweep, size_t bytes,
                       struct engine_error *error)
{
    if (options->weak && !options->devices)
        return fail(error, ENGINE_STATUS_USAGE, "--weak: give numbers of GPUs with --devices, such as 1,2,4");
    if (!options->devices)
        return 0;
    if (options->sweep_count == sizeof options->sweeps / sizeof options->sweeps[0])
        return fail(error, ENGINE_STATUS_USAGE, "--devices: sweep fewer keys");
    options->sweeps[options->sweep_count++] = sweep;
    return make_sweep(options, config, sweep, bytes, error);
}

static int check_isolated(const struct options *options, struct engine_error *error)
{
    if (options->isolated && options->transport)
        return fail(error, ENGINE_STATUS_USAGE, "--isolated: start the program without mpirun");
    return options->isolated || (!options->draw && !options->seconds && !options->memory)
               ? 0
               : fail(error, ENGINE_STATUS_USAGE, "--draw, --seconds and --memory belong to --isolated; add it");
}

static int measure(struct options *options, const struct engine_config *config, const char *command)
{
    char sweep[4096];
    struct engine_error wrong;
    if (add_devices(options, config, sweep, sizeof sweep, &wrong) != 0 || check_isolated(options, &wrong) != 0)
        return report(&wrong);
    const struct engine_trial trial = {.size = sizeof trial,
                                       .repeats = options->repeats,
                                       .impls = options->impls,
                                       .sweeps = options->sweeps,
                                       .sweep_count = options->sweep_count,
                                       .steps = options->steps,
                                       .seconds = options->seconds,
                                       .start = judge_start,
                                       .draw = options->draw,
                                       .memory = options->memory,
                                       .isolated = options->isolated};
    struct file files[FILES] = {{options->csv_file, ENGINE_CSV, NULL},
                                {options->json_file, ENGINE_JSON, NULL},
                                {options->plot_file, ENGINE_SVG, NULL},
                                {options->roofline_file, ENGINE_ROOFLINE, NULL}};
    struct engine_bench *bench = NULL;
    struct engine_error error, other;
    if (open_files(files, &error) != 0 || engine_bench(config, &trial, &bench, &error) != 0 ||
        print_results(options, bench, command, &error) != 0) {
        close_files(files, NULL, command, &other);
        engine_bench_close(bench);
        return report(&error);
    }
    if (options->roofline_file)
        report_left_out(options, bench);
    const int status = close_files(files, bench, command, &error) != 0 ? report(&error) : report_rows(bench);
    engine_bench_close(bench);
    return status;
}

static int bench(struct options *options, struct engine_context *context)
{
    struct engine_config *config = NULL;
    struct engine_error error;
    char command[4096] = "engine bench";
    for (int i = 0; i < options->count && strlen(command) + 16 < sizeof command; i++)
        engine_quote(command, sizeof command, options->all[i]);
    const int status = options_config(options, context, options->words[0], &config, &error) != 0
                           ? report(&error)
                           : measure(options, config, command);
    engine_config_close(config);
    return status;
}

static void list_tables(void)
{
    help_print_configs(true);
}

const struct verb verb_bench = {
    .name = "bench",
    .summary = "times implementations side by side",
    .words = "CONFIG",
    .min_words = 1,
    .max_words = 1,
    .options = OPTION_SET | OPTION_BENCH,
    .help = help,
    .more = more,
    .print_list = list_tables,
    .shares = true,
    .run = bench,
};
