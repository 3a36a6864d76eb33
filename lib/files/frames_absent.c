/* [frames] most: frames with different numbers of particles. Each has as many rows as the key says, and one more. A row
 * without a particle has a negative species. So all frames have one, and a plugin learns from the first frame that there
 * are such rows. */
#include "base/text.h"
#include "base/type.h"
#include "files/frames.h"

#include <engine/files.h>
#include <stdlib.h>
#include <string.h>

struct absent {
    uint64_t rows;
    uint64_t frames; /* that have been shown */
    uint32_t count;  /* of the arrays of the first frame */
    char name[IO_ARRAYS_MAX][32];
};

static int find_array(const struct io_document *document, const char *name)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (strcmp(document->arrays[i].name, name) == 0)
            return (int) i;
    return -1;
}

/* Keeps the arrays of the first frame. If it has no species, they are added. */
static void take_first(struct layer *layer)
{
    struct absent *absent = layer->own;
    struct io_document *document = &layer->document;
    if (find_array(document, "species") < 0 && document->count < IO_ARRAYS_MAX)
        document->arrays[document->count++] =
            (struct engine_file_array){.name = "species",
                                       .kind = ENGINE_PARTICLES,
                                       .shape = {sizeof(struct engine_shape), ENGINE_I32, 1, 1, {0, 1, 1}}};
    absent->count = document->count;
    for (uint32_t i = 0; i < absent->count; i++) {
        strncpy(absent->name[i], document->arrays[i].name, sizeof absent->name[i] - 1);
        document->arrays[i].name = absent->name[i];
        layer_set_rows(&document->arrays[i], absent->rows);
    }
}

static int take(struct layer *layer, struct engine_error *error)
{
    struct absent *absent = layer->own;
    const struct io_document *of = layer->of;
    const unsigned long long rows = layer_rows(&of->arrays[0]), frame = absent->frames;
    if (rows >= absent->rows)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: frame %llu of those that are read has %llu particles, but [frames] most = %llu",
                         layer->path, frame, rows, (unsigned long long) absent->rows - 1);
    if (absent->frames++ == 0)
        take_first(layer);
    for (uint32_t i = 0; i < absent->count; i++) {
        const struct engine_file_array *own = &layer->document.arrays[i];
        const int from = find_array(of, own->name);
        const bool added = strcmp(own->name, "species") == 0 && (frame == 0 || layer->from[i] < 0);
        const bool same = from >= 0 && of->arrays[from].shape.type == own->shape.type &&
                          layer_row_elements(&of->arrays[from]) == layer_row_elements(own);
        if (added ? from >= 0 && frame > 0 : !same)
            return error_set(error, ENGINE_STATUS_INPUT,
                             "%s: frame %llu of those that are read has other columns than the first one", layer->path,
                             frame);
        layer->from[i] = from;
    }
    return 0;
}

static int make(struct layer *layer, uint32_t array, void *out, struct engine_error *error)
{
    const struct absent *absent = layer->own;
    const struct engine_file_array *own = &layer->document.arrays[array];
    const uint64_t row = layer_row_elements(own) * type_bytes(own->shape.type),
                   rows = layer_rows(&layer->of->arrays[0]);
    char *rest = (char *) out + rows * row;
    if (layer->from[array] < 0)
        memset(out, 0, rows * row);
    else if (layer_read(layer, (uint32_t) layer->from[array], out, error) != 0)
        return error->status;
    memset(rest, strcmp(own->name, "species") == 0 ? 0xff : 0, (absent->rows - rows) * row); /* -1 */
    return 0;
}

/* Does the plugin know rows without a particle? */
static bool knows_absent(const struct plan *plan)
{
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    bool knows = false;
    for (uint32_t i = 0; i < fields->count; i++)
        knows = knows || fields->at[i].flags & ENGINE_FIELD_ABSENT;
    return knows;
}

int absent_open(const struct plan *plan, const struct frames_settings *settings, const char *path,
                struct io_document **document, struct engine_error *error)
{
    static const struct layer_kind kind = {.take = take, .make = make};
    const char *place = config_place(plan->config, "frames", "most");
    if (!knows_absent(plan))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [frames] most: %s needs the same number of particles in all frames; leave the key out",
                         place, plan->plugin->about.name);
    if (plan->settings.source != INIT_FILE)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [frames] most: the positions and species of each frame come from one file; expected "
                         "[init] file",
                         place);
    struct absent *absent = calloc(1, sizeof *absent);
    if (!absent)
        return error_memory(error, sizeof *absent, "a frame");
    absent->rows = settings->most + 1;
    (*document)->varies = true;
    return layer_open(document, path, &kind, absent, error);
}
