/* Writes files of formats with the descriptor of engine/format.h. */
#include "io/file_calls.h"
#include "io/gzip.h"
#include "io/particles.h"
#include "io/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Which arrays ------------------------------------------------------------------------------------------- */

/* Returns the place of an array's name among those that the format takes, or -1. An array without a name may be the
 * positions. */
static int place_of(const struct io_format *format, const struct engine_file_array *array)
{
    const char *name = *array->name != '\0' ? array->name : "position", *word = format->about->arrays;
    for (int place = 0; word != NULL && *word != '\0'; place++) {
        const size_t length = strcspn(word, " ");
        if ((strlen(name) == length && strncmp(word, name, length) == 0) || (length == 1 && *word == '*'))
            return place;
        word += length + strspn(word + length, " ");
    }
    return -1;
}

/* An array without a name of n rows of three numbers may be positions. */
static bool is_grid(const struct engine_file_array *array)
{
    return array->kind != ENGINE_PARTICLES && array->kind != ENGINE_BINS && !particles_are_positions(array);
}

/* Can a file of the format hold arrays of any name? All of them are particles. */
static bool takes_all(const struct io_format *format)
{
    return format->about->arrays != NULL && strchr(format->about->arrays, '*') != NULL;
}

static bool fits(const struct io_format *format, const struct engine_file_array *array)
{
    const bool integer = array->shape.type <= ENGINE_I64, real = array->shape.type <= ENGINE_F64 && !integer;
    if (array->batch || array->kind == ENGINE_BINS)
        return false;
    if (takes_all(format) && place_of(format, array) > 0)
        return particles_takes(array);
    if (is_grid(array))
        return io_has(format, ENGINE_FORMAT_GRIDS);
    if (place_of(format, array) < 0)
        return false;
    if (*array->name == '\0' || strcmp(array->name, "position") == 0)
        return particles_are_positions(array);
    if (array->kind != ENGINE_PARTICLES || array->shape.rank != 1)
        return false;
    if (strcmp(array->name, "species") == 0 || strcmp(array->name, "id") == 0 || strcmp(array->name, "residue") == 0)
        return integer && array->shape.components == 1;
    if (strcmp(array->name, "velocity") == 0 || strcmp(array->name, "force") == 0)
        return real && array->shape.components == 3;
    return real && array->shape.components == 1;
}

/* Describes an array for the format. An array of two axes, (n, 3) in a .npy file, may be that of n particles. */
static struct engine_file_array array_of_file(const struct io_format *format, const struct engine_file_array *array)
{
    const bool grid = is_grid(array) && !takes_all(format);
    const bool particles = array->kind == ENGINE_PARTICLES || (!grid && array->kind != ENGINE_BINS);
    struct engine_file_array made = {.name = *array->name != '\0' ? array->name
                                             : grid               ? "cells"
                                                                  : "position",
                                     .kind = particles ? ENGINE_PARTICLES : array->kind,
                                     .values = array->values,
                                     .batch = array->batch,
                                     .shape = array->shape};
    if (format->about->holds != NULL) {
        made.name = array->name;
        made.kind = array->kind;
    } else if (particles && made.shape.rank == 2) {
        made.shape.components = (uint32_t) made.shape.extent[0];
        made.shape.extent[0] = made.shape.extent[1];
        made.shape.extent[1] = made.shape.rank = 1;
    }
    for (int axis = 0; axis < 3; axis++) {
        made.first[axis] = array->first[axis];
        made.stride[axis] = array->stride[axis] > 0 ? array->stride[axis] : 1;
    }
    return made;
}

bool file_writes(const struct io_format *format, const struct engine_file_array *array)
{
    if (format->about->holds == NULL)
        return fits(format, array) && (place_of(format, array) == 0 || (is_grid(array) && !takes_all(format)));
    const struct engine_file_array described = array_of_file(format, array);
    const struct foreign call = foreign_begin(format->context, format->about->name, "holds");
    const bool holds = format->about->holds(&described) == 1;
    foreign_end(&call);
    return holds;
}

bool file_takes(const struct io_format *format, const struct engine_file_array *array)
{
    return format->about->holds == NULL && fits(format, array) && place_of(format, array) > 0 &&
           (takes_all(format) || !is_grid(array));
}

/* The units of fields that follow from their names. */
static int32_t power_of(const struct engine_file_array *array)
{
    const char *name = array->name;
    return *name == '\0' || strcmp(name, "position") == 0 || strcmp(name, "velocity") == 0 ? 1
           : strcmp(name, "force") == 0                                                    ? -1
                                                                                           : 0;
}

/* ---- What a file gets --------------------------------------------------------------------------------------- */

