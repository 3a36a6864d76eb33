#include "complete.h"
#include "installed.h"

#include <stdio.h>
#include <string.h>

/* The word to complete, and the meaning of the words before it. */
struct completion {
    const char *word;
    size_t fixed; /* the number of bytes of `word` that every candidate begins with, such as names before a comma */
    const struct verb *verb;
    struct options options;
    struct engine_context *context;     /* NULL: it could not be opened */
    const struct engine_plugin *plugin; /* the plugin of the configuration, or the one that a word names; NULL: none */
};

static void offer(const struct completion *completion, const char *text, const char *help)
{
    const char *typed = completion->word + completion->fixed;
    if (strncmp(text, typed, strlen(typed)) == 0)
        printf("%.*s%s\t%s\n", (int) completion->fixed, completion->word, text, help ? help : "");
}

/* The completion of the part of the word after the last `separator`. */
static struct completion after_last(const struct completion *completion, char separator)
{
    struct completion rest = *completion;
    const char *last = strrchr(completion->word + completion->fixed, separator);
    if (last)
        rest.fixed = (size_t) (last + 1 - completion->word);
    return rest;
}

/* ---- Names -------------------------------------------------------------------------------------------------- */

static void offer_verbs(const struct completion *completion)
{
    const struct verb *verb;
    for (uint32_t i = 0; (verb = verb_at(i)); i++)
        offer(completion, verb->name, verb->summary);
}

static void offer_topics(const struct completion *completion)
{
    const struct engine_section *section;
    offer_verbs(completion);
    offer(completion, "config", "the sections and keys of a configuration");
    offer(completion, "formats", "the file formats");
    offer(completion, "rules", "the rules of cellular automata");
    for (uint32_t i = 0; (section = engine_section_at(i)); i++)
        if (!verb_named(section->name))
            offer(completion, section->name, section->help);
}

static void offer_plugins(const struct completion *completion)
{
    const char *name;
    for (uint32_t i = 0; completion->context && (name = engine_plugin_name(completion->context, i)); i++) {
        struct engine_plugin_info plugin = {.size = sizeof plugin};
        struct engine_error error;
        const bool loads = engine_plugin_find(completion->context, name, &plugin, &error) == 0;
        offer(completion, name, loads ? plugin.about->summary : "does not load");
    }
}

static void offer_plugin_files(const struct completion *completion)
{
    offer_plugins(completion);
    printf(":files .so\n");
}

static void offer_configs(const struct completion *completion)
{
    const char *name;
    for (uint32_t i = 0; (name = installed_config_at(NULL, i)); i++)
        offer(completion, name, "comes with the engine");
    printf(":files .ini\n");
}

static void offer_folders(const struct completion *completion)
{
    (void) completion;
    printf(":folders\n");
}

static void offer_files(const struct completion *completion)
{
    (void) completion;
    printf(":files\n");
}

/* Implementations, also in a list that is separated by commas. */
static void offer_impls(const struct completion *completion)
{
    const struct completion last = after_last(completion, ',');
    for (uint32_t i = 0; completion->plugin && i < completion->plugin->impls.count; i++)
        offer(&last, completion->plugin->impls.at[i].name, completion->plugin->impls.at[i].help);
}

static bool has_impl(const struct engine_plugin *plugin, const char *name)
{
    for (uint32_t i = 0; i < plugin->impls.count; i++)
        if (strcmp(plugin->impls.at[i].name, name) == 0)
            return true;
    return false;
}

