#include "record/estimate.h"
#include "base/text.h"
#include "formats/pictures/caption.h"
#include "formats/pictures/png_batch.h"
#include "parts/available.h"
#include "parts/parts.h"
#include "record/probes.h"
#include "record/section_checkpoint.h"

#include <math.h>
#include <stdlib.h>

/* Characters of a number in a text, with the separator that follows it. */
static const double number_most = 26, number_least = 2;

/* Characters of a row of hashes without those of its step. */
static const double hash_row = 34;

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

/* The pixels of a picture of a field at most. Without a given scale, a small grid has up to PICTURE_ENLARGED_SIDE
 * pixels along an axis. *longest becomes the longer side. */
static double pixels_of(const struct plan *plan, uint32_t index, double *longest)
{
    const struct io_options *how = &output_settings(plan)->how;
    const struct engine_file_array array = plan_written_array(plan, index);
    const uint64_t *extent = array.shape.extent;
    *longest = (double) how->pixels;
    if (plan->fields[index].about->kind == ENGINE_PARTICLES)
        return *longest * *longest;
    if (batch_is_mosaic(&array, how)) {
        const struct mosaic mosaic = batch_lay_out(&array, how);
        const uint64_t scale = how->scale > 0     ? how->scale
                               : mosaic.block > 1 ? 1
                                                  : picture_scale(mosaic.width, mosaic.height);
        *longest = fmax((double) mosaic.width, (double) mosaic.height) * (double) scale;
        return 3.0 * (double) (mosaic.width * scale) * (double) (mosaic.height * scale); /* colours take three bytes */
    }
    double plane = 0, side = 0;
    for (int axis = 0; axis < 3; axis++) { /* of a volume, the largest of the planes that an axis of view shows */
        plane = fmax(plane, (double) extent[axis] * (double) extent[(axis + 1) % 3]);
        side = fmax(side, (double) extent[axis]);
    }
    *longest = how->scale > 0 ? side * how->scale : fmax(side, PICTURE_ENLARGED_SIDE);
    if (how->scale > 0)
        return plane * how->scale * how->scale;
    return side >= PICTURE_ENLARGED_SIDE ? plane : (double) PICTURE_ENLARGED_SIDE * PICTURE_ENLARGED_SIDE;
}

/* The bytes of a picture before it is compressed, at most. Lines and captions make three of each pixel. */
static double picture_bytes(const struct plan *plan, uint32_t index)
{
    const struct io_options *how = &output_settings(plan)->how;
    double longest;
    const double pixels = pixels_of(plan, index, &longest);
    const double strip = how->captions ? longest * (double) caption_height_most((uint64_t) longest) : 0;
    return how->captions || how->lines ? 3 * (pixels + strip) : pixels;
}

/* The size of a field's part of what is written at one output. Tables, which are replaced, are counted elsewhere. */
static struct range of_output(const struct plan *plan, uint32_t index, const struct io_format *format)
{
    const struct plan_field *field = &plan->fields[index];
    const struct engine_file_array array = (io_is_whole(format) ? plan_array : plan_written_array)(plan, index);
    const bool result = plan_is_result(field->about),
               written = plan_is_written(plan, field->about) || io_is_whole(format);
    uint64_t bytes, elements;
    if (field->absent || io_has(format, ENGINE_FORMAT_TABLES) || (result && !written) ||
        !shape_bytes(&array.shape, &bytes) || !shape_elements(&array.shape, &elements))
        return (struct range){0, 0};
    if (format->about->bytes == ENGINE_SIZE_TEXT) /* with a word in front of each row */
        return of_numbers((double) elements + (index == 0 ? (double) elements / plan->shapes[index].components : 0));
    if (!result || !io_writes(format, &array, &output_settings(plan)->how))
        return (struct range){0, 0};
    if (format->about->bytes == ENGINE_SIZE_EXACT)
        return (struct range){(double) bytes, (double) bytes + 128};
    if (format->about->bytes == ENGINE_SIZE_FLOATS)
        return (struct range){4.0 * (double) elements, 4.0 * (double) elements + 512};
    if (format->about->bytes == ENGINE_SIZE_COMPRESSED)
        return (struct range){0, (double) bytes + 4096};
    if (format->about->bytes == ENGINE_SIZE_TREE)
        return (struct range){0, 8.0 * (double) elements + 4096};
    /* What does not compress grows a little, and the notes are beside the pixels. */
    return (struct range){0, picture_bytes(plan, index) * 1.01 + 16384};
}

