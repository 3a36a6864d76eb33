/* A lock on the folder of a run. The kernel releases it when the process ends, even where the process is killed. */
#ifndef LIB_RECORD_LOCK_H
#define LIB_RECORD_LOCK_H

#include "files/folder.h"

struct context;
struct lock;

/* Locks the folder for this process. The lock is on a file (LOCK_NAME) that names the process that holds it, and that
 * is removed with the lock. Where another process holds the lock, the error is ENGINE_STATUS_OUTPUT and names that
 * process and its machine. A link, a file with several names, or anything but a regular file in the place of the lock
 * is refused. On a file system without locks the context gets a warning, and the folder is not protected. Context and
 * folder must outlive the lock. */
int lock_take(const struct context *context, const struct folder *folder, struct lock **lock,
              struct engine_error *error);

/* Releases a lock. If its file cannot be removed, the context gets a message. Does nothing where the lock is NULL. */
void lock_release(struct lock *lock);

#endif
