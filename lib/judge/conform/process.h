/* What a plugin shares with the process that it runs in, and leaves as it was. */
#ifndef LIB_JUDGE_CONFORM_PROCESS_H
#define LIB_JUDGE_CONFORM_PROCESS_H

#include "judge/conform/test.h"

#include <locale.h>
#include <sched.h>
#include <signal.h>

/* What belongs to the thread that looks. */
struct thread_look {
    int rounding, traps, openmp_threads;
    uint16_t x87; /* control word */
    bool flushes_denormals;
    cpu_set_t processors;
    locale_t locale;
    sigset_t blocked;
};

/* Members of 64 bits are hashes. A thorough look takes some eighty system calls more than a quick one. */
struct process_look {
    struct thread_look thread;
    bool is_thorough;
    uint32_t quick_before;             /* quick looks between the last thorough one and this thorough one */
    uint64_t handlers, limits, timers; /* only of a thorough look */
    uint64_t locale, environment;
    mode_t file_mode_mask;
    uint64_t folder[2], input[2], output[2], errors[2]; /* device and inode; 0: there is none */
    uint64_t written;                                   /* bytes on standard output and standard error */
    bool has_children;
};

/* thread_look looks at the calling thread, and process_look at the thread and the process. process_look first writes
 * out the text that stdio still holds. The look is thorough after the first calls of a function and then after a few
 * of them; it is always thorough where the function is NULL. */
struct thread_look thread_look(void);
struct process_look process_look(struct test *test, const char *function);

/* Fail the property where the look differs from one now: "<who> changes the rounding mode …". process_check_end looks
 * thoroughly, for the calls after which a look was quick. */
void thread_check(const struct test *test, const struct thread_look *before, const char *who);
void process_check(struct test *test, const struct process_look *before, const char *who);
void process_check_end(struct test *test, const struct process_look *before);

#endif
