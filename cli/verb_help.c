/* engine help: prints the help of a verb, or the keys of a configuration. */
#include "describe.h"
#include "help.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "`engine help` lists the verbs. `engine help VERB` prints the same as `engine VERB --help`. `engine help config` "
    "lists the basic keys of a configuration, and with --all all keys. `engine help formats` lists the file "
    "formats.\n";

/* ---- Keys of a configuration -------------------------------------------------------------------------------- */

static void print_key(const struct engine_param *key)
{
    char assignment[128], choices[256] = "", text[1024];
    if (key->type == ENGINE_PARAM_CHOICE)
        describe_choices(key, choices, sizeof choices);
    snprintf(text, sizeof text, "%s%s%s%s", key->help, *choices ? " (" : "", choices, *choices ? ")" : "");
    snprintf(assignment, sizeof assignment, "%s = %s", key->name, key->initial);
    printf("  %-*s", HELP_COLUMN - 2, assignment);
    help_print_text(stdout, text, HELP_COLUMN);
}

static const char config_help[] =
    "A configuration is a text file of sections and keys, `key = value`; comments start with `;` or `#`. %s keys "
    "are listed below with their defaults. Each plugin has a section of its own name, whose keys "
    "`engine describe PLUGIN` lists, with its fields and generators. `engine list` shows the names of plugins and "
    "implementations, and `engine help formats` explains the formats. Unknown sections and keys are errors. `--set "
    "section.key=value` overrides a key.%s\n";

static const char config_more[] = "`engine help config --all` lists the other keys too, and "
                                  "docs/reference/configuration.md explains all keys.\n";

static void print_title(const struct engine_section *section)
{
    char title[32];
    snprintf(title, sizeof title, "[%s]", section->name);
    printf("\n%-*s", HELP_COLUMN, title);
    help_print_text(stdout, section->help, HELP_COLUMN);
}

/* Prints the keys that have all of `flags`, and the titles of their sections. */
static void print_keys(uint32_t flags)
{
    const struct engine_section *section, *titled = NULL;
    for (uint32_t i = 0; (section = engine_section_at(i)); i++)
        for (uint32_t k = 0; k < section->keys.count; k++) {
            if ((section->keys.at[k].flags & flags) != flags)
                continue;
            if (titled != section)
                print_title(section);
            titled = section;
            print_key(&section->keys.at[k]);
        }
}

static void print_config(bool all)
{
    char text[1024];
    snprintf(text, sizeof text, config_help, all ? "The engine's own sections and" : "The engine's basic",
             all ? " The keys of [bench] have the meaning of the options of `engine bench`." : "");
    help_print_text(stdout, text, 0);
    print_keys(all ? 0 : ENGINE_KEY_BASIC);
    if (!all) {
        printf("\n");
        help_print_text(stdout, config_more, 0);
    }
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

static const char *topic_at(const void *list, uint32_t index)
{
    return index == 0 ? "config" : index == 1 ? "formats" : verb_name_at(list, index - 2);
}

static int print_topic(const struct options *options, struct engine_error *error)
{
    const char *word = options->words[0];
    const struct verb *verb = verb_named(word);
    char hint[128];
    if (verb)
        help_print(verb);
    else if (strcmp(word, "config") == 0)
        print_config(options->all_keys);
    else if (strcmp(word, "formats") == 0)
        print_formats();
    else
        return fail(error, ENGINE_STATUS_USAGE,
                    "there is no verb '%s'%s; `engine help` lists the verbs, `engine help config` lists the keys of a "
                    "configuration, `engine help formats` the file formats, and `engine describe PLUGIN` lists those "
                    "of a plugin",
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
    .summary = "explains a verb, the configuration keys or the file formats",
    .words = "[VERB]",
    .max_words = 1,
    .options = OPTION_ALL,
    .help = help,
    .without_context = true,
    .run = run,
};
