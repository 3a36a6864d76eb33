/* engine conform: checks a plugin against the promises of the interface. */
#include "options.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Checks a plugin, your own or one of the engine's, against the promises of the interface in engine/plugin.h. Every "
    "implementation runs at odd and very small sizes, for one step and for many, across seams and corners, in memory "
    "that is filled with a pattern and has guard areas around it, as two instances at the same time, with several "
    "threads, and with too little memory. Its results are compared with those of the plugin's reference. Around each "
    "call of the plugin, conform compares what the plugin shares with the process, such as the rounding mode, the "
    "locale and the signal handlers. Each property is checked in a separate process, so a property that crashes or "
    "hangs does not affect the others. If several properties do not hold for the same reason, it is printed once.\n"
    "\n"
    "With --draws N, conform checks N drawn configurations in place of the properties. It draws sizes, edges, batches, "
    "parts, threads, sources of the initial state and parameters from what the plugin declares, and verifies each "
    "configuration as `engine verify` does. A configuration that the plugin refuses before the first step is no "
    "failure. If a configuration fails, conform makes it as small as possible, and prints the commands that repeat "
    "both.\n"
    "\n"
    "PLUGIN.so is a file, such as ./my-rule.so, or a name that `engine list` shows. The initial states are random "
    "values, in [0, 1) for real numbers. If the plugin needs other states, a size of its own or a box, give CONFIG: "
    "conform then uses the parameters, the section [init] and the box of CONFIG. If CONFIG gives a size, conform tries "
    "only this size. Each result is printed as soon as it is known, in the TAP format (testanything.org). Messages of "
    "the plugin go to stderr.\n";

static const char more[] =
    "Examples:\n"
    "  engine conform ./my-rule.so\n"
    "  engine conform ./my-fluid.so box.ini --seconds 600\n"
    "  engine conform ./my-rule.so --property 'in parts,every size'\n"
    "  engine conform life2d-bit --impl cpu --set life2d-bit.rule=B36/S23\n"
    "  engine conform ./my-rule.so --draws 100 --seed 7\n"
    "  engine conform ./my-rule.so --draws 100 --sweep my-rule.rule=B3/S23,B36/S23\n"
    "\n"
    "Exit status:\n"
    "  0  all properties that were checked hold\n"
    "  1  a property does not hold, the plugin does not load, or no implementation takes a step\n"
    "  2  error in the command line or the configuration\n"
    "  3  an input file of the configuration cannot be read\n";

enum { REASONS_MAX = 64, COMMAND_MAX = 1 << 16 };

/* The results so far. */
struct findings {
    const struct options *options;
    char plugin[256];         /* the plugin's name */
    struct json_object *json; /* an array of results; NULL: each result is printed as soon as it is known */
    bool whole;               /* the array has every result */
    unsigned held, broken, skipped;
    struct reason {
        char text[512];
        unsigned count;
    } reasons[REASONS_MAX]; /* why properties were not checked, each once */
    unsigned reason_count;
};

/* ---- Commands ---------------------------------------------------------------------------------------------------- */

static void add_option(char *text, size_t size, const char *option, const char *value)
{
    engine_quote(text, size, option);
    engine_quote(text, size, value);
}

/* The folders of plugins, which a plugin that is named by its file needs too. */
static void add_folders(const struct options *options, char *text, size_t size)
{
    char folder[4096];
    const char *file = options->words[0], *slash = strrchr(file, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int) (slash - file) : 1, slash ? file : ".");
    if (slash || strstr(file, ".so"))
        add_option(text, size, "--plugins", *folder ? folder : "/");
    for (uint32_t i = 0; i < options->folder_count; i++)
        add_option(text, size, "--plugins", options->folders[i]);
}

/* Writes the command that verifies the smallest configuration of a draw that failed. */
static void write_verify(const struct options *options, const struct engine_property *property, char *text, size_t size)
{
    char assignment[256], steps[32];
    snprintf(text, size, "engine verify");
    if (options->word_count > 1)
        engine_quote(text, size, options->words[1]);
    add_folders(options, text, size);
    snprintf(assignment, sizeof assignment, "run.plugin=%s", property->plugin);
    add_option(text, size, "--set", assignment);
    for (uint32_t i = 0; i < options->set_count; i++)
        add_option(text, size, "--set", options->set[i]);
    for (uint32_t i = 0; i < property->setting_count; i++)
        add_option(text, size, "--set", property->settings[i]);
    snprintf(steps, sizeof steps, "%llu", (unsigned long long) property->steps);
    add_option(text, size, "--steps", steps);
    if (property->impl)
        add_option(text, size, "--impl", property->impl);
}