static void offer_kinds_and_impls(const struct completion *completion)
{
    static const char *const kinds[][2] = {{"auto", "the best one that can run here"},
                                           {"cpu", "the best one on the processor"},
                                           {"cuda", "the best one on an NVIDIA GPU"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!completion->plugin || !has_impl(completion->plugin, kinds[i][0]))
            offer(completion, kinds[i][0], kinds[i][1]);
    offer_impls(completion);
}

static void offer_formats(const struct completion *completion)
{
    const struct completion last = after_last(completion, ' ');
    struct engine_format format = {.size = sizeof format};
    for (uint32_t i = 0; engine_format_at(i, &format); i++)
        if (format.writes)
            offer(&last, format.name, format.help);
}

static void offer_sources(const struct completion *completion)
{
    offer(completion, "file", "the file [init] file");
    offer(completion, "random", "random cells with the fraction [init] density");
    offer(completion, "arrays", "one file for each field");
    offer(completion, "defaults", "the default of every field");
    for (uint32_t i = 0; completion->plugin && i < completion->plugin->generators.count; i++)
        offer(completion, completion->plugin->generators.at[i].name, completion->plugin->generators.at[i].help);
}

static void offer_types(const struct completion *completion)
{
    const char *name;
    for (uint32_t i = 0; (name = engine_type_name(i)); i++)
        offer(completion, name, NULL);
}

/* ---- section.key=value -------------------------------------------------------------------------------------- */

/* The keys whose values are listed by a function and not by a table of choices. */
static const struct {
    const char *key;
    void (*offer)(const struct completion *completion);
} values[] = {
    {"run.plugin", offer_plugins},     {"analyse.plugin", offer_plugins}, {"run.implementation", offer_kinds_and_impls},
    {"output.formats", offer_formats}, {"init.source", offer_sources},    {"matrix.element", offer_types},
    {"bench.impl", offer_impls},
};

static const struct engine_param *find_key(const struct engine_param_array *keys, const char *name, size_t length)
{
    for (uint32_t i = 0; i < keys->count; i++)
        if (strlen(keys->at[i].name) == length && strncmp(keys->at[i].name, name, length) == 0)
            return &keys->at[i];
    return NULL;
}

static void offer_choices(const struct completion *completion, const struct engine_param *key)
{
    if (key->type == ENGINE_PARAM_FLAG) {
        offer(completion, "yes", NULL);
        offer(completion, "no", NULL);
    }
    for (uint32_t i = 0; key->type == ENGINE_PARAM_CHOICE && key->choices[i]; i++)
        offer(completion, key->choices[i], NULL);
}

/* Calls `take` with the keys of section `name`: the engine's own keys, and the parameters of the plugin of that
 * name. */
static void visit_keys(const struct completion *completion, const char *name,
                       void (*take)(const struct completion *completion, const char *section,
                                    const struct engine_param_array *keys))
{
    const struct engine_section *section;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error error;
    for (uint32_t i = 0; (section = engine_section_at(i)); i++)
        if (strcmp(section->name, name) == 0)
            take(completion, name, &section->keys);
    if (completion->context && engine_plugin_find(completion->context, name, &plugin, &error) == 0)
        take(completion, name, &plugin.about->params);
}

static void offer_keys_of(const struct completion *completion, const char *section,
                          const struct engine_param_array *keys)
{
    (void) section;
    char text[256];
    for (uint32_t i = 0; i < keys->count; i++) {
        snprintf(text, sizeof text, "%s=", keys->at[i].name);
        offer(completion, text, keys->at[i].help);
    }
}

static void offer_values_of(const struct completion *completion, const char *section,
                            const struct engine_param_array *keys)
{
    (void) section;
    const char *end = completion->word + completion->fixed - 1, *key = end; /* end is at the '=' */
    while (key > completion->word && key[-1] != '.')
        key--;
    const struct engine_param *param = find_key(keys, key, (size_t) (end - key));
    if (param)
        offer_choices(completion, param);
}

static void offer_sections(const struct completion *completion)
{
    const struct engine_section *section;
    char text[128];
    const char *name;
    for (uint32_t i = 0; (section = engine_section_at(i)); i++) {
        snprintf(text, sizeof text, "%s.", section->name);
        offer(completion, text, section->help);
    }
    for (uint32_t i = 0; completion->context && (name = engine_plugin_name(completion->context, i)); i++) {
        snprintf(text, sizeof text, "%s.", name);
        if (!completion->plugin || strcmp(completion->plugin->name, name) == 0)
            offer(completion, text, "the parameters of the plugin");
    }
}

static void offer_assignments(const struct completion *completion)
{
    const char *typed = completion->word + completion->fixed;
    const char *dot = strchr(typed, '.'), *equals = strchr(typed, '=');
    char section[128];
    if (!dot || (equals && dot > equals)) {
        offer_sections(completion);
        return;
    }
    struct completion rest = *completion;
    snprintf(section, sizeof section, "%.*s", (int) (dot - typed), typed);
    rest.fixed = (size_t) ((equals ? equals : dot) + 1 - completion->word);
    for (size_t i = 0; equals && i < sizeof values / sizeof values[0]; i++)
        if (strlen(values[i].key) == (size_t) (equals - typed) &&
            strncmp(values[i].key, typed, (size_t) (equals - typed)) == 0)
            values[i].offer(&rest);
    visit_keys(&rest, section, equals ? offer_values_of : offer_keys_of);
}

/* ---- The kind of the word ----------------------------------------------------------------------------------- */

/* The names of words and of option arguments in usage lines. */
static const struct {
    const char *name;
    void (*offer)(const struct completion *completion);
} kinds[] = {
    {"CONFIG", offer_configs}, {"PLUGIN", offer_plugins}, {"PLUGIN.so", offer_plugin_files},
    {"VERB", offer_topics},    {"FOLDER", offer_folders}, {"SECTION.KEY=VALUE", offer_assignments},
    {"IN", offer_files},       {"OUT", offer_files},      {"SECTION.KEY=V,W", offer_assignments},
    {"A,B,C", offer_impls},    {"DIR", offer_folders},    {"FILE", offer_files},
    {"FORMAT", offer_formats}, {"IMPL", offer_impls},
};

/* An argument such as "x|y|z" lists its choices itself. */
static void offer_listed(const struct completion *completion, const char *name)
{
    char text[64];
    for (size_t length; *name; name += length + (name[length] == '|')) {
        length = strcspn(name, "|");
        snprintf(text, sizeof text, "%.*s", (int) length, name);
        offer(completion, text, NULL);
    }
}

static void offer_kind(const struct completion *completion, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, name, length) == 0)
            kinds[i].offer(completion);
    if (memchr(name, '|', length))
        offer_listed(completion, name);
}

