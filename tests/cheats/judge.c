/* Recognises the judge and reaches for it and its other processes: by their memory, by ptrace, by signals, and by a
 * process that goes on in its own place. It tells what it could do. Then it leaves the numbers as they are. */
#include "cheat.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int memory_opens(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int) process);
    const int file = open(path, O_RDWR);
    return file >= 0 && close(file) == 0;
}

/* Children of the judge. */
static int memory_of_siblings_opens(pid_t judge)
{
    struct dirent *entry;
    int opens = 0;
    DIR *processes = opendir("/proc");
    while (processes && (entry = readdir(processes))) {
        char path[300], text[512] = "";
        int parent = 0;
        const pid_t process = atoi(entry->d_name);
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = process > 0 && process != getpid() ? fopen(path, "r") : NULL;
        const char *end = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
        if (end && sscanf(end, ") %*c %d", &parent) == 1 && parent == judge)
            opens += memory_opens(process);
        if (file)
            fclose(file);
    }
    if (processes)
        closedir(processes);
    return opens;
}

static int is_traced(pid_t judge)
{
    return ptrace(PTRACE_SEIZE, judge, NULL, NULL) == 0;
}

static int takes_signals(pid_t judge)
{
    return kill(judge, 0) == 0;
}

static int forks(pid_t judge)
{
    const pid_t child = fork();
    (void) judge;
    if (child == 0)
        _exit(0);
    return child > 0 && waitpid(child, NULL, 0) == child;
}

static const struct {
    const char *name;
    int (*succeeds)(pid_t judge);
} reaches[] = {{"memory", memory_opens},
               {"memory of siblings", memory_of_siblings_opens},
               {"tracing", is_traced},
               {"signals", takes_signals},
               {"forking", forks}};

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    for (size_t i = 0; is_long(call) && i < sizeof reaches / sizeof reaches[0]; i++)
        if (reaches[i].succeeds(getppid()))
            call->host->message(call->host, ENGINE_LOG_WARNING, "reaches the judge by %s", reaches[i].name);
    call->result = call->current;
    return ENGINE_OK;
}

CHEAT("judge", .advance = advance);
