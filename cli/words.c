#include "words.h"
#include <engine/engine.h>

#include <stdio.h>
#include <string.h>

static const char *say_option(const char *member, char *text, size_t size)
{
    snprintf(text, size, "--%s", strcmp(member, "position") == 0 ? "placed" : member);
    return text;
}

static const char *say_resume(const char *folder, char *text, size_t size)
{
    snprintf(text, size, "engine resume");
    engine_quote(text, size, folder);
    return text;
}

static const char *say_restart(const char *folder, char *text, size_t size)
{
    char output[4096], config[4096];
    snprintf(output, sizeof output, "run.output=%s", folder);
    snprintf(config, sizeof config, "%s/config.ini", folder);
    snprintf(text, size, "engine run --force --set");
    engine_quote(text, size, output);
    engine_quote(text, size, config);
    return text;
}

/* Words before and behind the subject, or a function that says it. */
static const struct {
    const char *before, *behind;
    const char *(*say)(const char *subject, char *text, size_t size);
} topics[] = {
    [ENGINE_WORDS_KEY] = {"--set ", "", NULL},
    [ENGINE_WORDS_OPTION] = {NULL, NULL, say_option},
    [ENGINE_WORDS_PLUGINS] = {"`engine list` shows the names", "", NULL},
    [ENGINE_WORDS_FORMATS] = {"`engine help formats` lists them", "", NULL},
    [ENGINE_WORDS_PLUGIN] = {"`engine describe ", "` lists them", NULL},
    [ENGINE_WORDS_FOLDERS] = {"--plugins FOLDER", "", NULL},
    [ENGINE_WORDS_CHANGES] = {"`engine resume --help` lists the keys that it can change, and `engine run` starts a "
                              "new ",
                              "", NULL},
    [ENGINE_WORDS_RESUME] = {NULL, NULL, say_resume},
    [ENGINE_WORDS_RESTART] = {NULL, NULL, say_restart},
    [ENGINE_WORDS_CONFORM] = {"as in engine conform ", ".so CONFIG", NULL},
};

const char *words_of_program(uint32_t topic, const char *subject, char *text, size_t size)
{
    if (topic >= sizeof topics / sizeof topics[0])
        return NULL;
    if (topics[topic].say)
        return topics[topic].say(subject, text, size);
    snprintf(text, size, "%s%s%s", topics[topic].before, subject, topics[topic].behind);
    return text;
}
