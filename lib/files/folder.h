/* A folder that is open. Its files are opened, listed, renamed, synchronised and removed through its descriptor. So
 * they stay together if another program moves the folder or puts another one in its place, and nobody can redirect
 * them by links: a name stands for a file of this folder or is refused.
 *
 * The functions repeat a call that a signal interrupts. Errors name the file and the reason, and have
 * ENGINE_STATUS_OUTPUT. */
#ifndef LIB_FILES_FOLDER_H
#define LIB_FILES_FOLDER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct folder {
    int file;   /* its descriptor */
    char *path; /* under which it was opened, for messages */
};

/* Opens a folder, which must exist. *folder is NULL after an error. */
int folder_open(const char *path, struct folder **folder, struct engine_error *error);

/* Opens the folder of a file. *name is the name of that file, a part of `path`. */
int folder_open_around(const char *path, struct folder **folder, const char **name, struct engine_error *error);

/* Does nothing where the folder is NULL. */
void folder_close(struct folder *folder);

/* Is the folder at that path? Is it still at its own? */
bool folder_is_at(const struct folder *folder, const char *path);
bool folder_is_in_place(const struct folder *folder);

/* Calls `visit` with the name of every entry except "." and "..", as long as it returns true. */
int folder_visit(const struct folder *folder, bool (*visit)(void *context, const char *name), void *context,
                 struct engine_error *error);

/* Finds out whether there is an entry of that name. */
int folder_has(const struct folder *folder, const char *name, bool *found, struct engine_error *error);

/* Opens a regular file with these flags of open(2), and refuses links, folders, devices and pipes. The caller closes
 * *file, which is -1 after an error. */
int folder_open_file(const struct folder *folder, const char *name, int flags, int *file, struct engine_error *error);

/* Reads a whole file of at most `most` bytes, which folder_open_file opens. Appends a zero byte. The caller frees
 * *bytes, which is NULL after an error. ENGINE_STATUS_INPUT, ENGINE_STATUS_DEVICE. */
int folder_read(const struct folder *folder, const char *name, uint64_t most, char **bytes, size_t *count,
                struct engine_error *error);

/* Checks that an open file is the file of that name. It is an error if the file was removed, or if another file has
 * its name. */
int folder_check_file(const struct folder *folder, const char *name, int file, struct engine_error *error);

/* Gives a file another name of the folder, and synchronises the folder to disk. */
int folder_rename(const struct folder *folder, const char *name, const char *to, struct engine_error *error);

/* Removes a file. A missing file is not an error. */
int folder_remove(const struct folder *folder, const char *name, struct engine_error *error);

/* Synchronises a file of the folder, or the names of its files, to disk. */
int folder_sync_file(const struct folder *folder, const char *name, struct engine_error *error);
int folder_sync(const struct folder *folder, struct engine_error *error);

/* Synchronises an open file to disk. Returns 0 or errno. Some file systems cannot synchronise. That is not an error,
 * because they keep nothing on a disk. */
int file_sync(int file);

#endif
