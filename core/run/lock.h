/* A lock on the folder of a run, which the kernel gives up when the process ends, however it ends. */
#ifndef CORE_RUN_LOCK_H
#define CORE_RUN_LOCK_H

#include "base/error.h"

/* The file in the folder that is locked; it says who has it, and is removed with the lock. */
#define LOCK_NAME ".lock"

struct context;
struct lock;

/* Locks the folder for this process. ENGINE_STATUS_OUTPUT, with the process and the machine that have it, where others do. On
 * a file system without locks the context gets a warning, and nothing keeps others away. */
int lock_take(const struct context *context, const char *folder, struct lock **lock, struct engine_error *error);

/* Gives it up; NULL: nothing. */
void lock_release(struct lock *lock);

#endif
