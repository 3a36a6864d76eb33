#include "guard.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct engine_context *watched;
static pid_t guarded; /* the program's own process; a process that a plugin forks may exit */
static bool active;

/* Runs in the thread that called exit, before the streams are flushed. After the last thread of the process has called
 * pthread_exit, libc calls exit(0). */
static void refuse(int status, void *unused)
{
    const char *function = NULL;
    const char *plugin = watched ? engine_running(watched, &function) : NULL;
    (void) unused;
    if (!active || getpid() != guarded)
        return;
    fflush(stdout);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K"); /* the progress line */
    if (plugin)
        fprintf(stderr,
                "engine: the plugin %s, or a library that it uses, ended the program with status %d in its %s; a "
                "plugin must return an error instead\n",
                plugin, status, function);
    else
        fprintf(stderr, "engine: a library or a thread of a plugin ended the program with status %d\n", status);
    _exit(plugin || status == 0 ? ENGINE_STATUS_PLUGIN : status);
}

void guard_begin(void)
{
    guarded = getpid();
    active = on_exit(refuse, NULL) == 0;
}

void guard_end(void)
{
    active = false;
}

void guard_watch(const struct engine_context *context)
{
    watched = context;
}
