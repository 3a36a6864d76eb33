/* engine run: the plan, record out. */
#include "execute.h"
#include "help.h"
#include "watch.h"

static const char help[] =
    "Runs the simulation that a configuration describes, and writes its files into the folder that [run] output names. "
    "A summary goes to stderr at the end: how fast it was, what it measured, and a hash of the final state, by which "
    "two runs can be compared.\n";

static const char more[] =
    "Examples:\n"
    "  engine run gosper-gun.ini\n"
    "  engine run gosper-gun.ini --set run.implementation=cpu-serial --set run.output=out/serial\n"
    "\n"
    "CONFIG is a file, or one of those that came with the engine, which `engine run --help` lists. `engine help "
    "config` tells what may stand in it. What is stopped, or killed, goes on by `engine resume FOLDER`.\n"
    "\n"
    "Exit status: 0 done, 2 command line or configuration, 3 input file, 4 plugin, 5 memory or device, 6 output, "
    "128 + N stopped by signal N with the state saved; 142, as by SIGALRM: the time was up.\n";

static void list_configs(void)
{
    help_print_configs(false);
}

static int run(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct engine_context *context = NULL;
    struct engine_config *config = NULL;
    struct engine_run *run = NULL;
    if (options_read(&verb_run, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    if ((options.watch && watch_check(&error) != 0) || options_context(&options, &context, &error) != 0)
        return report(&error);
    int status;
    if (options_config(&options, context, options.words[0], &config, &error) != 0 ||
        engine_run_plan(config, &run, &error) != 0 || engine_run_start(run, &error) != 0)
        status = report(&error);
    else
        status = execute(run, &options);
    engine_run_close(run);
    engine_config_close(config);
    engine_close(context);
    return finish_stdout(status);
}

const struct verb verb_run = {
    .name = "run",
    .summary = "runs a configuration",
    .words = "CONFIG",
    .least = 1,
    .most = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_FORCE | OPTION_WALLTIME | OPTION_WATCH,
    .help = help,
    .more = more,
    .lists = list_configs,
    .run = run,
};
