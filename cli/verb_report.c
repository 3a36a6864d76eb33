/* engine report: a run's folder as one page. */
#include "options.h"

#include <stdio.h>

static const char help[] =
    "Makes report.html in the folder that a run writes into: one file, which a browser opens without a network, with "
    "what "
    "ran where, its rate, its pictures, its metrics as curves, its hash, its configuration, and how to go on with it. "
    "On "
    "the machine that ran it, limits are measured to hold the rate against, which takes a second.\n";

static const char more[] =
    "Examples:\n"
    "  engine run film.ini && engine report out/film\n"
    "\n"
    "Exit status: 0 done, 2 command line, 3 the folder holds no run, 6 the page cannot be written.\n";

static int make_report(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct engine_context *context = NULL;
    if (options_read(&verb_report, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    int status = ENGINE_STATUS_DONE;
    if (options_context(&options, &context, &error) != 0 || engine_report(context, options.words[0], &error) != 0)
        status = report(&error);
    else if (options.terminal.verbosity != QUIET)
        fprintf(stderr, "%s/report.html\n", options.words[0]);
    engine_close(context);
    return status;
}

const struct verb verb_report = {
    .name = "report",
    .summary = "makes a page of a run, for a browser",
    .words = "FOLDER",
    .least = 1,
    .most = 1,
    .help = help,
    .more = more,
    .run = make_report,
};
