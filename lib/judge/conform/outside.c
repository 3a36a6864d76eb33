#include "judge/conform/outside.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ---- Functions in the place of those of the C library ---------------------------------------------------------- */

/* They keep nothing, so all follows from the real clock. Each of its nanoseconds is a millisecond here. */
static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static time_t other_time(time_t *out)
{
    const time_t now = (time_t) (milliseconds() / 1000);
    if (out)
        *out = now;
    return now;
}

static clock_t other_clock(void)
{
    return (clock_t) (milliseconds() * 1000);
}

static int other_clock_gettime(clockid_t clock, struct timespec *out)
{
    const uint64_t now = milliseconds();
    (void) clock;
    *out = (struct timespec){(time_t) (now / 1000), (long) (now % 1000) * 1000000};
    return 0;
}

static int other_gettimeofday(struct timeval *out, void *zone)
{
    const uint64_t now = milliseconds();
    (void) zone;
    *out = (struct timeval){(time_t) (now / 1000), (suseconds_t) (now % 1000) * 1000};
    return 0;
}

/* 0 to 3: these are special to a plugin that does something rarely. */
static int other_rand(void)
{
    return (int) (milliseconds() * UINT64_C(0x9e3779b97f4a7c15) >> 62);
}

static long other_random(void)
{
    return other_rand();
}

static double other_drand48(void)
{
    return other_rand() / 4.0;
}

static char *no_variable(const char *name)
{
    (void) name;
    return NULL;
}

static char *any_variable(const char *name)
{
    (void) name;
    return (char *) (uintptr_t) "1";
}

typedef void function(void);

#define OTHER(name, without, with) \
    { \
#name, \
        { \
            (function *) (without), (function *) (with) \
        } \
    }

/* Without variables of the environment, and with them. */
static const struct {
    const char *name;
    function *other[2];
} others[] = {
    OTHER(time, other_time, other_time),
    OTHER(clock, other_clock, other_clock),
    OTHER(clock_gettime, other_clock_gettime, other_clock_gettime),
    OTHER(gettimeofday, other_gettimeofday, other_gettimeofday),
    OTHER(rand, other_rand, other_rand),
    OTHER(random, other_random, other_random),
    OTHER(lrand48, other_random, other_random),
    OTHER(drand48, other_drand48, other_drand48),
    OTHER(getenv, no_variable, any_variable),
    OTHER(secure_getenv, no_variable, any_variable),
};

/* ---- Changing the table of functions that the plugin's file calls ----------------------------------------------- */

static void change_entry(const struct link_map *file, const char *name, uint64_t offset, bool variables)
{
    const uintptr_t at = file->l_addr + offset, page = (uintptr_t) sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i].name, name) == 0 && /* the table may be protected after loading */
            mprotect((void *) (at & ~(page - 1)), at % page + sizeof(function *) > page ? 2 * page : page,
                     PROT_READ | PROT_WRITE) == 0)
            *(function **) at = others[i].other[variables];
}

struct relocations {
    const Elf64_Rela *at;
    uint64_t bytes;
};

/* The loader has turned the addresses in the dynamic section into those in memory. */
static void change_file(const struct link_map *file, bool variables)
{
    struct relocations lists[2] = {{0}};
    const Elf64_Sym *symbols = NULL;
    const char *names = NULL;
    for (const Elf64_Dyn *entry = file->l_ld; entry->d_tag != DT_NULL; entry++) {
        lists[0].at = entry->d_tag == DT_RELA ? (const void *) entry->d_un.d_ptr : lists[0].at;
        lists[0].bytes = entry->d_tag == DT_RELASZ ? entry->d_un.d_val : lists[0].bytes;
        lists[1].at = entry->d_tag == DT_JMPREL ? (const void *) entry->d_un.d_ptr : lists[1].at;
        lists[1].bytes = entry->d_tag == DT_PLTRELSZ ? entry->d_un.d_val : lists[1].bytes;
        symbols = entry->d_tag == DT_SYMTAB ? (const void *) entry->d_un.d_ptr : symbols;
        names = entry->d_tag == DT_STRTAB ? (const void *) entry->d_un.d_ptr : names;
    }
    for (int list = 0; list < 2; list++)
        for (uint64_t i = 0; symbols && names && i < lists[list].bytes / sizeof *lists[list].at; i++) {
            const Elf64_Sym *symbol = &symbols[ELF64_R_SYM(lists[list].at[i].r_info)];
            if (symbol->st_shndx == SHN_UNDEF && symbol->st_name)
                change_entry(file, names + symbol->st_name, lists[list].at[i].r_offset, variables);
        }
}

void outside_change(const struct test *test, bool variables)
{
    Dl_info about;
    void *file = NULL;
    if (dladdr1((const void *) (uintptr_t) test->impl->advance, &about, &file, RTLD_DL_LINKMAP) != 0 && file)
        change_file(file, variables);
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

/* Skips `skip` statements if the number of the system call is not this one. */
#define UNLESS(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, skip)
#define END_PROCESS          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define REFUSE(number)       UNLESS(number, 1), END_PROCESS
#define REFUSE_FLAG(number, argument, flag) \
    UNLESS(number, 4), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[argument])), \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1), END_PROCESS, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

void outside_forbid_files(void)
{
    static const struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE_FLAG(openat, 2, O_CREAT),
#ifdef SYS_open /* the older calls, which 64-bit Arm does not have */
        REFUSE_FLAG(open, 1, O_CREAT),
        REFUSE(creat),
        REFUSE(mkdir),
        REFUSE(rename),
        REFUSE(unlink),
        REFUSE(rmdir),
        REFUSE(link),
        REFUSE(symlink),
#endif
        REFUSE(mkdirat),
        REFUSE(mknodat),
        REFUSE(renameat2),
        REFUSE(unlinkat),
        REFUSE(linkat),
        REFUSE(symlinkat),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof filter[0], (struct sock_filter *) (uintptr_t) filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
