/* Small files of particles for tests, and their expected content. */
#ifndef TESTS_UNIT_PARTICLE_FILES_H
#define TESTS_UNIT_PARTICLE_FILES_H

#include "folder.h"
#include "tests/documents.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

static inline const char *file_of(const char *name, const void *bytes, size_t size)
{
    const char *path = path_of(name);
    unlink(path); /* some file systems wait for the disk where a file is written anew */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* The same, gzip-compressed, without the last `cut` bytes. */
static inline const char *zipped_file_of(const char *name, const void *bytes, size_t size, long cut)
{
    const char *path = path_of(name);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned) size), size);
    assert_int_equal(gzclose(file), Z_OK);
    FILE *plain = fopen(path, "rb");
    assert_int_equal(fseek(plain, 0, SEEK_END), 0);
    const long end = ftell(plain);
    fclose(plain);
    assert_int_equal(truncate(path, end - cut), 0);
    return path;
}

static inline struct io_document *opened(const char *path)
{
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document(path, &document, &error) != 0)
        fail_msg("%s", error.text);
    return document;
}

static inline int array_of(const struct io_document *document, const char *name)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (strcmp(document->arrays[i].name, name) == 0)
            return (int) i;
    return -1;
}

/* Checks the numbers of an array of `rows` particles, which is of real or of whole numbers. */
static inline void expect_numbers(struct io_document *document, const char *name, uint64_t rows, uint32_t components,
                                  const double *numbers)
{
    struct engine_error error = {0};
    union {
        double f64[64];
        float f32[64];
        int64_t i64[64];
    } held;
    const int array = array_of(document, name);
    if (array < 0)
        fail_msg("no array %s", name);
    const struct engine_shape *shape = &document->arrays[array].shape;
    assert_int_equal(shape->rank, 1);
    assert_int_equal(shape->extent[0], rows);
    assert_int_equal(shape->components, components);
    assert_int_equal(document->read(document, (uint32_t) array, 0, rows * components, &held, &error), 0);
    for (uint64_t i = 0; i < rows * components; i++) {
        const double is = shape->type == ENGINE_F64   ? held.f64[i]
                          : shape->type == ENGINE_F32 ? (double) held.f32[i]
                                                      : (double) held.i64[i];
        if (is != numbers[i])
            fail_msg("%s[%d] is %.17g; expected %.17g", name, (int) i, is, numbers[i]);
    }
}

static inline void expect_box(const struct io_document *document, const double box[6])
{
    for (int i = 0; i < 6; i++)
        if (document->header.frame.box[i] != box[i])
            fail_msg("box[%d] is %.17g; expected %.17g", i, document->header.frame.box[i], box[i]);
}

/* Checks the positions of one particle, except for rounding. */
static inline void expect_position(struct io_document *document, double x, double y, double z)
{
    const double should[3] = {x, y, z};
    struct engine_error error = {0};
    double read[3];
    assert_int_equal(document->read(document, 0, 0, 3, read, &error), 0);
    for (int i = 0; i < 3; i++)
        if (!(fabs(read[i] - should[i]) < 1e-12))
            fail_msg("position[%d] is %.17g; expected %.17g", i, read[i], should[i]);
}

/* Checks that opening the file fails, with this text after its name. */
static inline void expect_error(const char *path, const char *text)
{
    struct engine_error error = {0};
    struct io_document *document = (void *) &error;
    assert_int_equal(open_document(path, &document, &error), ENGINE_STATUS_INPUT);
    assert_null(document);
    if (strncmp(error.text, path, strlen(path)) != 0 || strstr(error.text, text) == NULL)
        fail_msg("the error is '%s'; expected '%s'", error.text, text);
}

/* Writes a document into a file of that format, and gives the path. */
static inline const char *written(struct io_document *document, const char *format, const char *name)
{
    struct engine_error error = {0};
    const char *path = path_of(name);
    if (io_write(io_format_named(format), path, document, NULL, &error) != 0)
        fail_msg("%s", error.text);
    return path;
}

/* Its whole text, until the next call. */
static inline const char *text_of(const char *path)
{
    static char text[1 << 14];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* ---- A document of arrays in memory, to be written ---------------------------------------------------------- */

struct memory {
    const void *array[IO_ARRAYS_MAX];
};

static inline int read_memory(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                              struct engine_error *error)
{
    const struct memory *memory = document->context;
    const uint64_t bytes = type_bytes(document->arrays[array].shape.type);
    memcpy(out, (const char *) memory->array[array] + begin * bytes, count * bytes);
    return 0;
}

static inline void add_memory(struct io_document *document, const char *name, uint32_t type, uint64_t rows,
                              uint32_t components, const void *elements)
{
    struct memory *memory = document->context;
    struct engine_file_array *array = &document->arrays[document->count];
    array->name = name;
    array->shape = (struct engine_shape){sizeof array->shape, type, components, 1, {rows, 1, 1}};
    memory->array[document->count++] = elements;
    document->read = read_memory;
}

#endif
