/* A lock on the folder of a run. The kernel releases it when the process ends, even where the process is killed. */
#ifndef CORE_RUN_LOCK_H
#define CORE_RUN_LOCK_H

#include "base/error.h"

/* The file in the folder that is locked. It names the process that holds the lock, and is removed with the lock. */
#define LOCK_NAME ".lock"

struct context;
struct lock;

/* Locks the folder for this process. Where another process holds the lock, the error is ENGINE_STATUS_OUTPUT and names
 * that process and its machine. On a file system without locks the context gets a warning, and the folder is not
 * protected. */
int lock_take(const struct context *context, const char *folder, struct lock **lock, struct engine_error *error);

/* Releases a lock. Does nothing where it is NULL. */
void lock_release(struct lock *lock);

#endif
