/* Records what a program does to the files of a folder, so that tests/faults/power.pl can say what of it would be on
 * the disk if the power failed at any moment. A record is a head, a name, another name, and data. */
#include "shim.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct record {
    char what[8]; /* create, write, truncate, rename, exchange, unlink, sync, syncdir */
    uint64_t file, at, name_bytes, other_bytes, data_bytes;
};

static int log_file = -1;
static atomic_flag busy = ATOMIC_FLAG_INIT;

bool fault_record_to(const char *path)
{
    log_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return log_file >= 0;
}

bool fault_is_recording(void)
{
    return log_file >= 0;
}

/* A thread that is inside is not interrupted by another trapped call of its own. */
void fault_record_begin(void)
{
    while (atomic_flag_test_and_set(&busy))
        fault_system_call(SYS_sched_yield, 0, 0, 0, 0, 0);
}

void fault_record_end(void)
{
    atomic_flag_clear(&busy);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put(const void *bytes, uint64_t count)
{
    if (fault_system_call(SYS_write, log_file, (long) bytes, (long) count, 0, 0) != (long) count)
        fault_system_call(SYS_kill, getpid(), 9, 0, 0, 0);
}

static void put_record(const char *what, uint64_t file, uint64_t at, const char *name, const char *other,
                       const void *data, uint64_t bytes)
{
    struct record record = {
        .file = file, .at = at, .name_bytes = strlen(name), .other_bytes = strlen(other), .data_bytes = bytes};
    memcpy(record.what, what, strlen(what) < sizeof record.what ? strlen(what) : sizeof record.what);
    put(&record, sizeof record);
    put(name, record.name_bytes);
    put(other, record.other_bytes);
    put(data, bytes);
}

static void about(int descriptor, struct stat *info)
{
    fault_system_call(SYS_fstat, descriptor, (long) info, 0, 0, 0);
}

uint64_t fault_position(long descriptor)
{
    return (uint64_t) fault_system_call(SYS_lseek, descriptor, 0, SEEK_CUR, 0, 0);
}

void fault_record(const struct fault_done *done)
{
    const long *argument = done->arguments;
    struct stat info;
    const char *name = (const char *) argument[1];
    if (done->result < 0)
        return;
    switch (done->number) {
    case SYS_openat:
        about((int) done->result, &info);
        if (argument[2] & O_CREAT)
            put_record("create", info.st_ino, argument[2] & O_EXCL ? 1 : 0, last_part(name), "", "", 0);
        if (argument[2] & O_TRUNC)
            put_record("truncate", info.st_ino, 0, "", "", "", 0);
        break;
    case SYS_write:
    case SYS_pwrite64:
        about((int) argument[0], &info);
        put_record("write", info.st_ino, done->number == SYS_write ? done->position : (uint64_t) argument[3], "", "",
                   (const void *) argument[1], (uint64_t) done->result);
        break;
    case SYS_ftruncate:
        about((int) argument[0], &info);
        put_record("truncate", info.st_ino, (uint64_t) argument[1], "", "", "", 0);
        break;
    case SYS_renameat:
    case SYS_renameat2:
        put_record(done->number == SYS_renameat2 && argument[4] & RENAME_EXCHANGE ? "exchange" : "rename", 0, 0,
                   last_part(name), last_part((const char *) argument[3]), "", 0);
        break;
    case SYS_unlinkat:
        put_record("unlink", 0, 0, last_part(name), "", "", 0);
        break;
    case SYS_fsync:
    case SYS_fdatasync:
        about((int) argument[0], &info);
        put_record(S_ISDIR(info.st_mode) ? "syncdir" : "sync", info.st_ino, 0, "", "", "", 0);
        break;
    default:
        break;
    }
}
