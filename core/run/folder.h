/* The folder that a run writes into: made, found empty, and files of text put into it whole. */
#ifndef CORE_RUN_FOLDER_H
#define CORE_RUN_FOLDER_H

#include "base/error.h"

#include <stdbool.h>

/* What a run keeps there of itself: the configuration from which it can be resumed, and its summary, which is there
 * once it was stopped or has come to its end. */
#define FOLDER_CONFIG  "config.ini"
#define FOLDER_SUMMARY "summary.json"

/* Makes it, and those on the way to it, where they are missing. ENGINE_STATUS_OUTPUT. */
int folder_make(const char *folder, struct engine_error *error);

/* Refuses a folder that holds anything but a lock. ENGINE_STATUS_OUTPUT. */
int folder_check_empty(const char *folder, struct engine_error *error);

/* Calls `visit` with the name of every entry but "." and ".."; one that is not 0 ends it and is returned. A folder that
 * cannot be read has none. */
int folder_visit(const char *folder, int (*visit)(void *context, const char *name), void *context);

/* Removes files under temporary names, which runs left there when they were killed. The folder is locked: nobody is
 * writing one now. */
void folder_clean(const char *folder);

/* A file of this text, new or in place of another of that name: whole at any time, and on the disk when this returns.
 * ENGINE_STATUS_OUTPUT. */
int folder_write(const char *folder, const char *name, const char *text, struct engine_error *error);

/* What was written to the file, or into the folder, is on the disk when this returns. A path that is gone is none of
 * its business. ENGINE_STATUS_OUTPUT. */
int folder_sync(const char *path, struct engine_error *error);

/* Is there a file of that name in the folder? */
bool folder_has(const char *folder, const char *name);

/* Refuses, with that exit status, a folder that no run wrote into. */
int folder_check_run(const char *folder, int status, struct engine_error *error);

#endif
