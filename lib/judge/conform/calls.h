/* Stands between the engine and the functions of a plugin: after each of them, compares the process, the plan and the
 * call with what they were before. */
#ifndef LIB_JUDGE_CONFORM_CALLS_H
#define LIB_JUDGE_CONFORM_CALLS_H

#include "judge/conform/test.h"

/* Adds a copy of the test's plugin to the context, whose functions call those of the plugin and compare. Does nothing
 * if the plugin is not loaded yet. calls_guard does so for test->context, after a first look at the process. */
void calls_guard(struct test *test);
void calls_add(struct test *test, struct engine_context *context);

/* The hook of these contexts by which the functions find the test, `user`. */
const void *calls_service(void *user, const char *name, uint32_t version);

/* A thread that a property makes calls this first: it gets the locale and OpenMP's number of threads of the thread that
 * called calls_guard. */
void calls_enter_thread(const struct test *test);

/* Tells which implementation the calls of probe, layout, cost and create from here on are for. */
void calls_plan_for(struct test *test, const struct engine_impl *impl);

/* Compares the process in the same way after functions that are not called through these tables, such as the check of a
 * parameter. */
void calls_check(struct test *test, const char *who);

/* Has the plugin broken the interface since the last time that this was asked (engine_breaches)? */
bool calls_breach(struct test *test);

/* The reason that the last function with a host has given for its failure; "": none. */
const char *calls_reason(const struct test *test);

/* From here on, every call of advance compares the buffers that it only reads with what they were before. */
void calls_watch_sources(struct test *test);

/* Compares it once more at the end, thoroughly. */
void calls_check_end(struct test *test);

#endif
