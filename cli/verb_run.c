/* engine run: runs a configuration. */
#include "ensemble.h"
#include "execute.h"
#include "help.h"
#include "watch.h"

static const char help[] =
    "Runs the simulation that a configuration describes, and writes its files into the folder that the key [run] "
    "output names, by default out/<name of the configuration>. "
    "At the end it prints a summary on stdout: the rate, the metrics, and a hash of the final state. Two runs that end "
    "in the same state have the same hash. If a condition of [run] until ends the run before its last step, the "
    "summary says which. Messages and progress go to stderr. With --json, stdout has the summary as "
    "JSON, and the text goes to stderr; --quiet prints no text.\n";

static const char more[] =
    "Examples:\n"
    "  engine run gosper-gun.ini\n"
    "  engine run acorn.rle --set run.steps=5206      # a pattern alone\n"
    "  engine run gosper-gun.ini --set run.implementation=cpu-serial --set run.output=out/serial\n"
    "  engine run soup-densities.ini              # an ensemble: many runs and one table; docs/reference/ensembles.md\n"
    "  mpirun -n 4 engine run soup.ini        # four processes share a grid; docs/explain/scaling.md explains this\n"
    "\n"
    "CONFIG is a configuration, a pattern file, or the name of one that comes with the engine. `engine run --help` "
    "lists the configurations. A pattern runs on an unbounded grid, unless its file or an option says something about "
    "the grid; give the number of steps with --set run.steps=N. `engine help config` lists the basic keys of a "
    "configuration. `engine resume FOLDER` continues a run that was stopped or killed.\n"
    "\n"
    "Exit status:\n"
    "  0        success; all members of an ensemble are done. If members failed, the status is that of the first one\n"
    "  2        error in the command line or the configuration\n"
    "  3        an input file cannot be read\n"
    "  4        a plugin does not load, or failed\n"
    "  5        there is not enough memory, a device failed, or another process of the run did not answer\n"
    "  6        a file cannot be written\n"
    "  128 + N  signal N stopped the run; its state is saved\n"
    "  142      the time of --walltime was up; the state is saved\n";

static void list_configs(void)
{
    help_print_configs(false);
}

static int run_one(const struct engine_config *config, struct options *options)
{
    struct engine_run *run = NULL;
    struct engine_error error;
    int status;
    if (engine_run_plan(config, &run, &error) != 0) {
        options_explain(config, &error);
        status = report(&error);
    } else
        status = engine_run_start(run, &error) != 0 ? report(&error) : execute(run, options);
    engine_run_close(run);
    return status;
}

static int run_ensemble(struct engine_ensemble *ensemble, struct options *options)
{
    struct engine_error error;
    if (options->watch)
        fail(&error, ENGINE_STATUS_USAGE, "--watch shows one run, and the configuration asks for an ensemble");
    else if (engine_ensemble_open(ensemble, options->force ? ENGINE_RUN_FORCE : 0, &error) == 0)
        return ensemble_execute(ensemble, options);
    return report(&error);
}

static int run(struct options *options, struct engine_context *context)
{
    struct engine_config *config = NULL;
    struct engine_ensemble *ensemble = NULL;
    struct engine_error error;
    int status;
    if ((options->watch && watch_check(&error) != 0) ||
        options_config(options, context, options->words[0], &config, &error) != 0 ||
        ensemble_options(options, config, &error) != 0 || engine_ensemble_plan(config, &ensemble, &error) != 0)
        status = report(&error);
    else
        status = ensemble ? run_ensemble(ensemble, options) : run_one(config, options);
    engine_ensemble_close(ensemble);
    engine_config_close(config);
    return status;
}

const struct verb verb_run = {
    .name = "run",
    .summary = "runs a configuration",
    .words = "CONFIG",
    .min_words = 1,
    .max_words = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_FORCE | OPTION_WALLTIME | OPTION_WATCH | OPTION_ENSEMBLE,
    .help = help,
    .more = more,
    .print_list = list_configs,
    .shares = true,
    .run = run,
};
