#include "judge/conform/conform.h"
#include "base/nearest.h"
#include "base/xxh.h"
#include "judge/conform/apart.h"
#include "judge/conform/draws.h"
#include "judge/conform/fixture.h"
#include "judge/conform/properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN_MAX = 1024, REASONS_MAX = 64 };

/* The examination of one plugin. */
struct examination {
    struct conform_request *request;
    struct test *test; /* of the request */
    const struct engine_impl *reference;
    uint64_t seen[SEEN_MAX]; /* hashes of the messages that were passed on */
    uint32_t seen_count;
    uint32_t tried;  /* implementations that took a step */
    uint32_t broken; /* properties */
    struct reason {
        uint64_t hash;
        const char *property;
    } reasons[REASONS_MAX]; /* why properties of the implementation are broken, each once */
    uint32_t reason_count;
};

/* ---- Messages -------------------------------------------------------------------------------------------------- */

/* Passes a message of the plugin to the caller, the same text once. */
static void pass_message(struct examination *examination, int level, const char *text)
{
    const uint64_t hash = XXH3_64bits(text, strlen(text));
    for (uint32_t i = 0; i < examination->seen_count; i++)
        if (examination->seen[i] == hash)
            return;
    if (examination->seen_count < SEEN_MAX)
        examination->seen[examination->seen_count++] = hash;
    context_pass(examination->test->caller, level, examination->test->name, text);
}

static void pass_messages(struct examination *examination)
{
    const struct told *told = examination->test->told;
    char text[96];
    for (uint32_t i = 0; i < told->message_count; i++)
        pass_message(examination, told->messages[i].level, told->messages[i].text);
    if (told->dropped_count > 0) {
        snprintf(text, sizeof text, "%u further messages are not shown", told->dropped_count);
        pass_message(examination, ENGINE_LOG_INFO, text);
    }
}

/* What a broken process wrote itself, such as an assertion that failed, or the report of a sanitizer. */
static void pass_written(struct examination *examination, char *written)
{
    char *rest = written;
    for (const char *line; rest && (line = strsep(&rest, "\n"));)
        if (*line)
            pass_message(examination, ENGINE_LOG_WARNING, line);
}

/* ---- Properties ------------------------------------------------------------------------------------------------ */

static void report(struct examination *examination, const char *property, int outcome, const char *reason)
{
    const struct conform_request *request = examination->request;
    examination->broken += outcome == ENGINE_BROKEN;
    request->report(request->user,
                    &(struct engine_property){.plugin = examination->test->name,
                                              .impl = examination->test->impl ? examination->test->impl->name : NULL,
                                              .property = property,
                                              .outcome = outcome,
                                              .reason = reason});
}

/* Replaces a reason that another property of the implementation had, perhaps at another size, by the name of that one. */
static void shorten_reason(struct examination *examination, const char *property)
{
    struct told *told = examination->test->told;
    char reason[TEST_REASON_MAX];
    snprintf(reason, sizeof reason, "%s", told->reason);
    char *size = *told->size ? strstr(reason, told->size) : NULL;
    if (size)
        memmove(size, size + strlen(told->size), strlen(size + strlen(told->size)) + 1);
    const uint64_t hash = XXH3_64bits(reason, strlen(reason));
    for (uint32_t i = 0; i < examination->reason_count; i++)
        if (examination->reasons[i].hash == hash) {
            snprintf(told->reason, sizeof told->reason, "as for '%s'", examination->reasons[i].property);
            return;
        }
    if (examination->reason_count < REASONS_MAX)
        examination->reasons[examination->reason_count++] = (struct reason){hash, property};
}

