/* NumPy arrays in C order, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Versions 1.0 to 3.0
 * are read, version 1.0 is written. The header is a Python dictionary, which npy_header.c reads. */
#include "base/text.h"
#include "io/bytes.h"
#include "io/format.h"
#include "io/npy_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { CHUNK = 1 << 22 };

struct npy {
    char *path;
    int file;
    uint64_t data; /* offset of the elements; in a file of frames, of the current frame */
};

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static int read_error(const char *path, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path,
                     errno != 0 ? strerror(errno) : "the file ends too early; download or create it again");
}

static int check_booleans(const struct npy *npy, const uint8_t *elements, uint64_t begin, uint64_t count,
                          struct engine_error *error)
{
    uint8_t all = 0;
    for (uint64_t i = 0; i < count; i++)
        all |= elements[i];
    for (uint64_t i = 0; all > 1 && i < count; i++)
        if (elements[i] > 1)
            return error_set(error, ENGINE_STATUS_INPUT,
                             "%s: element %llu is %u; expected 0 or 1, because the array has type bool", npy->path,
                             (unsigned long long) (begin + i), elements[i]);
    return 0;
}

static int read_elements(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                         struct engine_error *error)
{
    const struct npy *npy = document->context;
    const struct io_array *told = &document->arrays[array];
    uint64_t size = type_bytes(told->shape.type);
    if (!bytes_read(npy->file, out, count * size, npy->data + begin * size))
        return read_error(npy->path, error);
    return told->values == 2 ? check_booleans(npy, out, begin, count, error) : 0;
}

static void close_document(struct io_document *document)
{
    struct npy *npy = document->context;
    if (npy->file >= 0)
        close(npy->file);
    free(npy->path);
    free(npy);
    free(document);
}

/* Reads the version and the length of the header, which is a number of 2 bytes in version 1 and of 4 bytes after
 * that. */
static int read_preamble(const struct npy *npy, uint64_t file_bytes, uint64_t *begin, uint64_t *length,
                         struct engine_error *error)
{
    uint8_t head[12] = {0};
    if (file_bytes < sizeof head || !bytes_read(npy->file, head, sizeof head, 0))
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is not a whole .npy file: it has %llu bytes", npy->path,
                         (unsigned long long) file_bytes);
    if (memcmp(head, NPY_MAGIC, 6) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is not a .npy file: it does not begin with \\x93NUMPY",
                         npy->path);
    if (head[6] < 1 || head[6] > 3 || head[7] != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: has .npy version %u.%u; expected 1.0, 2.0 or 3.0", npy->path,
                         head[6], head[7]);
    *begin = head[6] == 1 ? 10 : 12;
    *length = (uint64_t) head[8] | (uint64_t) head[9] << 8;
    if (head[6] != 1)
        *length |= (uint64_t) head[10] << 16 | (uint64_t) head[11] << 24;
    if (*length > NPY_HEADER_MAX || *length > file_bytes - *begin)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: states a header of %llu bytes; expected at most %u, and not more than the file has",
                         npy->path, (unsigned long long) *length, (unsigned) NPY_HEADER_MAX);
    return 0;
}

/* Reads the header and compares it with the size of the file, before any memory is taken for elements. */
static int read_header(struct npy *npy, struct io_array *array, struct engine_error *error)
{
    struct stat info;
    uint64_t begin = 0, length = 0, bytes;
    if (fstat(npy->file, &info) != 0)
        return read_error(npy->path, error);
    int status = read_preamble(npy, (uint64_t) info.st_size, &begin, &length, error);
    if (status != 0)
        return status;
    char *header = malloc(length + 1);
    if (header == NULL)
        return error_memory(error, length + 1, "a .npy header");
    header[length] = '\0';
    status = 0;
    if (!bytes_read(npy->file, header, length, begin))
        status = read_error(npy->path, error);
    else if (npy_parse_header(header, length, array, error) != 0)
        status = error_prefix(error, "%s: ", npy->path);
    free(header);
    if (status != 0)
        return status;
    npy->data = begin + length;
    uint64_t rest = (uint64_t) info.st_size - npy->data;
    if (!shape_bytes(&array->shape, &bytes) || bytes != rest)
        return error_set(
            error, ENGINE_STATUS_INPUT,
            "%s: contains %llu bytes of elements but its header states %llu: the file is cut short or damaged",
            npy->path, (unsigned long long) rest, (unsigned long long) bytes);
    return 0;
}

static int open_npy(const char *path, struct io_document **document, struct engine_error *error)
{
    *document = NULL;
    struct io_document *made = calloc(1, sizeof *made);
    struct npy *npy = calloc(1, sizeof *npy);
    char *name = strdup(path);
    if (made == NULL || npy == NULL || name == NULL) {
        free(made);
        free(npy);
        free(name);
        return error_memory(error, sizeof *made, "reading an array");
    }
    npy->path = name;
    npy->file = open(path, O_RDONLY | O_CLOEXEC);
    *made = (struct io_document){.count = 1, .read = read_elements, .close = close_document, .context = npy};
    int status = npy->file >= 0 ? read_header(npy, &made->arrays[0], error) : read_error(path, error);
    if (status != 0) {
        close_document(made);
        return status;
    }
    /* An array is the whole grid, not a pattern on it. */
    memcpy(made->header.grid, made->arrays[0].shape.extent, sizeof made->header.grid);
    made->header.placed = true;
    *document = made;
    return 0;
}

