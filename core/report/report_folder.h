/* The folder of a run, as its report reads it. */
#ifndef CORE_REPORT_REPORT_FOLDER_H
#define CORE_REPORT_REPORT_FOLDER_H

#include "base/error.h"

#include <json-c/json.h>

struct report_folder {
    const char *path;
    struct json_object *summary; /* NULL: the run has not ended, or has left no summary */
    char *config;                /* the text of config.ini */
    uint32_t count;              /* of files, sorted by name */
    char **files;
};

/* Reads what the page is made from. The caller calls report_close afterwards, whatever this returns.
 * ENGINE_STATUS_INPUT where the folder does not hold a run. */
int report_open(const char *path, struct report_folder *folder, struct engine_error *error);
void report_close(struct report_folder *folder);

/* Reads a whole file of the folder, with a zero behind it. The caller frees *bytes. ENGINE_STATUS_INPUT. */
int report_read(const char *folder, const char *name, char **bytes, size_t *count, struct engine_error *error);

/* The text of a member of a summary, or "" where it is missing or null; the number, or 0. */
const char *report_text(struct json_object *object, const char *key);
double report_number(struct json_object *object, const char *key);

#endif
