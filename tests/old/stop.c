/* For tests/old/make: sends the program a signal at the moment when it gives a file its final name. Loaded by
 * LD_PRELOAD. STOP_AT is the name of the file, STOP_BY the number of the signal, and STOP_TIME says at which file of
 * that name, counted from 1. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int renameat(int from_folder, const char *from, int to_folder, const char *to);

static int times;

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    int (*next)(int, const char *, int, const char *);
    *(void **) &next = dlsym(RTLD_NEXT, "renameat");
    const int status = next(from_folder, from, to_folder, to);
    if (strcmp(to, getenv("STOP_AT")) == 0 && ++times == atoi(getenv("STOP_TIME")))
        kill(getpid(), atoi(getenv("STOP_BY")));
    return status;
}
