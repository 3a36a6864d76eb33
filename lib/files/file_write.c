/* Writes files of formats with the descriptor of engine/format.h. */
#include "files/component.h"
#include "files/file_calls.h"
#include "files/gzip.h"
#include "files/particles.h"

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
    struct engine_file_array made = *array;
    made.lengths = 0;
    for (int axis = 0; axis < 3; axis++)
        made.stride[axis] = array->stride[axis] > 0 ? array->stride[axis] : 1;
    if (format->about->holds != NULL)
        return made;
    if (*array->name == '\0')
        made.name = grid ? "cells" : "position";
    if (!grid && made.kind == ENGINE_GRID)
        made.kind = ENGINE_PARTICLES;
    if (made.kind == ENGINE_PARTICLES && made.shape.rank == 2) {
        made.shape.components = (uint32_t) made.shape.extent[0];
        made.shape.extent[0] = made.shape.extent[1];
        made.shape.extent[1] = made.shape.rank = 1;
    }
    return made;
}

static bool can_begin(const struct io_format *format, const struct engine_file_array *array)
{
    if (format->about->holds == NULL)
        return fits(format, array) && (place_of(format, array) == 0 || (is_grid(array) && !takes_all(format)));
    const struct engine_file_array described = array_of_file(format, array);
    const struct foreign call = foreign_begin(format->context, format->about->name, "holds");
    const bool holds = format->about->holds(&described) == 1;
    foreign_end(&call);
    return holds;
}

bool file_writes(const struct io_format *format, const struct engine_file_array *array,
                 const struct io_options *options)
{
    const struct engine_file_array shown = component_array(format, array, options);
    return (io_has(format, ENGINE_FORMAT_BATCHES) || !array->batch) && can_begin(format, &shown);
}

bool file_takes(const struct io_format *format, const struct engine_file_array *array)
{
    return (format->about->holds == NULL || io_is_picture(format)) && fits(format, array) &&
           place_of(format, array) > 0 && (takes_all(format) || !is_grid(array));
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
    struct engine_file_look looks[IO_ARRAYS_MAX];
};

static const struct engine_file_format *about_of(const struct writing *writing)
{
    return writing->file.format->about;
}

static struct engine_file_array shown_array(const struct writing *writing, const struct io_document *document,
                                            uint32_t index)
{
    return component_array(writing->file.format, &document->arrays[index], writing->file.options);
}

static void add_array(struct writing *writing, const struct io_document *document, uint32_t index)
{
    const uint32_t count = writing->content.arrays.count++;
    const struct engine_file_array array = shown_array(writing, document, index);
    struct engine_file_array *to = &writing->arrays[count];
    *to = array_of_file(writing->file.format, &array);
    to->lengths = to->kind == ENGINE_PARTICLES ? power_of(&array) : 0;
    writing->looks[count] = document->looks[index];
    writing->file.array[count] = index;
    writing->file.shown[count] = array.shape.components != document->arrays[index].shape.components;
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
    if (io_is_whole(format))
        return can_begin(format, array);
    if (io_has(format, ENGINE_FORMAT_TABLES))
        return can_begin(format, array) && a->extent[0] == b->extent[0];
    return !is_grid(first) && file_takes(format, array) && a->extent[a->rank - 1] == b->extent[b->rank - 1];
}

/* Returns the index of the array that the format needs, or document->count. */
static uint32_t first_array(const struct writing *writing, const struct io_document *document)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (file_writes(writing->file.format, &document->arrays[i], writing->file.options))
            return i;
    return document->count;
}

