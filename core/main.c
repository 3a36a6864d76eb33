/* engine: runs simulations whose algorithms are plugins. This file knows the verbs by name and nothing else. */
#include "options.h"
#include "param.h"
#include "version.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct verb *const verbs[] = {&verb_run,    &verb_resume, &verb_check,   &verb_list,      &verb_describe,
                                           &verb_verify, &verb_bench,  &verb_convert, &verb_new_plugin};

#ifndef ENGINE_COMMIT
#define ENGINE_COMMIT ""
#endif

enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static const char *verb_name_at(const void *list, uint32_t index)
{
    (void) list;
    return index < VERB_COUNT ? verbs[index]->name : NULL;
}

static int usage(FILE *to)
{
    fprintf(to, "engine " ENGINE_VERSION ": runs simulations whose algorithms are plugins\n\n"
                "usage: engine VERB …\n\n");
    for (int i = 0; i < VERB_COUNT; i++)
        fprintf(to, "  %-12s %s\n", verbs[i]->name, verbs[i]->summary);
    fprintf(to, "\n`engine VERB --help` tells more of each; `engine --version` prints the version.\n");
    return to == stdout ? finish_stdout(STATUS_DONE) : STATUS_USAGE;
}

/* A standard stream that is closed stays so: the next file that is opened would take its number, and get what is
 * printed there. Opened the wrong way round, it fails as a closed one does. */
static bool occupy_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
            return false;
    return true;
}

int main(int count, char **words)
{
    if (!occupy_streams())
        return STATUS_OUTPUT;
    version_commit = ENGINE_COMMIT;
    if (count < 2)
        return usage(stderr);
    const char *word = words[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return usage(stdout);
    if (strcmp(word, "--version") == 0) {
        printf("engine " ENGINE_VERSION "\n");
        return finish_stdout(STATUS_DONE);
    }
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(word, verbs[i]->name) == 0)
            return verbs[i]->run(count - 2, words + 2);
    char hint[128];
    fprintf(stderr, "engine: unknown verb '%s'%s; `engine --help` lists the verbs\n", word,
            nearest_hint(hint, word, verb_name_at, NULL));
    return STATUS_USAGE;
}
