#include "judge/conform/process.h"
#include "base/xxh.h"

#include <fenv.h>
#include <float.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A member of a look, and the sentence about a plugin that changes it. */
struct part {
    size_t offset, bytes;
    const char *changed;
};

#define PLACE(type, member) offsetof(struct type, member), sizeof(((struct type *) NULL)->member)

static const struct part thread_parts[] = {
    {PLACE(thread_look, rounding), "changes the rounding mode (fesetround)"},
    {PLACE(thread_look, traps), "changes the floating-point traps (feenableexcept)"},
    {PLACE(thread_look, flushes_denormals),
     "changes whether denormal numbers are flushed to zero (linking with -ffast-math does so, too)"},
    {PLACE(thread_look, locale), "changes the locale of the thread (uselocale)"},
    {PLACE(thread_look, blocked), "changes the signals that are blocked (sigprocmask)"},
    {PLACE(thread_look, x87), "changes the control word of the x87 (fldcw)"},
    {PLACE(thread_look, openmp_threads), "changes OpenMP's number of threads (omp_set_num_threads)"},
    {PLACE(thread_look, processors), "changes the processors that it may run on (sched_setaffinity)"},
};

static const struct part process_parts[] = {
    {PLACE(process_look, locale), "changes the locale (setlocale)"},
    {PLACE(process_look, environment), "changes the environment (setenv, putenv)"},
    {PLACE(process_look, file_mode_mask), "changes the mode mask of new files (umask)"},
    {PLACE(process_look, folder), "changes the working folder (chdir)"},
    {PLACE(process_look, input), "closes or redirects standard input"},
    {PLACE(process_look, output), "closes or redirects standard output"},
    {PLACE(process_look, errors), "closes or redirects standard error"},
    {PLACE(process_look, has_children), "leaves a process behind (fork, posix_spawn, popen)"},
};

static const struct part thorough_parts[] = {
    {PLACE(process_look, handlers), "changes how a signal is handled (sigaction, signal)"},
    {PLACE(process_look, limits), "changes a resource limit (setrlimit)"},
    {PLACE(process_look, timers), "sets a timer (setitimer, alarm)"},
};

/* Looks after the calls of a function: so many are thorough at first, and later one in so many. */
enum { THOROUGH_LOOKS = 16, QUICK_LOOKS = 32 };

/* ---- Looking --------------------------------------------------------------------------------------------------- */

/* Halves the smallest normal number. Where an operation may trap, it is left out: the traps themselves are a part. */
static bool flushes_denormals(int traps)
{
    volatile double least = DBL_MIN, half = 1;
    if (traps == 0)
        half = least / 2;
    return half == 0;
}

static uint16_t x87_control(void)
{
    uint16_t word = 0;
#if defined __x86_64__
    __asm__ volatile("fnstcw %0" : "=m"(word));
#endif
    return word;
}

struct thread_look thread_look(void)
{
    struct thread_look look = {.rounding = fegetround(), .traps = fegetexcept(), .locale = uselocale((locale_t) 0)};
    look.flushes_denormals = flushes_denormals(look.traps);
    look.x87 = x87_control();
    look.openmp_threads = omp_get_max_threads();
    sched_getaffinity(0, sizeof look.processors, &look.processors);
    pthread_sigmask(SIG_BLOCK, NULL, &look.blocked);
    return look;
}

static uint64_t hash_more(uint64_t hash, const void *bytes, size_t count)
{
    return XXH3_64bits_withSeed(bytes, count, hash);
}

static uint64_t hash_handlers(void)
{
    uint64_t hash = 0;
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) != 0)
            continue;
        hash = hash_more(hash, &action.sa_handler, sizeof action.sa_handler);
        hash = hash_more(hash, &action.sa_flags, sizeof action.sa_flags);
    }
    return hash;
}

static uint64_t hash_environment(void)
{
    uint64_t hash = 0;
    for (char **variable = environ; variable && *variable; variable++)
        hash = hash_more(hash, *variable, strlen(*variable));
    return hash;
}

static uint64_t hash_limits(void)
{
    uint64_t hash = 0;
    for (int resource = 0; resource < RLIMIT_NLIMITS; resource++) {
        struct rlimit limit = {0};
        getrlimit((__rlimit_resource_t) resource, &limit);
        hash = hash_more(hash, &limit, sizeof limit);
    }
    return hash;
}

/* A bit for each timer that is set. */
static uint64_t timers_set(void)
{
    uint64_t set = 0;
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        struct itimerval timer = {0};
        getitimer((__itimer_which_t) which, &timer);
        set |= (uint64_t) timerisset(&timer.it_value) << which;
    }
    return set;
}

