/* engine view: starts the program engine-view, which shows a simulation in a browser. */
#include "installed.h"
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Shows a simulation in a browser while it runs: the whole grid or single cells, slices of volumes, particles with "
    "depth, the metrics as curves. The page plays, pauses and steps, goes back to a checkpoint, changes cells and "
    "parameters, opens files and saves what it shows. CONFIG is a configuration, a pattern file, or the folder of a "
    "run, whose newest checkpoint is shown. The view steps a copy in memory. It writes nothing into a folder of a "
    "run.\n"
    "\n"
    "The command prints an address with a secret token, and opens it if a browser can be started. The server listens "
    "on 127.0.0.1 and ::1 only, and serves only a browser that brings the token. Ctrl-C ends the command.\n";

static const char more[] = "Examples:\n"
                           "  engine view gosper-gun.ini\n"
                           "  engine view puffer.rle --set grid.size='2000 1000'\n"
                           "  engine view out/galaxies --read-only\n"
                           "\n"
                           "On another machine, over ssh: `ssh -L 8000:127.0.0.1:8000 HOST`, and there `engine view "
                           "CONFIG --port 8000`. Then open the printed address on your own machine.\n";

/* The words are those of this command line, and the program reads them again. */
static int view(struct options *options, struct engine_context *context)
{
    struct engine_error error;
    char path[INSTALLED_PATH];
    (void) context;
    char **words = calloc((size_t) options->count + 2, sizeof *words);
    if (words && installed_beside("engine-view", path)) {
        words[0] = path;
        memcpy(words + 1, options->all, (size_t) options->count * sizeof *words);
        execv(path, words);
        fail(&error, ENGINE_STATUS_DEVICE, "%s cannot be started: %s", path, strerror(errno));
    } else
        fail(&error, ENGINE_STATUS_PLUGIN,
             "the program engine-view is not installed: this engine was built without libmicrohttpd; install "
             "libmicrohttpd-dev, and build it again");
    free(words);
    return report(&error);
}

const struct verb verb_view = {
    .name = "view",
    .summary = "shows a simulation in a browser",
    .words = "CONFIG",
    .min_words = 1,
    .max_words = 1,
    .options = OPTION_SET | OPTION_VIEW,
    .help = help,
    .more = more,
    .without_context = true,
    .run = view,
};
