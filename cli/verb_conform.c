/* engine conform: does a plugin keep what the interface asks of it? */
#include "base/json.h"
#include "base/nearest.h"
#include "judge/conform/examine.h"
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Holds a plugin, yours or the engine's, to the promises of the interface, engine/plugin.h: every implementation "
    "runs at odd and tiny sizes, one step and many, across seams and corners, in poisoned memory between guards, two "
    "instances side by side, with several threads and with too little memory, and is compared with the plugin's "
    "reference. Each property runs in a process of its own, so one that crashes or hangs fails alone.\n"
    "\n"
    "PLUGIN.so is a file, as in ./my-rule.so, or a name that `engine list` shows. Results are printed as TAP "
    "(testanything.org), as they come.\n";

static const char more[] =
    "Examples:\n"
    "  engine conform ./my-rule.so\n"
    "  engine conform life2d-bit --impl cpu --set life2d-bit.rule=B36/S23\n"
    "\n"
    "Exit status: 0 all properties hold, 1 one does not, or the file is no plugin that loads, 2 command line.\n";

/* What was found so far. */
struct findings {
    const char *name;         /* the plugin's */
    struct json_object *json; /* an array of results; NULL: they are printed as they come */
    uint32_t passed, failed;
};

/* ---- For test programs: TAP --------------------------------------------------------------------------------- */

/* TAP knows '#' as the start of a directive, and lines. */
static void print_why(const char *before, const char *why)
{
    printf("%s", before);
    for (; *why; why++)
        putchar(*why == '#' ? '+' : *why == '\n' ? ' ' : *why);
    putchar('\n');
}

static void print_result(struct findings *findings, const struct conform_result *result)
{
    char what[512];
    snprintf(what, sizeof what, "%s%s%s: %s", findings->name, result->impl ? "/" : "", result->impl ? result->impl : "",
             result->property);
    if (result->outcome == CONFORM_SKIPPED) { /* nothing that could be tried is left out: there is nothing to try */
        printf("# does not apply to %s: ", what);
        print_why("", result->why);
        return;
    }
    printf("%sok %u - %s\n", result->outcome == CONFORM_FAILED ? "not " : "", findings->passed + findings->failed,
           what);
    if (*result->why)
        print_why("# ", result->why);
}

/* ---- For programs: JSON ------------------------------------------------------------------------------------- */

static struct json_object *result_json(const struct conform_result *result)
{
    static const char *const outcomes[] = {
        [CONFORM_PASSED] = "holds", [CONFORM_FAILED] = "broken", [CONFORM_SKIPPED] = "does not apply"};
    struct json_object *json = json_new_object();
    json_add(json, "implementation", json_new_text(result->impl));
    json_add(json, "property", json_new_text(result->property));
    json_add(json, "result", json_new_text(outcomes[result->outcome]));
    json_add(json, "why", json_new_text(*result->why ? result->why : NULL));
    return json;
}

static int print_json(const struct findings *findings, struct engine_error *error)
{
    struct json_object *json = json_new_object();
    json_add(json, "plugin", json_new_text(findings->name));
    json_add(json, "passed", json_new_integer(findings->passed));
    json_add(json, "failed", json_new_integer(findings->failed));
    json_add(json, "results", findings->json);
    return json_print(json, error);
}

/* ---- The verb ----------------------------------------------------------------------------------------------- */

static void take_result(void *to, const struct conform_result *result)
{
    struct findings *findings = to;
    findings->passed += result->outcome == CONFORM_PASSED;
    findings->failed += result->outcome == CONFORM_FAILED;
    if (findings->json)
        json_append(findings->json, result_json(result));
    else
        print_result(findings, result);
}

