/* NumPy arrays in C order, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Versions 1.0 to 3.0
 * are read, version 1.0 is written. The header is a Python dictionary, which npy_header.c reads. */
#include "base/text.h"
#include "base/type.h"
#include "formats/arrays/npy_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { CHUNK = 1 << 22 };

struct npy {
    uint64_t data; /* offset of the elements */
    struct engine_file_array array;
    struct engine_file_pattern place;
};

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return count >= strlen(NPY_MAGIC) && memcmp(begin, NPY_MAGIC, strlen(NPY_MAGIC)) == 0;
}

static int check_booleans(const struct engine_file *file, const uint8_t *elements, uint64_t begin, uint64_t count)
{
    uint8_t all = 0;
    for (uint64_t i = 0; i < count; i++)
        all |= elements[i];
    for (uint64_t i = 0; all > 1 && i < count; i++)
        if (elements[i] > 1)
            return ENGINE_FAIL_FILE(file, "element %llu is %u; expected 0 or 1, because the array has type bool",
                                    (unsigned long long) (begin + i), elements[i]);
    return 0;
}

static int read_elements(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                         uint64_t count, void *out)
{
    const struct npy *npy = self;
    const uint64_t size = type_bytes(npy->array.shape.type);
    uint64_t of_frame = 0;
    (void) array;
    shape_bytes(&npy->array.shape, &of_frame);
    if (file->read(file, npy->data + number * of_frame + begin * size, count * size, out) != 0)
        return ENGINE_INVALID;
    return npy->array.values == 2 ? check_booleans(file, out, begin, count) : 0;
}

/* Reads the version and the length of the header, which is a number of 2 bytes in version 1 and of 4 bytes after
 * that. */
static int read_preamble(const struct engine_file *file, uint64_t *begin, uint64_t *length)
{
    uint8_t head[12] = {0};
    if (file->bytes < sizeof head)
        return ENGINE_FAIL_FILE(file, "is not a whole .npy file: it has %llu bytes", (unsigned long long) file->bytes);
    if (file->read(file, 0, sizeof head, head) != 0)
        return ENGINE_INVALID;
    if (memcmp(head, NPY_MAGIC, 6) != 0)
        return ENGINE_FAIL_FILE(file, "is not a .npy file: it does not begin with \\x93NUMPY");
    if (head[6] < 1 || head[6] > 3 || head[7] != 0)
        return ENGINE_FAIL_FILE(file, "has .npy version %u.%u; expected 1.0, 2.0 or 3.0", head[6], head[7]);
    *begin = head[6] == 1 ? 10 : 12;
    *length = (uint64_t) head[8] | (uint64_t) head[9] << 8;
    if (head[6] != 1)
        *length |= (uint64_t) head[10] << 16 | (uint64_t) head[11] << 24;
    if (*length > NPY_HEADER_MAX || *length > file->bytes - *begin)
        return ENGINE_FAIL_FILE(file,
                                "states a header of %llu bytes; expected at most %u, and not more than the file has",
                                (unsigned long long) *length, (unsigned) NPY_HEADER_MAX);
    return 0;
}

/* Leaves as many frames in the shape of a series as the elements of the file have. A shape that does not fit stays. */
static void leave_frames(struct engine_shape *shape, uint64_t *rest)
{
    const uint64_t frames = shape->extent[2];
    uint64_t of_frame;
    shape->extent[2] = 1;
    const bool fits = shape->rank == 3 && shape_bytes(shape, &of_frame) && of_frame > 0 && *rest >= of_frame;
    if (fits && *rest / of_frame < frames) {
        shape->extent[2] = *rest / of_frame;
        *rest -= *rest % of_frame;
    } else {
        shape->extent[2] = frames;
    }
}

/* Reads the header and compares it with the size of the file, before any memory is taken for elements. */
static int read_header(const struct engine_file *file, struct npy *npy)
{
    uint64_t begin = 0, length = 0, bytes;
    if (read_preamble(file, &begin, &length) != 0)
        return ENGINE_INVALID;
    char *header = file->allocate(file, length + 1);
    if (header == NULL)
        return ENGINE_NO_MEMORY;
    header[length] = '\0';
    if (file->read(file, begin, length, header) != 0 || npy_parse_header(file, header, length, &npy->array) != 0)
        return ENGINE_INVALID;
    file->release(file, header);
    npy->data = begin + length;
    uint64_t rest = file->bytes - npy->data;
    if (file->flags & ENGINE_FILE_UNFINISHED)
        leave_frames(&npy->array.shape, &rest);
    if (!shape_bytes(&npy->array.shape, &bytes) || bytes != rest)
        return ENGINE_FAIL_FILE(
            file, "contains %llu bytes of elements but its header states %llu: the file is cut short or damaged",
            (unsigned long long) rest, (unsigned long long) bytes);
    return 0;
}

