/* engine: runs simulations whose algorithms are plugins. This file knows the verbs by name and nothing else. */
#include "options.h"
#include "param.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static const struct verb *const verbs[] = {&verb_run,    &verb_resume, &verb_check, &verb_list,    &verb_describe,
                                           &verb_verify, &verb_report, &verb_bench, &verb_convert, &verb_new_plugin};

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

int main(int count, char **words)
{
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