/* Chooses the arrays: the one that the format needs, and then the others that belong to it. */
static void choose_arrays(struct writing *writing, const struct io_document *document)
{
    const struct io_format *format = writing->file.format;
    const uint32_t first = first_array(writing, document);
    if (first < document->count)
        add_array(writing, document, first);
    for (uint32_t i = 0; first < document->count && i < document->count; i++)
        if (i != first && goes_along(format, &document->arrays[first], &document->arrays[i]))
            add_array(writing, document, i);
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
        .labels = document->symbols > 0 ? document->symbol : NULL,
        .label_count = document->symbols < IO_SYMBOLS_MAX ? document->symbols : IO_SYMBOLS_MAX,
        .rule = *header->rule != '\0' ? header->rule : NULL,
        .notes = header->note,
        .note_count = header->notes,
        .looks = writing->looks,
        .pattern = &header->pattern,
    };
    choose_arrays(writing, document);
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

static struct engine_file_frame frame_of(const struct writing *writing, const struct io_document *document)
{
    const struct io_header *header = &document->header;
    struct engine_file_frame frame = header->frame;
    const bool boxed = frame.box[0] > 0 || frame.box[1] > 0 || frame.box[2] > 0;
    frame.size = sizeof frame;
    frame.has =
        ENGINE_HAS_STEP | (frame.has & ENGINE_HAS_TIME) | (boxed ? (uint32_t) (ENGINE_HAS_BOX | ENGINE_HAS_CORNER) : 0);
    frame.content = &writing->content;
    length_convert_frame(header->length, writing->file.length, &frame);
    return frame;
}

static int write_frame(struct writing *writing, const struct io_document *document, struct engine_error *error)
{
    const struct engine_file_frame frame = frame_of(writing, document);
    struct file_call call;
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
                            "of one kind; choose frames",
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
    struct writing writing = {.content = {.size = 0}};
    if (file_attach(&writing.file, format, file, options, error) != 0)
        return error->status;
    writing.file.flags = flags;
    writing.file.from = document;
    writing.file.length = unit_of(format->about, document);
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

/* ---- Films ---------------------------------------------------------------------------------------------------- */

/* The format states what is wrong with the film. */
int file_encode(const struct io_format *format, int film, int file, const struct io_options *options,
                struct engine_error *error)
{
    struct open_file from, to;
    struct file_call reading, writing;
    struct engine_error ignored;
    if (file_attach(&from, format, film, options, error) != 0)
        return error->status;
    int status = file_attach(&to, format, file, options, error);
    if (status == 0) {
        file_enter(&reading, &from, "read", &ignored);
        file_enter(&writing, &to, "encode", error);
        status = file_leave(&writing, "encode", format->about->encode(&reading.table, &writing.table));
        file_leave(&reading, "read", 0);
        file_end(&to);
    }
    file_end(&from);
    return status;
}

int file_check(const struct io_format *format, struct engine_error *error)
{
    struct open_file file = {.format = format, .path = "", .file = -1, .status = ENGINE_STATUS_OUTPUT};
    struct file_call call;
    if (format->about->check == NULL)
        return 0;
    file_begin(&file);
    file_enter(&call, &file, "check", error);
    const int status = file_leave(&call, "check", format->about->check(&call.table));
    file_end(&file);
    return status;
}

/* ---- Pictures --------------------------------------------------------------------------------------------------- */

int file_show(struct io_document *document, const struct io_options *options,
              int (*show)(const struct engine_file *file, const struct engine_file_frame *frame, void *context),
              void *context, struct engine_error *error)
{
    static const struct engine_file_format about = {.name = "picture", .arrays = "position *"};
    static const struct io_format particles = {.about = &about};
    struct writing writing = {.file = {.format = &particles,
                                       .path = "",
                                       .file = -1,
                                       .status = ENGINE_STATUS_OUTPUT,
                                       .from = document,
                                       .options = options}};
    struct file_call call;
    describe(&writing, document);
    if (writing.content.arrays.count == 0)
        return 0;
    const struct engine_file_frame frame = frame_of(&writing, document);
    file_begin(&writing.file);
    file_enter(&call, &writing.file, "write", error);
    const int status = file_leave(&call, "write", show(&call.table, &frame, context));
    file_end(&writing.file);
    return status;
}