/* The first of three axes numbers the frames. */
static int next_frame(struct io_document *document, uint64_t by, struct engine_error *error)
{
    struct npy *npy = document->context;
    uint64_t bytes;
    (void) error;
    shape_bytes(&document->arrays[0].shape, &bytes);
    npy->data += by * bytes;
    return 0;
}

static int open_frames(const char *path, struct io_document **document, struct engine_error *error)
{
    if (open_npy(path, document, error) != 0)
        return error->status;
    struct engine_shape *shape = &(*document)->arrays[0].shape;
    if (shape->rank == 3) {
        (*document)->frames = shape->extent[2];
        (*document)->next = next_frame;
        shape->extent[2] = 1;
        shape->rank = 2;
    }
    return 0;
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static bool writes(const struct io_array *array)
{
    return type_bytes(array->shape.type) != 0 && array->shape.rank >= 1 && array->shape.rank <= 3;
}

static int write_bytes(int file, const void *data, uint64_t bytes, struct engine_error *error)
{
    return bytes_write(file, data, bytes)
               ? 0
               : error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
}

/* A pattern of a few bytes may state a grid that is larger than the disk. It is refused before the disk is full. */
static int check_space(int file, uint64_t bytes, struct engine_error *error)
{
    struct statvfs disk;
    if (fstatvfs(file, &disk) != 0 || disk.f_blocks == 0)
        return 0; /* the file system does not tell */
    const double space = (double) disk.f_bavail * (double) disk.f_frsize;
    if ((double) bytes <= space)
        return 0;
    char needed[32], missing[32];
    return error_set(error, ENGINE_STATUS_OUTPUT, "no space on the disk: %sB needed, %sB more than is free",
                     text_si((double) bytes, needed), text_si((double) bytes - space, missing));
}

static int write_elements(int file, struct io_document *document, uint32_t array, char *elements,
                          struct engine_error *error)
{
    const uint64_t size = type_bytes(document->arrays[array].shape.type), chunk = CHUNK / size;
    uint64_t total = 0;
    int status = 0;
    shape_elements(&document->arrays[array].shape, &total);
    for (uint64_t begin = 0; status == 0 && begin < total; begin += chunk) {
        uint64_t count = total - begin < chunk ? total - begin : chunk;
        status = document->read(document, array, begin, count, elements, error);
        if (status == 0)
            status = write_bytes(file, elements, count * size, error);
    }
    return status;
}

/* Moves to the next frame, which must have an array of the same shape. */
static int next_array(struct io_document *document, uint32_t index, uint64_t frame, struct engine_error *error)
{
    const struct io_array before = document->arrays[index];
    if (io_next_frame(document, error) != 0)
        return error->status;
    const struct io_array *now = &document->arrays[index];
    if (index < document->count && strcmp(now->name, before.name) == 0 &&
        memcmp(&now->shape, &before.shape, sizeof now->shape) == 0)
        return 0;
    return error_set(error, ENGINE_STATUS_OUTPUT,
                     "frame %llu of those to write differs from the first in its columns or its number of particles, "
                     "and a .npy file holds frames of one shape; write xyz or lammpstrj, or choose fewer frames",
                     (unsigned long long) frame);
}

/* The shape of all frames of an array. The first axis of several numbers the frames. */
static bool shape_of_file(const struct io_document *document, const struct io_array *array, struct engine_shape *shape)
{
    *shape = array->shape;
    if (document->frames > 1 && shape->rank < 3)
        shape->extent[shape->rank++] = document->frames;
    else if (document->frames > 1)
        return false;
    return true;
}

static int write_frames(int file, struct io_document *document, const struct io_array *array,
                        struct engine_error *error)
{
    char header[512];
    const uint32_t index = (uint32_t) (array - document->arrays);
    struct engine_shape shape;
    uint64_t bytes;
    if (!shape_of_file(document, array, &shape))
        return error_set(error, ENGINE_STATUS_OUTPUT,
                         "frames of three axes make an array of four, which is not "
                         "supported; choose one frame");
    if (!shape_bytes(&shape, &bytes))
        return error_set(error, ENGINE_STATUS_OUTPUT, "the array has more than 2^63 elements");
    if (check_space(file, bytes, error) != 0)
        return error->status;
    int status = write_bytes(file, header, npy_make_header(&shape, header, sizeof header), error);
    char *elements = malloc(CHUNK);
    if (status == 0 && elements == NULL)
        status = error_memory(error, CHUNK, "writing an array");
    if (status == 0)
        status = write_elements(file, document, index, elements, error);
    for (uint64_t frame = 1; status == 0 && frame < document->frames; frame++) {
        status = next_array(document, index, frame, error);
        if (status == 0)
            status = write_elements(file, document, index, elements, error);
    }
    free(elements);
    return status;
}

static int write_npy(int file, struct io_document *document, const struct io_options *options,
                     struct engine_error *error)
{
    (void) options;
    return write_frames(file, document, io_first_written(document, writes), error);
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("npy", "1.0", "NumPy array of 1 to 3 axes", ".npy"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_BATCHES,
    .bytes = ENGINE_SIZE_EXACT,
};

static const struct io_own own = {
    .writes = writes,
    .open = open_npy,
    .open_frames = open_frames,
    .write = write_npy,
};

const struct io_format io_npy = {.about = &about, .own = &own};