/* The folder and the name of "folder/name.so"; false: it is a name alone. */
static bool split_path(const char *path, char folder[4096], char name[256])
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t length = strlen(base);
    const bool has_ending = length > 3 && strcmp(base + length - 3, ".so") == 0;
    snprintf(folder, 4096, "%.*s", slash ? slash == path ? 1 : (int) (slash - path) : 1, slash ? path : ".");
    snprintf(name, 256, "%.*s", (int) length - (has_ending ? 3 : 0), base);
    return slash || has_ending;
}

/* The plugin that the first word names, and a registry that finds it before any other of its name. */
static int load(struct options *options, char name[256], struct conform_request *request, struct engine_error *error)
{
    static char folder[4096];
    char path[sizeof folder + 300];
    const uint32_t most = sizeof options->folders / sizeof options->folders[0];
    if (split_path(options->words[0], folder, name)) {
        snprintf(path, sizeof path, "%s/%s.so", folder, name);
        if (access(path, R_OK) != 0)
            return error_set(error, ENGINE_STATUS_PLUGIN, "%s: %s, expected the file of a plugin", path,
                             strerror(errno));
        options->folder_count -= options->folder_count == most;
        memmove(options->folders + 1, options->folders, options->folder_count * sizeof *options->folders);
        options->folders[0] = folder;
        options->folder_count++;
    }
    if (options_registry(options, &request->registry, error) != 0)
        return error->status;
    return registry_find(request->registry, name, &request->plugin, error);
}

static const char *impl_at(const void *list, uint32_t index)
{
    const struct engine_impl_array *impls = list;
    return index < impls->count ? impls->at[index].name : NULL;
}

static int check_impls(const struct plugin *plugin, const struct options *options, struct engine_error *error)
{
    char hint[128];
    for (uint32_t i = 0; i < options->impl_count; i++)
        if (!plugin_impl(plugin, options->impls[i]))
            return error_set(error, ENGINE_STATUS_USAGE, "--impl: %s has none called '%s'%s", plugin->about.name,
                             options->impls[i], nearest_hint(hint, options->impls[i], impl_at, &plugin->about.impls));
    return 0;
}

/* A plugin that does not load fails the first property of all. ENGINE_STATUS_USAGE: nothing was examined. */
static int examine(struct options *options, struct conform_request *request, char name[256], struct engine_error *error)
{
    if (load(options, name, request, error) != 0) {
        const struct conform_result result = {.property = "loads", .outcome = CONFORM_FAILED, .why = error->text};
        take_result(request->to, &result);
        return 0;
    }
    if (check_impls(request->plugin, options, error) != 0)
        return error->status;
    conform_examine(request);
    return 0;
}

static int print_findings(const struct findings *findings)
{
    struct engine_error error;
    if (findings->json && print_json(findings, &error) != 0)
        return report(&error);
    if (!findings->json) {
        printf("1..%u\n", findings->passed + findings->failed);
        printf("# %s: %u promises hold, %u do not\n", findings->name, findings->passed, findings->failed);
    }
    return findings->failed ? ENGINE_STATUS_UNVERIFIED : ENGINE_STATUS_DONE;
}

static int conform(int count, char **words)
{
    struct options options;
    struct engine_error error;
    char name[256];
    if (options_read(&verb_conform, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    struct findings findings = {.name = name, .json = options.json ? json_new_array() : NULL};
    struct conform_request request = {.impls = options.impls,
                                      .impl_count = options.impl_count,
                                      .settings = options.set,
                                      .setting_count = options.set_count,
                                      .placed = options.placed,
                                      .seconds = options.seconds ? options.seconds : 120,
                                      .report = take_result,
                                      .to = &findings};
    const int status = examine(&options, &request, name, &error) != 0 ? report(&error) : print_findings(&findings);
    registry_close(request.registry);
    return finish_stdout(status);
}

const struct verb verb_conform = {
    .name = "conform",
    .summary = "holds a plugin to the promises of the interface",
    .words = "PLUGIN.so",
    .least = 1,
    .most = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_CONFORM,
    .help = help,
    .more = more,
    .run = conform,
};
