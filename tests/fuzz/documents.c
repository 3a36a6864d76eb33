/* Targets for files of arrays. */
#include "tests/documents.h"
#include "base/text.h"
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A few bytes may state a grid of 2^48 cells, so the number of elements that are read from an array, the number in one
 * call, and the number of frames are limited. */
enum { ELEMENTS_MAX = 1 << 15, PIECE = 1 << 11, FRAMES_MAX = 16, WRITTEN_MAX = 1 << 12 };

/* ---- What the interface promises ---------------------------------------------------------------------------- */

static void expect_error(int status, const struct io_document *document, const struct engine_error *error,
                         const char *path)
{
    fuzz_expect(status == error->status && (status == ENGINE_STATUS_INPUT || status == ENGINE_STATUS_DEVICE),
                "status %d", status);
    fuzz_expect(document == NULL, "a document in spite of: %s", error->text);
    fuzz_expect(error->text[0] != '\0', "an error without a text");
    fuzz_expect(status != ENGINE_STATUS_INPUT || strncmp(error->text, path, strlen(path)) == 0, "no file name: %s",
                error->text);
}

static void expect_shape(const struct engine_file_array *array)
{
    const struct engine_shape *shape = &array->shape;
    uint64_t bytes;
    fuzz_expect(array->name != NULL && strlen(array->name) < 32, "a name of more than 31 characters");
    fuzz_expect(type_bytes(shape->type) != 0, "type %u", shape->type);
    fuzz_expect(shape->rank >= 1 && shape->rank <= 3 && shape->components >= 1, "rank %u of %u components", shape->rank,
                shape->components);
    fuzz_expect(shape_bytes(shape, &bytes) && bytes > 0, "a shape without size, or beyond 2^63 bytes");
    for (uint32_t axis = shape->rank; axis < 3; axis++)
        fuzz_expect(shape->extent[axis] == 1, "extent %u beyond the rank", axis);
}

