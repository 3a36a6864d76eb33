/* System calls. A seccomp filter turns those of the table into SIGSYS. The handler counts each one, and executes it,
 * fails it, or shortens it. A sixth argument that no such call has marks the calls of the handler itself. */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { PASS = 0x5afeca11 };

/* Where a call has its file: a descriptor, a path, or a folder's descriptor and a path; which is the first argument. */
enum place { FILE_AT, PATH_AT, FOLDER_AT };

static const struct {
    int number;
    enum fault_call call;
    enum place place;
} caught[] = {
    {SYS_openat, FAULT_OPEN, FOLDER_AT},     {SYS_read, FAULT_READ, FILE_AT},
    {SYS_pread64, FAULT_READ, FILE_AT},      {SYS_write, FAULT_WRITE, FILE_AT},
    {SYS_pwrite64, FAULT_WRITE, FILE_AT},    {SYS_writev, FAULT_WRITE, FILE_AT},
    {SYS_close, FAULT_CLOSE, FILE_AT},       {SYS_fsync, FAULT_FSYNC, FILE_AT},
    {SYS_fdatasync, FAULT_FSYNC, FILE_AT},   {SYS_renameat2, FAULT_RENAME, FOLDER_AT},
    {SYS_renameat, FAULT_RENAME, FOLDER_AT}, {SYS_mkdirat, FAULT_MKDIR, FOLDER_AT},
    {SYS_unlinkat, FAULT_UNLINK, FOLDER_AT}, {SYS_ftruncate, FAULT_TRUNCATE, FILE_AT},
    {SYS_newfstatat, FAULT_STAT, FOLDER_AT}, {SYS_fstat, FAULT_STAT, FILE_AT},
    {SYS_getdents64, FAULT_LIST, FILE_AT},   {SYS_flock, FAULT_LOCK, FILE_AT},
#ifdef SYS_open /* aarch64 has the "at" forms alone */
    {SYS_open, FAULT_OPEN, PATH_AT},         {SYS_rename, FAULT_RENAME, PATH_AT},
    {SYS_mkdir, FAULT_MKDIR, PATH_AT},       {SYS_unlink, FAULT_UNLINK, PATH_AT},
    {SYS_rmdir, FAULT_UNLINK, PATH_AT},      {SYS_stat, FAULT_STAT, PATH_AT},
    {SYS_lstat, FAULT_STAT, PATH_AT},
#endif
};

enum { CAUGHT = sizeof caught / sizeof caught[0] };

/* ---- Registers of a trapped call --------------------------------------------------------------------------- */

#if defined __x86_64__
static long argument(const ucontext_t *context, int index)
{
    static const int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8};
    return (long) context->uc_mcontext.gregs[registers[index]];
}

static void set_result(ucontext_t *context, long result)
{
    context->uc_mcontext.gregs[REG_RAX] = result;
}
#elif defined __aarch64__
static long argument(const ucontext_t *context, int index)
{
    return (long) context->uc_mcontext.regs[index];
}

static void set_result(ucontext_t *context, long result)
{
    context->uc_mcontext.regs[0] = (unsigned long long) result;
}
#else
#error "say here in which registers this machine passes the arguments of system calls"
#endif

/* ---- The handler ------------------------------------------------------------------------------------------- */

long fault_system_call(long number, long a, long b, long c, long d, long e)
{
    return syscall(number, a, b, c, d, e, (long) PASS);
}

static int index_of(int number)
{
    int i = 0;
    while (i < CAUGHT - 1 && caught[i].number != number)
        i++;
    return i;
}

/* Is it that folder, or a path in it? */
static bool begins(const char *path, const char *folder)
{
    size_t i = 0;
    while (folder[i] != '\0' && path[i] == folder[i])
        i++;
    return folder[i] == '\0' && (path[i] == '/' || path[i] == '\0');
}

