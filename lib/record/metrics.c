#include "record/metrics.h"
#include "base/convert.h"
#include "base/text.h"
#include "files/bytes.h"
#include "files/replace.h"
#include "run/state_region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROW = 1024 }; /* bytes of the names of other columns, for a message */

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

static const struct plan *plan_of(const struct metrics *metrics)
{
    return metrics->instance->state->plan;
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

/* Writes the names of the columns as a line. */
static void put_names(const struct metrics *metrics, FILE *file)
{
    const struct engine_metric_array *names = names_of(metrics);
    char column[PROBE_COLUMN];
    fputs("step", file);
    for (uint32_t i = 0; metrics->values && i < names->count; i++)
        fprintf(file, ",%s", names->at[i].name);
    for (uint32_t i = 0; i < metrics->probes.count; i++) {
        const struct probe *probe = &metrics->probes.at[i];
        for (uint32_t c = 0; c < plan_of(metrics)->shapes[probe->field].components; c++)
            fprintf(file, ",%s", probe_column(plan_of(metrics), probe, c, column));
    }
    fputc('\n', file);
}

static int begin(struct metrics *metrics, struct engine_error *error)
{
    if (!metrics->folder && !(metrics->file = open_memstream(&metrics->rows, &metrics->size)))
        return error_memory(error, 4096, "metrics");
    if (metrics->folder && (create(metrics, error) != 0 || open_stream(metrics, error) != 0))
        return error->status;
    put_names(metrics, metrics->file);
    return put(metrics, error);
}

/* Refuses a file that has other columns. */
static int check_names(const struct metrics *metrics, struct engine_error *error)
{
    char *names = NULL, *held;
    size_t length = 0;
    FILE *file = open_memstream(&names, &length);
    if (file)
        put_names(metrics, file);
    if (!file || !text_stream_close(file, &names) || !(held = calloc(1, length + ROW))) {
        free(names);
        return error_memory(error, length, "the columns of a table");
    }
    const bool same = TEMP_FAILURE_RETRY(pread(metrics->descriptor, held, length + ROW - 1, 0)) >= (ssize_t) length &&
                      strncmp(held, names, length) == 0;
    names[length - 1] = '\0';
    held[strcspn(held, "\n")] = '\0';
    if (!same)
        error_set(error, ENGINE_STATUS_USAGE,
                  "%s/%s: has the columns %.300s, and this run has %.300s; a resumed run keeps its columns: leave "
                  "[output] probes as they were",
                  metrics->folder->path, metrics->name, held, names);
    free(names);
    free(held);
    return same ? 0 : error->status;
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
        check_names(metrics, error) != 0 || cut(metrics, error) != 0)
        return error->status;
    return open_stream(metrics, error);
}

int metrics_open(struct metrics *metrics, struct instance *instance, const struct folder *folder, const char *name,
                 uint64_t bytes, struct engine_error *error)
{
    *metrics = (struct metrics){.instance = instance, .folder = folder, .descriptor = -1, .bytes = bytes};
    const struct engine_metric_array *names = names_of(metrics);
    const bool measures = names->count > 0 && instance->state->plan->impl->measure;
    if (probes_find(plan_of(metrics), &metrics->probes, error) != 0)
        return error->status;
    if (!measures && metrics->probes.count == 0)
        return 0;
    metrics->values = measures ? calloc(names->count, sizeof *metrics->values) : NULL;
    if (measures && !metrics->values)
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
    free(metrics->probes.at);
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
    return metrics->values ? instance_measure(metrics->instance, metrics->values, &metrics->measured, error) : 0;
}

static void put_number(FILE *file, uint32_t type, const void *element)
{
    double number;
    if (type == ENGINE_U64)
        fprintf(file, ",%llu", *(const unsigned long long *) element);
    else if (type < ENGINE_F32)
        fprintf(file, ",%lld", (long long) integer_at(type, element, 0));
    else {
        convert_elements(type, element, 1, ENGINE_F64, &number);
        fprintf(file, type == ENGINE_F32 ? ",%.9g" : ",%.17g", number);
    }
}

/* Reads the cell of a probe and adds its columns. */
static int put_probe(const struct metrics *metrics, const struct probe *probe, FILE *row, struct engine_error *error)
{
    const struct state *state = metrics->instance->state;
    const struct engine_shape *shape = &state_geometry(state, probe->field)->shape;
    const uint64_t bytes = type_bytes(shape->type);
    for (int axis = 0; axis < 3; axis++)
        if (probe->cell.begin[axis] >= shape->extent[axis])
            return error_set(error, ENGINE_STATUS_USAGE, "[output] probes: '%s': at step %llu, there is no such cell",
                             probe->name, (unsigned long long) state->step);
    char *cell = malloc(shape->components * bytes);
    int status = cell ? state_read_region(state, probe->field, &probe->cell, 0, shape->components, cell, error)
                      : error_memory(error, shape->components * bytes, "a probe");
    for (uint32_t c = 0; status == 0 && c < shape->components; c++)
        put_number(row, shape->type, cell + c * bytes);
    free(cell);
    return status;
}

/* Prints a row. An error leaves the file as it is, because the row is printed into memory. */
static int print_row(const struct metrics *metrics, uint64_t step, FILE *row, struct engine_error *error)
{
    fprintf(row, "%llu", (unsigned long long) step);
    for (uint32_t i = 0; metrics->values && i < names_of(metrics)->count; i++)
        fprintf(row, ",%.17g", metrics->values[i]);
    for (uint32_t i = 0; i < metrics->probes.count; i++)
        if (put_probe(metrics, &metrics->probes.at[i], row, error) != 0)
            return error->status;
    fputc('\n', row);
    return 0;
}

int metrics_write(struct metrics *metrics, uint64_t step, struct engine_error *error)
{
    char *text = NULL;
    size_t length = 0;
    if (!metrics->file)
        return 0;
    if (metrics_measure(metrics, error) != 0)
        return error->status;
    FILE *row = open_memstream(&text, &length);
    int status = row ? print_row(metrics, step, row, error) : error_memory(error, 1, "a row of metrics");
    if (row && !text_stream_close(row, &text) && status == 0)
        status = error_memory(error, length, "a row of metrics");
    if (status == 0) {
        fputs(text, metrics->file);
        status = put(metrics, error);
    }
    free(text);
    return status;
}
