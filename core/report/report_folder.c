#include "report/report_folder.h"
#include "base/text.h"
#include "run/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int report_read(const char *folder, const char *name, char **bytes, size_t *count, struct engine_error *error)
{
    char path[4352], piece[1 << 14];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *bytes = NULL;
    errno = 0;
    FILE *file = fopen(path, "rbe"), *copy = file ? open_memstream(bytes, count) : NULL;
    for (size_t n; copy && (n = fread(piece, 1, sizeof piece, file)) > 0;)
        fwrite(piece, 1, n, copy);
    const bool failed = !copy || ferror(file);
    const int why = errno;
    if ((copy && !text_stream_close(copy, bytes)) || failed) {
        free(*bytes);
        *bytes = NULL;
        error_set(error, ENGINE_STATUS_INPUT, "%s: cannot be read: %s", path, strerror(why ? why : ENOMEM));
    }
    if (file)
        fclose(file);
    return *bytes ? 0 : error->status;
}

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
    if (report_read(path, FOLDER_CONFIG, &folder->config, &count, error) != 0)
        return error->status;
    if (folder_visit(path, add_file, folder) != 0)
        return error_memory(error, folder->count, "the names of a folder's files");
    qsort(folder->files, folder->count, sizeof *folder->files, by_name);
    if (!folder_has(path, FOLDER_SUMMARY))
        return 0;
    if (report_read(path, FOLDER_SUMMARY, &text, &count, error) != 0)
        return error->status;
    folder->summary = json_tokener_parse(text);
    free(text);
    return folder->summary && json_object_is_type(folder->summary, json_type_object)
               ? 0
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
    return json_object_object_get_ex(object, key, &member) && member ? json_object_get_string(member) : "";
}

double report_number(struct json_object *object, const char *key)
{
    struct json_object *member = NULL;
    return json_object_object_get_ex(object, key, &member) ? json_object_get_double(member) : 0;
}