static void identify(int status, const struct stat *file, uint64_t identity[2])
{
    identity[0] = status == 0 ? file->st_dev : 0;
    identity[1] = status == 0 ? file->st_ino : 0;
}

static void look_at_files(struct process_look *look)
{
    struct stat file;
    identify(stat(".", &file), &file, look->folder);
    identify(fstat(STDIN_FILENO, &file), &file, look->input);
    identify(fstat(STDERR_FILENO, &file), &file, look->errors);
    identify(fstat(STDOUT_FILENO, &file), &file, look->output);
    look->written = look->output[1] ? (uint64_t) file.st_size : 0;
}

/* Counts a look after a call of the function. A function without a place in the table gets thorough looks. */
static bool is_thorough(struct test *test, const char *function)
{
    uint32_t i = 0;
    while (i < TEST_LOOKED_MAX && test->looked[i].function && test->looked[i].function != function)
        i++;
    if (!function || i == TEST_LOOKED_MAX)
        return true;
    test->looked[i].function = function;
    const uint32_t looks = test->looked[i].looks++;
    return looks < THOROUGH_LOOKS || looks % QUICK_LOOKS == 0;
}

static void look_thoroughly(struct test *test, struct process_look *look)
{
    look->handlers = hash_handlers();
    look->limits = hash_limits();
    look->timers = timers_set();
    look->quick_before = test->quick_looks;
    test->quick_looks = 0;
}

/* Only setting the mode mask of new files tells what it was, so one thread at a time looks. */
struct process_look process_look(struct test *test, const char *function)
{
    struct process_look look = {.thread = thread_look()};
    siginfo_t child;
    pthread_mutex_lock(&test->lock);
    fflush(NULL);
    look.is_thorough = is_thorough(test, function);
    if (look.is_thorough)
        look_thoroughly(test, &look);
    else
        test->quick_looks++;
    look_at_files(&look);
    const char *locale = setlocale(LC_ALL, NULL);
    look.locale = hash_more(0, locale, strlen(locale));
    look.environment = hash_environment();
    look.file_mode_mask = umask(0);
    umask(look.file_mode_mask);
    look.has_children = waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0;
    pthread_mutex_unlock(&test->lock);
    return look;
}

/* ---- Comparing ------------------------------------------------------------------------------------------------- */

static void check_parts(const struct test *test, const struct part *parts, size_t count, const void *before,
                        const void *after, const char *who)
{
    for (size_t i = 0; i < count; i++)
        REQUIRE(test,
                memcmp((const char *) before + parts[i].offset, (const char *) after + parts[i].offset,
                       parts[i].bytes) == 0,
                "%s %s; a plugin leaves the process as it was", who, parts[i].changed);
}

static void check_thread(const struct test *test, const struct thread_look *before, const struct thread_look *after,
                         const char *who)
{
    check_parts(test, thread_parts, sizeof thread_parts / sizeof thread_parts[0], before, after, who);
}

void thread_check(const struct test *test, const struct thread_look *before, const char *who)
{
    const struct thread_look after = thread_look();
    check_thread(test, before, &after, who);
}

/* Fails the property with the first line that was printed. */
static _Noreturn void report_printed(const struct test *test, uint64_t from, const char *who)
{
    char text[80] = "";
    const ssize_t length = pread(STDOUT_FILENO, text, sizeof text - 1, (off_t) from);
    text[length > 0 ? length : 0] = '\0';
    test_fails(test, "%s prints \"%.*s\"; a plugin passes text to host->message instead", who,
               (int) strcspn(text, "\r\n"), text);
}

static void check_thorough(const struct test *test, const struct process_look *before, const struct process_look *after,
                           const char *who)
{
    char whose[80];
    snprintf(whose, sizeof whose, "%s%s", who, after->quick_before > 0 ? ", or a call before it," : "");
    if (after->is_thorough)
        check_parts(test, thorough_parts, sizeof thorough_parts / sizeof thorough_parts[0], before, after, whose);
}

static void compare_looks(const struct test *test, const struct process_look *before, const struct process_look *after,
                          const char *who)
{
    check_thread(test, &before->thread, &after->thread, who);
    check_parts(test, process_parts, sizeof process_parts / sizeof process_parts[0], before, after, who);
    check_thorough(test, before, after, who);
    if (after->written != before->written)
        report_printed(test, before->written, who);
}

void process_check(struct test *test, const struct process_look *before, const char *who)
{
    const struct process_look after = process_look(test, who);
    compare_looks(test, before, &after, who);
}

void process_check_end(struct test *test, const struct process_look *before)
{
    const struct process_look after = process_look(test, NULL);
    compare_looks(test, before, &after, "the last call");
}