/* An array is the whole grid, not a pattern on it. The first of three axes may number the frames. */
static void describe(const struct engine_file *file, struct npy *npy, struct engine_file_content *content)
{
    struct engine_shape *shape = &npy->array.shape;
    memcpy(npy->place.grid, shape->extent, sizeof npy->place.grid);
    npy->place.placed = 1;
    content->arrays = (struct engine_file_array_array){&npy->array, 1, sizeof npy->array};
    content->pattern = &npy->place;
    if ((file->flags & ENGINE_FILE_SERIES) == 0 || shape->rank < 3)
        return;
    content->frames = shape->extent[2];
    shape->extent[2] = 1;
    shape->rank = 2;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct npy *npy = file->allocate(file, sizeof *npy);
    if (npy == NULL)
        return ENGINE_NO_MEMORY;
    *npy = (struct npy){.array = {.name = "", .kind = ENGINE_GRID}};
    if (read_header(file, npy) != 0)
        return ENGINE_INVALID;
    describe(file, npy, content);
    *self = npy;
    return 0;
}

/* The file says nothing about its frames. */
static int take_frame(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    (void) file;
    (void) self;
    (void) number;
    frame->has = 0;
    return 0;
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* A file that is written. */
struct npy_output {
    uint64_t frames; /* that were written */
    char name[32];
    struct engine_shape shape; /* of a frame */
};

static int holds(const struct engine_file_array *array)
{
    return type_bytes(array->shape.type) != 0 && array->shape.rank >= 1 && array->shape.rank <= 3;
}

/* A pattern of a few bytes may state a grid that is larger than the disk. It is refused before the disk is full. */
static int check_space(const struct engine_file *file, uint64_t bytes)
{
    struct statvfs disk;
    if (statvfs(file->path, &disk) != 0 || disk.f_blocks == 0)
        return 0; /* the file system does not tell */
    const double space = (double) disk.f_bavail * (double) disk.f_frsize;
    if ((double) bytes <= space)
        return 0;
    char needed[32], missing[32];
    return ENGINE_FAIL_FILE(file, "no space on the disk: %sB needed, %sB more than is free",
                            text_si((double) bytes, needed), text_si((double) bytes - space, missing));
}

/* The shape of all frames of an array. The first axis of several numbers the frames. */
static bool shape_of_file(const struct engine_file_content *content, struct engine_shape *shape)
{
    *shape = content->arrays.at[0].shape;
    if (content->frames > 1 && shape->rank < 3)
        shape->extent[shape->rank++] = content->frames;
    else if (content->frames > 1)
        return false;
    return true;
}

static int create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    char header[512];
    struct engine_shape shape;
    uint64_t bytes;
    struct npy_output *output = file->allocate(file, sizeof *output);
    if (output == NULL)
        return ENGINE_NO_MEMORY;
    if (!shape_of_file(content, &shape))
        return ENGINE_FAIL_FILE(file,
                                "frames of three axes make an array of four, which is not supported; choose one frame");
    if (!shape_bytes(&shape, &bytes))
        return ENGINE_FAIL_FILE(file, "the array has more than 2^63 elements");
    if (check_space(file, bytes) != 0)
        return ENGINE_INVALID;
    *output = (struct npy_output){.shape = content->arrays.at[0].shape};
    snprintf(output->name, sizeof output->name, "%s", content->arrays.at[0].name);
    *self = output;
    return file->write(file, header, npy_make_header(&shape, header, sizeof header));
}

/* All frames must have an array of the same shape. */
static int check_frame(const struct engine_file *file, const struct npy_output *output,
                       const struct engine_file_content *content)
{
    const struct engine_file_array *array = content->arrays.at;
    if (content->arrays.count > 0 && strcmp(array->name, output->name) == 0 &&
        memcmp(&array->shape, &output->shape, sizeof array->shape) == 0)
        return 0;
    return ENGINE_FAIL_FILE(
        file,
        "frame %llu of those to write differs from the first in its columns or its number of particles, "
        "and a .npy file holds frames of one shape; write xyz or lammpstrj, or choose fewer frames",
        (unsigned long long) output->frames);
}

static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct npy_output *output = self;
    const uint64_t size = type_bytes(output->shape.type), chunk = CHUNK / size;
    uint64_t total = 0;
    if (check_frame(file, output, frame->content) != 0)
        return ENGINE_INVALID;
    char *elements = file->allocate(file, CHUNK);
    int code = elements != NULL ? 0 : ENGINE_NO_MEMORY;
    shape_elements(&output->shape, &total);
    for (uint64_t begin = 0; code == 0 && begin < total; begin += chunk) {
        const uint64_t count = total - begin < chunk ? total - begin : chunk;
        code = file->get(file, 0, begin, count, elements);
        if (code == 0)
            code = file->write(file, elements, count * size);
    }
    file->release(file, elements);
    output->frames++;
    return code;
}

const struct engine_file_format npy_file_format = {
    ENGINE_FILE_FORMAT("npy", "1.0", "NumPy array of 1 to 3 axes", ".npy"),
    .flags =
        ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_VARIES | ENGINE_FORMAT_BATCHES | ENGINE_FORMAT_AXIS,
    .probe = probe,
    .open = open_file,
    .frame = take_frame,
    .read = read_elements,
    .create = create,
    .write = write_frame,
    .holds = holds,
    .bytes = ENGINE_SIZE_EXACT,
};