/* Runs the check in a process of its own. The outcome is in test.told. */
static void run(struct examination *examination, void (*check)(struct test *test))
{
    char *written;
    apart_run(examination->test, check, examination->request->seconds, &written);
    pass_messages(examination);
    pass_written(examination, written);
    free(written);
    for (char *c = examination->test->told->reason; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
}

/* Returns whether it holds. */
static bool try_property(struct examination *examination, const struct property *property)
{
    const struct told *told = examination->test->told;
    run(examination, property->check);
    if (told->outcome == ENGINE_BROKEN)
        shorten_reason(examination, property->name);
    report(examination, property->name, told->outcome, told->outcome == ENGINE_HOLDS ? "" : told->reason);
    return told->outcome == ENGINE_HOLDS;
}

static void try_properties(struct examination *examination, const struct property *properties)
{
    for (const struct property *property = properties; property->name; property++)
        if (property_is_wanted(property, examination->request->properties))
            try_property(examination, property);
}

/* ---- Implementations ------------------------------------------------------------------------------------------- */

static bool is_wanted(const struct conform_request *request, const char *impl)
{
    for (uint32_t i = 0; i < request->impl_count; i++)
        if (strcmp(request->impls[i], impl) == 0)
            return true;
    return request->impl_count == 0;
}

static const char all_promises[] = "what implementations promise"; /* the property of one that is not tried */

/* Skips the property if the implementation cannot run in this build or on this machine. */
static void find_device(struct test *test)
{
    struct engine_error error;
    const char *missing = engine_impl_missing(test->context, test->impl, &error);
    SKIP_UNLESS(test, !missing, "%s", missing);
}

/* One that is not in this build, or whose device this machine lacks, is reported once. It is a failure if the caller
 * named it. */
static void try_impl(struct examination *examination)
{
    examination->reason_count = 0;
    run(examination, find_device);
    if (examination->test->told->outcome != ENGINE_HOLDS) {
        report(examination, all_promises, examination->request->impl_count ? ENGINE_BROKEN : ENGINE_NOT_APPLICABLE,
               examination->test->told->reason);
        return;
    }
    const bool holds = try_property(examination, first_property);
    if (holds)
        examination->tried++;
    if (!examination->test->told->refuses_all)
        try_properties(examination, impl_properties);
    else
        report(examination, all_promises, ENGINE_NOT_APPLICABLE, "the implementation took no step");
}

static void try_impls(struct examination *examination)
{
    struct test *test = examination->test;
    const struct engine_impl_array *impls = &test->plugin->impls;
    const struct engine_impl *first_exact = NULL;
    for (uint32_t i = 0; i < impls->count && !first_exact; i++)
        if (impls->at[i].flags & ENGINE_EXACT && impls->at[i].advance)
            first_exact = &impls->at[i];
    for (uint32_t i = 0; i < impls->count; i++) {
        test->impl = &impls->at[i];
        test->promise = promise_of(examination->reference, test->impl, first_exact);
        test->position = examination->request->position || test->impl->flags & (ENGINE_SEEDED | ENGINE_TIMED);
        if (is_wanted(examination->request, test->impl->name))
            try_impl(examination);
    }
    test->impl = NULL;
    if (examination->tried == 0 && examination->broken == 0)
        report(examination, "an implementation takes a step", ENGINE_BROKEN,
               "none can be tried here, so nothing is known about the plugin");
}

/* ---- The plugin ------------------------------------------------------------------------------------------------ */

static const char *impl_at(const void *list, uint32_t index)
{
    const struct engine_impl_array *impls = list;
    return index < impls->count ? impls->at[index].name : NULL;
}

static bool has_impl(const struct engine_impl_array *impls, const char *name)
{
    for (uint32_t i = 0; i < impls->count; i++)
        if (strcmp(impls->at[i].name, name) == 0)
            return true;
    return false;
}

static int check_names(const struct conform_request *request, struct engine_error *error)
{
    const struct test *test = &request->test;
    const struct engine_impl_array *impls = &test->plugin->impls;
    char hint[128], words[CONTEXT_WORDS], clause[CONTEXT_WORDS];
    for (uint32_t i = 0; i < request->impl_count; i++)
        if (!has_impl(impls, request->impls[i]))
            return error_set(error, ENGINE_STATUS_USAGE, "%s: %s has no implementation '%s'%s%s",
                             context_words(test->caller, ENGINE_WORDS_OPTION, "impl", words), test->plugin->name,
                             request->impls[i], nearest_hint(hint, request->impls[i], impl_at, impls),
                             context_clause(test->caller, ENGINE_WORDS_PLUGINS, "", clause));
    return 0;
}

/* Finds out, in another process, what the configuration says. */
static int check_config(struct examination *examination, struct engine_error *error)
{
    struct test *test = examination->test;
    run(examination, fixture_check_config);
    if (test->told->outcome == TEST_REFUSED)
        return error_set(error, test->told->status, "%s", test->told->reason);
    if (test->told->outcome != ENGINE_HOLDS)
        report(examination, "takes the configuration", ENGINE_BROKEN, test->told->reason);
    test->init_given = test->told->init_given;
    memcpy(test->given[0].extent, test->told->extent, sizeof test->given[0].extent);
    return 0;
}

static int examine(struct examination *examination, struct engine_error *error)
{
    struct test *test = examination->test;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    if (!try_property(examination, load_property))
        return 0;
    if (engine_plugin_find(test->context, test->name, &plugin, error) != 0)
        return error->status;
    test->plugin = plugin.about;
    if (test->plugin->impls.count > TEST_IMPLS_MAX)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s has more than %d implementations", test->name,
                         TEST_IMPLS_MAX);
    examination->reference = plugin.reference;
    static const struct property *const tables[] = {load_property, plugin_properties, first_property, impl_properties,
                                                    NULL};
    if (check_names(examination->request, error) != 0 ||
        property_check_texts(test->caller, examination->request->properties, tables, error) != 0 ||
        check_config(examination, error) != 0)
        return error->status;
    if (examination->request->draws > 0)
        return draws_examine(examination->request, error);
    try_properties(examination, plugin_properties);
    try_impls(examination);
    return 0;
}

int conform_examine(struct conform_request *request, struct engine_error *error)
{
    struct examination *examination = calloc(1, sizeof *examination);
    if (!examination)
        return error_memory(error, sizeof *examination, "an examination");
    *examination = (struct examination){.request = request, .test = &request->test};
    int status = apart_open(examination->test, error);
    if (status == 0)
        status = examine(examination, error);
    apart_close(&request->test);
    free(examination);
    return status;
}
