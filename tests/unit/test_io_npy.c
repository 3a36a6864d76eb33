/* Reading and writing NumPy arrays. Whole files are literals that numpy.save of NumPy 2.4 wrote. */
#include "folder.h"
#include "tests/documents.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define BLANKS_58 "                                                          "

/* numpy.array([[1, 2, 3], [4, 5, 6]], 'u1') */
static const char bytes_2_3[] =
    "\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }" BLANKS_58
    "\n\x01\x02\x03\x04\x05\x06";
/* numpy.array([[1.5, -2, 3]], '<f4') */
static const char floats_1_3[] =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }" BLANKS_58
    "\n\x00\x00\xc0?\x00\x00\x00\xc0\x00\x00@@";
/* numpy.array([7, 8], '<u8') */
static const char longs_2[] =
    "\x93NUMPY\x01\x00v\x00{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }  " BLANKS_58
    "\n\x07\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00";

static const char *file_of(const char *bytes, size_t size)
{
    const char *path = path_of("in.npy");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* A file of version `major`.0 with this dictionary, not padded, and `bytes` bytes 0, 1, 2, … of elements. */
static const char *file_with(int major, const char *dictionary, size_t bytes)
{
    static char file[70000];
    size_t length = strlen(dictionary), begin = major == 1 ? 10 : 12;
    memset(file, 0, 12);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char) major;
    file[8] = (char) (length & 255);
    file[9] = (char) (length >> 8 & 255);
    memcpy(file + begin, dictionary, length);
    for (size_t i = 0; i < bytes; i++)
        file[begin + length + i] = (char) i;
    return file_of(file, begin + length + bytes);
}

static struct io_document *opened(const char *path)
{
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document(path, &document, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(document->count, 1);
    return document;
}

static void expect_shape(const struct io_document *document, uint32_t type, uint32_t rank, uint64_t x, uint64_t y,
                         uint64_t z, uint32_t components)
{
    const struct engine_shape *shape = &document->arrays[0].shape;
    assert_int_equal(shape->type, type);
    assert_int_equal(shape->rank, rank);
    assert_int_equal(shape->extent[0], x);
    assert_int_equal(shape->extent[1], y);
    assert_int_equal(shape->extent[2], z);
    assert_int_equal(shape->components, components);
}

static void expect_error(const char *path, const char *what)
{
    struct engine_error error = {0};
    struct io_document *document;
    int status = open_document(path, &document, &error);
    char begin[600];
    snprintf(begin, sizeof begin, "%s: ", path);
    if (status != ENGINE_STATUS_INPUT || document != NULL || strncmp(error.text, begin, strlen(begin)) != 0 ||
        strstr(error.text, what) == NULL || strstr(error.text + 1, folder) != NULL)
        fail_msg("status %d, '%s', expected '%s'", status, error.text, what);
}

static void files_of_numpy_are_read(void **state)
{
    (void) state;
    struct engine_error error = {0};
    uint8_t bytes[6];
    struct io_document *document = opened(file_of(bytes_2_3, sizeof bytes_2_3 - 1));
    expect_shape(document, ENGINE_U8, 2, 3, 2, 1, 1);
    assert_int_equal(document->arrays[0].values, 0);
    assert_int_equal(document->read(document, 0, 0, 2, bytes, &error), 0);
    assert_int_equal(document->read(document, 0, 2, 4, bytes + 2, &error), 0);
    assert_memory_equal(bytes, "\1\2\3\4\5\6", 6);
    document->close(document);

    float floats[3];
    document = opened(file_of(floats_1_3, sizeof floats_1_3 - 1));
    expect_shape(document, ENGINE_F32, 2, 3, 1, 1, 1);
    assert_int_equal(document->read(document, 0, 0, 3, floats, &error), 0);
    assert_true(floats[0] == 1.5f && floats[1] == -2.0f && floats[2] == 3.0f);
    document->close(document);

    uint64_t longs[2];
    document = opened(file_of(longs_2, sizeof longs_2 - 1));
    expect_shape(document, ENGINE_U64, 1, 2, 1, 1, 1);
    assert_int_equal(document->read(document, 0, 0, 2, longs, &error), 0);
    assert_true(longs[0] == 7 && longs[1] == 8);
    document->close(document);
}

static void every_type_is_known(void **state)
{
    (void) state;
    static const struct {
        const char *name;
        uint32_t type, bytes;
    } types[] = {
        {"|u1", ENGINE_U8, 1},  {"|i1", ENGINE_I8, 1},  {"<u2", ENGINE_U16, 2}, {"<i2", ENGINE_I16, 2},
        {"<u4", ENGINE_U32, 4}, {"<i4", ENGINE_I32, 4}, {"<u8", ENGINE_U64, 8}, {"<i8", ENGINE_I64, 8},
        {"<f4", ENGINE_F32, 4}, {"<f8", ENGINE_F64, 8}, {"<c8", ENGINE_C64, 8}, {"<c16", ENGINE_C128, 16},
        {"|b1", ENGINE_U8, 1},  {"<u1", ENGINE_U8, 1},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }\n", types[i].name);
        struct io_document *document = opened(file_with(1, text, 2 * types[i].bytes));
        expect_shape(document, types[i].type, 1, 2, 1, 1, 1);
        assert_int_equal(document->arrays[0].values, strcmp(types[i].name, "|b1") == 0 ? 2 : 0);
        document->close(document);
    }
}

