/* Reads the requested fault from the environment, and counts calls. */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const fault_names[FAULT_CALLS] = {
    [FAULT_ALLOC] = "alloc", [FAULT_THREAD] = "thread", [FAULT_OPEN] = "open",   [FAULT_READ] = "read",
    [FAULT_WRITE] = "write", [FAULT_CLOSE] = "close",   [FAULT_FSYNC] = "fsync", [FAULT_RENAME] = "rename",
    [FAULT_MKDIR] = "mkdir", [FAULT_UNLINK] = "unlink", [FAULT_STAT] = "stat",   [FAULT_TRUNCATE] = "truncate",
    [FAULT_LIST] = "list",   [FAULT_LOCK] = "lock",
};

static const struct {
    const char *name;
    int error;
} errors[] = {
    {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EACCES", EACCES},
    {"EAGAIN", EAGAIN}, {"EROFS", EROFS},   {"EMFILE", EMFILE}, {"EDQUOT", EDQUOT},
    {"ENOLCK", ENOLCK}, {"ESTALE", ESTALE}, {"EINTR", EINTR},
};

static struct {
    bool given, kill, half, lasting;
    enum fault_call call;
    unsigned long number;
    int error;
} wanted;

const char *fault_under;

static atomic_ulong counts[FAULT_CALLS];
static atomic_bool counting;

/* Where the first pieces of memory were asked for. */
enum { NOTED = 1 << 14, DEPTH = 12 };
static void *callers[NOTED][DEPTH];
static const char *callers_path;

void fault_note_callers(void)
{
    const unsigned long number = atomic_load(&counts[FAULT_ALLOC]);
    if (callers_path && atomic_load(&counting) && number < NOTED)
        backtrace(callers[number], DEPTH);
}

static void refuse(const char *text)
{
    fprintf(stderr, "shim: FAULT=%s: expected CALL N HOW, as in `write 3 ENOSPC`\n", text);
    abort();
}

static bool read_call(const char *name)
{
    for (int i = 0; i < FAULT_CALLS; i++)
        if (strcmp(fault_names[i], name) == 0) {
            wanted.call = (enum fault_call) i;
            return true;
        }
    return false;
}

static bool read_how(const char *how)
{
    wanted.kill = strcmp(how, "kill") == 0;
    wanted.lasting = strcmp(how, "full") == 0;
    wanted.half = wanted.lasting || strcmp(how, "short") == 0;
    wanted.error = ENOSPC;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(errors[i].name, how) == 0) {
            wanted.error = errors[i].error;
            return true;
        }
    return wanted.kill || wanted.half;
}

__attribute__((constructor)) static void begin(void)
{
    char call[16], how[16];
    const char *text = getenv("FAULT");
    fault_under = getenv("FAULT_UNDER");
    if (text) {
        if (sscanf(text, "%15s %lu %15s", call, &wanted.number, how) != 3 || !read_call(call) || !read_how(how))
            refuse(text);
        wanted.given = true;
    }
    if (getenv("FAULT_RECORD") && (!fault_under || !fault_record_to(getenv("FAULT_RECORD")))) {
        fprintf(stderr, "shim: FAULT_RECORD=%s: cannot be written, or FAULT_UNDER is missing\n",
                getenv("FAULT_RECORD"));
        abort();
    }
    if (!fault_catch_system_calls()) {
        fprintf(stderr, "shim: system calls cannot be caught here: %s\n", strerror(errno));
        abort();
    }
    callers_path = getenv("FAULT_CALLERS");
    if (callers_path)
        backtrace((void *[1]){NULL}, 1); /* the first call loads a library */
    atomic_store(&counting, true);
}

static void write_callers(FILE *file)
{
    for (int i = 0; file && i < NOTED && callers[i][0]; i++) {
        for (int k = 0; k < DEPTH && callers[i][k]; k++) {
            Dl_info about = {.dli_fname = "?"};
            dladdr(callers[i][k], &about);
            fprintf(file, "%s %tx ", about.dli_fname, (char *) callers[i][k] - (char *) about.dli_fbase);
        }
        fputc('\n', file);
    }
    if (!file || fclose(file) != 0)
        abort();
}

__attribute__((destructor)) static void end(void)
{
    char text[512];
    int length = 0;
    const char *path = getenv("FAULT_COUNTS");
    atomic_store(&counting, false);
    if (callers_path)
        write_callers(fopen(callers_path, "w"));
    if (!path)
        return;
    for (int i = 0; i < FAULT_CALLS; i++)
        length +=
            snprintf(text + length, sizeof text - (size_t) length, "%s %lu\n", fault_names[i], atomic_load(&counts[i]));
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, text, (size_t) length) != length || close(file) != 0)
        abort();
}

static struct fault fault_of(enum fault_call call, bool first)
{
    if (wanted.kill)
        fault_system_call(SYS_kill, getpid(), 9, 0, 0, 0);
    if (wanted.half && first && (call == FAULT_WRITE || call == FAULT_READ))
        return (struct fault){FAULT_SHORT, 0};
    return (struct fault){FAULT_ERROR, wanted.error};
}

struct fault fault_next(enum fault_call call)
{
    if (!atomic_load(&counting))
        return (struct fault){FAULT_NONE, 0};
    const unsigned long number = atomic_fetch_add(&counts[call], 1) + 1;
    if (!wanted.given || call != wanted.call || number < wanted.number || (number > wanted.number && !wanted.lasting))
        return (struct fault){FAULT_NONE, 0};
    return fault_of(call, number == wanted.number);
}