/* A file that is written. */
struct writing {
    struct open_file file;
    struct engine_file_content content;
    struct engine_file_array arrays[IO_ARRAYS_MAX];
    struct engine_file_pattern pattern;
    struct engine_file_note notes[IO_NOTES_MAX];
    const char *labels[PARTICLES_SYMBOLS_MAX];
};

static const struct engine_file_format *about_of(const struct writing *writing)
{
    return writing->file.format->about;
}

static void add_array(struct writing *writing, const struct io_document *document, uint32_t index)
{
    const uint32_t count = writing->content.arrays.count++;
    const struct engine_file_array *array = &document->arrays[index];
    struct engine_file_array *to = &writing->arrays[count];
    *to = array_of_file(writing->file.format, array);
    to->lengths = to->kind == ENGINE_PARTICLES ? power_of(array) : 0;
    writing->file.array[count] = index;
    writing->file.power[count] = to->lengths;
}

/* The unit of the lengths in the file. */
static uint32_t unit_of(const struct engine_file_format *about, const struct io_document *document)
{
    return about->flags & ENGINE_FORMAT_UNITS ? document->header.length : about->length;
}

/* Does the file also hold this array, which is not the first? */
static bool goes_along(const struct io_format *format, const struct engine_file_array *first,
                       const struct engine_file_array *array)
{
    const struct engine_shape *a = &first->shape, *b = &array->shape;
    if (io_has(format, ENGINE_FORMAT_TABLES))
        return file_writes(format, array) && a->extent[0] == b->extent[0];
    return !is_grid(first) && file_takes(format, array) && a->extent[a->rank - 1] == b->extent[b->rank - 1];
}

/* Chooses the arrays: the one that the format needs, and then the others that belong to it. */
static void choose_arrays(struct writing *writing, const struct io_document *document)
{
    const struct io_format *format = writing->file.format;
    uint32_t first = 0;
    while (first < document->count && ((document->arrays[first].batch && !io_has(format, ENGINE_FORMAT_BATCHES)) ||
                                       !file_writes(format, &document->arrays[first])))
        first++;
    if (first < document->count)
        add_array(writing, document, first);
    for (uint32_t i = 0; first < document->count && i < document->count; i++)
        if (i != first && goes_along(format, &document->arrays[first], &document->arrays[i]))
            add_array(writing, document, i);
}

static void describe_labels(struct writing *writing, const struct io_document *document)
{
    const uint32_t count = document->symbols < PARTICLES_SYMBOLS_MAX ? document->symbols : PARTICLES_SYMBOLS_MAX;
    for (uint32_t i = 0; i < count; i++)
        writing->labels[i] = document->symbol[i];
    writing->content.labels = count > 0 ? writing->labels : NULL;
    writing->content.label_count = count;
}

