/* The test of one property: the plugin and the implementation under test, and the ways to end.
 *
 * Every property is tested in a process of its own: one that crashes or hangs fails alone. A function that finds
 * something wrong ends the process with REQUIRE or SKIP_UNLESS. */
#ifndef CORE_JUDGE_CONFORM_TEST_H
#define CORE_JUDGE_CONFORM_TEST_H

#include "judge/promise.h"
#include "plugin/registry.h"

enum { TEST_REASON_MAX = 3000 }; /* bytes of the reason why a property is broken or does not apply */

struct test_memory;

struct test {
    struct context *context; /* of the registry */
    struct registry *registry;
    const struct plugin *plugin;
    const struct engine_impl *impl; /* NULL: the property is about the plugin as a whole */
    struct promise promise;         /* of the implementation */
    const char *const *settings;    /* section.key=value of every configuration */
    uint32_t setting_count;
    bool position; /* the rule depends on where a cell lies */

    /* In the process of the property: */
    int report;                 /* the file descriptor that receives the reason of a failure */
    struct test_memory *memory; /* all memory of the plugin */
    char refusal[2048];         /* why the last configuration was refused */
};

/* End the process: the property is broken, or it does not apply. */
_Noreturn void test_fails(const struct test *test, const char *format, ...) ENGINE_PRINTF(2, 3);
_Noreturn void test_skips(const struct test *test, const char *format, ...) ENGINE_PRINTF(2, 3);

#define REQUIRE(test, condition, ...)     ((condition) ? (void) 0 : test_fails(test, __VA_ARGS__))
#define SKIP_UNLESS(test, condition, ...) ((condition) ? (void) 0 : test_skips(test, __VA_ARGS__))

#endif
