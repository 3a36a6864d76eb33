#include "judge/conform/apart.h"
#include "base/machine.h"
#include "base/text.h"
#include "judge/conform/calls.h"
#include "judge/conform/memory.h"
#include "judge/conform/outside.h"
#include "judge/resident.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITTEN_MAX = 1 << 16 }; /* bytes that are kept of what a broken process wrote */

int apart_open(struct test *test, struct engine_error *error)
{
    void *told = mmap(NULL, sizeof *test->told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        return error_memory(error, sizeof *test->told, "the results of a process");
    test->told = told;
    return 0;
}

void apart_close(struct test *test)
{
    if (test->told)
        munmap(test->told, sizeof *test->told);
    test->told = NULL;
}

/* ---- In the process -------------------------------------------------------------------------------------------- */

/* Keeps a message for the process that started this one. The same text counts once: a plugin repeats it for every
 * size. */
static void keep_message(struct test *test, int level, const char *text)
{
    struct told *told = test->told;
    pthread_mutex_lock(&test->lock);
    uint32_t i = 0;
    while (i < told->message_count && strncmp(told->messages[i].text, text, TEST_MESSAGE_MAX - 1) != 0)
        i++;
    if (i == TEST_MESSAGES_MAX)
        told->dropped_count++;
    else if (i == told->message_count) {
        told->messages[i].level = level;
        snprintf(told->messages[i].text, TEST_MESSAGE_MAX, "%s", text);
        told->message_count++;
    }
    pthread_mutex_unlock(&test->lock);
}

static void take_message(void *user, int level, const char *source, const char *text)
{
    struct test *test = user;
    if (test->process)
        keep_message(test, level, text);
    else
        context_pass(test->caller, level, source, text);
}

void apart_hooks(struct test *test, struct engine_hooks *hooks)
{
    hooks->user = test;
    hooks->message = take_message;
    hooks->allocate = memory_allocate_guarded;
    hooks->release = memory_release_guarded;
    hooks->service = calls_service;
}

/* The standard streams are an empty input, and a file in memory that keeps the output. */
static bool redirect(int output)
{
    const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return empty >= 0 && dup2(empty, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
           dup2(output, STDERR_FILENO) >= 0;
}

/* Before the process is looked at for the first time: what a driver changes is no fault of the plugin. An error is
 * found again when a fixture is opened. */
static void open_device(struct test *test)
{
    struct engine_error error;
    if (test->impl)
        engine_impl_missing(test->context, test->impl, &error);
}

static bool is_on_host(const struct engine_impl *impl)
{
    return !impl || impl->memory == ENGINE_HOST_MEMORY;
}

/* The driver of a device may keep files of its own, and a format has files. */
static void forbid_files(const struct test *test)
{
    if (test->impl && is_on_host(test->impl) && is_on_host(test->promise.oracle))
        outside_forbid_files();
}

/* The process leads a group, so that processes which it leaves behind can be killed, and ends with its parent.
 * Processes that lose their own parent become its children, so that it can see them. */
static _Noreturn void be_apart(struct test *test, void (*check)(struct test *test), pid_t parent, int output)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getppid() != parent)
        _exit(0);
    REQUIRE(test, redirect(output), "its standard streams cannot be redirected: %s", strerror(errno));
    test->process = getpid();
    pthread_mutex_init(&test->lock, NULL);
    memory_guard(test);
    open_device(test);
    forbid_files(test);
    if (!test->drawn)
        calls_guard(test);
    check(test);
    if (!test->drawn)
        calls_check_end(test);
    memory_check_released(test);
    engine_close(test->beside);
    engine_close(test->context);
    test->told->outcome = ENGINE_HOLDS;
    exit(0); /* not _exit: a leak checker reports now */
}

/* ---- In the process that starts it ----------------------------------------------------------------------------- */

enum ending { ENDED, STOPPED, LATE, FULL };

/* Waits until the process ends, is stopped by a signal, is late, or takes too much memory. The kernel reports an end at
 * once; the others are looked up in intervals. */
