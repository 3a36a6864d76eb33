/* A finished run, or one under way, as one HTML page that needs nothing else: no network, no script, no other file. */
#ifndef CORE_REPORT_REPORT_H
#define CORE_REPORT_REPORT_H

#include "base/context.h"
#include "base/error.h"

#include <json-c/json.h>
#include <stdio.h>

/* A run's folder, as its report sees it. */
struct report_folder {
    const char *path;
    struct json_object *summary; /* NULL: the run has not ended, or nobody could say how */
    char *config;                /* the text of config.ini */
    uint32_t count;              /* of files, by name */
    char **files;
};

/* Writes report.html into the folder of a run. ENGINE_STATUS_INPUT where the folder holds no run. */
int report_write(const struct context *context, const char *folder, struct engine_error *error);

/* Reads what the page is made from. report_close after that, whatever it returns. ENGINE_STATUS_INPUT where the folder holds
 * no run. */
int report_open(const char *path, struct report_folder *folder, struct engine_error *error);
void report_close(struct report_folder *folder);

/* The page as text, which the caller frees. limits: the sentence that holds the rate against the machine's limits, or
 * "". ENGINE_STATUS_INPUT where a file cannot be read. */
int report_page(const struct report_folder *folder, const char *limits, char **page, size_t *length,
                struct engine_error *error);

/* A member of a summary: its text, or "" where there is none, or null; its number, or 0. */
const char *report_text(struct json_object *object, const char *key);
double report_number(struct json_object *object, const char *key);

/* ---- Parts of the page ---------------------------------------------------------------------------------------- */

/* Each metric of a CSV file with a column of steps in front as a drawing. ENGINE_STATUS_INPUT. */
int report_metrics(FILE *page, const char *path, struct engine_error *error);

/* The pictures: of each field the first and the last .png, films, and drawings of tables. ENGINE_STATUS_INPUT. */
int report_pictures(FILE *page, const struct report_folder *folder, struct engine_error *error);

/* The whole of a file, with a NUL behind it; the caller frees it. ENGINE_STATUS_INPUT. */
int report_read(const char *folder, const char *name, char **bytes, size_t *count, struct engine_error *error);

#endif
