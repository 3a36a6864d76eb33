/* engine complete: what could stand next on a command line, for the completion of shells. */
#include "complete.h"
#include "help.h"

#include <string.h>

static const char help[] =
    "Prints what the last WORD could become, so that shells complete command lines by asking the engine itself: verbs, "
    "options, plugins, implementations, and the keys of --set with their values. WORDs are what follows `engine` on "
    "that "
    "line; the last one may be empty.\n"
    "\n"
    "A line is a candidate, a tab, and what it means. The line `:files .ini` asks the shell for names of files with "
    "that "
    "ending, `:folders` for names of folders.\n";

static const char more[] = "Example:\n"
                           "  engine complete -- run gosper-gun.ini --set run.st\n";

static int run(int count, char **words)
{
    if (count > 1 && strcmp(words[0], "--") == 0) {
        complete(count - 1, words + 1);
        return finish_stdout(ENGINE_STATUS_DONE);
    }
    struct options options;
    struct engine_error error;
    if (options_read(&verb_complete, count, words, &options, &error) != 0)
        return report(&error);
    return finish_stdout(ENGINE_STATUS_DONE);
}

const struct verb verb_complete = {
    .name = "complete",
    .summary = "says what could stand next, for shells",
    .words = "-- WORD…",
    .least = 1,
    .help = help,
    .more = more,
    .run = run,
};