static enum ending wait_for(pid_t child, uint32_t seconds, uint64_t memory)
{
    const double deadline = machine_clock() + seconds;
    struct pollfd end = {.fd = (int) syscall(SYS_pidfd_open, child, 0), .events = POLLIN}; /* poll ignores -1 */
    siginfo_t info = {0};
    bool full = false;
    while (!info.si_pid && !full && machine_clock() < deadline) {
        poll(&end, 1, end.fd < 0 ? 10 : 20);
        waitid(P_PID, (id_t) child, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT);
        full = resident_bytes(child) > memory;
    }
    if (end.fd >= 0)
        close(end.fd);
    return full ? FULL : !info.si_pid ? LATE : info.si_code == CLD_STOPPED ? STOPPED : ENDED;
}

static void break_promise(struct told *told, const char *format, ...) ENGINE_PRINTF(2, 3);

static void break_promise(struct told *told, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(told->reason, sizeof told->reason, format, arguments);
    va_end(arguments);
    told->outcome = ENGINE_BROKEN;
}

/* A plugin whose calls return is slow, and none of its promises is broken. */
static bool is_slow(const struct told *told, uint32_t seconds)
{
    return machine_clock() - told->returned < seconds / 2.0;
}

/* Finds the outcome of a process that did not say it itself. */
static void judge(const struct test *test, enum ending ending, int status, uint32_t seconds)
{
    struct told *told = test->told;
    char words[CONTEXT_WORDS], number[32];
    const char *at = *told->size ? " at size " : "", *size = told->size;
    if (ending == LATE) {
        break_promise(told, "did not finish in %u s%s%s; %s N gives each property more time", seconds, at, size,
                      context_words(test->caller, ENGINE_WORDS_OPTION, "seconds", words));
        told->outcome = is_slow(told, seconds) ? ENGINE_NOT_APPLICABLE : ENGINE_BROKEN;
        told->late = true;
    } else if (ending == FULL)
        break_promise(told, "takes more than %sB of memory%s%s; %s N sets another limit",
                      text_si((double) test->most_memory, number), at, size,
                      context_words(test->caller, ENGINE_WORDS_OPTION, "memory", words));
    else if (ending == STOPPED)
        break_promise(told, "stopped its process%s%s (SIGSTOP); expected it to run on", at, size);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        break_promise(told, "creates, renames or removes a file%s%s; a plugin leaves files to the engine", at, size);
    else if (WIFSIGNALED(status))
        break_promise(told, "crashed%s%s: %s", at, size, strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0 || told->outcome < 0)
        break_promise(told, "ended the program%s%s, with status %d", at, size, WEXITSTATUS(status));
}

/* Returns what was written to a file in memory, as text. NULL: nothing, or no memory for it. */
static char *read_written(int output)
{
    char *text = malloc(WRITTEN_MAX + 1);
    const ssize_t length = text ? pread(output, text, WRITTEN_MAX, 0) : 0;
    if (length <= 0) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

static void start_and_wait(struct test *test, void (*check)(struct test *test), uint32_t seconds, int output)
{
    const pid_t parent = getpid();
    int status = 0;
    fflush(NULL); /* or the process would print it again */
    const pid_t child = fork();
    if (child == 0)
        be_apart(test, check, parent, output);
    if (child < 0) {
        break_promise(test->told, "no process can be started for it: %s", strerror(errno));
        return;
    }
    setpgid(child, child); /* here too, so that the group exists before it may have to be killed */
    const enum ending ending = wait_for(child, seconds, test->most_memory);
    kill(-child, SIGKILL); /* the process, if it has not ended, and what it left behind */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    judge(test, ending, status, seconds);
}

void apart_run(struct test *test, void (*check)(struct test *test), uint32_t seconds, char **written)
{
    const int output = memfd_create("output of a plugin", MFD_CLOEXEC);
    memset(test->told, 0, offsetof(struct told, most_elements));
    test->told->outcome = TEST_RUNNING;
    *written = NULL;
    if (output < 0) {
        break_promise(test->told, "there is no file for its output: %s", strerror(errno));
        return;
    }
    start_and_wait(test, check, seconds, output);
    if (test->told->outcome == ENGINE_BROKEN)
        *written = read_written(output);
    close(output);
}
