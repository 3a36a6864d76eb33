#include "run/metrics.h"

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
    return error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot write: %s", metrics->path, strerror(errno));
}

/* Hands the printed rows to the system and counts their bytes. */
static int put(struct metrics *metrics, struct engine_error *error)
{
    if (fflush(metrics->file) != 0)
        return failed(metrics, error);
    metrics->bytes = (uint64_t) ftello(metrics->file);
    return 0;
}

static int begin(struct metrics *metrics, struct engine_error *error)
{
    const struct engine_metric_array *names = names_of(metrics);
    metrics->file = fopen(metrics->path, "we");
    if (!metrics->file)
        return failed(metrics, error);
    fputs("step", metrics->file);
    for (uint32_t i = 0; i < names->count; i++)
        fprintf(metrics->file, ",%s", names->at[i].name);
    fputc('\n', metrics->file);
    return put(metrics, error);
}

/* Cuts the file to the bytes that the checkpoint knows, which end with a row. */
static int cut(const struct metrics *metrics, int file, struct engine_error *error)
{
    char last = '\0';
    if (pread(file, &last, 1, (off_t) metrics->bytes - 1) != 1 || last != '\n')
        return error_set(
            error, ENGINE_STATUS_OUTPUT,
            "%s: is not the file that the run wrote: byte %llu, the end of the checkpoint's last row, is %s; "
            "put the run's own file back",
            metrics->path, (unsigned long long) metrics->bytes, last ? "not the end of a line" : "missing");
    return ftruncate(file, (off_t) metrics->bytes) == 0 ? 0 : failed(metrics, error);
}

static int go_on(struct metrics *metrics, struct engine_error *error)
{
    const int file = open(metrics->path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot be continued: %s; put the run's own file back",
                         metrics->path, strerror(errno));
    if (cut(metrics, file, error) != 0 || lseek(file, 0, SEEK_END) < 0) {
        close(file);
        return error->status;
    }
    metrics->file = fdopen(file, "r+");
    return metrics->file ? 0 : failed(metrics, error);
}

int metrics_open(struct metrics *metrics, struct instance *instance, const char *folder, const char *name,
                 uint64_t bytes, struct engine_error *error)
{
    *metrics = (struct metrics){.instance = instance, .bytes = bytes};
    const struct engine_metric_array *names = names_of(metrics);
    if (names->count == 0 || !instance->state->plan->impl->measure)
        return 0;
    metrics->values = calloc(names->count, sizeof *metrics->values);
    if (!metrics->values)
        return error_memory(error, names->count * sizeof *metrics->values, "metrics");
    snprintf(metrics->path, sizeof metrics->path, "%s/%s", folder, name);
    return bytes ? go_on(metrics, error) : begin(metrics, error);
}

void metrics_close(struct metrics *metrics)
{
    if (metrics->file)
        fclose(metrics->file);
    free(metrics->values);
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
