#include "confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- System calls ----------------------------------------------------------------------------------------------- */

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#define LOAD(member)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(what)         BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSED              RETURN(SECCOMP_RET_ERRNO | EPERM)
#define ALLOWED              RETURN(SECCOMP_RET_ALLOW)
#define UNLESS(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, skip)
#define REFUSE(number)       UNLESS(number, 1), REFUSED
/* Refuses a call unless its first argument is a number, or has a flag. */
#define UNLESS_IS(number, value) \
    UNLESS(number, 4), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), ALLOWED, REFUSED
#define UNLESS_FLAG(number, value) \
    UNLESS(number, 4), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, 0, 1), ALLOWED, REFUSED

/* Threads are made with clone; libc uses it where the kernel knows no clone3, whose flags a filter cannot see. */
static bool filter_calls(void)
{
#ifdef MACHINE
    const uint32_t own = (uint32_t) getpid();
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
#ifdef __x86_64__
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), /* the calls of x32 */
        REFUSED,
        REFUSE(fork),
        REFUSE(vfork),
#endif
        UNLESS(clone3, 1),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        UNLESS_FLAG(clone, CLONE_THREAD),
        UNLESS_IS(kill, own),
        UNLESS_IS(tgkill, own),
        REFUSE(tkill),
        REFUSE(rt_sigqueueinfo),
        REFUSE(rt_tgsigqueueinfo),
        REFUSE(pidfd_open),
        REFUSE(pidfd_send_signal),
        REFUSE(execve),
        REFUSE(execveat),
        REFUSE(ptrace),
        REFUSE(process_vm_readv),
        REFUSE(process_vm_writev),
        REFUSE(setpgid),
        REFUSE(setsid),
        ALLOWED,
    };
    const struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
    return false;
#endif
}

/* Without this one, root cannot look into processes that do not let it. */
static bool drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) != 0)
        return false;
    const int dropped[] = {CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_SYS_TIME, CAP_KILL};
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) {
        struct __user_cap_data_struct *set = &sets[dropped[i] / 32];
        const uint32_t rest = ~(UINT32_C(1) << dropped[i] % 32);
        set->effective &= rest;
        set->permitted &= rest;
        set->inheritable &= rest;
    }
    return syscall(SYS_capset, &header, sets) == 0;
}

bool confine(void)
{
    const struct rlimit none = {0, 0};
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() != 1 && prctl(PR_SET_DUMPABLE, 0) == 0 &&
           setrlimit(RLIMIT_CORE, &none) == 0 && drop_capabilities() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           filter_calls();
}
