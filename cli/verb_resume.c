/* engine resume: a run that was stopped or killed goes on. */
#include "execute.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Goes on with the run that writes into FOLDER, from its newest checkpoint that is whole, or from its beginning "
    "where there is none. Its files become the same as without the interruption.\n"
    "\n"
    "With --set only these may be changed: run.steps, run.implementation, run.threads, run.device, "
    "analyse.implementation, [output], [checkpoint], places of input files, and parameters that change speed alone.\n";

static const char more[] = "Examples:\n"
                           "  engine resume out/soup\n"
                           "  engine resume out/soup --set run.steps=20000        # further than was planned\n"
                           "\n"
                           "Exit status: as of `engine run`; 0 also where the run is at its end already.\n";

/* Goes on with the run, or prints the summary of one that is at its end. */
static int resume_folder(struct options *options, struct engine_context *context)
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

static int resume(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct engine_context *context = NULL;
    if (options_read(&verb_resume, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    if ((options.watch && watch_check(&error) != 0) || options_context(&options, &context, &error) != 0)
        return report(&error);
    const int status = resume_folder(&options, context);
    engine_close(context);
    return finish_stdout(status);
}

const struct verb verb_resume = {
    .name = "resume",
    .summary = "goes on with a run that was stopped",
    .words = "FOLDER",
    .least = 1,
    .most = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_WALLTIME | OPTION_WATCH,
    .help = help,
    .more = more,
    .run = resume,
};