/* Describes the present frame of the document. */
static void describe(struct writing *writing, const struct io_document *document)
{
    const struct io_header *header = &document->header;
    writing->content = (struct engine_file_content){
        .size = sizeof writing->content,
        .length = writing->file.length,
        .arrays = {.at = writing->arrays, .item_size = sizeof writing->arrays[0]},
        .frames = document->frames > 1 ? document->frames : 1,
        .rule = *header->rule != '\0' ? header->rule : NULL,
        .notes = writing->notes,
        .note_count = header->notes,
    };
    for (uint32_t i = 0; i < header->notes; i++)
        writing->notes[i] = (struct engine_file_note){header->note[i].key, header->note[i].text};
    choose_arrays(writing, document);
    describe_labels(writing, document);
    writing->pattern = pattern_place(header);
    writing->content.pattern = &writing->pattern;
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

static int write_frame(struct writing *writing, struct io_document *document, struct engine_error *error)
{
    const struct io_header *header = &document->header;
    const bool boxed = header->box[0] > 0 || header->box[1] > 0 || header->box[2] > 0;
    struct engine_file_frame frame = {.size = sizeof frame,
                                      .has = ENGINE_HAS_STEP | (header->timed ? (uint32_t) ENGINE_HAS_TIME : 0) |
                                             (boxed ? (uint32_t) (ENGINE_HAS_BOX | ENGINE_HAS_CORNER) : 0),
                                      .step = header->step,
                                      .time = header->time,
                                      .content = &writing->content};
    struct file_call call;
    memcpy(frame.box, header->box, sizeof frame.box);
    memcpy(frame.corner, header->corner, sizeof frame.corner);
    length_convert(header->length, writing->file.length, 1, ENGINE_F64, 6, frame.box);
    length_convert(header->length, writing->file.length, 1, ENGINE_F64, 3, frame.corner);
    file_enter(&call, &writing->file, "write", error);
    return file_leave(&call, "write", about_of(writing)->write(&call.table, writing->file.self, &frame));
}

/* The number of particles and the arrays stay as they were in the first frame. */
static int check_same(const struct writing *writing, const struct io_document *document, struct engine_error *error)
{
    bool same = true;
    for (uint32_t i = 0; same && i < writing->content.arrays.count; i++) {
        const struct engine_file_array *first = &writing->arrays[i];
        same = writing->file.array[i] < document->count;
        if (same) {
            const struct engine_file_array now =
                array_of_file(writing->file.format, &document->arrays[writing->file.array[i]]);
            same = memcmp(&now.shape, &first->shape, sizeof now.shape) == 0;
        }
    }
    return same ? 0
                : error_set(error, ENGINE_STATUS_OUTPUT,
                            "a frame differs from the first one in its size or its arrays, and a %s file holds frames "
                            "of one kind; choose frames with --frames",
                            about_of(writing)->name);
}

static int next_frame(struct writing *writing, struct io_document *document, struct engine_error *error)
{
    if (io_next_frame(document, error) != 0)
        return error->status;
    if ((about_of(writing)->flags & ENGINE_FORMAT_VARIES) == 0)
        return check_same(writing, document, error);
    describe(writing, document);
    return 0;
}

static int write_frames(struct writing *writing, struct io_document *document, struct engine_error *error)
{
    const struct engine_file_format *about = about_of(writing);
    const uint64_t frames = document->frames > 1 && (about->flags & ENGINE_FORMAT_FRAMES) ? document->frames : 1;
    struct file_call call;
    int status = write_frame(writing, document, error);
    for (uint64_t i = 1; status == 0 && i < frames; i++) {
        status = next_frame(writing, document, error);
        if (status == 0)
            status = write_frame(writing, document, error);
    }
    if (status != 0 || about->finish == NULL)
        return status;
    file_enter(&call, &writing->file, "finish", error);
    return file_leave(&call, "finish", about->finish(&call.table, writing->file.self));
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

static int write_all(struct writing *writing, struct io_document *document, struct engine_error *error)
{
    struct file_call call;
    describe(writing, document);
    file_enter(&call, &writing->file, "create", error);
    const int code = about_of(writing)->create(&call.table, &writing->content, &writing->file.self);
    writing->file.is_open = code == 0;
    const int status = file_leave(&call, "create", code);
    return status == 0 ? write_frames(writing, document, error) : status;
}

/* Writes by a stream, which compresses the bytes where the options say so. */
static int write_packed(struct writing *writing, struct io_document *document, const struct io_options *options,
                        struct engine_error *error)
{
    FILE *stream = gzip_stream(writing->file.file, options->gzip);
    if (stream == NULL)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be created: %s", strerror(errno ? errno : ENOMEM));
    writing->file.stream = stream;
    const int status = write_all(writing, document, error);
    writing->file.stream = NULL;
    errno = 0;
    if (fclose(stream) != 0 && status == 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno ? errno : EIO));
    return status;
}

static int write_file(const struct io_format *format, int file, uint32_t flags, struct io_document *document,
                      const struct io_options *options, struct engine_error *error)
{
    char path[FILE_PATH];
    struct stat info;
    if (fstat(file, &info) != 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s", strerror(errno));
    struct writing writing = {.file = {.format = format,
                                       .path = file_path(file, path),
                                       .file = file,
                                       .bytes = (uint64_t) info.st_size,
                                       .flags = flags,
                                       .status = ENGINE_STATUS_OUTPUT,
                                       .from = document,
                                       .length = unit_of(format->about, document),
                                       .threads = options->threads}};
    file_begin(&writing.file);
    const int status = io_has(format, ENGINE_FORMAT_PACKED) ? write_packed(&writing, document, options, error)
                                                            : write_all(&writing, document, error);
    file_end(&writing.file);
    return status;
}

int file_write(const struct io_format *format, int file, struct io_document *document, const struct io_options *options,
               struct engine_error *error)
{
    return write_file(format, file, 0, document, options, error);
}

/* A frame that cannot be added is removed again. */
int file_append(const struct io_format *format, int film, struct io_document *document,
                const struct io_options *options, struct engine_error *error)
{
    const off_t end = lseek(film, 0, SEEK_END);
    if (end < 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s", strerror(errno));
    const int status = write_file(format, film, ENGINE_FILE_APPEND, document, options, error);
    if (status != 0 && ftruncate(film, end) != 0) {
        const size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length, "; a part of the last frame is left in the file");
    }
    return status;
}