static void shapes_end_with_x(void **state)
{
    (void) state;
    struct io_document *document =
        opened(file_with(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }\n", 24));
    expect_shape(document, ENGINE_U8, 3, 4, 3, 2, 1);
    document->close(document);
    document = opened(file_with(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4, 5), }\n", 120));
    expect_shape(document, ENGINE_U8, 3, 4, 3, 2, 5);
    document->close(document);
}

static void versions_and_spellings_of_the_header_are_read(void **state)
{
    (void) state;
    static const char *const spellings[] = {
        "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 2), }\n",
        "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 2)}",
        "{'descr': '<u2', 'fortran_order': False, 'shape': (3L, 2L), }   \n",
        "{\"shape\":(3,2,),\"fortran_order\":False,\"descr\":\"<u2\"}\n\n",
        "  { 'fortran_order' : False ,\n 'descr' : '<u2' , 'shape' : ( 3 , 2 ) }",
    };
    for (int major = 1; major <= 3; major++)
        for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
            struct engine_error error = {0};
            uint16_t elements[6];
            struct io_document *document = opened(file_with(major, spellings[i], 12));
            expect_shape(document, ENGINE_U16, 2, 2, 3, 1, 1);
            assert_int_equal(document->read(document, 0, 0, 6, elements, &error), 0);
            assert_int_equal(elements[0], 0x0100);
            assert_int_equal(elements[5], 0x0b0a);
            document->close(document);
        }
}

static void bad_dictionaries_are_refused(void **state)
{
    (void) state;
    static const struct {
        const char *dictionary, *what;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }", "numpy.ascontiguousarray"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (3, 4), }", "type >f4 are not supported"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }", "type <f2 are not supported"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }", "type |O are not supported"},
        {"{'descr': '', 'fortran_order': False, 'shape': (3, 4), }", "are not supported"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", "type struct are not supported"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "without axes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1), }", "more than 4 axes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (3, 0), }", "no elements"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 0), }", "fourth axis of the array has 0"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 4294967296), }",
         "fourth axis of the array has 4294967296"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (-3,), }", "whole numbers"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (3.5,), }", "tuple"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,), }", "whole numbers below 2^63"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (9223372036854775807,), }", "more than 2^63 bytes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "more than 2^63 bytes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': 3, }", "tuple"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (3", "tuple"},
        {"{'descr': '|u1', 'fortran_order': False, }", "dictionary"},
        {"{'descr': '|u1', 'shape': (3,), }", "dictionary"},
        {"{'descr': '|u1', 'fortran_order': Maybe, 'shape': (3,), }", "dictionary"},
        {"{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "dictionary"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (3,), 'more': 1}", "dictionary"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (3,), } 7", "dictionary"},
        {"{'descr': '|u1' 'fortran_order': False, 'shape': (3,), }", "dictionary"},
        {"{'descr: |u1", "dictionary"},
        {"{,}", "dictionary"},
        {"hello, world", "dictionary"},
        {"", "dictionary"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_error(file_with(1, cases[i].dictionary, 12), cases[i].what);
    static const char nul[] =
        "\x93NUMPY\x01\x00\x3a\x00{'descr': '|u1', 'fortran_order': False\0, 'shape': (2, 3)} \1\2\3";
    expect_error(file_of(nul, sizeof nul - 1), "dictionary");
}

static void the_file_must_be_as_long_as_its_header_says(void **state)
{
    (void) state;
    static const char text[] = "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 2), }\n";
    expect_error(file_with(1, text, 11), "contains 11 bytes of elements but its header states 12");
    expect_error(file_with(1, text, 13), "contains 13 bytes of elements but its header states 12");
    expect_error(file_with(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1099511627776,), }", 4),
                 "contains 4 bytes of elements but its header states 1099511627776");
    expect_error(file_of(bytes_2_3, 40), "states a header of 118 bytes");
    expect_error(file_of(bytes_2_3, 9), "is not a whole .npy file: it has 9 bytes");
    expect_error(file_of("\x93NUMPY\x04\x00v\x00{} ", 13), "version 4.0");
    expect_error(file_of("\x93NUMPY\x02\x00\xff\xff\xff\xff{} ", 15), "states a header of 4294967295 bytes");
    expect_error(file_of("\x93NUMPX\x01\x00v\x00{}", 12), "does not begin with \\x93NUMPY"); /* known by its ending */
}

