/* The contents of a run's folder, for the report. */
#ifndef LIB_REPORT_REPORT_FOLDER_H
#define LIB_REPORT_REPORT_FOLDER_H

#include "files/folder.h"

#include <engine/engine.h>
#include <json-c/json.h>

struct report_folder {
    struct engine_context *context; /* gets the warnings */
    const char *path;
    struct folder *folder;
    struct json_object *summary; /* NULL: the run has not ended */
    char *config;                /* the text of config.ini */
    uint32_t count;              /* the number of files */
    char **files;                /* their names, sorted */
    bool out_of_memory;          /* not all names are listed */
};

/* Reads the summary, the configuration and the names of the files. The caller calls report_close afterwards, even after
 * an error. ENGINE_STATUS_INPUT if the folder does not hold a run. */
int report_open(struct engine_context *context, const char *path, struct report_folder *folder,
                struct engine_error *error);
void report_close(struct report_folder *folder);

/* A member of a summary as text, or "" if it is missing or null; as a number, or 0; and as a whole number from 0 to
 * `most`, or 0. */
const char *report_text(struct json_object *object, const char *key);
double report_number(struct json_object *object, const char *key);
uint32_t report_count(struct json_object *object, const char *key, uint32_t most);

#endif
