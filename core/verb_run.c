/* engine run: the plan, carried out. */
#include "init.h"
#include "options.h"
#include "summary.h"

#include <stdio.h>

static const char help[] =
    "Runs the simulation that a configuration describes, and writes its files into the folder that [run] output names. "
    "A summary goes to stderr at the end: how fast it was, what it measured, and a hash of the final state, by which "
    "two "
    "runs can be compared.\n";

static const char more[] =
    "Examples:\n"
    "  engine run gosper-gun.ini\n"
    "  engine run gosper-gun.ini --set run.implementation=cpu-serial --set run.output=out/serial\n"
    "\n"
    "CONFIG is a file, or the name of one that came with the engine. `engine help config` tells what may stand in "
    "it.\n"
    "\n"
    "Exit status: 0 done, 2 command line or configuration, 3 input file, 4 plugin, 5 memory or device, 6 output, "
    "128 + N stopped by signal N with the state at that step written.\n";

/* What a run holds; released from the last to the first. */
struct run {
    struct config *config;
    struct registry *registry;
    struct plan *plan;
    struct plan *analysis_plan;
    struct state *state;
    struct instance *instance;
    struct analysis *analysis; /* NULL: none is asked for */
    struct output *output;
};

static void run_release(struct run *run)
{
    output_close(run->output);
    analysis_close(run->analysis);
    instance_close(run->instance);
    state_close(run->state);
    plan_close(run->analysis_plan);
    plan_close(run->plan);
    registry_close(run->registry);
    config_close(run->config);
}

static int make_plans(struct run *run, const struct options *options, struct error *error)
{
    if (options_config(options, options->words[0], &run->config, error) != 0 ||
        options_registry(options, &run->registry, error) != 0 ||
        plan_open(run->config, run->registry, &run->plan, error) != 0 ||
        plan_choose(run->plan, run->plan->settings.implementation, error) != 0)
        return error->status;
    return analysis_plan(run->plan, run->registry, &run->analysis_plan, error);
}

static int run_prepare(struct run *run, const struct options *options, struct error *error)
{
    if (make_plans(run, options, error) != 0 || state_open(run->plan, &run->state, error) != 0 ||
        init_state(run->state, error) != 0 || instance_open(run->state, &run->instance, error) != 0)
        return error->status;
    if (run->analysis_plan && analysis_open(run->analysis_plan, run->state, &run->analysis, error) != 0)
        return error->status;
    return output_open(run->instance, run->analysis, options->force, &run->output, error);
}

static int run_go(struct run *run, const struct options *options, struct error *error)
{
    struct loop_result result;
    if (loop_run(run->instance, run->analysis, run->output, &result, error) != 0)
        return error->status;
    if (summary_print(run->instance, run->output, &result, options->json, error) != 0)
        return error->status;
    if (result.signal == 0)
        return STATUS_DONE;
    fprintf(stderr, "engine: stopped by signal %d at step %llu; the state is in %s\n", result.signal,
            (unsigned long long) run->state->step, run->output->folder);
    return 128 + result.signal;
}

static int run(int count, char **words)
{
    struct options options;
    struct error error;
    struct run run = {0};
    if (options_read(&verb_run, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(STATUS_DONE);
    int status = run_prepare(&run, &options, &error);
    if (status == 0)
        status = run_go(&run, &options, &error);
    if (status != 0 && status < 128)
        report(&error);
    run_release(&run);
    return finish_stdout(status);
}

const struct verb verb_run = {
    .name = "run",
    .summary = "runs a configuration",
    .words = "CONFIG",
    .least = 1,
    .most = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_FORCE,
    .help = help,
    .more = more,
    .run = run,
};
