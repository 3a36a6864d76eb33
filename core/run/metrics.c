#include "run/metrics.h"
#include "io/bytes.h"
#include "io/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct engine_metric_array *names_of(const struct metrics *metrics)
{
    return &metrics->instance->state->plan->plugin->about.metrics;
}

static int failed(const struct metrics *metrics, struct engine_error *error)
{
    if (!metrics->folder)
        return error_memory(error, metrics->size, "metrics");
    return error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: cannot write: %s", metrics->folder->path, metrics->name,
                     strerror(errno));
}

/* Opens the stream that writes to the descriptor. */
static int open_stream(struct metrics *metrics, struct engine_error *error)
{
    metrics->file = bytes_stream(metrics->descriptor);
    return metrics->file ? 0 : failed(metrics, error);
}

/* Hands the printed rows to the system and counts their bytes. */
static int put(struct metrics *metrics, struct engine_error *error)
{
    if (fflush(metrics->file) != 0)
        return failed(metrics, error);
    metrics->bytes = (uint64_t) ftello(metrics->file);
    return 0;
}

/* Creates the file, with nothing in it, and keeps it open. */
static int create(struct metrics *metrics, struct engine_error *error)
{
    struct replacement new;
    int status = replace_begin(metrics->folder, metrics->name, &new, error);
    if (status == 0) {
        metrics->descriptor = fcntl(new.file, F_DUPFD_CLOEXEC, 0);
        if (metrics->descriptor < 0)
            status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be created: %s", strerror(errno));
        status = replace_finish(&new, metrics->name, false, status, error);
    }
    return status == 0 ? 0 : error_prefix(error, "%s/%s: ", metrics->folder->path, metrics->name);
}

static int begin(struct metrics *metrics, struct engine_error *error)
{
    const struct engine_metric_array *names = names_of(metrics);
    if (!metrics->folder && !(metrics->file = open_memstream(&metrics->rows, &metrics->size)))
        return error_memory(error, 4096, "metrics");
    if (metrics->folder && (create(metrics, error) != 0 || open_stream(metrics, error) != 0))
        return error->status;
    fputs("step", metrics->file);
    for (uint32_t i = 0; i < names->count; i++)
        fprintf(metrics->file, ",%s", names->at[i].name);
    fputc('\n', metrics->file);
    return put(metrics, error);
}

/* Cuts the file to the bytes that the checkpoint knows, which end with a row. */
static int cut(const struct metrics *metrics, struct engine_error *error)
{
    char last = '\0';
    const ssize_t got = TEMP_FAILURE_RETRY(pread(metrics->descriptor, &last, 1, (off_t) metrics->bytes - 1));
    if (got < 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: cannot be read: %s", metrics->folder->path, metrics->name,
                         strerror(errno));
    if (last != '\n')
        return error_set(
            error, ENGINE_STATUS_OUTPUT,
            "%s/%s: is not the file that the run wrote: byte %llu, the end of the checkpoint's last row, is %s; "
            "put the run's own file back",
            metrics->folder->path, metrics->name, (unsigned long long) metrics->bytes,
            got ? "not the end of a line" : "missing");
    return TEMP_FAILURE_RETRY(ftruncate(metrics->descriptor, (off_t) metrics->bytes)) == 0 &&
                   lseek(metrics->descriptor, 0, SEEK_END) >= 0
               ? 0
               : failed(metrics, error);
}

static int go_on(struct metrics *metrics, struct engine_error *error)
{
    bool found;
    if (folder_has(metrics->folder, metrics->name, &found, error) != 0)
        return error->status;
    if (!found)
        return error_set(error, ENGINE_STATUS_OUTPUT,
                         "%s/%s: cannot be continued: there is no such file; put the run's own file back",
                         metrics->folder->path, metrics->name);
    if (folder_open_file(metrics->folder, metrics->name, O_RDWR, &metrics->descriptor, error) != 0 ||
        cut(metrics, error) != 0)
        return error->status;
    return open_stream(metrics, error);
}

int metrics_open(struct metrics *metrics, struct instance *instance, const struct folder *folder, const char *name,
                 uint64_t bytes, struct engine_error *error)
{
    *metrics = (struct metrics){.instance = instance, .folder = folder, .descriptor = -1, .bytes = bytes};
    const struct engine_metric_array *names = names_of(metrics);
    if (names->count == 0 || !instance->state->plan->impl->measure)
        return 0;
    metrics->values = calloc(names->count, sizeof *metrics->values);
    if (!metrics->values)
        return error_memory(error, names->count * sizeof *metrics->values, "metrics");
    snprintf(metrics->name, sizeof metrics->name, "%s", name);
    return bytes ? go_on(metrics, error) : begin(metrics, error);
}

void metrics_close(struct metrics *metrics)
{
    if (metrics->file)
        fclose(metrics->file);
    if (metrics->folder && metrics->descriptor >= 0)
        close(metrics->descriptor);
    free(metrics->values);
    free(metrics->rows);
}

int metrics_sync(const struct metrics *metrics, struct engine_error *error)
{
    if (!metrics->file || !metrics->folder)
        return 0;
    if (folder_check_file(metrics->folder, metrics->name, metrics->descriptor, error) != 0)
        return error->status;
    errno = file_sync(metrics->descriptor);
    return errno == 0 ? 0 : failed(metrics, error);
}

int metrics_measure(struct metrics *metrics, struct engine_error *error)
{
    return metrics->file ? instance_measure(metrics->instance, metrics->values, &metrics->measured, error) : 0;
}

int metrics_write(struct metrics *metrics, uint64_t step, struct engine_error *error)
{
    if (!metrics->file)
        return 0;
    if (metrics_measure(metrics, error) != 0)
        return error->status;
    fprintf(metrics->file, "%llu", (unsigned long long) step);
    for (uint32_t i = 0; i < names_of(metrics)->count; i++)
        fprintf(metrics->file, ",%.17g", metrics->values[i]);
    fputc('\n', metrics->file);
    return put(metrics, error);
}