/* Writes the command that makes one draw again. */
static void write_draw(const struct options *options, const struct engine_property *property, char *text, size_t size)
{
    char number[32];
    snprintf(text, size, "engine conform");
    for (uint32_t i = 0; i < options->word_count; i++)
        engine_quote(text, size, options->words[i]);
    for (uint32_t i = 0; i < options->folder_count; i++)
        add_option(text, size, "--plugins", options->folders[i]);
    for (uint32_t i = 0; i < options->set_count; i++)
        add_option(text, size, "--set", options->set[i]);
    for (uint32_t i = 0; i < options->sweep_count; i++)
        add_option(text, size, "--sweep", options->sweeps[i]);
    if (options->impls)
        add_option(text, size, "--impl", options->impls);
    snprintf(number, sizeof number, "%llu", (unsigned long long) property->draw);
    add_option(text, size, "--draws", "1");
    add_option(text, size, "--seed", number);
}

/* ---- TAP, for test programs -------------------------------------------------------------------------------------- */

/* Prints a reason without '#', which starts a directive in TAP, and on one line. */
static void print_reason(const char *before, const char *reason)
{
    printf("%s", before);
    for (; *reason; reason++)
        putchar(*reason == '#' ? '+' : *reason == '\n' ? ' ' : *reason);
    putchar('\n');
}

static void print_commands(const struct options *options, const struct engine_property *property)
{
    char command[COMMAND_MAX];
    if (property->steps) {
        write_verify(options, property, command, sizeof command);
        print_reason("# smallest: ", command);
    }
    write_draw(options, property, command, sizeof command);
    print_reason("# drawn by: ", command);
}

static void print_property(const struct findings *findings, const struct engine_property *property)
{
    char what[512];
    snprintf(what, sizeof what, "%s%s%s: %s", findings->plugin, property->impl ? "/" : "",
             property->impl ? property->impl : "", property->property);
    if (property->outcome == ENGINE_NOT_APPLICABLE) { /* a comment and not a skipped test: there is nothing to test */
        printf("# not checked: %s: ", what);
        print_reason("", property->reason);
        return;
    }
    printf("%sok %u - %s\n", property->outcome == ENGINE_BROKEN ? "not " : "", findings->held + findings->broken, what);
    if (*property->reason)
        print_reason("# ", property->reason);
    if (property->outcome == ENGINE_BROKEN && property->draw)
        print_commands(findings->options, property);
}

static void print_summary(const struct findings *findings)
{
    printf("1..%u\n", findings->held + findings->broken);
    printf("# %s: %u promise%s, %u do%s not, %u w%s not checked%s\n", findings->plugin, findings->held,
           findings->held == 1 ? " holds" : "s hold", findings->broken, findings->broken == 1 ? "es" : "",
           findings->skipped, findings->skipped == 1 ? "as" : "ere", findings->skipped ? ":" : "");
    for (unsigned i = 0; i < findings->reason_count; i++) {
        printf("#   %u: ", findings->reasons[i].count);
        print_reason("", findings->reasons[i].text);
    }
}

/* ---- JSON, for programs ------------------------------------------------------------------------------------------ */

/* Adds a member. Returns false where there is no memory for it. */
static bool add(struct json_object *json, const char *key, struct json_object *member)
{
    if (json && member && json_object_object_add(json, key, member) == 0)
        return true;
    json_object_put(member);
    return false;
}

static bool add_text(struct json_object *json, const char *key, const char *text)
{
    return text ? add(json, key, json_object_new_string(text)) : json && json_object_object_add(json, key, NULL) == 0;
}

/* Appends a property to the results. Returns false where there is no memory for it. */
static bool add_property(const struct options *options, struct json_object *results,
                         const struct engine_property *property)
{
    static const char *const outcomes[] = {
        [ENGINE_HOLDS] = "holds", [ENGINE_BROKEN] = "broken", [ENGINE_NOT_APPLICABLE] = "not checked"};
    struct json_object *json = json_object_new_object();
    char smallest[COMMAND_MAX];
    write_verify(options, property, smallest, sizeof smallest);
    if (add_text(json, "implementation", property->impl) && add_text(json, "property", property->property) &&
        add_text(json, "result", outcomes[property->outcome]) &&
        add_text(json, "why", *property->reason ? property->reason : NULL) &&
        (property->steps == 0 || add_text(json, "smallest", smallest)) && json_object_array_add(results, json) == 0)
        return true;
    json_object_put(json);
    return false;
}

