/* engine complete: lists candidates for shell completion. */
#include "complete.h"
#include "help.h"

#include <string.h>

static const char help[] =
    "Prints the candidates that complete the last WORD of a command line: verbs, options, plugins, implementations, "
    "and the keys of --set with their values. Shells call it for completion. The WORDs are those that follow `engine` "
    "on the command line; the last one may be empty.\n"
    "\n"
    "Each line has a candidate, a tab, and an explanation. The line `:files .ini` asks the shell for names of files "
    "with that ending, `:files` for names of all files, and `:folders` for names of folders.\n";

static const char more[] = "Example:\n"
                           "  engine complete -- run gosper-gun.ini --set run.st\n";

static int run(struct options *options, struct engine_context *context)
{
    (void) context;
    complete(options->count - 1, options->all + 1);
    return ENGINE_STATUS_DONE;
}

const struct verb verb_complete = {
    .name = "complete",
    .summary = "lists candidates for shell completion",
    .words = "-- WORD…",
    .min_words = 1,
    .help = help,
    .more = more,
    .without_context = true,
    .reads_all = true,
    .run = run,
};
