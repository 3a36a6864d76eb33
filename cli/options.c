#include "options.h"
#include "help.h"
#include "installed.h"
#include "stop.h"
#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *option_name_at(const void *verb, uint32_t index)
{
    const struct option *option = option_at(verb, index);
    return option ? option->name : NULL;
}

/* The verb's option that a word names, up to any '='. NULL: the verb does not have it. */
static const struct option *find_option(const struct verb *verb, const char *word)
{
    const size_t length = strcspn(word, "=");
    const struct option *option;
    for (uint32_t i = 0; (option = option_at(verb, i)); i++)
        if (strlen(option->name) == length && strncmp(option->name, word, length) == 0)
            return option;
    return NULL;
}

static int refuse_option(const struct verb *verb, const char *word, struct engine_error *error)
{
    char name[128], hint[128];
    snprintf(name, sizeof name, "%.*s", (int) strcspn(word, "="), word);
    return fail(error, ENGINE_STATUS_USAGE, "unknown option '%s'%s; `engine %s --help` lists the options", name,
                engine_nearest(hint, name, option_name_at, verb), verb->name);
}

/* Reads the option at words[*i], and its value from the same word or from the next one. */
static int take_option(const struct verb *verb, int count, char **words, int *i, struct options *options,
                       struct engine_error *error)
{
    const char *word = words[*i], *value = strchr(word, '=');
    const struct option *option = find_option(verb, word);
    if (!option)
        return refuse_option(verb, word, error);
    if (!option->argument && value)
        return fail(error, ENGINE_STATUS_USAGE, "%s takes no value", option->name);
    if (option->argument && *option->argument != '[' && !value) {
        if (*i + 1 == count)
            return fail(error, ENGINE_STATUS_USAGE, "%s needs a value, as in %s %s", word, word, option->argument);
        value = words[++*i];
    } else if (value)
        value++;
    return option->take(options, value, error);
}

/* Reads a word that does not start with "--". */
static int take_word(const struct verb *verb, const char *word, struct options *options, struct engine_error *error)
{
    if (strcmp(word, "-h") == 0)
        options->help = true;
    else if (word[0] == '-' && word[1] != '\0')
        return refuse_option(verb, word, error);
    else if (options->word_count == verb->max_words)
        return fail(error, ENGINE_STATUS_USAGE, "'%s' is one word too many, expected `engine %s%s%s [options]`%s", word,
                    verb->name, *verb->words ? " " : "", verb->words,
                    verb->options & OPTION_SET ? "; quote a value that has spaces, as in --set 'grid.size=512 384'"
                                               : "");
    else
        options->words[options->word_count++] = word;
    return 0;
}

/* Names the first word that is missing: OUT of "IN OUT", where `given` is 1. */
static int refuse_missing(const struct verb *verb, uint32_t given, struct engine_error *error)
{
    const char *word = verb->words;
    for (; given > 0; given--)
        word += strcspn(word, " ") + 1;
    return fail(error, ENGINE_STATUS_USAGE,
                "%.*s is missing, expected `engine %s %s [options]`; `engine %s --help` explains it",
                (int) strcspn(word, " "), word, verb->name, verb->words, verb->name);
}

int options_read(const struct verb *verb, int count, char **words, struct options *options, struct engine_error *error)
{
    memset(options, 0, sizeof *options);
    options->conversion.colours = options_colours();
    options->count = count;
    options->all = words;
    if (verb->reads_all && count > 1 && strcmp(words[0], "--") == 0)
        return 0;
    for (int i = 0; i < count && !options->help; i++) {
        const int status = strncmp(words[i], "--", 2) == 0 ? take_option(verb, count, words, &i, options, error)
                                                           : take_word(verb, words[i], options, error);
        if (status != 0)
            return status;
    }
    if (options->help) {
        help_print(verb);
        return 0;
    }
    return options->word_count < verb->min_words ? refuse_missing(verb, options->word_count, error) : 0;
}

int options_context_with(const struct options *options, const struct engine_hooks *hooks, void *user,
                         struct engine_context **context, struct engine_error *error)
{
    struct engine_hooks all = *hooks;
    all.plugin_folder_count = options->folder_count;
    all.plugin_folders = options->folders;
    all.plugin_path = getenv("ENGINE_PLUGIN_PATH");
    all.user = user;
    all.words = words_of_program;
    return engine_open(&all, context, error);
}

