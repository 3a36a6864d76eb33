/* engine resume: continues a run that was stopped or killed. */
#include "ensemble.h"
#include "execute.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Continues the run whose files are in FOLDER. It starts from the newest complete checkpoint, or from the beginning "
    "if the run was stopped before the first one. At the end, the files are the same as those of an uninterrupted "
    "run. In the folder of an ensemble, it runs the members that are not done.\n"
    "\n"
    "For a run, --set can change only these keys: those of [run] except plugin and output, those of [output], "
    "[checkpoint] and [bench], analyse.implementation, the paths of files, tuning parameters, which change the speed "
    "and never a result, and the parameters with the choice auto of an implementation that is not exact, such as "
    "nbody.instructions.\n"
    "\n"
    "For an ensemble, --set can change only keys that change no result: run.threads, run.device, run.devices, "
    "run.parts, run.margin, run.transport, run.patience, run.plugins, ensemble.at_once, ensemble.batch, tuning "
    "parameters, and, if the implementations are exact, run.implementation and analyse.implementation.\n"
    "\n"
    "To continue in another folder, copy or move FOLDER.\n";

static const char more[] = "Examples:\n"
                           "  engine resume out/soup\n"
                           "  engine resume out/soup --set run.steps=20000        # more steps than before\n"
                           "\n"
                           "Exit status:\n"
                           "  as for `engine run`; also 0 if the run had already ended\n";

/* Continues the run, or prints the summary of a run that has ended. */
static int resume_run(struct options *options, struct engine_context *context)
{
    struct engine_run *run;
    struct engine_error error;
    char *summary;
    if (engine_run_resume(context, options->words[0], options->set, options->set_count, &run, &summary, &error) != 0)
        return report(&error);
    const int status = run ? execute(run, options) : ENGINE_STATUS_DONE;
    if (summary && options->json)
        fputs(summary, stdout);
    free(summary);
    engine_run_close(run);
    return status;
}

static int resume(struct options *options, struct engine_context *context)
{
    struct engine_ensemble *ensemble;
    struct engine_error error;
    if ((options->watch && watch_check(&error) != 0) ||
        engine_ensemble_resume(context, options->words[0], options->set, options->set_count, &ensemble, &error) != 0)
        return report(&error);
    if (!ensemble)
        return resume_run(options, context);
    int status;
    if (options->watch) {
        fail(&error, ENGINE_STATUS_USAGE, "--watch shows one run, and this is the folder of an ensemble");
        status = report(&error);
    } else
        status = ensemble_execute(ensemble, options);
    engine_ensemble_close(ensemble);
    return status;
}

const struct verb verb_resume = {
    .name = "resume",
    .summary = "continues a run that was stopped or killed",
    .words = "FOLDER",
    .min_words = 1,
    .max_words = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_WALLTIME | OPTION_WATCH,
    .help = help,
    .more = more,
    .shares = true,
    .run = resume,
};
