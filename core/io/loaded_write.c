/* Writes files of loaded formats, and describes such formats for the rest of the core. */
#include "io/loaded_file.h"
#include "io/particles.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Which arrays ------------------------------------------------------------------------------------------- */

/* Returns the place of an array's name among those that the format takes, or -1. An array without a name may be the
 * positions. */
static int place_of(const struct loaded *loaded, const struct io_array *array)
{
    const char *name = *array->name != '\0' ? array->name : "position", *word = loaded->about->arrays;
    for (int place = 0; word != NULL && *word != '\0'; place++) {
        const size_t length = strcspn(word, " ");
        if (strlen(name) == length && strncmp(word, name, length) == 0)
            return place;
        word += length + strspn(word + length, " ");
    }
    return -1;
}

/* An array without a name of n rows of three numbers may be positions. */
static bool is_grid(const struct io_array *array)
{
    return !array->particles && !array->bins && !particles_are_positions(array);
}

static bool fits(const struct loaded *loaded, const struct io_array *array)
{
    const bool integer = array->shape.type <= ENGINE_I64, real = array->shape.type <= ENGINE_F64 && !integer;
    if (array->batch || array->bins)
        return false;
    if (is_grid(array))
        return loaded->about->flags & ENGINE_FORMAT_GRIDS;
    if (place_of(loaded, array) < 0)
        return false;
    if (*array->name == '\0' || strcmp(array->name, "position") == 0)
        return particles_are_positions(array) && array->shape.rank == 1;
    if (!array->particles || array->shape.rank != 1)
        return false;
    if (strcmp(array->name, "species") == 0 || strcmp(array->name, "id") == 0 || strcmp(array->name, "residue") == 0)
        return integer && array->shape.components == 1;
    if (strcmp(array->name, "velocity") == 0 || strcmp(array->name, "force") == 0)
        return real && array->shape.components == 3;
    return real && array->shape.components == 1;
}

bool loaded_writes(const struct loaded *loaded, const struct io_array *array)
{
    return fits(loaded, array) && (is_grid(array) || place_of(loaded, array) == 0);
}

bool loaded_takes(const struct loaded *loaded, const struct io_array *array)
{
    return fits(loaded, array) && !is_grid(array) && place_of(loaded, array) > 0;
}

