/* engine audit: checks parts of a run that has ended, or compares the hashes of two. */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "Checks a run without repeating all of it. A segment lies between two states that the run has kept: checkpoints, "
    "and "
    "snapshots among its outputs. The verb draws segments, takes their steps again with another implementation, and "
    "compares every hash, metric and state that the run has recorded. It first prints what it will do, how long that "
    "takes, and how likely it is that wrong segments are missed. It writes nothing into FOLDER. An audit that is "
    "interrupted goes on when it is started again, from a file in $XDG_STATE_HOME/engine, by default "
    "~/.local/state/engine.\n"
    "\n"
    "The run needs [output] hash_every, and [checkpoint] every with keep = all. Its input files must be where they "
    "were, "
    "or --set init.file=... names them.\n"
    "\n"
    "With two folders, the verb finds the first row in which the hashes of two runs differ.\n";

static const char more[] =
    "Examples:\n"
    "  engine audit out/soup\n"
    "  engine audit out/soup --segments 300 --impl cpu-serial\n"
    "  engine audit out/soup --all\n"
    "  engine audit out/soup out/soup-again               # where do two runs differ?\n"
    "\n"
    "Exit status:\n"
    "  0  nothing differs\n"
    "  1  something differs\n"
    "  2  error in the command line or the configuration, or no implementation can check the run\n"
    "  3  the folder does not hold a run, or nothing that can be compared\n"
    "  4  a plugin does not load, or failed\n"
    "  5  there is not enough memory, or a device failed\n"
    "  6  the folder cannot be read\n";

static void print_lines(void *user, const char *text)
{
    (void) user;
    fputs(text, stdout);
    fflush(stdout);
}

/* Makes the folders of a path that are missing, behind the character `from`. */
static bool make_folders(char *path, char *from)
{
    for (char *slash = from; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

/* The file of the user that says how far an audit of the folder is. It is not in the folder: whoever made the run could
 * have put one there. Returns path, or NULL if there is no place for it. */
static const char *progress_path(const char *folder, char path[4096])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool given = state && *state == '/';
    struct stat about;
    if ((!given && !(home && *home == '/')) || stat(folder, &about) != 0)
        return NULL;
    const int length =
        snprintf(path, 4096, "%s%s/engine/audit-%llx-%llx.json", given ? state : home, given ? "" : "/.local/state",
                 (unsigned long long) about.st_dev, (unsigned long long) about.st_ino);
    return length < 4096 && make_folders(path, path) ? path : NULL;
}

static int audit_one(const struct options *options, struct engine_context *context)
{
    char path[4096];
    const struct engine_audit audit = {.size = sizeof audit,
                                       .all = options->all_keys,
                                       .segments = options->segments,
                                       .seed = options->seed,
                                       .impl = options->impls,
                                       .assignments = options->set,
                                       .assignment_count = options->set_count,
                                       .progress = progress_path(options->words[0], path),
                                       .print = options->json ? NULL : print_lines};
    struct engine_error error;
    char *json;
    const int status = engine_audit(context, options->words[0], &audit, &json, &error);
    if (json && options->json)
        fputs(json, stdout);
    free(json);
    return status == 0 ? 0 : report(&error);
}

static int compare_two(const struct options *options)
{
    struct engine_error error;
    char *text;
    const int status = engine_audit_compare(options->words[0], options->words[1],
                                            options->json ? ENGINE_JSON : ENGINE_TEXT, &text, &error);
    if (text)
        print_text(text);
    return status == 0 ? 0 : report(&error);
}

static int audit(struct options *options, struct engine_context *context)
{
    return options->word_count == 2 ? compare_two(options) : audit_one(options, context);
}

const struct verb verb_audit = {
    .name = "audit",
    .summary = "checks parts of a run, by the states and hashes that it kept",
    .words = "FOLDER [FOLDER]",
    .min_words = 1,
    .max_words = 2,
    .options = OPTION_JSON | OPTION_SET | OPTION_AUDIT,
    .help = help,
    .more = more,
    .run = audit,
};