/* Prints the findings as one object. */
static int print_json(const struct findings *findings)
{
    struct json_object *json = json_object_new_object();
    struct engine_error error;
    const char *text = NULL;
    errno = 0;
    const bool whole = findings->whole && add_text(json, "plugin", findings->plugin) &&
                       add(json, "passed", json_object_new_int64(findings->held)) &&
                       add(json, "failed", json_object_new_int64(findings->broken)) &&
                       add(json, "skipped", json_object_new_int64(findings->skipped)) &&
                       add(json, "results", json_object_get(findings->json));
    if (whole)
        text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
    const bool printed = text && errno != ENOMEM;
    if (printed)
        puts(text);
    json_object_put(json);
    if (printed)
        return 0;
    fail(&error, ENGINE_STATUS_DEVICE, "no memory for the results");
    return report(&error);
}

/* ---- The verb ---------------------------------------------------------------------------------------------------- */

/* Counts why a property was not checked. Reasons that find no place are counted with the last one. */
static void take_reason(struct findings *findings, const char *text)
{
    unsigned i = 0;
    while (i < findings->reason_count &&
           strncmp(findings->reasons[i].text, text, sizeof findings->reasons[i].text - 1) != 0)
        i++;
    if (i == REASONS_MAX)
        snprintf(findings->reasons[--i].text, sizeof findings->reasons[i].text, "other reasons");
    else if (i == findings->reason_count)
        snprintf(findings->reasons[findings->reason_count++].text, sizeof findings->reasons[i].text, "%s", text);
    findings->reasons[i].count++;
}

static void take_property(void *user, const struct engine_property *property)
{
    struct findings *findings = user;
    snprintf(findings->plugin, sizeof findings->plugin, "%s", property->plugin);
    printable(findings->plugin);
    findings->held += property->outcome == ENGINE_HOLDS;
    findings->broken += property->outcome == ENGINE_BROKEN;
    findings->skipped += property->outcome == ENGINE_NOT_APPLICABLE;
    if (property->outcome == ENGINE_NOT_APPLICABLE)
        take_reason(findings, property->reason);
    if (findings->json)
        findings->whole = add_property(findings->options, findings->json, property) && findings->whole;
    else
        print_property(findings, property);
}

static int print_findings(const struct findings *findings)
{
    const int status = findings->json ? print_json(findings) : ENGINE_STATUS_DONE;
    if (!findings->json)
        print_summary(findings);
    return status ? status : findings->broken ? ENGINE_STATUS_UNVERIFIED : ENGINE_STATUS_DONE;
}

/* Without a configuration, the library adds the assignments to its own. */
static int examine(const struct options *options, struct engine_context *context, const struct engine_config *config)
{
    const struct engine_trial trial = {.size = sizeof trial,
                                       .impls = options->impls,
                                       .properties = options->properties,
                                       .seconds = options->seconds,
                                       .position = options->placed,
                                       .sweeps = options->sweeps,
                                       .sweep_count = options->sweep_count,
                                       .draws = options->draws,
                                       .seed = options->seed ? options->seed : 1,
                                       .config = config,
                                       .memory = options->memory};
    struct findings findings = {
        .options = options, .json = options->json ? json_object_new_array() : NULL, .whole = true};
    struct engine_error error;
    if (options->json && !findings.json) {
        fail(&error, ENGINE_STATUS_DEVICE, "no memory for the results");
        return report(&error);
    }
    const int status = engine_conform(context, options->words[0], &trial, options->set, options->set_count,
                                      take_property, &findings, &error) != 0
                           ? report(&error)
                           : print_findings(&findings);
    json_object_put(findings.json);
    return status;
}

static int conform(struct options *options, struct engine_context *context)
{
    struct engine_config *config = NULL;
    struct engine_error error;
    const int status = options->word_count > 1 && options_config(options, context, options->words[1], &config, &error)
                           ? report(&error)
                           : examine(options, context, config);
    engine_config_close(config);
    return status;
}

const struct verb verb_conform = {
    .name = "conform",
    .summary = "checks a plugin against the promises of the interface",
    .words = "PLUGIN.so [CONFIG]",
    .min_words = 1,
    .max_words = 2,
    .options = OPTION_JSON | OPTION_SET | OPTION_CONFORM,
    .help = help,
    .more = more,
    .run = conform,
};
