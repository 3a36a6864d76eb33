#include "record/rows.h"
#include "files/bytes.h"
#include "files/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROW = 1024 }; /* bytes of the names of other columns, for a message */

static int failed(const struct rows *table, struct engine_error *error)
{
    if (!table->folder)
        return error_memory(error, table->size, "metrics");
    return error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: cannot write: %s", table->folder->path, table->name,
                     strerror(errno));
}

/* Opens the stream that writes to the descriptor. */
static int open_stream(struct rows *table, struct engine_error *error)
{
    table->file = bytes_stream(table->descriptor);
    return table->file ? 0 : failed(table, error);
}

/* Hands the rows to the system and counts their bytes. */
int rows_add(struct rows *table, const char *rows, struct engine_error *error)
{
    fputs(rows, table->file);
    if (fflush(table->file) != 0)
        return failed(table, error);
    table->bytes = (uint64_t) ftello(table->file);
    return 0;
}

/* Creates the file, with nothing in it, and keeps it open. */
static int create(struct rows *table, struct engine_error *error)
{
    struct replacement new;
    int status = replace_begin(table->folder, table->name, &new, error);
    if (status == 0) {
        table->descriptor = fcntl(new.file, F_DUPFD_CLOEXEC, 0);
        if (table->descriptor < 0)
            status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be created: %s", strerror(errno));
        status = replace_finish(&new, table->name, false, status, error);
    }
    return status == 0 ? 0 : error_prefix(error, "%s/%s: ", table->folder->path, table->name);
}

static int begin(struct rows *table, const char *names, struct engine_error *error)
{
    if (!table->folder && !(table->file = open_memstream(&table->text, &table->size)))
        return error_memory(error, 4096, "metrics");
    if (table->folder && (create(table, error) != 0 || open_stream(table, error) != 0))
        return error->status;
    return rows_add(table, names, error);
}

/* Refuses a file that has other columns. */
static int check_names(const struct rows *table, const char *names, struct engine_error *error)
{
    const size_t length = strlen(names);
    char *held = calloc(1, length + ROW);
    if (!held)
        return error_memory(error, length, "the columns of a table");
    const bool same = TEMP_FAILURE_RETRY(pread(table->descriptor, held, length + ROW - 1, 0)) >= (ssize_t) length &&
                      strncmp(held, names, length) == 0;
    held[strcspn(held, "\n")] = '\0';
    if (!same)
        error_set(error, ENGINE_STATUS_USAGE,
                  "%s/%s: has the columns %.300s, and this run has %.*s; a resumed run keeps its columns: leave "
                  "[output] probes as they were",
                  table->folder->path, table->name, held, (int) (length < 300 ? length - 1 : 300), names);
    free(held);
    return same ? 0 : error->status;
}

/* Cuts the file to the bytes that the checkpoint knows, which end with a row. */
static int cut(const struct rows *table, struct engine_error *error)
{
    char last = '\0';
    const ssize_t got = TEMP_FAILURE_RETRY(pread(table->descriptor, &last, 1, (off_t) table->bytes - 1));
    if (got < 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: cannot be read: %s", table->folder->path, table->name,
                         strerror(errno));
    if (last != '\n')
        return error_set(
            error, ENGINE_STATUS_OUTPUT,
            "%s/%s: is not the file that the run wrote: byte %llu, the end of the checkpoint's last row, is %s; "
            "put the run's own file back",
            table->folder->path, table->name, (unsigned long long) table->bytes,
            got ? "not the end of a line" : "missing");
    return TEMP_FAILURE_RETRY(ftruncate(table->descriptor, (off_t) table->bytes)) == 0 &&
                   lseek(table->descriptor, 0, SEEK_END) >= 0
               ? 0
               : failed(table, error);
}

static int go_on(struct rows *table, const char *names, struct engine_error *error)
{
    bool found;
    if (folder_has(table->folder, table->name, &found, error) != 0)
        return error->status;
    if (!found)
        return error_set(error, ENGINE_STATUS_OUTPUT,
                         "%s/%s: cannot be continued: there is no such file; put the run's own file back",
                         table->folder->path, table->name);
    if (folder_open_file(table->folder, table->name, O_RDWR, &table->descriptor, error) != 0 ||
        check_names(table, names, error) != 0 || cut(table, error) != 0)
        return error->status;
    return open_stream(table, error);
}

int rows_open(struct rows *table, const struct folder *folder, const char *name, const char *names, uint64_t bytes,
              struct engine_error *error)
{
    *table = (struct rows){.folder = folder, .descriptor = -1, .bytes = bytes};
    snprintf(table->name, sizeof table->name, "%s", name);
    return bytes ? go_on(table, names, error) : begin(table, names, error);
}

void rows_close(struct rows *table)
{
    if (table->file)
        fclose(table->file);
    if (table->folder && table->descriptor >= 0)
        close(table->descriptor);
    free(table->text);
}

int rows_sync(const struct rows *table, struct engine_error *error)
{
    if (!table->file || !table->folder)
        return 0;
    if (folder_check_file(table->folder, table->name, table->descriptor, error) != 0)
        return error->status;
    errno = file_sync(table->descriptor);
    return errno == 0 ? 0 : failed(table, error);
}
