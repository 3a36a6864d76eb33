/* engine help: prints the help of a verb, the keys of a configuration, the rules or the file formats. */
#include "describe.h"
#include "help.h"
#include "options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char help[] =
    "`engine help` lists the verbs. `engine help VERB` prints the same as `engine VERB --help`. `engine help config` "
    "lists the basic keys of a configuration, and with --all all keys. `engine help SECTION`, such as `engine help "
    "output`, lists all keys of a section; `engine help '[run]'` means the section, because `engine help run` is the "
    "help of a verb. `engine help rules` says which rules each plugin takes, and `engine help formats` lists the file "
    "formats.\n";

/* ---- Keys of a configuration -------------------------------------------------------------------------------- */

static const char config_help[] =
    "A configuration is a text file of sections and keys, `key = value`; comments start with `;` or `#`. %s keys "
    "are listed below with their defaults. Each plugin has a section of its own name, whose keys "
    "`engine describe PLUGIN` lists, with its fields and generators. `engine list` shows the names of plugins and "
    "implementations, and `engine help formats` explains the formats. Unknown sections and keys are errors. `--set "
    "section.key=value` overrides a key.%s\n";

static const char config_more[] = "`engine help config --all` lists the other keys too, and "
                                  "docs/reference/configuration.md explains all keys.\n";

static void print_title(const char *name, const char *text)
{
    char title[64];
    snprintf(title, sizeof title, "[%s]", name);
    printf("\n%-*s", HELP_COLUMN, title);
    help_print_text(stdout, text, HELP_COLUMN);
}

/* Prints the keys that have all of `flags`, below the title of their section. */
static void print_section(const struct engine_section *section, uint32_t flags)
{
    bool titled = false;
    for (uint32_t k = 0; k < section->keys.count; k++) {
        if ((section->keys.at[k].flags & flags) != flags)
            continue;
        if (!titled)
            print_title(section->name, section->help);
        titled = true;
        describe_param(&section->keys.at[k], HELP_COLUMN);
    }
}

static void print_config(bool all)
{
    const struct engine_section *section;
    char text[1024];
    snprintf(text, sizeof text, config_help, all ? "The engine's own sections and" : "The engine's basic",
             all ? " The keys of [bench] have the meaning of the options of `engine bench`." : "");
    help_print_text(stdout, text, 0);
    for (uint32_t i = 0; (section = engine_section_at(i)); i++)
        print_section(section, all ? 0 : ENGINE_KEY_BASIC);
    if (!all) {
        printf("\n");
        help_print_text(stdout, config_more, 0);
    }
}

/* The section that a word names, as in `output` and `[output]`; NULL: none. */
static const struct engine_section *section_named(const char *word)
{
    const struct engine_section *section;
    const size_t bracket = *word == '[', length = strcspn(word + bracket, "]");
    for (uint32_t i = 0; (section = engine_section_at(i)); i++)
        if (strlen(section->name) == length && strncasecmp(section->name, word + bracket, length) == 0 &&
            strcmp(word + bracket + length, bracket ? "]" : "") == 0)
            return section;
    return NULL;
}

static void print_keys(const struct engine_section *section)
{
    char text[256];
    snprintf(text, sizeof text,
             "The keys of a section of a configuration, with their defaults. On the command line, `--set "
             "%s.key=value` sets a key. docs/reference/configuration.md explains all keys.\n",
             section->name);
    help_print_text(stdout, text, 0);
    print_section(section, 0);
}

/* ---- Rules --------------------------------------------------------------------------------------------------- */

static const char rules_help[] =
    "The plugins of cellular automata that take rules, and their defaults. A configuration names a plugin in [run] "
    "plugin, and the rule in the section of the plugin. On the command line, write for example `--set "
    "run.plugin=generations --set generations.rule=/2/3`. `engine run PATTERN` takes the rule from the pattern file "
    "and "
    "chooses the plugin. The page of a plugin, which `engine describe PLUGIN` names, has all forms of its rules.\n";

/* A parameter is a rule if it is called so, because pattern files name it `rule`, too. */
static void print_rules_of(const struct engine_plugin *plugin)
{
    for (uint32_t i = 0; i < plugin->params.count; i++)
        if (strcmp(plugin->params.at[i].name, "rule") == 0) {
            print_title(plugin->name, plugin->summary);
            describe_param(&plugin->params.at[i], HELP_COLUMN);
        }
}