int options_context(struct options *options, struct engine_context **context, struct engine_error *error)
{
    const struct engine_hooks hooks = {.size = sizeof hooks,
                                       .message = terminal_message,
                                       .progress = terminal_progress,
                                       .stop = stop_signal,
                                       .pace = options->transport ? RANKS_PACE
                                               : options->watch   ? 0.1
                                                                  : 0,
                                       .transport = options->transport};
    return options_context_with(options, &hooks, &options->terminal, context, error);
}

/* Asks plugins whether they take a pattern, without their messages, and without the other processes: these serve one
 * context. */
static int ask_plugins(const struct engine_context *context, const char *path, const char *plugin,
                       struct engine_config **config, struct engine_context **silent, struct engine_error *error)
{
    struct engine_hooks hooks = *engine_context_hooks(context);
    hooks.message = NULL;
    hooks.transport = NULL;
    if (!*silent && engine_open(&hooks, silent, error) != 0)
        return error->status;
    return engine_config_of_pattern(*silent, path, plugin, config, error);
}

/* A pattern in the place of a configuration. */
struct pattern {
    bool unbounded; /* its plugin takes an unbounded grid, and one process runs it */
    char room[96];  /* [grid] size of a grid with room around it, where the file states no grid */
};

/* Does the plugin of a configuration run it on an unbounded grid? */
static bool takes_unbounded(struct engine_config *config)
{
    struct engine_run *run = NULL;
    struct engine_error ignored;
    const bool takes = engine_config_put(config, "grid", "size", "", &ignored) == 0 &&
                       engine_config_put(config, "grid", "edges", "unbounded", &ignored) == 0 &&
                       engine_run_plan(config, &run, &ignored) == 0;
    engine_run_close(run);
    return takes;
}

/* The files of the run of pattern DIR/NAME.rle go to out/NAME. */
static int put_output(struct engine_config *config, const char *path, struct engine_error *error)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char output[INSTALLED_PATH];
    snprintf(output, sizeof output, "out/%.*s", (int) strcspn(name, "."), name);
    return engine_config_put(config, "run", "output", output, error);
}

/* Makes the configuration that runs a pattern. ENGINE_STATUS_PLUGIN: no plugin takes the pattern. */
static int open_pattern(struct engine_context *context, const char *path, struct pattern *pattern,
                        struct engine_config **config, struct engine_error *error)
{
    struct engine_context *silent = NULL;
    struct engine_config *made = NULL;
    const char *section, *key, *room;
    int status = ask_plugins(context, path, NULL, &made, &silent, error);
    if (status == 0 && (status = engine_config_open(context, NULL, config, error)) == 0)
        status = put_output(*config, path, error);
    for (uint32_t i = 0; status == 0 && engine_config_at(made, i, &section, &key); i++)
        if (strcmp(section, "grid") != 0)
            status = engine_config_put(*config, section, key, engine_config_get(made, section, key), error);
    if (status == 0 && (room = engine_config_get(made, "grid", "size"))) {
        snprintf(pattern->room, sizeof pattern->room, "%s", room);
        const struct engine_transport *transport = engine_context_hooks(context)->transport;
        pattern->unbounded = (!transport || transport->ranks == 1) && takes_unbounded(made);
    }
    engine_config_close(made);
    engine_close(silent);
    return status;
}

/* A pattern runs on an unbounded grid, unless its file or an option says something about the grid. */
static int place_pattern(const struct pattern *pattern, struct engine_config *config, struct engine_error *error)
{
    const char *edges = engine_config_get(config, "grid", "edges");
    if (!*pattern->room || engine_config_get(config, "grid", "size") || (edges && strcmp(edges, "unbounded") == 0))
        return 0;
    return pattern->unbounded && !edges ? engine_config_put(config, "grid", "edges", "unbounded", error)
                                        : engine_config_put(config, "grid", "size", pattern->room, error);
}

int options_explain(const struct engine_config *config, struct engine_error *error)
{
    const char *file = engine_config_get(config, "init", "file"), *plugin = engine_config_get(config, "run", "plugin");
    struct engine_context *context = engine_config_context(config), *silent = NULL;
    struct engine_config *other = NULL;
    const struct engine_error given = *error;
    struct engine_error why;
    char path[INSTALLED_PATH];
    if (error->status != ENGINE_STATUS_INPUT || !file || !plugin)
        return error->status;
    engine_config_resolve(config, file, path, sizeof path);
    if (ask_plugins(context, path, plugin, &other, &silent, &why) == ENGINE_STATUS_PLUGIN &&
        ask_plugins(context, path, NULL, &other, &silent, &why) == 0)
        fail(error, given.status, "%.1900s; %s takes this rule", given.text, engine_config_get(other, "run", "plugin"));
    engine_config_close(other);
    engine_close(silent);
    return error->status;
}

