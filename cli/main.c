/* engine: runs simulations whose algorithms are plugins. This file hands the command line to one of its verbs. */
#include "help.h"
#include "options.h"
#include <engine/engine.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int refuse(const char *word)
{
    char hint[128];
    if (strstr(word, ".ini"))
        fprintf(stderr, "engine: '%s' is no verb; to run a configuration say `engine run %s`\n", word, word);
    else
        fprintf(stderr, "engine: unknown verb '%s'%s; `engine --help` lists the verbs\n", word,
                engine_nearest(hint, word, verb_name_at, NULL));
    return ENGINE_STATUS_USAGE;
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
        return ENGINE_STATUS_OUTPUT;
    if (count < 2) {
        help_print_verbs(stderr);
        return ENGINE_STATUS_USAGE;
    }
    if (is_one_of(words[1], "--help", "-h")) {
        help_print_verbs(stdout);
        return finish_stdout(ENGINE_STATUS_DONE);
    }
    if (is_one_of(words[1], "--version", "-V")) {
        printf("engine " ENGINE_VERSION "\n");
        return finish_stdout(ENGINE_STATUS_DONE);
    }
    const struct verb *verb = verb_named(words[1]);
    return verb ? verb->run(count - 2, words + 2) : refuse(words[1]);
}