static bool is_open_under(int descriptor, const char *folder)
{
    char link[32] = "/proc/self/fd/", digits[12], path[4096];
    size_t length = 14, count = 0;
    if (descriptor < 0)
        return false;
    for (int rest = descriptor; count == 0 || rest > 0; rest /= 10)
        digits[count++] = (char) ('0' + rest % 10);
    while (count > 0)
        link[length++] = digits[--count];
    const long bytes = fault_system_call(SYS_readlinkat, AT_FDCWD, (long) link, (long) path, sizeof path - 1, 0);
    path[bytes > 0 ? bytes : 0] = '\0';
    return begins(path, folder);
}

/* Is the call about a file of the folder FAULT_UNDER? */
static bool is_under(enum place place, const ucontext_t *context, const char *folder)
{
    const int descriptor = (int) argument(context, 0);
    if (place == FILE_AT)
        return is_open_under(descriptor, folder);
    const char *path = (const char *) argument(context, place == PATH_AT ? 0 : 1); // NOLINT(performance-no-int-to-ptr)
    return path && *path == '/' ? begins(path, folder) : place == FOLDER_AT && is_open_under(descriptor, folder);
}

/* What goes to stderr, and what asks about an open file there, meets no fault: nobody could be told. */
static bool is_spared(enum fault_call call, long first)
{
    return call == FAULT_WRITE && first == STDERR_FILENO;
}

static long pass(int number, const ucontext_t *context, bool half)
{
    const long length = argument(context, 2);
    const long cut = half && number != SYS_writev && length > 1 ? length / 2 : length;
    const long result = fault_system_call(number, argument(context, 0), argument(context, 1), cut, argument(context, 3),
                                          argument(context, 4));
    return result == -1 ? -errno : result;
}

static long pass_and_record(int number, const ucontext_t *context)
{
    struct fault_done done = {.number = number};
    for (int i = 0; i < 5; i++)
        done.arguments[i] = argument(context, i);
    fault_record_begin();
    done.position = number == SYS_write ? fault_position(done.arguments[0]) : 0;
    done.result = pass(number, context, false);
    fault_record(&done);
    fault_record_end();
    return done.result;
}

/* A close that fails has closed the file all the same, as Linux does it. */
static long fail(int number, const ucontext_t *context, int error)
{
    if (number == SYS_close)
        pass(number, context, false);
    return -error;
}

static void handle(int signal_number, siginfo_t *info, void *registers)
{
    (void) signal_number;
    const int before = errno, number = info->si_syscall;
    const int index = index_of(number);
    const enum fault_call call = caught[index].call;
    ucontext_t *context = registers;
    struct fault fault = {FAULT_NONE, 0};
    const bool counts = !fault_under || is_under(caught[index].place, context, fault_under);
    if (counts && !is_spared(call, argument(context, 0)))
        fault = fault_next(call);
    if (counts && fault_is_recording())
        set_result(context, pass_and_record(number, context));
    else
        set_result(context, fault.kind == FAULT_ERROR ? fail(number, context, fault.error)
                                                      : pass(number, context, fault.kind == FAULT_SHORT));
    errno = before;
}

/* Nobody blocks SIGSYS: a call that is caught while it is blocked ends the program. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    static int (*next)(int, const sigset_t *, sigset_t *);
    sigset_t rest;
    if (!next)
        *(void **) &next = dlsym(RTLD_NEXT, "pthread_sigmask");
    if (set && how != SIG_UNBLOCK) {
        rest = *set;
        sigdelset(&rest, SIGSYS);
        set = &rest;
    }
    return next(how, set, before);
}

/* ---- The filter -------------------------------------------------------------------------------------------- */

static bool install(const struct sock_filter *filter, unsigned short length)
{
    const struct sock_fprog program = {length, (struct sock_filter *) (uintptr_t) filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

bool fault_catch_system_calls(void)
{
    struct sigaction action;
    struct sock_filter filter[CAUGHT + 5];
    unsigned short length = 0;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    if (sigaction(SIGSYS, &action, NULL) != 0)
        return false;
    filter[length++] = (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]));
    filter[length++] = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASS, CAUGHT + 1, 0);
    filter[length++] = (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CAUGHT; i++)
        filter[length++] = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t) caught[i].number,
                                                         (uint8_t) (CAUGHT - i), 0);
    filter[length++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[length++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    return install(filter, length);
}
