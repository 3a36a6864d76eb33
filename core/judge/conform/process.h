/* What a plugin shares with the process that it runs in, and leaves as it was. */
#ifndef CORE_JUDGE_CONFORM_PROCESS_H
#define CORE_JUDGE_CONFORM_PROCESS_H

#include "judge/conform/test.h"

#include <locale.h>
#include <signal.h>

/* What belongs to the thread that looks. */
struct thread_look {
    int rounding, traps;
    bool flushes_denormals;
    locale_t locale;
    sigset_t blocked;
};

/* Members of 64 bits are hashes. */
struct process_look {
    struct thread_look thread;
    uint64_t locale, handlers, environment, limits;
    mode_t file_mode_mask;
    uint64_t folder[2], input[2], output[2], errors[2]; /* device and inode; 0: there is none */
    uint64_t written;                                   /* bytes on standard output and standard error */
    bool has_children;
};

/* thread_look looks at the calling thread, and process_look at the thread and the process. process_look first writes
 * out the text that stdio still holds. */
struct thread_look thread_look(void);
struct process_look process_look(struct test *test);

/* Fail the property where the look differs from one now: "<who> changes the rounding mode …". */
void thread_check(const struct test *test, const struct thread_look *before, const char *who);
void process_check(struct test *test, const struct process_look *before, const char *who);

#endif