static struct range of_table(const struct plan *plan, uint32_t index, const struct io_format *format)
{
    uint64_t elements;
    if (!io_has(format, ENGINE_FORMAT_TABLES) || plan->fields[index].about->kind != ENGINE_BINS ||
        !shape_elements(&plan->shapes[index], &elements))
        return (struct range){0, 0};
    return of_numbers((double) elements);
}

static struct range sum_of(const struct plan *plan,
                           struct range (*part)(const struct plan *, uint32_t, const struct io_format *))
{
    struct range sum = {0, 0};
    for (uint32_t i = 0; plan && i < plan->plugin->about.fields.count; i++)
        for (uint32_t f = 0; f < output_settings(plan)->format_count; f++)
            add(&sum, 1, part(plan, i, output_settings(plan)->formats[f]));
    return sum;
}

/* ---- How often ---------------------------------------------------------------------------------------------- */

/* Counts the multiples of `every` in (first, last]; step 0 counts too where the run begins there. */
static uint64_t times(uint64_t every, uint64_t first, uint64_t last)
{
    return every && first <= last ? last / every - first / every + (first == 0) : 0;
}

/* The number of columns that the probes of a plan have. */
static uint32_t probe_columns(const struct plan *plan)
{
    struct engine_error ignored; /* output_check_plans reports it */
    struct probes probes = {0};
    uint32_t columns = 0;
    if (plan && probes_find(plan, &probes, &ignored) == 0)
        for (uint32_t i = 0; i < probes.count; i++)
            columns += plan->shapes[probes.at[i].field].components;
    free(probes.at);
    return columns;
}

static struct range of_rows(const struct plan *plan, uint64_t first, uint64_t outputs)
{
    const uint32_t metrics =
        (plan && plan->impl->measure ? plan->plugin->about.metrics.count : 0) + probe_columns(plan);
    struct range rows = {0, 0};
    if (metrics == 0)
        return rows;
    const double count = (double) (times(output_settings(plan)->metrics_every, first, plan->settings.steps) + outputs);
    add(&rows, count, of_numbers(1.0 + metrics));
    if (plan_is_batch(plan) && output_settings(plan)->universe_metrics)
        add(&rows, count * (double) plan->settings.universes, of_numbers(2.0 + metrics));
    return rows;
}

static struct range of_hashes(const struct plan *plan, uint64_t first)
{
    const uint64_t every = output_settings(plan)->hash_every;
    const double rows = every ? (double) times(every, first, plan->settings.steps) + 1 : 0;
    return (struct range){rows * (hash_row + 1), rows * (hash_row + number_most)};
}

/* ---- Checkpoints -------------------------------------------------------------------------------------------- */

/* The bytes of all buffers that a checkpoint saves. */
static uint64_t saved_bytes(const struct plan *plan)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; plan && i < plan->plugin->about.fields.count; i++)
        bytes += plan_is_saved(&plan->fields[i]) ? plan->fields[i].bytes : 0;
    return bytes;
}

/* The bytes of a checkpoint's file that is not compressed. Grids of two values take one bit per cell. */
static uint64_t stored_bytes(const struct plan *plan)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; plan && i < plan->plugin->about.fields.count; i++) {
        const struct engine_shape shape = plan_whole_shape(plan, i);
        uint64_t bytes = 0;
        if (plan_is_saved(&plan->fields[i]) && shape_bytes(&shape, &bytes))
            sum += geometry_has_columns(&shape, plan->fields[i].about->values) ? geometry_columns(&shape) : bytes;
    }
    return sum;
}

static uint64_t checkpoint_bytes(const struct plan *plan, const struct plan *analysis)
{
    const bool asked = checkpoint_settings(plan)->every != 0 || checkpoint_settings(plan)->seconds > 0;
    return asked ? saved_bytes(plan) + saved_bytes(analysis) : 0;
}

/* The number of checkpoints that stay, at most; at least, if `surely` is set. The number of those by time is not
 * known. */
static double checkpoints_kept(const struct plan *plan, uint64_t first, bool surely)
{
    const struct checkpoint_settings *settings = checkpoint_settings(plan);
    const bool counted = settings->every > 0 && (surely || !(settings->seconds > 0));
    const double steps = counted ? (double) (plan->settings.steps / settings->every - first / settings->every) : 1;
    const double due = steps + !surely; /* and that of the last step */
    const double kept = settings->keep == UINT64_MAX ? due : fmin((double) settings->keep, counted ? due : INFINITY);
    return surely && settings->keep <= 2 ? 1 : fmax(kept, surely ? 1 : 2);
}

