/* Particles as documents: of one frame, or of a series of frames. */
#include "io/particles.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct particles particles;
    const struct particles_frames *frames; /* NULL: the file has one frame, which is read */
    void *file;
    char *path;
    uint64_t frame; /* number of the current frame, from 0 */
};

static int read_elements(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                         struct engine_error *error)
{
    const struct reading *reading = document->context;
    const struct particles_column *column = &reading->particles.columns[array];
    const uint64_t bytes = type_bytes(column->type);
    (void) error;
    memcpy(out, (const char *) column->at + begin * bytes, count * bytes);
    return 0;
}

static void close_document(struct io_document *document)
{
    struct reading *reading = document->context;
    particles_clear(&reading->particles);
    if (reading->file != NULL)
        reading->frames->close(reading->file);
    free(reading->path);
    free(reading);
    free(document);
}

/* Makes a document without arrays. Returns NULL, with an error recorded, where there is no memory. */
static struct io_document *new_document(const char *path, struct engine_error *error)
{
    struct io_document *document = calloc(1, sizeof *document);
    struct reading *reading = calloc(1, sizeof *reading);
    char *name = strdup(path);
    if (document == NULL || reading == NULL || name == NULL) {
        free(document);
        free(reading);
        free(name);
        error_memory(error, sizeof *reading, "reading particles");
        return NULL;
    }
    reading->path = name;
    *document = (struct io_document){.read = read_elements, .close = close_document, .context = reading, .frames = 1};
    return document;
}

/* Moves the positions to the front, because a format that holds one array takes the first. */
static int put_position_first(const char *path, struct particles *particles, struct engine_error *error)
{
    const int position = particles_find(particles, "position");
    if (position < 0 || particles->columns[position].components != 3)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: contains no positions of three components", path);
    const struct particles_column first = particles->columns[0];
    particles->columns[0] = particles->columns[position];
    particles->columns[position] = first;
    return 0;
}

static void describe(const struct particles *particles, struct io_document *document)
{
    memset(document->arrays, 0, sizeof document->arrays);
    document->count = particles->count;
    document->header = particles->header;
    for (uint32_t i = 0; i < particles->count; i++) {
        const struct particles_column *column = &particles->columns[i];
        struct io_array *array = &document->arrays[i];
        memcpy(array->name, column->name, sizeof array->name);
        array->particles = true;
        array->shape =
            (struct engine_shape){sizeof array->shape, column->type, column->components, 1, {particles->rows, 1, 1}};
    }
    document->symbols = particles->symbols;
    document->symbol = (const char(*)[IO_SYMBOL_SIZE]) particles->symbol;
}

/* Completes the document where it was filled with status 0, and closes it otherwise. */
static int finish(int status, struct io_document *made, struct io_document **document, struct engine_error *error)
{
    struct reading *reading = made->context;
    if (status == 0)
        status = put_position_first(reading->path, &reading->particles, error);
    if (status != 0) {
        made->close(made);
        return status;
    }
    describe(&reading->particles, made);
    *document = made;
    return 0;
}

int particles_open(const char *path,
                   int (*fill)(const char *path, struct particles *particles, struct engine_error *error),
                   struct io_document **document, struct engine_error *error)
{
    *document = NULL;
    struct io_document *made = new_document(path, error);
    if (made == NULL)
        return error->status;
    struct reading *reading = made->context;
    return finish(fill(path, &reading->particles, error), made, document, error);
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

/* Reads all frames and keeps the last. */
static int read_last(struct reading *reading, struct engine_error *error)
{
    struct particles *kept = &reading->particles;
    struct particles *next = calloc(1, sizeof *next);
    bool found = true;
    int status = next != NULL ? 0 : error_memory(error, sizeof *next, "reading particles");
    while (status == 0 && found) {
        status = reading->frames->next(reading->file, next, &found, error);
        if (status != 0 || !found)
            break;
        particles_clear(kept);
        *kept = *next;
        *next = (struct particles){.count = 0};
    }
    if (next != NULL)
        particles_clear(next);
    free(next);
    if (status == 0 && kept->rows == 0)
        status = error_set(error, ENGINE_STATUS_INPUT, "%s: contains no particles", reading->path);
    return status;
}

int particles_open_last(const char *path, const struct particles_frames *frames, struct io_document **document,
                        struct engine_error *error)
{
    *document = NULL;
    struct io_document *made = new_document(path, error);
    if (made == NULL)
        return error->status;
    struct reading *reading = made->context;
    reading->frames = frames;
    int status = frames->open(path, &reading->file, error);
    if (status == 0)
        status = read_last(reading, error);
    return finish(status, made, document, error);
}

/* Counts the frames by skipping over all of them, which also finds a frame that is cut short. */
static int count_frames(const char *path, const struct particles_frames *frames, uint64_t *count,
                        struct engine_error *error)
{
    void *file;
    bool found = true;
    int status = frames->open(path, &file, error);
    if (status != 0)
        return status;
    for (*count = 0; status == 0 && found; *count += status == 0 && found)
        status = frames->next(file, NULL, &found, error);
    frames->close(file);
    if (status == 0 && *count == 0)
        status = error_set(error, ENGINE_STATUS_INPUT, "%s: contains no particles", path);
    return status;
}

/* Checks that the next frame has the columns and the number of particles that the document describes. */
static int check_same(const struct reading *reading, const struct io_document *document, struct engine_error *error)
{
    const struct particles *particles = &reading->particles;
    const unsigned long long frame = reading->frame, rows = particles->rows;
    const unsigned long long before = document->arrays[0].shape.extent[0];
    if (rows != before)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: frame %llu has %llu particles and the first frame has %llu",
                         reading->path, frame, rows, before);
    bool same = particles->count == document->count;
    for (uint32_t i = 0; same && i < particles->count; i++)
        same = strcmp(particles->columns[i].name, document->arrays[i].name) == 0 &&
               particles->columns[i].type == document->arrays[i].shape.type &&
               particles->columns[i].components == document->arrays[i].shape.components;
    return same ? 0
                : error_set(error, ENGINE_STATUS_INPUT, "%s: frame %llu has other columns than the first one",
                            reading->path, frame);
}

static int next_frame(struct io_document *document, uint64_t by, struct engine_error *error)
{
    struct reading *reading = document->context;
    bool found = true;
    int status = 0;
    for (uint64_t i = 1; status == 0 && found && i < by; i++)
        status = reading->frames->next(reading->file, NULL, &found, error);
    particles_clear(&reading->particles);
    reading->frame += by;
    if (status == 0 && found)
        status = reading->frames->next(reading->file, &reading->particles, &found, error);
    if (status == 0 && !found)
        status = error_set(error, ENGINE_STATUS_INPUT, "%s: changed while it was read: frame %llu is missing",
                           reading->path, (unsigned long long) reading->frame);
    if (status == 0)
        status = put_position_first(reading->path, &reading->particles, error);
    if (status == 0 && !document->varies)
        status = check_same(reading, document, error);
    if (status == 0)
        describe(&reading->particles, document);
    return status;
}

int particles_open_frames(const char *path, const struct particles_frames *frames, struct io_document **document,
                          struct engine_error *error)
{
    *document = NULL;
    struct io_document *made = new_document(path, error);
    if (made == NULL)
        return error->status;
    struct reading *reading = made->context;
    bool found;
    reading->frames = frames;
    made->next = next_frame;
    int status = count_frames(path, frames, &made->frames, error);
    if (status == 0)
        status = frames->open(path, &reading->file, error);
    if (status == 0)
        status = frames->next(reading->file, &reading->particles, &found, error);
    return finish(status, made, document, error);
}
