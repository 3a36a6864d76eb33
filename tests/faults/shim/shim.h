/* Makes calls fail in a program that is started with LD_PRELOAD=shim.so. These environment variables control it:
 *
 *     FAULT="CALL N HOW"    what happens at the Nth call of this kind, counted over all threads from the program's
 *                           start:
 *                             the name of an errno      the call fails once with this errno, such as ENOSPC
 *                             full                      a write takes half of its bytes; it and all later ones fail
 *                                                       with ENOSPC, as on a full disk
 *                             short                     a read or write takes half of its bytes, once
 *                             kill                      SIGKILL kills the program before the call
 *     FAULT_UNDER=FOLDER    system calls count if they are about this folder or a file in it, an absolute path without
 *                           links
 *     FAULT_RECORD=FILE     what the program does to the files of FAULT_UNDER is written to that file (record.c)
 *     FAULT_COUNTS=FILE     at its end the program writes a line `CALL COUNT` for each kind of call
 *     FAULT_CALLERS=FILE    at its end the program writes a line for each piece of memory that it asked for, with the last
 *                           functions on the stack
 *
 * The kinds stand in `fault_names`. Memory is interposed by name; system calls are caught in the kernel's way, by
 * seccomp and SIGSYS, so that those that libc, libpng or zlib make inside count as well. */
#ifndef TESTS_FAULTS_SHIM_H
#define TESTS_FAULTS_SHIM_H

#include <stdbool.h>
#include <stdint.h>

enum fault_call {
    FAULT_ALLOC,
    FAULT_THREAD,
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_CLOSE,
    FAULT_FSYNC,
    FAULT_RENAME,
    FAULT_MKDIR,
    FAULT_UNLINK,
    FAULT_TRUNCATE,
    FAULT_STAT,
    FAULT_LIST,
    FAULT_LOCK,
    FAULT_CALLS
};

extern const char *const fault_names[FAULT_CALLS];

/* The value of FAULT_UNDER, or NULL. */
extern const char *fault_under;

enum fault_kind { FAULT_NONE, FAULT_ERROR, FAULT_SHORT };

struct fault {
    enum fault_kind kind;
    int error; /* errno of FAULT_ERROR */
};

/* Counts a call, and says what happens to it. Does not return where the program is to be killed. */
struct fault fault_next(enum fault_call call);

/* Notes who asks for memory, before fault_next counts the call. */
void fault_note_callers(void);

/* Catches the system calls from now on. False: this kernel does not let it. */
bool fault_catch_system_calls(void);

/* ---- Recording (record.c) -------------------------------------------------------------------------------------- */

/* A system call that was made. */
struct fault_done {
    int number;
    long arguments[5], result;
    uint64_t position; /* of the file, before it */
};

bool fault_record_to(const char *path);
bool fault_is_recording(void);

/* No other thread makes a recorded call between these two. */
void fault_record_begin(void);
void fault_record_end(void);

void fault_record(const struct fault_done *done);
uint64_t fault_position(long descriptor);

/* Makes a system call that is not caught. -1 with errno, or the result. */
long fault_system_call(long number, long a, long b, long c, long d, long e);

#endif
