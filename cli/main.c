/* The program `engine`. main calls the function of the verb that the command line names. */
#include "guard.h"
#include "help.h"
#include "message.h"
#include "options.h"
#include "ranks.h"
#include <engine/engine.h>

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int refuse_verb(const char *word)
{
    struct engine_error error;
    char hint[128];
    if (strstr(word, ".ini"))
        fail(&error, ENGINE_STATUS_USAGE, "'%s' is not a verb; to run this configuration, use `engine run %s`", word,
             word);
    else if (*word == '-')
        fail(&error, ENGINE_STATUS_USAGE, "unknown option '%s' before the verb; `engine --help` shows the usage", word);
    else
        fail(&error, ENGINE_STATUS_USAGE, "unknown verb '%s'%s; `engine --help` lists the verbs", word,
             engine_nearest(hint, word, verb_name_at, NULL));
    return report(&error);
}

/* Opens /dev/null in the place of each standard stream that is closed. Otherwise the next file that the program opens
 * would get the number of the stream, and receive what the program prints. The direction is the wrong one on purpose:
 * reading and writing fail as on a closed stream. */
static bool reserve_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
            return false;
    return true;
}

static int carry_out(const struct verb *verb, int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct engine_context *context = NULL;
    if (options_read(verb, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help) /* options_read has printed it */
        return finish_stdout(ENGINE_STATUS_DONE);
    if (verb->shares && ranks_join(&options, &error) != 0)
        return report(&error);
    const bool opened = verb->without_context || options_context(&options, &context, &error) == 0;
    guard_watch(context);
    const int status = opened ? verb->run(&options, context) : report(&error);
    guard_watch(NULL);
    fflush(stdout);
    engine_close(context);
    ranks_leave(&options);
    return finish_stdout(status);
}

/* In a process that serves process 0. The command line is the same in both, so process 0 reports what is wrong with
 * it. */
static int serve(const struct verb *verb, int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct engine_context *context;
    if (!freopen("/dev/null", "w", stdout) || options_read(verb, count, words, &options, &error) != 0 || options.help ||
        ranks_join(&options, &error) != 0)
        return ENGINE_STATUS_DONE;
    if (ranks_context(&options, &context, &error) != 0)
        return report(&error);
    guard_watch(context);
    const int status = ranks_serve(context);
    guard_watch(NULL);
    engine_close(context);
    ranks_leave(&options);
    return status;
}

static int start(int count, char **words)
{
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
    if (!verb)
        return refuse_verb(words[1]);
    return (verb->shares && ranks_number() > 0 ? serve : carry_out)(verb, count - 2, words + 2);
}

int main(int count, char **words)
{
    if (!reserve_standard_streams())
        return ENGINE_STATUS_OUTPUT;
    signal(SIGXFSZ, SIG_IGN); /* a file that reaches `ulimit -f` then gives an error with a reason */
    guard_begin();
    const int status = start(count, words);
    guard_end();
    return status;
}
