/* engine conform: checks a plugin against the promises of the interface. */
#include "options.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>

static const char help[] =
    "Checks a plugin, your own or one of the engine's, against the promises of the interface in engine/plugin.h. Every "
    "implementation runs at odd and very small sizes, for one step and for many, across seams and corners, in memory "
    "that is "
    "filled with a pattern and has guard areas around it, as two instances at the same time, with several threads, and "
    "with too little memory. Its "
    "results are compared with those of the plugin's reference. Each property is checked in a separate process, so a "
    "property that crashes or hangs does not affect the others.\n"
    "\n"
    "PLUGIN.so is a file, such as ./my-rule.so, or a name that `engine list` shows. Each result is printed as soon as "
    "it is known, in the TAP format (testanything.org).\n";

static const char more[] = "Examples:\n"
                           "  engine conform ./my-rule.so\n"
                           "  engine conform life2d-bit --impl cpu --set life2d-bit.rule=B36/S23\n"
                           "\n"
                           "Exit status:\n"
                           "  0  all properties hold\n"
                           "  1  a property does not hold, or the plugin does not load\n"
                           "  2  error in the command line\n";

/* The results so far. */
struct findings {
    char plugin[256];         /* the plugin's name */
    struct json_object *json; /* an array of results; NULL: each result is printed as soon as it is known */
    bool whole;               /* the array has every result */
    unsigned held, broken;
};

/* ---- TAP, for test programs -------------------------------------------------------------------------------------- */

/* Prints a reason without '#', which starts a directive in TAP, and on one line. */
static void print_reason(const char *before, const char *reason)
{
    printf("%s", before);
    for (; *reason; reason++)
        putchar(*reason == '#' ? '+' : *reason == '\n' ? ' ' : *reason);
    putchar('\n');
}

static void print_property(const struct findings *findings, const struct engine_property *property)
{
    char what[512];
    snprintf(what, sizeof what, "%s%s%s: %s", property->plugin, property->impl ? "/" : "",
             property->impl ? property->impl : "", property->property);
    if (property->outcome == ENGINE_NOT_APPLICABLE) { /* a comment and not a skipped test: there is nothing to test */
        printf("# does not apply to %s: ", what);
        print_reason("", property->reason);
        return;
    }
    printf("%sok %u - %s\n", property->outcome == ENGINE_BROKEN ? "not " : "", findings->held + findings->broken, what);
    if (*property->reason)
        print_reason("# ", property->reason);
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
static bool add_property(struct json_object *results, const struct engine_property *property)
{
    static const char *const outcomes[] = {
        [ENGINE_HOLDS] = "holds", [ENGINE_BROKEN] = "broken", [ENGINE_NOT_APPLICABLE] = "does not apply"};
    struct json_object *json = json_object_new_object();
    if (add_text(json, "implementation", property->impl) && add_text(json, "property", property->property) &&
        add_text(json, "result", outcomes[property->outcome]) &&
        add_text(json, "why", *property->reason ? property->reason : NULL) && json_object_array_add(results, json) == 0)
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

static void take_property(void *user, const struct engine_property *property)
{
    struct findings *findings = user;
    snprintf(findings->plugin, sizeof findings->plugin, "%s", property->plugin);
    findings->held += property->outcome == ENGINE_HOLDS;
    findings->broken += property->outcome == ENGINE_BROKEN;
    if (findings->json)
        findings->whole = add_property(findings->json, property) && findings->whole;
    else
        print_property(findings, property);
}

static int examine(struct options *options, struct engine_context *context)
{
    const struct engine_trial trial = {
        .size = sizeof trial, .impls = options->impls, .seconds = options->seconds, .position = options->placed};
    struct findings findings = {.json = options->json ? json_object_new_array() : NULL, .whole = true};
    struct engine_error error;
    int status = 0;
    if (options->json && !findings.json) {
        fail(&error, ENGINE_STATUS_DEVICE, "no memory for the results");
        return report(&error);
    }
    if (engine_conform(context, options->words[0], &trial, options->set, options->set_count, take_property, &findings,
                       &error) != 0) {
        json_object_put(findings.json);
        return report(&error);
    }
    if (findings.json)
        status = print_json(&findings);
    else {
        printf("1..%u\n", findings.held + findings.broken);
        printf("# %s: %u promises hold, %u do not\n", findings.plugin, findings.held, findings.broken);
    }
    json_object_put(findings.json);
    return status ? status : findings.broken ? ENGINE_STATUS_UNVERIFIED : ENGINE_STATUS_DONE;
}

const struct verb verb_conform = {
    .name = "conform",
    .summary = "checks a plugin against the promises of the interface",
    .words = "PLUGIN.so",
    .min_words = 1,
    .max_words = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_CONFORM,
    .help = help,
    .more = more,
    .run = examine,
};
