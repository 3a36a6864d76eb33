/* engine report: makes an HTML page about a run. */
#include "installed.h"
#include "options.h"

#include <stdio.h>

static const char help[] =
    "Writes report.html into the folder of a run. The page is one file that needs no network. It "
    "shows what ran and where, the rate, pictures, curves of the metrics, the hash, the configuration, and the command "
    "that continues the run. On the machine that ran the simulation, the engine also measures the limits of this "
    "machine, which takes a second, and compares the rate with them.\n";

static const char more[] = "Examples:\n"
                           "  engine run film.ini && engine report out/film\n"
                           "\n"
                           "Exit status:\n"
                           "  0  success\n"
                           "  2  error in the command line\n"
                           "  3  the folder does not hold a run\n"
                           "  6  the page cannot be written\n";

static int make_report(struct options *options, struct engine_context *context)
{
    struct engine_error error;
    if (engine_report(context, options->words[0], &error) != 0)
        return report(&error);
    char page[INSTALLED_PATH];
    snprintf(page, sizeof page, "%s/report.html", options->words[0]);
    if (options->terminal.verbosity != QUIET)
        fprintf(stderr, "%s\n", printable(page));
    return ENGINE_STATUS_DONE;
}

const struct verb verb_report = {
    .name = "report",
    .summary = "makes an HTML page about a run",
    .words = "FOLDER",
    .min_words = 1,
    .max_words = 1,
    .help = help,
    .more = more,
    .run = make_report,
};
