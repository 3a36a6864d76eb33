/* Stands between the engine and the functions of a plugin: after each of them, compares the process, the plan and the
 * call with what they were before. */
#ifndef LIB_JUDGE_CONFORM_CALLS_H
#define LIB_JUDGE_CONFORM_CALLS_H

#include "judge/conform/test.h"

/* Exchanges the functions in the tables of the test's plugin, which belong to this process, for functions that call
 * them and compare. Does nothing if the plugin is not loaded yet. */
void calls_guard(struct test *test);

/* A thread that a property makes calls this first: it gets the locale of the thread that called calls_guard. */
void calls_enter_thread(const struct test *test);

/* Tells which implementation the calls of probe, layout and cost from here on are for. */
void calls_plan_for(struct test *test, const struct engine_impl *impl);

/* Compares the process in the same way after functions that are not called through these tables, such as the check of a
 * parameter. */
void calls_check(struct test *test, const char *who);

/* Has the plugin broken the interface since the last time that this was asked (context_breach)? */
bool calls_breach(struct test *test);

/* Compares it once more at the end, thoroughly. */
void calls_check_end(struct test *test);

#endif