/* Has the name the ending of a format that the engine reads? */
static bool is_named_as_pattern(const char *path)
{
    struct engine_format format = {.size = sizeof format};
    const size_t all = strlen(path);
    for (uint32_t i = 0; engine_format_at(i, &format); i++)
        for (const char *ending = format.reads ? format.endings : ""; *ending; ending += strspn(ending, " ")) {
            const size_t length = strcspn(ending, " ");
            if (all > length && strncmp(path + all - length, ending, length) == 0)
                return true;
            ending += length;
        }
    return false;
}

/* Opens a file, which may be a pattern instead. The lines of some patterns are comments of a configuration. If the file
 * is neither, its name decides which of the two errors is told. */
static int open_file(struct engine_context *context, const char *path, struct pattern *pattern,
                     struct engine_config **config, struct engine_error *error)
{
    const char *section, *key;
    struct engine_config *made = NULL;
    struct engine_error why;
    const int status = engine_config_open(context, path, config, error);
    if (status == 0 && engine_config_at(*config, 0, &section, &key))
        return 0;
    const int other = open_pattern(context, path, pattern, &made, &why);
    if (other != 0 && other != ENGINE_STATUS_PLUGIN) {
        engine_config_close(made);
        if (!is_named_as_pattern(path))
            return status;
        engine_config_close(*config);
        *config = NULL;
        *error = why;
        return other;
    }
    engine_config_close(*config);
    *config = made;
    return other == 0 ? 0
                      : fail(error, status != 0 ? status : ENGINE_STATUS_USAGE,
                             "%.1500s; the file is a pattern, not a configuration", why.text);
}

/* Opens the file of that name, or, if there is none, the configuration or pattern of that name that comes with the
 * engine. Without a name, the configuration is empty. */
static int open_config(struct engine_context *context, const char *path, struct pattern *pattern,
                       struct engine_config **config, struct engine_error *error)
{
    char installed[INSTALLED_PATH], hint[128];
    struct engine_error why;
    if (!path)
        return engine_config_open(context, NULL, config, error);
    if (access(path, F_OK) == 0)
        return open_file(context, path, pattern, config, error);
    if (installed_config(path, installed) || installed_pattern(path, installed))
        return open_file(context, installed, pattern, config, error);
    if (engine_config_open(context, path, config, &why) == 0) /* somebody has created the file since */
        return 0;
    if (!*engine_nearest_file(hint, path) && !*installed_pattern_hint(hint, path))
        engine_nearest(hint, path, installed_config_at, NULL);
    return fail(error, why.status, "%.1900s or a pattern%s", why.text, hint);
}

/* Takes the pattern that comes with the engine if [init] file names one and there is no such file. */
static int find_pattern(struct engine_config *config, struct engine_error *error)
{
    char path[INSTALLED_PATH], installed[INSTALLED_PATH], told[INSTALLED_PATH];
    const char *file = engine_config_get(config, "init", "file");
    if (!file || access(engine_config_resolve(config, file, path, sizeof path), F_OK) == 0)
        return 0;
    if (!installed_pattern(file, installed))
        return 0;
    snprintf(told, sizeof told, "%s: [init] file: %s is the pattern of this name that comes with the engine",
             engine_config_place(config, "init", "file"), file);
    engine_message(engine_config_context(config), ENGINE_LOG_INFO, told);
    return engine_config_put(config, "init", "file", installed, error);
}

int options_config(const struct options *options, struct engine_context *context, const char *path,
                   struct engine_config **config, struct engine_error *error)
{
    struct pattern pattern = {.unbounded = false};
    if (open_config(context, path, &pattern, config, error) != 0)
        return error->status;
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < options->set_count; i++)
        status = engine_config_set(*config, options->set[i], error);
    if (status == 0)
        status = place_pattern(&pattern, *config, error);
    if (status == 0)
        status = find_pattern(*config, error);
    if (status != 0) {
        engine_config_close(*config);
        *config = NULL;
    }
    return status;
}
