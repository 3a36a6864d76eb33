#include "metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct engine_metric_array *names_of(const struct metrics *metrics)
{
    return &metrics->instance->state->plan->plugin->about.metrics;
}

static int failed(const struct metrics *metrics, struct error *error)
{
    return error_set(error, STATUS_OUTPUT, "%s: cannot write: %s", metrics->path, strerror(errno));
}

int metrics_open(struct metrics *metrics, struct instance *instance, const char *folder, const char *name,
                 struct error *error)
{
    *metrics = (struct metrics){.instance = instance};
    const struct engine_metric_array *names = names_of(metrics);
    if (names->count == 0 || !instance->state->plan->impl->measure)
        return 0;
    metrics->values = calloc(names->count, sizeof *metrics->values);
    if (!metrics->values)
        return error_memory(error, names->count * sizeof *metrics->values, "metrics");
    snprintf(metrics->path, sizeof metrics->path, "%s/%s", folder, name);
    metrics->file = fopen(metrics->path, "we");
    if (!metrics->file)
        return failed(metrics, error);
    fputs("step", metrics->file);
    for (uint32_t i = 0; i < names->count; i++)
        fprintf(metrics->file, ",%s", names->at[i].name);
    fputc('\n', metrics->file);
    return 0;
}

void metrics_close(struct metrics *metrics)
{
    if (metrics->file)
        fclose(metrics->file);
    free(metrics->values);
}

int metrics_write(struct metrics *metrics, uint64_t step, struct error *error)
{
    if (!metrics->file)
        return 0;
    if (instance_measure(metrics->instance, metrics->values, &metrics->measured, error) != 0)
        return error->status;
    fprintf(metrics->file, "%llu", (unsigned long long) step);
    for (uint32_t i = 0; i < names_of(metrics)->count; i++)
        fprintf(metrics->file, ",%.17g", metrics->values[i]);
    fputc('\n', metrics->file);
    return fflush(metrics->file) != 0 ? failed(metrics, error) : 0;
}