/* The units of fields that follow from their names. */
static int32_t power_of(const struct io_array *array)
{
    const char *name = array->name;
    return *name == '\0' || strcmp(name, "position") == 0 || strcmp(name, "velocity") == 0 ? 1
           : strcmp(name, "force") == 0                                                    ? -1
                                                                                           : 0;
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

/* A file that is written. */
struct writing {
    struct loaded_file file;
    struct engine_file_content content;
    struct engine_file_array arrays[IO_ARRAYS_MAX];
    const char *labels[PARTICLES_SYMBOLS_MAX];
};

static void add_array(struct writing *writing, const struct io_document *document, uint32_t index)
{
    const struct io_array *array = &document->arrays[index];
    const uint32_t count = writing->content.arrays.count++;
    const bool grid = is_grid(array);
    const char *name = *array->name != '\0' ? array->name : grid ? "cells" : "position";
    struct engine_file_array *to = &writing->arrays[count];
    writing->file.array[count] = index;
    writing->file.power[count] = grid ? 0 : power_of(array);
    *to = (struct engine_file_array){.name = name,
                                     .kind = grid ? ENGINE_GRID : ENGINE_PARTICLES,
                                     .values = array->values,
                                     .lengths = writing->file.power[count],
                                     .shape = array->shape};
    for (int axis = 0; axis < 3; axis++) {
        to->first[axis] = array->first[axis];
        to->stride[axis] = array->stride[axis] > 0 ? array->stride[axis] : 1;
    }
}

/* The unit of the lengths in the file. */
static uint32_t unit_of(const struct engine_file_format *about, const struct io_document *document)
{
    return about->flags & ENGINE_FORMAT_UNITS ? document->header.length : about->length;
}

/* Chooses the arrays: the one that the format needs, and then the others with as many particles. */
static void describe(struct writing *writing, const struct io_document *document)
{
    const struct loaded *loaded = writing->file.loaded;
    uint32_t first = 0;
    while (first + 1 < document->count && !loaded_writes(loaded, &document->arrays[first]))
        first++;
    writing->content = (struct engine_file_content){
        .size = sizeof writing->content,
        .length = writing->file.length,
        .arrays = {.at = writing->arrays, .item_size = sizeof writing->arrays[0]},
        .frames = document->frames > 1 ? document->frames : 1,
    };
    add_array(writing, document, first);
    for (uint32_t i = 0; i < document->count && !is_grid(&document->arrays[first]); i++)
        if (i != first && loaded_takes(loaded, &document->arrays[i]) &&
            document->arrays[i].shape.extent[0] == document->arrays[first].shape.extent[0])
            add_array(writing, document, i);
    for (uint32_t i = 0; i < document->symbols && i < PARTICLES_SYMBOLS_MAX; i++)
        writing->labels[i] = document->symbol[i];
    writing->content.labels = document->symbols > 0 ? writing->labels : NULL;
    writing->content.label_count =
        document->symbols < PARTICLES_SYMBOLS_MAX ? document->symbols : PARTICLES_SYMBOLS_MAX;
    writing->content.rule = *document->header.rule != '\0' ? document->header.rule : NULL;
}

static int write_frame(struct writing *writing, struct io_document *document, struct engine_error *error)
{
    const struct io_header *header = &document->header;
    const struct engine_file_format *about = writing->file.loaded->about;
    const bool boxed = header->box[0] > 0 || header->box[1] > 0 || header->box[2] > 0;
    struct engine_file_frame frame = {.size = sizeof frame,
                                      .has = ENGINE_HAS_STEP | (header->timed ? (uint32_t) ENGINE_HAS_TIME : 0) |
                                             (boxed ? (uint32_t) (ENGINE_HAS_BOX | ENGINE_HAS_CORNER) : 0),
                                      .step = header->step,
                                      .time = header->time};
    struct loaded_call call;
    memcpy(frame.box, header->box, sizeof frame.box);
    memcpy(frame.corner, header->corner, sizeof frame.corner);
    length_convert(header->length, writing->file.length, 1, ENGINE_F64, 6, frame.box);
    length_convert(header->length, writing->file.length, 1, ENGINE_F64, 3, frame.corner);
    loaded_enter(&call, &writing->file, "write", error);
    return loaded_leave(&call, "write", about->write(&call.table, writing->file.self, &frame));
}

/* The number of particles and the arrays stay as they were in the first frame. */
static int check_same(const struct writing *writing, const struct io_document *document, struct engine_error *error)
{
    bool same = true;
    for (uint32_t i = 0; same && i < writing->content.arrays.count; i++) {
        const struct engine_shape *shape = &document->arrays[writing->file.array[i]].shape;
        const struct engine_shape *first = &writing->arrays[i].shape;
        same = writing->file.array[i] < document->count && shape->type == first->type &&
               shape->components == first->components &&
               memcmp(shape->extent, first->extent, sizeof shape->extent) == 0;
    }
    return same ? 0
                : error_set(error, ENGINE_STATUS_OUTPUT,
                            "a frame has another size than the first, or other arrays, which a %s file "
                            "cannot hold; choose frames with --frames",
                            writing->file.loaded->about->name);
}

static int write_frames(struct writing *writing, struct io_document *document, struct engine_error *error)
{
    const struct engine_file_format *about = writing->file.loaded->about;
    const uint64_t frames = document->frames > 1 && (about->flags & ENGINE_FORMAT_FRAMES) ? document->frames : 1;
    struct loaded_call call;
    int status = write_frame(writing, document, error);
    for (uint64_t i = 1; status == 0 && i < frames; i++) {
        status = io_next_frame(document, error);
        if (status == 0)
            status = check_same(writing, document, error);
        if (status == 0)
            status = write_frame(writing, document, error);
    }
    if (status != 0 || about->finish == NULL)
        return status;
    loaded_enter(&call, &writing->file, "finish", error);
    return loaded_leave(&call, "finish", about->finish(&call.table, writing->file.self));
}

static int write_file(const struct loaded *loaded, int file, uint32_t flags, struct io_document *document,
                      struct engine_error *error)
{
    char path[LOADED_PATH];
    struct stat info;
    if (fstat(file, &info) != 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s", strerror(errno));
    struct writing writing = {.file = {.loaded = loaded,
                                       .path = loaded_path(file, path),
                                       .file = file,
                                       .bytes = (uint64_t) info.st_size,
                                       .flags = flags,
                                       .status = ENGINE_STATUS_OUTPUT,
                                       .from = document,
                                       .length = unit_of(loaded->about, document)}};
    struct loaded_call call;
    loaded_file_begin(&writing.file);
    describe(&writing, document);
    loaded_enter(&call, &writing.file, "create", error);
    const int code = loaded->about->create(&call.table, &writing.content, &writing.file.self);
    writing.file.is_open = code == 0;
    int status = loaded_leave(&call, "create", code);
    if (status == 0)
        status = write_frames(&writing, document, error);
    loaded_file_end(&writing.file);
    return status;
}

int loaded_write(const struct loaded *loaded, int file, struct io_document *document, struct engine_error *error)
{
    return write_file(loaded, file, 0, document, error);
}

/* A frame that cannot be added is removed again. */
int loaded_append(const struct loaded *loaded, int film, struct io_document *document, struct engine_error *error)
{
    const off_t end = lseek(film, 0, SEEK_END);
    if (end < 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s", strerror(errno));
    const int status = write_file(loaded, film, ENGINE_FILE_APPEND, document, error);
    if (status != 0 && ftruncate(film, end) != 0) {
        const size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length, "; a part of the last frame is left in the file");
    }
    return status;
}

/* ---- The description ---------------------------------------------------------------------------------------- */

/* io.c asks whether there are such functions, and calls those above. */
static int write_loaded(int file, struct io_document *document, const struct io_options *options,
                        struct engine_error *error)
{
    return loaded_write(options->format->loaded, file, document, error);
}

static int append_loaded(int film, struct io_document *document, const struct io_options *options,
                         struct engine_error *error)
{
    return loaded_append(options->format->loaded, film, document, error);
}

void loaded_describe(const struct loaded *loaded, struct io_format *format)
{
    static const uint32_t parts[][2] = {{ENGINE_HAS_STEP, IO_KEEPS_STEP},      {ENGINE_HAS_TIME, IO_KEEPS_TIME},
                                        {ENGINE_HAS_BOX, IO_KEEPS_BOX},        {ENGINE_HAS_CORNER, IO_KEEPS_CORNER},
                                        {ENGINE_HAS_LABELS, IO_KEEPS_SYMBOLS}, {ENGINE_HAS_RULE, IO_KEEPS_RULE}};
    const struct engine_file_format *about = loaded->about;
    const bool grows = about->flags & ENGINE_FORMAT_GROWS;
    const bool units = about->length != ENGINE_LENGTH_UNKNOWN || (about->flags & ENGINE_FORMAT_UNITS);
    *format = (struct io_format){.name = about->name,
                                 .help = about->summary,
                                 .endings = about->endings,
                                 .size = IO_SIZE_TEXT,
                                 .together = about->arrays != NULL && strchr(about->arrays, ' ') != NULL,
                                 .frames = about->flags & ENGINE_FORMAT_FRAMES,
                                 .keeps = units ? (uint32_t) IO_KEEPS_LENGTH : 0,
                                 .write = about->create != NULL ? write_loaded : NULL,
                                 .append = about->create != NULL && grows ? append_loaded : NULL,
                                 .loaded = loaded};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (about->keeps & parts[i][0])
            format->keeps |= parts[i][1];
}