/* The copy that a checkpoint is written from. There is none where several processes share the run, or where it would
 * not fit beside buffers in host memory: then the checkpoint is written piece by piece (record/snapshot.c). */
static uint64_t copy_bytes(const struct plan *plan, const struct estimate *estimate)
{
    const uint64_t buffers = plan->device->memory == ENGINE_HOST_MEMORY ? estimate->buffers : 0;
    return parts_ranks(plan) > 1 || buffers + estimate->saved > estimate->host_available ? 0 : estimate->saved;
}

/* ---- The estimate ------------------------------------------------------------------------------------------- */

struct estimate estimate_make(const struct plan *plan, const struct plan *analysis, uint64_t first_step)
{
    const struct settings *settings = &plan->settings;
    const uint64_t every = output_settings(plan)->every;
    /* The state after the last step is an output too. */
    const bool final = every == 0 || settings->steps % every != 0;
    struct estimate estimate = {.buffers = plan->device_bytes + (analysis ? analysis->device_bytes : 0),
                                .saved = checkpoint_bytes(plan, analysis),
                                .outputs = times(every, first_step, settings->steps) + final,
                                .device_available = available_on(plan->device),
                                .host_available = available_memory(),
                                .disk_available = available_disk(plan->settings.output)};
    estimate.checkpoint = copy_bytes(plan, &estimate);
    struct range each = sum_of(plan, of_output), disk = sum_of(plan, of_table);
    add(&each, 1, sum_of(analysis, of_output));
    add(&disk, 1, sum_of(analysis, of_table));
    estimate.each = each.most + disk.most;
    add(&disk, (double) estimate.outputs, each);
    add(&disk, 1, of_rows(plan, first_step, estimate.outputs));
    add(&disk, 1, of_rows(analysis, first_step, estimate.outputs));
    add(&disk, 1, of_hashes(plan, first_step));
    estimate.disk_least = disk.least;
    /* A compressed checkpoint may shrink to nothing. */
    if (estimate.saved > 0 && !checkpoint_settings(plan)->compressed)
        estimate.disk_least +=
            checkpoints_kept(plan, first_step, true) * ((double) stored_bytes(plan) + (double) stored_bytes(analysis));
    estimate.disk_most = disk.most + (checkpoints_kept(plan, first_step, false) + 1) * (double) estimate.saved;
    if (plan_waits_for(plan, UNTIL_REPEATS)) /* the state from which the run started */
        estimate.disk_most += (double) saved_bytes(plan);
    return estimate;
}

static int check_host(const struct estimate *estimate, const struct plan *plan, struct engine_error *error)
{
    char held[32], available[32];
    if (plan->device->memory != ENGINE_HOST_MEMORY || estimate->buffers <= estimate->host_available)
        return 0;
    return error_set(error, ENGINE_STATUS_DEVICE,
                     "%s/%s needs %sB of host memory for its buffers; %sB are free; choose a smaller size",
                     plan->plugin->about.name, plan->impl->name, text_si((double) estimate->buffers, held),
                     text_si((double) estimate->host_available, available));
}

static int check_device(const struct estimate *estimate, const struct plan *plan, struct engine_error *error)
{
    char held[32], available[32];
    if (plan->device->memory == ENGINE_HOST_MEMORY || estimate->buffers <= estimate->device_available)
        return 0;
    return error_set(error, ENGINE_STATUS_DEVICE,
                     "%s/%s needs %sB of memory for its buffers; on %s %sB are free; choose a smaller size, another "
                     "[run] device or implementation",
                     plan->plugin->about.name, plan->impl->name, text_si((double) estimate->buffers, held),
                     plan->device->name, text_si((double) estimate->device_available, available));
}

int estimate_check(const struct estimate *estimate, const struct plan *plan, struct engine_error *error)
{
    char available[32], least[32];
    if (check_device(estimate, plan, error) != 0 || check_host(estimate, plan, error) != 0)
        return error->status;
    if (estimate->disk_available == UINT64_MAX || estimate->disk_least <= (double) estimate->disk_available)
        return 0;
    return error_set(error, ENGINE_STATUS_OUTPUT,
                     "%s: %sB are free on the disk, but the files of the run take at least %sB; free some space, give "
                     "a larger [output] every, or choose formats that compress",
                     plan->settings.output, text_si((double) estimate->disk_available, available),
                     text_si(estimate->disk_least, least));
}
