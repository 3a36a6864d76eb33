/* engine check: prints the plan of a run. */
#include "ensemble.h"

#include <stdio.h>
#include <stdlib.h>

enum { STARTED_BYTES = 1 << 24, TRIED_BYTES = 1 << 20 }; /* of a run that is started; that takes a step */
static const double TRIED_WORK = 1e8, TRIED_SECONDS = 1; /* units of work of a step; seconds for the members */

static const char help[] =
    "Shows what `engine run` would do with a configuration, without running it: the implementations and which one was "
    "chosen, the parameters, the sizes, the memory and the space on the disk. It reports errors in the configuration "
    "with the same messages and the same exit status as `engine run`. Some implementations are fast for some initial "
    "states only. They try a few steps, and say whether they would pay. If [run] devices divides the run, the command "
    "times it on one device and on all of them. If the run is small, the command also makes its initial state and "
    "takes a step, which finds values that a plugin refuses; of an ensemble it tries as many members as it can "
    "in a second.\n";

static const char more[] = "Examples:\n"
                           "  engine check gosper-gun.ini\n"
                           "  engine check soup.ini --set grid.size='100000 100000'       # does it fit?\n";

/* Makes the initial state of a small run and takes a step, because plugins refuse some values only then. */
static int try_run(struct engine_run *run, struct engine_error *error)
{
    struct engine_run_info about = {.size = sizeof about};
    engine_run_about(run, &about);
    if (about.bytes > STARTED_BYTES)
        return 0;
    if (engine_run_start(run, error) != 0)
        return error->status;
    const bool quick = about.bytes <= TRIED_BYTES && about.work_per_step <= TRIED_WORK;
    return quick ? engine_run_advance(run, 1, NULL, NULL, error) : 0;
}

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
    if (engine_run_check_room(run, error) != 0 || try_run(run, error) != 0)
        return error->status;
    return json ? 0 : measure_devices(config, run, error);
}

static int try_member(struct engine_ensemble *ensemble, uint64_t member, struct engine_context *context,
                      struct engine_error *error)
{
    char why[sizeof error->text];
    struct engine_run *run;
    int status = engine_ensemble_member(ensemble, member, context, &run, error);
    if (status == 0)
        status = try_run(run, error);
    engine_run_close(run);
    if (status == 0)
        return 0;
    snprintf(why, sizeof why, "%s", error->text);
    return fail(error, status, "member %llu: %s", (unsigned long long) member, why);
}

/* The last member comes first, because the values of a sweep often grow. */
static int try_members(struct engine_ensemble *ensemble, struct engine_context *context, struct engine_error *error)
{
    struct engine_ensemble_info about = {.size = sizeof about};
    const double end = seconds_now() + TRIED_SECONDS;
    engine_ensemble_about(ensemble, &about);
    int status = try_member(ensemble, about.members, context, error);
    for (uint64_t member = 1; status == 0 && member < about.members && seconds_now() < end; member++)
        status = try_member(ensemble, member, context, error);
    return status;
}

static int show_ensemble(struct engine_ensemble *ensemble, struct engine_context *context,
                         const struct options *options, struct engine_error *error)
{
    char *text;
    if (engine_ensemble_print_plan(ensemble, options->json ? ENGINE_JSON : ENGINE_TEXT, &text, error) != 0)
        return error->status;
    print_text(text);
    const int status = engine_ensemble_check_room(ensemble, error);
    return status != 0 || options->transport ? status : try_members(ensemble, context, error);
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
        status = show_ensemble(ensemble, context, options, &error);
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
