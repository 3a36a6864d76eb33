/* engine check: prints the plan of a run. */
#include "ensemble.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Shows what `engine run` would do with a configuration, without running it: the implementations and which one was "
    "chosen, the parameters, the sizes, the memory and the space on the disk. It reports errors in the configuration "
    "with the same messages and the same exit status as `engine run`. Some implementations are fast for some initial "
    "states only. They try a few steps, and say whether they would pay. If [run] devices divides the run, the command "
    "times it on one "
    "device and on all of them.\n";

static const char more[] = "Examples:\n"
                           "  engine check gosper-gun.ini\n"
                           "  engine check soup.ini --set grid.size='100000 100000'       # does it fit?\n";

/* Times the chosen implementation on one device and on all devices of a divided run, and prints the ratio. No plugin
 * can predict it for every machine. */
static int measure_devices(const struct engine_config *config, struct engine_run *run, struct engine_error *error)
{
    char sweep[64];
    const char *devices = engine_config_get(config, "run", "devices"), *sweeps[] = {sweep};
    if (!devices || strtoul(devices, NULL, 10) < 2)
        return 0;
    snprintf(sweep, sizeof sweep, "run.devices=1,%s", devices);
    const struct engine_trial trial = {
        .size = sizeof trial, .repeats = 1, .impls = engine_run_impl(run)->name, .sweeps = sweeps, .sweep_count = 1};
    struct engine_bench *bench;
    struct engine_bench_row row = {.size = sizeof row};
    if (engine_bench(config, &trial, &bench, error) != 0)
        return error->status;
    if (engine_bench_row(bench, 1, &row) && !row.error && row.speedup > 0)
        printf("measured        %s devices are %.2f times as fast as one%s\n", devices, row.speedup,
               row.speedup < 1 ? "; leave [run] devices out" : "");
    engine_bench_close(bench);
    return 0;
}

/* Prints the plan, then checks that memory and disk have room for it. */
static int show(const struct engine_config *config, struct engine_run *run, bool json, struct engine_error *error)
{
    char *text;
    if (engine_run_check_init(run, error) != 0 || engine_run_advise(run, error) != 0 ||
        engine_run_print_plan(run, json ? ENGINE_JSON : ENGINE_TEXT, &text, error) != 0)
        return error->status;
    print_text(text);
    if (engine_run_check_room(run, error) != 0)
        return error->status;
    return json ? 0 : measure_devices(config, run, error);
}

static int show_ensemble(struct engine_ensemble *ensemble, bool json, struct engine_error *error)
{
    char *text;
    if (engine_ensemble_print_plan(ensemble, json ? ENGINE_JSON : ENGINE_TEXT, &text, error) != 0)
        return error->status;
    print_text(text);
    return engine_ensemble_check_room(ensemble, error);
}

static int check(struct options *options, struct engine_context *context)
{
    struct engine_config *config = NULL;
    struct engine_ensemble *ensemble = NULL;
    struct engine_run *run = NULL;
    struct engine_error error;
    int status = options_config(options, context, options->words[0], &config, &error);
    if (status == 0)
        status = ensemble_options(options, config, &error);
    if (status == 0)
        status = engine_ensemble_plan(config, &ensemble, &error);
    if (status == 0 && ensemble)
        status = show_ensemble(ensemble, options->json, &error);
    else if (status == 0)
        status = engine_run_plan(config, &run, &error) != 0 ? options_explain(config, &error)
                                                            : show(config, run, options->json, &error);
    if (status != 0)
        report(&error);
    engine_run_close(run);
    engine_ensemble_close(ensemble);
    engine_config_close(config);
    return status;
}

const struct verb verb_check = {
    .name = "check",
    .summary = "shows what run would do, without running",
    .words = "CONFIG",
    .min_words = 1,
    .max_words = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_ENSEMBLE,
    .help = help,
    .more = more,
    .shares = true,
    .run = check,
};