static void expect_header(const struct io_document *document)
{
    const struct io_header *header = &document->header;
    const uint64_t *extent = document->arrays[0].shape.extent;
    fuzz_expect(memchr(header->rule, '\0', sizeof header->rule) != NULL, "a rule without a final NUL");
    for (int axis = 0; header->pattern.placed && header->pattern.grid[0] == 0 && axis < 3; axis++)
        fuzz_expect(llabs((long long) header->pattern.at[axis]) <= (long long) 1 << 62, "a place beyond the plane");
    for (uint32_t i = 0; i < header->notes; i++)
        for (const char *at = header->note[i].text; *at != '\0'; at += text_utf8(at, strlen(at)))
            fuzz_expect(text_utf8(at, strlen(at)) > 0, "a note that is not UTF-8");
    for (int axis = 0; header->pattern.placed && header->pattern.grid[0] != 0 && axis < 3; axis++)
        fuzz_expect(header->pattern.at[axis] >= 0 &&
                        (uint64_t) header->pattern.at[axis] <= header->pattern.grid[axis] &&
                        extent[axis] <= header->pattern.grid[axis] - (uint64_t) header->pattern.at[axis],
                    "a pattern placed outside its grid along axis %d", axis);
    for (int i = 0; i < 6; i++)
        fuzz_expect(isfinite(header->frame.box[i]) && (i >= 3 || header->frame.box[i] >= 0), "box[%d] is %g", i,
                    header->frame.box[i]);
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static void expect_values(const struct engine_file_array *array, const void *elements, uint64_t count)
{
    const uint8_t *bytes = elements;
    for (uint64_t i = 0; array->values != 0 && array->shape.type == ENGINE_U8 && i < count; i++)
        fuzz_expect(bytes[i] < array->values, "value %u where %u is the number of values", bytes[i], array->values);
}

/* Reads elements into memory of exactly their size. Returns false where the file is damaged. */
static bool read_range(struct io_document *document, uint32_t index, uint64_t begin, uint64_t count)
{
    struct engine_error error = {0};
    const struct engine_file_array *array = &document->arrays[index];
    void *elements = malloc(count * type_bytes(array->shape.type));
    fuzz_expect(elements != NULL, "no memory");
    const int status = document->read(document, index, begin, count, elements, &error);
    if (status == 0)
        expect_values(array, elements, count);
    else
        fuzz_expect(status == ENGINE_STATUS_INPUT && error.text[0] != '\0', "status %d while reading", status);
    free(elements);
    return status == 0;
}

static bool read_arrays(struct io_document *document)
{
    fuzz_expect(document->count >= 1 && document->count <= IO_ARRAYS_MAX, "%u arrays", document->count);
    for (uint32_t i = 0; i < document->count; i++) {
        uint64_t total = 0;
        expect_shape(&document->arrays[i]);
        shape_elements(&document->arrays[i].shape, &total);
        const uint64_t end = total < ELEMENTS_MAX ? total : ELEMENTS_MAX;
        for (uint64_t begin = 0; begin < end; begin += PIECE)
            if (!read_range(document, i, begin, end - begin < PIECE ? end - begin : PIECE))
                return false;
    }
    expect_header(document);
    return true;
}

static void read_frames(struct io_document *document)
{
    struct engine_error error = {0};
    bool whole = read_arrays(document);
    uint64_t by = 1; /* frames to move: 1, 2, 1, 2, … */
    for (uint64_t frame = by; whole && frame < document->frames && frame < FRAMES_MAX; frame += by) {
        const int status = document->next(document, by, &error);
        by = 3 - by;
        fuzz_expect(status == 0 || error.text[0] != '\0', "an error without a text");
        whole = status == 0 && read_arrays(document);
    }
}

/* Returns false where the file cannot be opened. */
bool fuzz_open(int (*open)(const char *path, struct io_document **document, struct engine_error *error),
               const char *path)
{
    struct io_document *document;
    struct engine_error error = {0};
    const int status = open(path, &document, &error);
    if (status != 0) {
        expect_error(status, document, &error, path);
        return false;
    }
    read_frames(document);
    document->close(document);
    return true;
}

static const struct io_format *used;

static int open_last(const char *path, struct io_document **document, struct engine_error *error)
{
    return file_open(used, path, false, document, error);
}

static int open_frames(const char *path, struct io_document **document, struct engine_error *error)
{
    return file_open(used, path, true, document, error);
}

static int open_unfinished(const char *path, struct io_document **document, struct engine_error *error)
{
    const struct file_opening how = {.frames = true, .unfinished = true};
    return file_open_as(used, path, &how, document, error);
}

/* Finds the elements that are not 0 by `seek`, and compares them with those of a plain scan, as far as it goes. */
static void expect_same_elements(struct io_document *sought, struct io_document *scanned)
{
    static uint8_t elements[ELEMENTS_MAX];
    struct engine_error error = {0};
    uint64_t total = 0;
    shape_elements(&sought->arrays[0].shape, &total);
    const uint64_t end = total < ELEMENTS_MAX ? total : ELEMENTS_MAX;
    if (scanned->read(scanned, 0, 0, end, elements, &error) != 0)
        return;
    for (uint64_t from = 0, at = 0, found = 0; from < end && found < PIECE; from = at + 1, found++) {
        uint64_t wanted = from;
        uint8_t element;
        while (wanted < end && elements[wanted] == 0)
            wanted++;
        if (sought->seek(sought, 0, from, &at, &error) != 0)
            return;
        fuzz_expect(at == UINT64_MAX || at < total, "element %llu of %llu", (unsigned long long) at,
                    (unsigned long long) total);
        fuzz_expect(wanted < end ? at == wanted : at >= end, "element %llu is the next one after %llu; seek finds %llu",
                    (unsigned long long) wanted, (unsigned long long) from, (unsigned long long) at);
        if (at >= end || sought->read(sought, 0, at, 1, &element, &error) != 0)
            return;
        fuzz_expect(element == elements[at], "element %llu is %u, and not %u", (unsigned long long) at, element,
                    elements[at]);
    }
}

static void fuzz_seek(const char *path)
{
    struct io_document *sought, *scanned;
    struct engine_error error = {0};
    if (open_last(path, &sought, &error) != 0)
        return;
    if (sought->seek != NULL && open_last(path, &scanned, &error) == 0) {
        expect_same_elements(sought, scanned);
        scanned->close(scanned);
    }
    sought->close(sought);
}

bool fuzz_document(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    const struct io_format *format = io_format_named(target->name);
    const char *path = fuzz_file(bytes, size);
    used = format;
    const bool taken = fuzz_open(open_last, path);
    if (io_has(format, ENGINE_FORMAT_FRAMES))
        fuzz_open(open_unfinished, path);
    fuzz_seek(path);
    return fuzz_open(open_frames, path) && taken;
}

/* ---- Converting --------------------------------------------------------------------------------------------- */

static bool is_small(const struct io_document *document)
{
    uint64_t elements = 0;
    bool small = true;
    for (uint32_t i = 0; i < document->count; i++)
        small = small && shape_elements(&document->arrays[i].shape, &elements) && elements <= WRITTEN_MAX;
    return small;
}

/* Writes the document to a file in memory, in every format. It is opened each time, because a grid can be read once. */
static void write_as(const struct io_format *format, const char *in)
{
    const struct io_options options = {.scale = 1, .threads = 1, .view = IO_PROJECTION, .pixels = 16};
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document(in, &document, &error) != 0)
        return;
    const int file = memfd_create("written", MFD_CLOEXEC);
    for (uint32_t i = 0; is_small(document) && i < document->count; i++)
        if (io_writes(format, &document->arrays[i], &options)) {
            const int status = file_write(format, file, document, &options, &error);
            fuzz_expect(status == 0 || error.text[0] != '\0', "an error without a text");
            break;
        }
    close(file);
    document->close(document);
}

bool fuzz_any(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    (void) target;
    return fuzz_open(open_document, fuzz_file(bytes, size));
}

bool fuzz_convert(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    const struct io_format *format;
    const char *path = fuzz_file(bytes, size);
    (void) target;
    const bool taken = fuzz_open(open_document, path) && fuzz_open(open_document_frames, path);
    for (uint32_t i = 0; (format = io_format_at(i)) != NULL; i++)
        if (taken && io_is_written(format) &&
            format->about->check == NULL) /* those with a check start another program */
            write_as(format, path);
    return taken;
}
