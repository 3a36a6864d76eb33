/* conform PLUGIN.so [--impl NAME] [--set section.key=value]… [--placed] [--seconds N]
 *
 * Prints TAP; the exit status is 0 where nothing failed. --placed: the rule depends on where a cell is, so that moving
 * a pattern may change what becomes of it. --seconds: time for each property, 120 if not given. */
#include "conform.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PASSED, FAILED, SKIPPED, USAGE = 2 };

struct subject subject;
static const char passed[] = "\n"; /* on the report of a property that came to its end */
static int report;                 /* where a property's process writes why it failed or does not apply */
static unsigned seconds = 120;
static unsigned results, failures;

/* ---- In the process of a property --------------------------------------------------------------------------- */

static void ends(const char *format, va_list arguments)
{
    char text[3000];
    int length = vsnprintf(text, sizeof text, format, arguments);
    length = length < (int) sizeof text ? length : (int) sizeof text - 1;
    if (write(report, text, (size_t) length) < 0)
        _exit(FAILED);
}

void property_fails(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ends(format, arguments);
    va_end(arguments);
    _exit(FAILED);
}

void property_skips(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ends(format, arguments);
    va_end(arguments);
    _exit(SKIPPED);
}

static _Noreturn void be_property(const struct property *property)
{
    alarm(seconds);
    host_verbosity = HOST_QUIET;
    memory_guard();
    property->check();
    memory_check_released();
    registry_close(subject.registry);
    if (write(report, passed, 1) != 1)
        _exit(FAILED);
    exit(PASSED); /* not _exit: a leak checker has its say */
}

/* ---- Outside it --------------------------------------------------------------------------------------------- */

/* What became of it: PASSED, FAILED or SKIPPED, and why. */
static int outcome(int status, char *why, size_t room)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(why, room, "did not finish in %u s", seconds);
    else if (WIFSIGNALED(status))
        snprintf(why, room, "crashed: %s", strsignal(WTERMSIG(status)));
    else if (!*why || WEXITSTATUS(status) > SKIPPED)
        snprintf(why, room, "ended the program, with status %d", WEXITSTATUS(status));
    else if (WEXITSTATUS(status) != PASSED)
        return WEXITSTATUS(status);
    else if (strcmp(why, passed) == 0)
        return why[0] = '\0', PASSED;
    return FAILED;
}

static int run_apart(const struct property *property, char *why, size_t room)
{
    int pipe_ends[2], status = 0;
    fflush(NULL);
    if (pipe(pipe_ends) != 0)
        return FAILED;
    const pid_t child = fork();
    if (child == 0) {
        close(pipe_ends[0]);
        report = pipe_ends[1];
        be_property(property);
    }
    close(pipe_ends[1]);
    size_t length = 0;
    for (ssize_t got; length + 1 < room && (got = read(pipe_ends[0], why + length, room - 1 - length)) > 0;)
        length += (size_t) got;
    why[length] = '\0';
    close(pipe_ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child ? outcome(status, why, room) : FAILED;
}

/* TAP knows '#' as the start of a directive, and lines. */
static void one_line(char *text)
{
    for (; *text; text++)
        *text = *text == '\n' ? ' ' : *text == '#' ? '+' : *text;
}

static void print_result(const struct property *property)
{
    char why[3000] = "";
    const int result = run_apart(property, why, sizeof why);
    one_line(why);
    if (result == SKIPPED) { /* nothing that could be tried is left out: there is nothing to try */
        printf("# does not apply to %s%s%s: %s: %s\n", subject.plugin->about.name, subject.impl ? "/" : "",
               subject.impl ? subject.impl->name : "", property->name, why);
        return;
    }
    results++;
    failures += result == FAILED;
    printf("%sok %u - %s%s%s: %s", result == FAILED ? "not " : "", results, subject.plugin->about.name,
           subject.impl ? "/" : "", subject.impl ? subject.impl->name : "", property->name);
    printf(*why ? "\n# %s\n" : "%s\n", why);
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

static void examine(const char *wanted)
{
    const struct engine_impl_array *impls = &subject.plugin->about.impls;
    for (const struct property *property = plugin_properties; property->name; property++)
        print_result(property);
    for (uint32_t i = 0; i < impls->count; i++) {
        subject.impl = &impls->at[i];
        if (wanted && strcmp(subject.impl->name, wanted) != 0)
            continue;
        subject.oracle = oracle_for(subject.impl);
        for (const struct property *property = impl_properties; property->name; property++)
            print_result(property);
    }
    printf("1..%u\n", results);
}

/* ---- The command line --------------------------------------------------------------------------------------- */

struct arguments {
    const char *path, *impl;
    const char *settings[64];
    uint32_t setting_count;
};

static bool read_arguments(int count, char **words, struct arguments *arguments)
{
    for (int i = 1; i < count; i++) {
        const bool has_value = i + 1 < count;
        if (strcmp(words[i], "--placed") == 0)
            subject.placed = true;
        else if (strcmp(words[i], "--impl") == 0 && has_value)
            arguments->impl = words[++i];
        else if (strcmp(words[i], "--seconds") == 0 && has_value && atoi(words[i + 1]) > 0)
            seconds = (unsigned) atoi(words[++i]);
        else if (strcmp(words[i], "--set") == 0 && has_value && arguments->setting_count < 64)
            arguments->settings[arguments->setting_count++] = words[++i];
        else if (words[i][0] != '-' && !arguments->path)
            arguments->path = words[i];
        else
            return false;
    }
    return arguments->path != NULL;
}

/* The folder and the name of "folder/name.so". */
static void split_path(const char *path, char folder[4096], char name[256])
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    if (length > 3 && strcmp(base + length - 3, ".so") == 0)
        length -= 3;
    snprintf(folder, 4096, "%.*s", slash ? (int) (slash - path) + 1 : 1, slash ? path : ".");
    snprintf(name, 256, "%.*s", (int) length, base);
}

static bool load(const char *path)
{
    struct error error;
    char folder[4096], name[256];
    split_path(path, folder, name);
    const char *const folders[] = {folder};
    if (registry_open(folders, 1, &subject.registry, &error) == 0 &&
        registry_find(subject.registry, name, &subject.plugin, &error) == 0)
        return true;
    one_line(error.text);
    printf("not ok 1 - %s loads\n# %s\n1..1\n", name, error.text);
    return false;
}

int main(int count, char **words)
{
    struct arguments arguments = {0};
    if (!read_arguments(count, words, &arguments)) {
        fputs("usage: conform PLUGIN.so [--impl NAME] [--set section.key=value]… [--placed] [--seconds N]\n", stderr);
        return USAGE;
    }
    subject.settings = arguments.settings;
    subject.setting_count = arguments.setting_count;
    if (!load(arguments.path))
        return EXIT_FAILURE;
    if (arguments.impl && !plugin_impl(subject.plugin, arguments.impl)) {
        fprintf(stderr, "conform: %s has no implementation %s\n", subject.plugin->about.name, arguments.impl);
        return USAGE;
    }
    examine(arguments.impl);
    registry_close(subject.registry);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