static int print_rules(struct options *options, struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_context *context;
    const char *name;
    int status = options_context(options, &context, error);
    if (status != 0)
        return status;
    help_print_text(stdout, rules_help, 0);
    for (uint32_t i = 0; (name = engine_plugin_name(context, i)); i++)
        if (engine_plugin_find(context, name, &plugin, error) == 0)
            print_rules_of(plugin.about);
    engine_close(context);
    return 0;
}

/* ---- File formats --------------------------------------------------------------------------------------------- */

static const char formats_help[] =
    "The key [output] formats names the formats that a run writes. The ending of a file name chooses the format that "
    "`engine convert` writes. The engine recognises the format of a file that it reads by its content.\n";

static const char formats_more[] = "The formats with 'all frames' hold a whole trajectory in one file. `engine convert "
                                   "--help` explains how frames are "
                                   "chosen, and docs/reference/formats.md explains what each format holds.\n";

static void print_formats(void)
{
    struct engine_format format = {.size = sizeof format};
    help_print_text(stdout, formats_help, 0);
    printf("\n");
    for (uint32_t i = 0; engine_format_at(i, &format); i++) {
        char text[512];
        snprintf(text, sizeof text, "%s. %s%s. Endings: %s", format.help,
                 format.reads && format.writes ? "Read and written"
                 : format.reads                ? "Read"
                                               : "Written",
                 format.frames ? ", all frames" : "", format.endings);
        printf("  %-*s", HELP_COLUMN - 2, format.name);
        help_print_text(stdout, text, HELP_COLUMN);
    }
    printf("\n");
    help_print_text(stdout, formats_more, 0);
}

/* ---- The verb ----------------------------------------------------------------------------------------------- */

static const char *const topics[] = {"config", "formats", "rules"};
enum { TOPICS = sizeof topics / sizeof topics[0] };

/* The topics, the sections and the verbs. */
static const char *topic_at(const void *list, uint32_t index)
{
    uint32_t sections = 0;
    while (engine_section_at(sections))
        sections++;
    return index < TOPICS              ? topics[index]
           : index < TOPICS + sections ? engine_section_at(index - TOPICS)->name
                                       : verb_name_at(list, index - TOPICS - sections);
}

static int print_topic(struct options *options, struct engine_error *error)
{
    const char *word = options->words[0];
    const struct verb *verb = verb_named(word);
    const struct engine_section *section = section_named(word);
    char hint[128];
    if (verb)
        help_print(verb);
    else if (strcmp(word, "config") == 0)
        print_config(options->all_keys);
    else if (strcmp(word, "formats") == 0)
        print_formats();
    else if (strcmp(word, "rules") == 0)
        return print_rules(options, error);
    else if (section)
        print_keys(section);
    else
        return fail(error, ENGINE_STATUS_USAGE,
                    "there is no verb or section '%s'%s; `engine help` lists the verbs, `engine help config` lists the "
                    "keys of a "
                    "configuration, `engine help rules` the rules, `engine help formats` the file formats, and `engine "
                    "describe PLUGIN` lists the keys of a plugin",
                    word, engine_nearest(hint, word, topic_at, NULL));
    return 0;
}

static int run(struct options *options, struct engine_context *context)
{
    (void) context;
    struct engine_error error;
    const bool config = options->word_count > 0 && strcmp(options->words[0], "config") == 0;
    int status = ENGINE_STATUS_DONE;
    if (options->all_keys && !config)
        status = fail(&error, ENGINE_STATUS_USAGE, "--all: expected `engine help config --all`");
    else if (options->word_count == 0)
        help_print_verbs(stdout);
    else
        status = print_topic(options, &error);
    return status == ENGINE_STATUS_DONE ? status : report(&error);
}

const struct verb verb_help = {
    .name = "help",
    .summary = "explains a verb, the keys of a configuration, the rules or the formats",
    .words = "[VERB | SECTION | config | rules | formats]",
    .max_words = 1,
    .options = OPTION_ALL,
    .help = help,
    .without_context = true,
    .run = run,
};
