/* What a result must not follow from: the clock, the environment, and the random numbers of the C library. And files,
 * which a plugin leaves to the engine. */
#ifndef LIB_JUDGE_CONFORM_OUTSIDE_H
#define LIB_JUDGE_CONFORM_OUTSIDE_H

#include "judge/conform/test.h"

/* From here on, a call by the file of the plugin of a function such as time, rand or getenv returns something else: a
 * clock that runs a million times as fast, small random numbers, and a value for every variable of the environment, or
 * for none. Functions that the plugin's libraries call are left alone. */
void outside_change(const struct test *test, bool variables);

/* From here on, a system call that creates, renames or removes a file ends the process with SIGSYS. Does nothing where
 * the kernel has no filters of system calls. */
void outside_forbid_files(void);

#endif