static void a_boolean_is_0_or_1(void **state)
{
    (void) state;
    struct engine_error error = {0};
    uint8_t out[3];
    struct io_document *document = opened(file_with(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", 3));
    assert_int_equal(document->read(document, 0, 0, 2, out, &error), 0);
    assert_int_equal(document->read(document, 0, 2, 1, out, &error), ENGINE_STATUS_INPUT);
    assert_non_null(strstr(error.text, "in.npy: element 2 is 2"));
    document->close(document);
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static const void *source;

static int read_source(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                       struct engine_error *error)
{
    (void) error;
    size_t size = type_bytes(document->arrays[array].shape.type);
    memcpy(out, (const char *) source + begin * size, count * size);
    return 0;
}

static struct io_document document_of(const void *elements, uint32_t type, uint32_t components, uint32_t rank,
                                      uint64_t x, uint64_t y, uint64_t z)
{
    source = elements;
    return (struct io_document){
        .count = 1,
        .arrays = {{.name = "a", .shape = {sizeof(struct engine_shape), type, components, rank, {x, y, z}}}},
        .read = read_source,
    };
}

/* The bytes written, as numpy wrote them. */
static void expect_written(struct io_document document, const char *expected, size_t size)
{
    char bytes[256];
    struct engine_error error = {0};
    if (io_write(io_format_named("npy"), path_of("out.npy"), &document, NULL, &error) != 0)
        fail_msg("%s", error.text);
    FILE *file = fopen(path_of("out.npy"), "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), size);
    fclose(file);
    assert_memory_equal(bytes, expected, size);
}

static void what_is_written_is_what_numpy_writes(void **state)
{
    (void) state;
    static const float floats[] = {1.5f, -2.0f, 3.0f};
    static const uint64_t longs[] = {7, 8};
    expect_written(document_of("\1\2\3\4\5\6", ENGINE_U8, 1, 2, 3, 2, 1), bytes_2_3, sizeof bytes_2_3 - 1);
    expect_written(document_of(longs, ENGINE_U64, 1, 1, 2, 1, 1), longs_2, sizeof longs_2 - 1);
    expect_written(document_of(floats, ENGINE_F32, 1, 2, 3, 1, 1), floats_1_3, sizeof floats_1_3 - 1);
    /* one particle of three components is the same array */
    expect_written(document_of(floats, ENGINE_F32, 3, 1, 1, 1, 1), floats_1_3, sizeof floats_1_3 - 1);
    expect_written(document_of("\1\2\3\4\5\6", ENGINE_U8, 3, 1, 2, 1, 1), bytes_2_3, sizeof bytes_2_3 - 1);
}

static void large_arrays_of_rank_3_come_back(void **state)
{
    (void) state;
    enum { COUNT = 100 * 90 * 80 };
    double *out = malloc(COUNT * sizeof *out), *back = malloc(COUNT * sizeof *back);
    for (int i = 0; i < COUNT; i++)
        out[i] = 0.5 * i;
    struct engine_error error = {0};
    struct io_document made = document_of(out, ENGINE_F64, 1, 3, 80, 90, 100);
    assert_int_equal(io_write(io_format_named("npy"), path_of("big.npy"), &made, NULL, &error), 0);
    struct io_document *document = opened(path_of("big.npy"));
    expect_shape(document, ENGINE_F64, 3, 80, 90, 100, 1);
    assert_int_equal(document->read(document, 0, 0, COUNT, back, &error), 0);
    assert_memory_equal(out, back, COUNT * sizeof *out);
    document->close(document);
    free(out);
    free(back);
}

static void write_errors_say_path_and_reason(void **state)
{
    (void) state;
    struct engine_error error = {0};
    struct io_document made = document_of("\1\2\3\4\5\6", ENGINE_U8, 1, 2, 3, 2, 1);
    assert_int_equal(
        file_write(io_format_named("npy"), open("/dev/full", O_WRONLY), &made, &(struct io_options){0}, &error),
        ENGINE_STATUS_OUTPUT);
    assert_string_equal(error.text, "cannot be written: No space left on device");
    assert_int_equal(io_write(io_format_named("npy"), path_of("none/a.npy"), &made, NULL, &error),
                     ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "none/a.npy: its folder cannot be opened: No such file or directory"));
}

/* An array of 2^47 bytes is refused before any of them is read. */
static void an_array_larger_than_the_disk_is_refused_before_it_is_written(void **state)
{
    (void) state;
    struct engine_error error = {0};
    struct io_document made = document_of(NULL, ENGINE_F64, 1, 2, 1 << 22, 1 << 22, 1);
    assert_int_equal(io_write(io_format_named("npy"), path_of("huge.npy"), &made, NULL, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "huge.npy: no space on the disk: 141 TB needed, "));
    assert_int_not_equal(access(path_of("huge.npy"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_numpy_are_read),
        cmocka_unit_test(every_type_is_known),
        cmocka_unit_test(shapes_end_with_x),
        cmocka_unit_test(versions_and_spellings_of_the_header_are_read),
        cmocka_unit_test(bad_dictionaries_are_refused),
        cmocka_unit_test(the_file_must_be_as_long_as_its_header_says),
        cmocka_unit_test(a_boolean_is_0_or_1),
        cmocka_unit_test(what_is_written_is_what_numpy_writes),
        cmocka_unit_test(large_arrays_of_rank_3_come_back),
        cmocka_unit_test(write_errors_say_path_and_reason),
        cmocka_unit_test(an_array_larger_than_the_disk_is_refused_before_it_is_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