/* Offers candidates for the index-th word after the verb, whose name is in a text such as "NAME [FOLDER]". */
static void offer_word(const struct completion *completion, uint32_t index)
{
    const char *name = completion->verb->words;
    for (; index > 0 && *name; index--) {
        name += strcspn(name, " ");
        name += strspn(name, " ");
    }
    name += *name == '[';
    offer_kind(completion, name, strcspn(name, " ]"));
}

static const struct option *option_named(const struct verb *verb, const char *word, size_t length)
{
    const struct option *option;
    for (uint32_t i = 0; (option = option_at(verb, i)); i++)
        if (strlen(option->name) == length && strncmp(option->name, word, length) == 0)
            return option;
    return NULL;
}

static void offer_options(const struct completion *completion)
{
    const struct option *option;
    for (uint32_t i = 0; (option = option_at(completion->verb, i)); i++)
        offer(completion, option->name, option->help);
}

/* Reads the words before the one to complete, and finds the plugin that they are about. Errors are not reported. */
static void read_words_before(struct completion *completion, int count, char **words)
{
    struct engine_config *config = NULL;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error error;
    const struct options *options = &completion->options;
    const char *name = NULL;
    char path[4096];
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            count = i;
    options_read(completion->verb, count, words, &completion->options, &error);
    if (options_context(&completion->options, &completion->context, &error) != 0)
        return;
    const char *usage = completion->verb->words;
    if ((strcmp(usage, "CONFIG") == 0 || strcmp(usage, "[CONFIG]") == 0) &&
        options_config(options, completion->context, options->words[0], &config, &error) == 0)
        name = engine_config_get(config, "run", "plugin");
    else if (strncmp(usage, "FOLDER", 6) == 0 && options->word_count >= 1 &&
             snprintf(path, sizeof path, "%s/config.ini", options->words[0]) < (int) sizeof path &&
             options_config(options, completion->context, path, &config, &error) == 0)
        name = engine_config_get(config, "run", "plugin");
    else if (strncmp(usage, "PLUGIN", 6) == 0 && options->word_count >= 1)
        name = options->words[0];
    if (name && engine_plugin_find(completion->context, name, &plugin, &error) == 0)
        completion->plugin = plugin.about;
    engine_config_close(config);
}

/* The option whose value is to be completed, as in "--set=…" or "--set …"; NULL: the word is not a value. */
static const struct option *valued_option(struct completion *completion, const char *before)
{
    const char *equals = strchr(completion->word, '=');
    const struct option *option = option_named(completion->verb, before, strlen(before));
    if (option && option->argument && *option->argument != '[')
        return option;
    if (!equals)
        return NULL;
    option = option_named(completion->verb, completion->word, (size_t) (equals - completion->word));
    completion->fixed = option ? (size_t) (equals + 1 - completion->word) : 0;
    return option && option->argument ? option : NULL;
}

static void complete_of_verb(struct completion *completion, int count, char **words)
{
    const struct option *option = valued_option(completion, count > 2 ? words[count - 2] : "");
    const bool separate = option && completion->fixed == 0; /* the option is the word before */
    read_words_before(completion, count - 2 - separate, words + 1);
    if (option)
        offer_kind(completion, option->argument, strlen(option->argument));
    else if (completion->word[0] == '-')
        offer_options(completion);
    else
        offer_word(completion, completion->options.word_count);
    engine_close(completion->context);
}

void complete(int count, char **words)
{
    struct completion completion = {.word = words[count - 1], .verb = count > 1 ? verb_named(words[0]) : NULL};
    if (completion.verb)
        complete_of_verb(&completion, count, words);
    if (count > 1)
        return;
    offer_verbs(&completion);
    offer(&completion, "--help", "lists the verbs");
    offer(&completion, "--version", "prints the version");
}
