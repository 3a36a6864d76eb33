/* Runs a function in a process of its own, with a time limit, and finds out how it ended: by itself, by a crash, by
 * exit, or not at all. */
#ifndef LIB_JUDGE_CONFORM_APART_H
#define LIB_JUDGE_CONFORM_APART_H

#include "judge/conform/test.h"

/* Sets the hooks of the suite's context, which stays as long as the test. In the process of a property, memory lies
 * between guards, messages are kept, and the functions of the plugin find the test (calls.h). */
void apart_hooks(struct test *test, struct engine_hooks *hooks);

/* Allocates test->told, which this process shares with those that it starts. ENGINE_STATUS_DEVICE. */
int apart_open(struct test *test, struct engine_error *error);
void apart_close(struct test *test);

/* Calls check(test) in a process made by fork, and waits at most `seconds` for it. test->told then has its outcome:
 * ENGINE_HOLDS if the function returned, or what it ended with; ENGINE_BROKEN if the process crashed, called exit, did
 * not finish, or was stopped. The processes that it left behind are killed. Its standard input is empty. If `written`
 * is not NULL, it receives what a process that broke wrote to its standard output and standard error; the caller frees
 * it. */
void apart_run(struct test *test, void (*check)(struct test *test), uint32_t seconds, char **written);

#endif
