/* The folder that a run writes into. */
#ifndef CORE_RUN_FOLDER_H
#define CORE_RUN_FOLDER_H

#include "base/error.h"

#include <stdbool.h>

/* The names of two files in it: the configuration, from which the run can be resumed, and the summary, which the run
 * writes when it ends or is stopped. */
#define FOLDER_CONFIG  "config.ini"
#define FOLDER_SUMMARY "summary.json"

/* Bytes of a summary that is read. It lists the paths of all outputs, so this is for some million of them. */
enum { FOLDER_SUMMARY_MAX = 1 << 28 };

/* Makes the folder and its parents where they are missing. ENGINE_STATUS_OUTPUT. */
int folder_make(const char *folder, struct engine_error *error);

/* Refuses a folder that holds anything but a lock. ENGINE_STATUS_OUTPUT. */
int folder_check_empty(const char *folder, struct engine_error *error);

/* Calls `visit` with the name of every entry except "." and "..", until a call returns another value than 0. Returns
 * that value, or 0. A folder that cannot be read counts as empty. */
int folder_visit(const char *folder, int (*visit)(void *context, const char *name), void *context);

/* Removes the temporary files that killed runs left. The caller holds the folder's lock, so no other run is writing
 * one. */
void folder_clean(const char *folder);

/* Writes a text to a file of that name, which it creates or replaces. At any time the file is whole: the old one or the
 * new one. It is synchronised to disk when the function returns. ENGINE_STATUS_OUTPUT. */
int folder_write(const char *folder, const char *name, const char *text, struct engine_error *error);

/* Synchronises a file or a folder to disk. A missing path is not an error. ENGINE_STATUS_OUTPUT. */
int folder_sync(const char *path, struct engine_error *error);

/* Is there a file of that name in the folder? */
bool folder_has(const char *folder, const char *name);

/* Refuses a folder that holds no run. `status` is the status of that error. */
int folder_check_run(const char *folder, int status, struct engine_error *error);

#endif
