#include "report/report_folder.h"
#include "base/json.h"
#include "io/bytes.h"
#include "run/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int report_read(const char *folder, const char *name, uint64_t most, char **bytes, size_t *count,
                struct engine_error *error)
{
    char path[4352];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return bytes_read_file(path, most, bytes, count, error);
}

enum { CONFIG_MAX = 16 << 20 }; /* bytes; the engine writes at most a few MiB */

static int add_file(void *context, const char *name)
{
    struct report_folder *folder = context;
    char **files = realloc(folder->files, (folder->count + 1) * sizeof *files);
    if (!files)
        return 1;
    folder->files = files;
    files[folder->count] = strdup(name);
    return files[folder->count] ? (folder->count++, 0) : 1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

int report_open(const char *path, struct report_folder *folder, struct engine_error *error)
{
    char *text;
    size_t count;
    *folder = (struct report_folder){.path = path};
    if (folder_check_run(path, ENGINE_STATUS_INPUT, error) != 0)
        return error->status;
    if (report_read(path, FOLDER_CONFIG, CONFIG_MAX, &folder->config, &count, error) != 0)
        return error->status;
    if (folder_visit(path, add_file, folder) != 0)
        return error_memory(error, folder->count, "the names of a folder's files");
    qsort(folder->files, folder->count, sizeof *folder->files, by_name);
    if (!folder_has(path, FOLDER_SUMMARY))
        return 0;
    if (report_read(path, FOLDER_SUMMARY, FOLDER_SUMMARY_MAX, &text, &count, error) != 0)
        return error->status;
    const int status = json_parse_object(text, count, &folder->summary, error);
    free(text);
    return status != ENGINE_STATUS_INPUT
               ? status
               : error_set(error, ENGINE_STATUS_INPUT,
                           "%s/" FOLDER_SUMMARY ": is not the summary of a run; remove it to get a page without a "
                           "summary",
                           path);
}

void report_close(struct report_folder *folder)
{
    for (uint32_t i = 0; i < folder->count; i++)
        free(folder->files[i]);
    free(folder->files);
    free(folder->config);
    json_object_put(folder->summary);
}

const char *report_text(struct json_object *object, const char *key)
{
    struct json_object *member = NULL;
    const char *text = json_object_object_get_ex(object, key, &member) ? json_object_get_string(member) : NULL;
    return text ? text : "";
}

double report_number(struct json_object *object, const char *key)
{
    struct json_object *member = NULL;
    return json_object_object_get_ex(object, key, &member) ? json_object_get_double(member) : 0;
}

uint32_t report_count(struct json_object *object, const char *key, uint32_t most)
{
    struct json_object *member = json_member(object, key, json_type_int);
    const int64_t number = member ? json_object_get_int64(member) : 0;
    return number < 0 || number > most ? 0 : (uint32_t) number;
}
