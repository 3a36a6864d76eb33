#include "plan/estimate.h"
#include "base/available.h"
#include "base/text.h"
#include "memory/device.h"
#include "run/snapshot.h"
#include "run/state.h"

#include <stdbool.h>

/* Characters of a number in a text, with what separates it from the next. */
static const double number_most = 26, number_least = 2;

/* Bytes, at least and at most. */
struct range {
    double least, most;
};

static void add(struct range *sum, double times, struct range range)
{
    sum->least += times * range.least;
    sum->most += times * range.most;
}

static struct range of_numbers(double count)
{
    return (struct range){number_least * count, number_most * count};
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

/* Pixels of a picture of cells for each of them. */
static double enlargement(const struct settings *settings)
{
    return settings->how.scale > 1 ? (double) settings->how.scale * settings->how.scale : 1;
}

/* A picture that is chosen to be easy to look at has a MiB at most, if the field has no more. */
static struct range of_picture(const struct settings *settings, double bytes)
{
    const double pixels = bytes * enlargement(settings);
    return (struct range){0, pixels > 0x1p20 ? pixels : 0x1p20};
}

/* A field's file in a format that holds each by itself. Arrays of .npy are not compressed. */
static struct range of_field(const struct settings *settings, const struct io_format *format, double bytes)
{
    if (format == io_format_named("npy"))
        return (struct range){bytes, bytes + 128};
    return format == io_format_named("png") ? of_picture(settings, bytes) : (struct range){0, bytes + 4096};
}

/* A field's part of what is written at one output; tables, which are replaced, are counted elsewhere. Formats that hold
 * all fields together are texts with a word in front of each row, but for snapshots. */
static struct range of_output(const struct plan *plan, uint32_t index, const struct io_format *format)
{
    const struct plan_field *field = &plan->fields[index];
    uint64_t bytes, elements;
    if (field->absent || format->table || !shape_bytes(&plan->shapes[index], &bytes) ||
        !shape_elements(&plan->shapes[index], &elements))
        return (struct range){0, 0};
    if (format->together && format != io_format_named("snapshot"))
        return of_numbers((double) elements + (index == 0 ? (double) elements / plan->shapes[index].components : 0));
    return state_counts(field->about) ? of_field(&plan->settings, format, (double) bytes) : (struct range){0, 0};
}

static struct range of_table(const struct plan *plan, uint32_t index, const struct io_format *format)
{
    uint64_t elements;
    if (!format->table || plan->fields[index].about->kind != ENGINE_BINS ||
        !shape_elements(&plan->shapes[index], &elements))
        return (struct range){0, 0};
    return of_numbers((double) elements);
}

static struct range sum_of(const struct plan *plan,
                           struct range (*part)(const struct plan *, uint32_t, const struct io_format *))
{
    struct range sum = {0, 0};
    for (uint32_t i = 0; plan && i < plan->plugin->about.fields.count; i++)
        for (uint32_t f = 0; f < plan->settings.format_count; f++)
            add(&sum, 1, part(plan, i, plan->settings.formats[f]));
    return sum;
}

/* ---- How often ---------------------------------------------------------------------------------------------- */

/* Steps behind `first` at which something is due every so often, the start among them where the run begins there. */
static uint64_t times(uint64_t every, uint64_t first, uint64_t last)
{
    return every ? last / every - first / every + (first == 0) : 0;
}

static uint64_t outputs_of(const struct settings *settings, uint64_t first)
{
    const bool final = settings->every == 0 || settings->steps % settings->every != 0;
    return times(settings->every, first, settings->steps) + final;
}

static struct range of_rows(const struct plan *plan, uint64_t first, uint64_t outputs)
{
    const uint32_t metrics = plan && plan->impl->measure ? plan->plugin->about.metrics.count : 0;
    struct range rows = {0, 0};
    if (metrics > 0)
        add(&rows, (double) (times(plan->settings.metrics_every, first, plan->settings.steps) + outputs),
            of_numbers(1.0 + metrics));
    return rows;
}

/* ---- Checkpoints -------------------------------------------------------------------------------------------- */

static uint64_t checkpoint_bytes(const struct plan *plan, const struct plan *analysis)
{
    if (plan->settings.checkpoint.every == 0 && plan->settings.checkpoint.seconds <= 0)
        return 0;
    return snapshot_bytes(plan) + (analysis ? snapshot_bytes(analysis) : 0);
}

/* The last one stays. */
static double checkpoint_least(const struct plan *plan, const struct plan *analysis)
{
    if (checkpoint_bytes(plan, analysis) == 0 || plan->settings.checkpoint.compression != SNAPSHOT_STORE)
        return 0;
    return (double) snapshot_stored_bytes(plan) + (analysis ? (double) snapshot_stored_bytes(analysis) : 0);
}

/* ---- The estimate ------------------------------------------------------------------------------------------- */

struct estimate estimate_make(const struct plan *plan, const struct plan *analysis, uint64_t first_step)
{
    struct estimate estimate = {.buffers = plan->bytes + (analysis ? analysis->bytes : 0),
                                .checkpoint = checkpoint_bytes(plan, analysis),
                                .outputs = outputs_of(&plan->settings, first_step),
                                .device_available = plan->device->available(plan->device),
                                .host_available = device_host()->available(device_host()),
                                .disk_available = available_disk(plan->settings.output)};
    struct range each = sum_of(plan, of_output), disk = sum_of(plan, of_table);
    add(&each, 1, sum_of(analysis, of_output));
    add(&disk, 1, sum_of(analysis, of_table));
    estimate.each = each.most + disk.most;
    add(&disk, (double) estimate.outputs, each);
    add(&disk, 1, of_rows(plan, first_step, estimate.outputs));
    add(&disk, 1, of_rows(analysis, first_step, estimate.outputs));
    estimate.disk_least = disk.least + checkpoint_least(plan, analysis);
    estimate.disk_most = disk.most + 3.0 * (double) estimate.checkpoint;
    return estimate;
}

/* Where buffers are the host's, the copy of a checkpoint lies beside them. */
static int check_host(const struct estimate *estimate, const struct plan *plan, struct engine_error *error)
{
    char held[32], copied[32], room[32];
    const uint64_t buffers = plan->device == device_host() ? estimate->buffers : 0;
    if (buffers + estimate->checkpoint <= estimate->host_available)
        return 0;
    return error_set(error, ENGINE_STATUS_DEVICE,
                     "%s/%s needs %sB of host memory for its buffers and %sB for the copy that a checkpoint is written "
                     "from; %sB are free: take a smaller size%s",
                     plan->plugin->about.name, plan->impl->name, text_si((double) buffers, held),
                     text_si((double) estimate->checkpoint, copied), text_si((double) estimate->host_available, room),
                     estimate->checkpoint ? ", or no [checkpoint]" : "");
}

static int check_device(const struct estimate *estimate, const struct plan *plan, struct engine_error *error)
{
    char held[32], room[32];
    if (plan->device == device_host() || estimate->buffers <= estimate->device_available)
        return 0;
    return error_set(error, ENGINE_STATUS_DEVICE,
                     "%s/%s needs %sB of memory for its buffers; on %s %sB are free: take a smaller size, another "
                     "[run] device or implementation",
                     plan->plugin->about.name, plan->impl->name, text_si((double) estimate->buffers, held),
                     plan->device->name, text_si((double) estimate->device_available, room));
}

int estimate_check(const struct estimate *estimate, const struct plan *plan, struct engine_error *error)
{
    char room[32], least[32];
    if (check_device(estimate, plan, error) != 0 || check_host(estimate, plan, error) != 0)
        return error->status;
    if (estimate->disk_available == UINT64_MAX || estimate->disk_least <= (double) estimate->disk_available)
        return 0;
    return error_set(error, ENGINE_STATUS_OUTPUT,
                     "%s: %sB are free on its disk, and what the run writes there takes at least %sB: make room, or "
                     "write less by [output] every, or in formats that compress",
                     plan->settings.output, text_si((double) estimate->disk_available, room),
                     text_si(estimate->disk_least, least));
}
