/* engine identify: says what a pattern is. */
#include "installed.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Says what the pattern in FILE is: a still life, an oscillator, a spaceship, a gun, a puffer, a pattern that "
    "settles, or one that grows. FILE may also be the name of a pattern that comes with the engine. The command runs "
    "the pattern in an empty plane, or on the grid that the file states, with the first plugin that takes its rule. "
    "The table shows the period, the speed, the cells that change, and for rules of two states the apgcode, which is "
    "the name of the object on catagolue.hatsya.com.\n";

static const char more[] = "Examples:\n"
                           "  engine identify glider.rle\n"
                           "  engine identify soup.rle --steps 100000\n"
                           "  engine identify replicator.cells --set life2d-bit.rule=B36/S23\n"
                           "\n"
                           "The exit status is also 0 if the command reaches its limits before it finds out what "
                           "the pattern is.\n";

enum { MOST_TEXTS = 16 };

/* The messages that the terminal has shown. Each larger grid is another run, whose plugin says the same again. */
struct shown {
    struct terminal *terminal;
    char *texts[MOST_TEXTS];
};

static void show_once(void *user, int level, const char *source, const char *text)
{
    struct shown *shown = user;
    size_t i = 0;
    while (i < MOST_TEXTS && shown->texts[i] && strcmp(shown->texts[i], text) != 0)
        i++;
    if (i < MOST_TEXTS && shown->texts[i])
        return;
    if (i < MOST_TEXTS)
        shown->texts[i] = strdup(text);
    terminal_message(shown->terminal, level, source, text);
}

/* The file of that name, or, if there is none, the pattern of that name that comes with the engine. */
static const char *find_file(const char *name, char installed[INSTALLED_PATH])
{
    return access(name, F_OK) != 0 && installed_pattern(name, installed) ? installed : name;
}

static int answer(struct options *options, struct engine_context *context)
{
    char installed[INSTALLED_PATH];
    const struct engine_question question = {
        .size = sizeof question, .count = options->set_count, .assignments = options->set, .steps = options->steps};
    struct engine_identity *identity;
    struct engine_error error;
    char *text;
    int status = engine_identify(context, find_file(options->words[0], installed), &question, &identity, &error);
    if (status == 0)
        status = engine_identity_print(identity, options->json ? ENGINE_JSON : ENGINE_TEXT, &text, &error);
    engine_identity_close(identity);
    if (status != 0)
        return report(&error);
    print_text(text);
    return ENGINE_STATUS_DONE;
}

static int identify(struct options *options, struct engine_context *context)
{
    struct shown shown = {.terminal = &options->terminal};
    const struct engine_hooks hooks = {.size = sizeof hooks, .message = show_once};
    struct engine_error error;
    const int status = options_context_with(options, &hooks, &shown, &context, &error) != 0 ? report(&error)
                                                                                            : answer(options, context);
    engine_close(context);
    for (size_t i = 0; i < MOST_TEXTS; i++)
        free(shown.texts[i]);
    return status;
}

const struct verb verb_identify = {
    .name = "identify",
    .summary = "says what a pattern is",
    .words = "FILE",
    .min_words = 1,
    .max_words = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_IDENTIFY,
    .help = help,
    .more = more,
    .without_context = true,
    .run = identify,
};
