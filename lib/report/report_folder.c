#include "report/report_folder.h"
#include "base/error.h"
#include "base/list.h"
#include "ensemble/freeze.h"
#include "files/json.h"
#include "files/run_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIG_MAX = 16 << 20 }; /* bytes; the engine writes at most a few MiB */

static bool add_file(void *context, const char *name)
{
    struct report_folder *folder = context;
    char **files = list_grow(folder->files, folder->count, sizeof *files);
    folder->out_of_memory = !files;
    if (!files)
        return false;
    folder->files = files;
    folder->files[folder->count] = strdup(name);
    folder->out_of_memory = !folder->files[folder->count];
    folder->count += !folder->out_of_memory;
    return !folder->out_of_memory;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Lists the files, and tells whether there is a summary. */
static int list_files(struct report_folder *folder, bool *has_summary, struct engine_error *error)
{
    if (folder_visit(folder->folder, add_file, folder, error) != 0 ||
        folder_has(folder->folder, FOLDER_SUMMARY, has_summary, error) != 0)
        return error->status = ENGINE_STATUS_INPUT;
    if (folder->out_of_memory)
        return error_memory(error, folder->count, "the names of a folder's files");
    qsort(folder->files, folder->count, sizeof *folder->files, by_name);
    return 0;
}

int report_open(struct engine_context *context, const char *path, struct report_folder *folder,
                struct engine_error *error)
{
    char *text;
    size_t count;
    bool has_summary, ensemble;
    *folder = (struct report_folder){.context = context, .path = path};
    if (run_folder_open(path, &folder->folder, error) != 0)
        return error->status = ENGINE_STATUS_INPUT;
    if (freeze_is_ensemble(folder->folder, &ensemble, error) != 0)
        return error->status;
    if (ensemble)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: holds an ensemble, whose results are in " FOLDER_MEMBERS
                         "; a page is about one run: if the "
                         "members write files, give the folder of one, such as %s/0001",
                         path, path);
    if (folder_read(folder->folder, FOLDER_CONFIG, CONFIG_MAX, &folder->config, &count, error) != 0 ||
        list_files(folder, &has_summary, error) != 0)
        return error->status;
    if (!has_summary)
        return 0;
    if (folder_read(folder->folder, FOLDER_SUMMARY, FOLDER_SUMMARY_MAX, &text, &count, error) != 0)
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
    folder_close(folder->folder);
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
