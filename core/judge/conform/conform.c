/* Runs each property in a process of its own and tells what became of it. */
#include "judge/conform/conform.h"
#include "judge/conform/examine.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct subject subject;
static const char passed[] = "\n"; /* on the report of a property that came to its end */
static int report;                 /* where a property's process writes why it failed or does not apply */

/* ---- In the process of a property --------------------------------------------------------------------------- */

static _Noreturn void end_property(int outcome, const char *why)
{
    const ssize_t written = write(report, why, strlen(why));
    _exit(written < 0 ? ENGINE_BROKEN : outcome);
}

void property_fails(const char *format, ...)
{
    char why[3000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    end_property(ENGINE_BROKEN, why);
}

void property_skips(const char *format, ...)
{
    char why[3000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    end_property(ENGINE_NOT_APPLICABLE, why);
}

static _Noreturn void be_property(const struct property *property, uint32_t seconds)
{
    alarm(seconds);
    memory_guard();
    property->check();
    memory_check_released();
    registry_close(subject.registry);
    if (write(report, passed, 1) != 1)
        _exit(ENGINE_BROKEN);
    exit(ENGINE_HOLDS); /* not _exit: a leak checker has its say */
}

/* ---- Outside it --------------------------------------------------------------------------------------------- */

/* What became of it, and why. */
static int outcome(int status, uint32_t seconds, char *why, size_t room)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(why, room, "did not finish in %u s", seconds);
    else if (WIFSIGNALED(status))
        snprintf(why, room, "crashed: %s", strsignal(WTERMSIG(status)));
    else if (!*why || WEXITSTATUS(status) > ENGINE_NOT_APPLICABLE)
        snprintf(why, room, "ended the program, with status %d", WEXITSTATUS(status));
    else if (WEXITSTATUS(status) != ENGINE_HOLDS)
        return WEXITSTATUS(status);
    else if (strcmp(why, passed) == 0)
        return why[0] = '\0', ENGINE_HOLDS;
    return ENGINE_BROKEN;
}

/* What comes through a pipe until its other end is closed, as text. */
static void read_all(int pipe_end, char *text, size_t room)
{
    size_t length = 0;
    for (ssize_t got; length + 1 < room && (got = read(pipe_end, text + length, room - 1 - length)) > 0;)
        length += (size_t) got;
    text[length] = '\0';
}

static int run_apart(const struct property *property, uint32_t seconds, char *why, size_t room)
{
    int pipe_ends[2], status = 0;
    fflush(NULL);
    if (pipe(pipe_ends) != 0)
        return ENGINE_BROKEN;
    const pid_t child = fork();
    if (child == 0) {
        close(pipe_ends[0]);
        report = pipe_ends[1];
        be_property(property, seconds);
    }
    close(pipe_ends[1]);
    read_all(pipe_ends[0], why, room);
    close(pipe_ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        snprintf(why, room, "there is no process to be had for it");
        return ENGINE_BROKEN;
    }
    return outcome(status, seconds, why, room);
}

static void put_on_one_line(char *text)
{
    for (; *text; text++)
        *text = *text == '\n' ? ' ' : *text;
}

static void try_property(const struct conform_request *request, const struct property *property)
{
    char why[3000] = "";
    struct engine_property result = {.plugin = request->plugin->about.name,
                                     .impl = subject.impl ? subject.impl->name : NULL,
                                     .property = property->name};
    result.outcome = run_apart(property, request->seconds, why, sizeof why);
    put_on_one_line(why);
    result.reason = why;
    request->report(request->user, &result);
}

/* Exact implementations answer to an exact one: the reference, or the first of them. */
static const struct engine_impl *oracle_for(const struct engine_impl *impl)
{
    const struct engine_impl *reference = plugin_reference(subject.plugin);
    const struct engine_impl_array *impls = &subject.plugin->about.impls;
    if (!(impl->flags & ENGINE_EXACT) || reference->flags & ENGINE_EXACT)
        return impl == reference ? NULL : reference;
    for (uint32_t i = 0; i < impls->count; i++)
        if (impls->at[i].flags & ENGINE_EXACT)
            return &impls->at[i] == impl ? NULL : &impls->at[i];
    return NULL;
}

static bool is_wanted(const struct conform_request *request, const char *impl)
{
    for (uint32_t i = 0; i < request->impl_count; i++)
        if (strcmp(request->impls[i], impl) == 0)
            return true;
    return request->impl_count == 0;
}

/* One that is not in this build is told of once. */
static void try_implementation(const struct conform_request *request, const struct engine_impl *impl)
{
    subject.impl = impl;
    subject.oracle = oracle_for(impl);
    if (!is_wanted(request, impl->name))
        return;
    if (!impl->advance) {
        const struct engine_property result = {.plugin = request->plugin->about.name,
                                               .impl = impl->name,
                                               .property = "what implementations promise",
                                               .outcome = ENGINE_NOT_APPLICABLE,
                                               .reason = plugin_impl_missing(impl)};
        request->report(request->user, &result);
        return;
    }
    for (const struct property *property = impl_properties; property->name; property++)
        try_property(request, property);
}

void conform_examine(const struct conform_request *request)
{
    const struct engine_impl_array *impls = &request->plugin->about.impls;
    subject = (struct subject){.registry = request->registry,
                               .plugin = request->plugin,
                               .settings = request->settings,
                               .setting_count = request->setting_count,
                               .position = request->position};
    for (const struct property *property = plugin_properties; property->name; property++)
        try_property(request, property);
    for (uint32_t i = 0; i < impls->count; i++)
        try_implementation(request, &impls->at[i]);
}
