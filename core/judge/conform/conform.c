#include "judge/conform/conform.h"
#include "judge/conform/memory.h"
#include "judge/conform/properties.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char held[] = "\n"; /* the report of a process at its end, if the property holds */

/* Runs in the process of the property, and ends it. */
static _Noreturn void be_property(struct test *test, const struct property *property, uint32_t seconds)
{
    alarm(seconds);
    memory_guard(test);
    property->check(test);
    memory_check_released(test);
    registry_close(test->registry);
    if (write(test->report, held, 1) != 1)
        _exit(ENGINE_BROKEN);
    exit(ENGINE_HOLDS); /* not _exit: a leak checker reports now */
}

/* Finds the outcome from the status of the process and the reason that it reported. */
static int outcome_of(int status, uint32_t seconds, char reason[TEST_REASON_MAX])
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(reason, TEST_REASON_MAX, "did not finish in %u s", seconds);
    else if (WIFSIGNALED(status))
        snprintf(reason, TEST_REASON_MAX, "crashed: %s", strsignal(WTERMSIG(status)));
    else if (!*reason || WEXITSTATUS(status) > ENGINE_NOT_APPLICABLE)
        snprintf(reason, TEST_REASON_MAX, "ended the program, with status %d", WEXITSTATUS(status));
    else if (WEXITSTATUS(status) != ENGINE_HOLDS)
        return WEXITSTATUS(status);
    else if (strcmp(reason, held) == 0)
        return reason[0] = '\0', ENGINE_HOLDS;
    return ENGINE_BROKEN;
}

/* Reads a pipe until its other end is closed. */
static void read_all(int pipe_end, char reason[TEST_REASON_MAX])
{
    size_t length = 0;
    for (ssize_t got;
         length + 1 < TEST_REASON_MAX && (got = read(pipe_end, reason + length, TEST_REASON_MAX - 1 - length)) > 0;)
        length += (size_t) got;
    reason[length] = '\0';
}

static int run_apart(struct test *test, const struct property *property, uint32_t seconds, char reason[TEST_REASON_MAX])
{
    int pipe_ends[2], status = 0;
    fflush(NULL); /* or the process would print it again */
    if (pipe(pipe_ends) != 0) {
        snprintf(reason, TEST_REASON_MAX, "no pipe to its process can be opened");
        return ENGINE_BROKEN;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(pipe_ends[0]);
        test->report = pipe_ends[1];
        be_property(test, property, seconds);
    }
    close(pipe_ends[1]);
    read_all(pipe_ends[0], reason);
    close(pipe_ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        snprintf(reason, TEST_REASON_MAX, "no process can be started for it");
        return ENGINE_BROKEN;
    }
    return outcome_of(status, seconds, reason);
}

static void report(const struct conform_request *request, const struct test *test, const char *property, int outcome,
                   const char *reason)
{
    request->report(request->user, &(struct engine_property){.plugin = test->plugin->about.name,
                                                             .impl = test->impl ? test->impl->name : NULL,
                                                             .property = property,
                                                             .outcome = outcome,
                                                             .reason = reason});
}

static void try_properties(const struct conform_request *request, struct test *test, const struct property *properties)
{
    for (const struct property *property = properties; property->name; property++) {
        char reason[TEST_REASON_MAX] = "";
        const int outcome = run_apart(test, property, request->seconds, reason);
        for (char *c = reason; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        report(request, test, property->name, outcome, reason);
    }
}

static bool is_wanted(const struct conform_request *request, const char *impl)
{
    for (uint32_t i = 0; i < request->impl_count; i++)
        if (strcmp(request->impls[i], impl) == 0)
            return true;
    return request->impl_count == 0;
}

void conform_examine(struct conform_request *request)
{
    const struct engine_impl_array *impls = &request->plugin->about.impls;
    const struct engine_impl *first_exact = NULL;
    struct test test = {.context = &request->context,
                        .registry = request->registry,
                        .plugin = request->plugin,
                        .settings = request->settings,
                        .setting_count = request->setting_count,
                        .position = request->position};
    try_properties(request, &test, plugin_properties);
    for (uint32_t i = 0; i < impls->count && !first_exact; i++)
        if (impls->at[i].flags & ENGINE_EXACT && impls->at[i].advance)
            first_exact = &impls->at[i];
    for (uint32_t i = 0; i < impls->count; i++) {
        test.impl = &impls->at[i];
        test.promise = promise_of(request->plugin, test.impl, first_exact);
        if (!is_wanted(request, test.impl->name))
            continue;
        if (test.impl->advance)
            try_properties(request, &test, impl_properties);
        else /* one that is not in this build is reported once */
            report(request, &test, "what implementations promise", ENGINE_NOT_APPLICABLE,
                   plugin_impl_missing(test.impl));
    }
}
