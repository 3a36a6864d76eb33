/* VTK ImageData and .pvd files, parsed here as VTK's page about its file formats says: attributes are read from the
 * XML, and blocks are inflated one by one. */
#include "files/index.h"
#include "files/io.h"
#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

enum { MOST = 1 << 24 };

/* Elements are bytes of a hash of their index, so that no two are equal by chance. */
struct source {
    struct io_document document;
    uint32_t modulus; /* of each byte; 2: cells */
    uint64_t next, fails_at;
};

static uint8_t byte_at(const struct source *source, uint64_t i)
{
    return (uint8_t) ((i * UINT64_C(0x9E3779B97F4A7C15) >> 40) % source->modulus);
}

static int read_source(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                       struct engine_error *error)
{
    struct source *source = document->context;
    const uint64_t size = type_bytes(document->arrays[array].shape.type);
    assert_int_equal(begin, source->next);
    source->next += count;
    for (uint64_t i = 0; i < count * size; i++)
        ((uint8_t *) out)[i] = byte_at(source, begin * size + i);
    return source->next > source->fails_at ? error_set(error, ENGINE_STATUS_INPUT, "source:3: broken") : 0;
}

static struct source source_of(uint32_t type, uint32_t components, uint32_t rank, uint64_t x, uint64_t y, uint64_t z)
{
    struct source source = {.modulus = type == ENGINE_U8 ? 2 : 256, .fails_at = UINT64_MAX};
    source.document.count = 1;
    source.document.arrays[0] = (struct engine_file_array){
        .name = "heat", .values = 0, .shape = {sizeof(struct engine_shape), type, components, rank, {x, y, z}}};
    source.document.header.frame.step = 300;
    source.document.read = read_source;
    return source;
}

static int write_source(struct source *source, const char *path, uint32_t threads, struct engine_error *error)
{
    source->document.context = source;
    source->next = 0;
    return io_write(io_format_named("vti"), path, &source->document, &(struct io_options){.threads = threads}, error);
}

/* A file in memory; the XML before the data ends in '\0' there. */
struct parsed {
    uint8_t *bytes;
    uint64_t size;
    const uint8_t *data; /* after the '_' */
};

static struct parsed parse(const char *path)
{
    struct parsed parsed = {.bytes = calloc(1, MOST)};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    parsed.size = fread(parsed.bytes, 1, MOST - 1, file);
    fclose(file);
    char *data = strstr((char *) parsed.bytes, "<AppendedData encoding=\"raw\">");
    assert_non_null(data);
    *data = '\0';
    data = strchr(data + 1, '_');
    assert_non_null(data);
    parsed.data = (uint8_t *) data + 1;
    return parsed;
}

/* The value of an attribute of the first element of that name. */
static const char *attribute(const char *xml, const char *element, const char *name)
{
    static char value[200];
    char begin[64], key[64];
    snprintf(begin, sizeof begin, "<%s ", element);
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(xml, begin);
    assert_non_null(at);
    const char *end = strchr(at, '>');
    at = strstr(at, key);
    assert_true(at != NULL && at < end);
    at += strlen(key);
    snprintf(value, sizeof value, "%.*s", (int) strcspn(at, "\""), at);
    return value;
}

static uint64_t word(const uint8_t *data, uint64_t index)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | data[index * 8 + (uint64_t) i];
    return value;
}

/* Inflates all blocks, compares them with the source, and checks the text after them. */
static void expect_data(const struct parsed *parsed, const struct source *source, uint64_t bytes)
{
    const uint64_t blocks = word(parsed->data, 0), whole = word(parsed->data, 1), last = word(parsed->data, 2);
    const uint8_t *at = parsed->data + (3 + blocks) * 8;
    uint8_t *out = malloc(whole);
    uint64_t done = 0;
    assert_int_equal(whole, 1 << 20);
    assert_int_equal(blocks, (bytes + whole - 1) / whole);
    assert_int_equal(last, bytes % whole);
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t packed = word(parsed->data, 3 + b);
        uLongf got = whole;
        assert_int_equal(uncompress(out, &got, at, packed), Z_OK);
        assert_int_equal(got, b + 1 < blocks || last == 0 ? whole : last);
        for (uint64_t i = 0; i < got; i++)
            if (out[i] != byte_at(source, done + i))
                fail_msg("byte %llu differs", (unsigned long long) (done + i));
        done += got;
        at += packed;
    }
    assert_int_equal(done, bytes);
    static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
    assert_int_equal(parsed->bytes + parsed->size - at, strlen(end));
    assert_memory_equal(at, end, strlen(end));
    free(out);
}

struct expected {
    const char *extent, *type, *components;
    uint64_t bytes;
};

static void expect_file(struct source source, uint32_t threads, struct expected expected)
{
    struct engine_error error = {0};
    if (write_source(&source, path_of("a.vti"), threads, &error) != 0)
        fail_msg("%s", error.text);
    struct parsed parsed = parse(path_of("a.vti"));
    const char *xml = (char *) parsed.bytes;
    assert_string_equal(attribute(xml, "VTKFile", "type"), "ImageData");
    assert_string_equal(attribute(xml, "VTKFile", "byte_order"), "LittleEndian");
    assert_string_equal(attribute(xml, "VTKFile", "header_type"), "UInt64");
    assert_string_equal(attribute(xml, "VTKFile", "compressor"), "vtkZLibDataCompressor");
    assert_string_equal(attribute(xml, "ImageData", "WholeExtent"), expected.extent);
    assert_string_equal(attribute(xml, "ImageData", "Spacing"), "1 1 1");
    assert_string_equal(attribute(xml, "Piece", "Extent"), expected.extent);
    assert_string_equal(attribute(xml, "CellData", "Scalars"), "heat");
    const char *cells = strstr(xml, "<CellData");
    assert_string_equal(attribute(cells, "DataArray", "type"), expected.type);
    assert_string_equal(attribute(cells, "DataArray", "Name"), "heat");
    assert_string_equal(attribute(cells, "DataArray", "NumberOfComponents"), expected.components);
    assert_string_equal(attribute(cells, "DataArray", "format"), "appended");
    assert_string_equal(attribute(cells, "DataArray", "offset"), "0");
    assert_non_null(strstr(xml, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">300</DataArray>"));
    expect_data(&parsed, &source, expected.bytes);
    free(parsed.bytes);
}

static void grids_of_one_to_three_axes_are_cell_data(void **state)
{
    (void) state;
    expect_file(source_of(ENGINE_U8, 1, 3, 1, 1, 1), 1, (struct expected){"0 1 0 1 0 1", "UInt8", "1", 1});
    expect_file(source_of(ENGINE_U8, 1, 3, 5, 3, 2), 2, (struct expected){"0 5 0 3 0 2", "UInt8", "1", 30});
    expect_file(source_of(ENGINE_U8, 1, 2, 33, 7, 1), 1, (struct expected){"0 33 0 7 0 0", "UInt8", "1", 231});
    expect_file(source_of(ENGINE_U8, 1, 1, 101, 1, 1), 0, (struct expected){"0 101 0 0 0 0", "UInt8", "1", 101});
}

static void elements_keep_their_type(void **state)
{
    (void) state;
    static const struct {
        uint32_t type;
        const char *name, *components;
    } types[] = {
        {ENGINE_I8, "Int8", "3"},     {ENGINE_U16, "UInt16", "3"},   {ENGINE_I16, "Int16", "3"},
        {ENGINE_U32, "UInt32", "3"},  {ENGINE_I32, "Int32", "3"},    {ENGINE_U64, "UInt64", "3"},
        {ENGINE_I64, "Int64", "3"},   {ENGINE_F32, "Float32", "3"},  {ENGINE_F64, "Float64", "3"},
        {ENGINE_C64, "Float32", "6"}, {ENGINE_C128, "Float64", "6"},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        expect_file(source_of(types[i].type, 3, 3, 7, 5, 4), 1,
                    (struct expected){"0 7 0 5 0 4", types[i].name, types[i].components,
                                      UINT64_C(420) * type_bytes(types[i].type)});
}

/* Blocks are of 2^20 bytes: one that is just full, one more byte, more blocks than threads, and the other way round. */
static void blocks_are_the_same_by_any_number_of_threads(void **state)
{
    (void) state;
    static const uint32_t threads[] = {1, 2, 3, 64};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        expect_file(source_of(ENGINE_U8, 1, 3, 128, 128, 64), threads[i],
                    (struct expected){"0 128 0 128 0 64", "UInt8", "1", 1 << 20});
        expect_file(source_of(ENGINE_U8, 1, 3, 61681, 17, 1), threads[i],
                    (struct expected){"0 61681 0 17 0 1", "UInt8", "1", (1 << 20) + 1});
        expect_file(source_of(ENGINE_F64, 1, 3, 101, 103, 71), threads[i],
                    (struct expected){"0 101 0 103 0 71", "Float64", "1", 101 * 103 * 71 * 8});
    }
}

static void write_errors_are_told(void **state)
{
    (void) state;
    struct engine_error error = {0};
    const struct io_format *vti = io_format_named("vti");
    struct source source = source_of(ENGINE_F64, 1, 3, 101, 103, 71);
    source.document.context = &source;
    assert_int_equal(
        file_write(vti, open("/dev/full", O_WRONLY), &source.document, &(struct io_options){.threads = 2}, &error),
        ENGINE_STATUS_OUTPUT);
    assert_string_equal(error.text, "cannot be written: No space left on device");
    assert_int_equal(write_source(&source, path_of("none/a.vti"), 1, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "none/a.vti: its folder cannot be opened: No such file or directory"));
    source.fails_at = 200000;
    assert_int_equal(write_source(&source, path_of("b.vti"), 1, &error), ENGINE_STATUS_INPUT);
    assert_string_equal(error.text, "source:3: broken");
    assert_int_equal(access(path_of("b.vti"), F_OK), -1);
}

static void what_vtk_cannot_count_is_not_written(void **state)
{
    (void) state;
    const struct io_format *vti = io_format_named("vti");
    struct engine_file_array array = {
        .name = "cells", .values = 2, .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 3, {3, 3, 2147483647}}};
    assert_true(io_writes(vti, &array, &(struct io_options){0}));
    array.shape.extent[2]++;
    assert_false(io_writes(vti, &array, &(struct io_options){0}));
    assert_false(io_reads(vti));
}

enum { MEMBERS = 6, LISTED = 4000 };

/* Is the .pvd file in the folder what ParaView expects of so many members? */
static void is_listed(uint64_t count)
{
    char text[LISTED] = "", expected[LISTED] = "<?xml version=\"1.0\"?>\n"
                                               "<VTKFile type=\"Collection\" version=\"0.1\" "
                                               "byte_order=\"LittleEndian\">\n"
                                               "  <Collection>\n";
    for (uint64_t i = 0; i < count; i++)
        snprintf(expected + strlen(expected), LISTED - strlen(expected),
                 "    <DataSet timestep=\"%d\" group=\"\" part=\"0\" file=\"cells-%d.vti\"/>\n", (int) i * 100,
                 (int) i);
    strcat(expected, "  </Collection>\n</VTKFile>\n");
    FILE *file = fopen(path_of("cells.pvd"), "r");
    assert_non_null(file);
    assert_true(fread(text, 1, LISTED - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, expected);
}

static void add_member(struct io_index *index, int number)
{
    static char names[MEMBERS][32];
    const struct io_member member = {names[number], (uint64_t) number * 100};
    struct engine_error error = {0};
    snprintf(names[number], sizeof names[number], "cells-%d.vti", number);
    assert_int_equal(io_index_add(index, &member, &error), 0);
}

/* The name of the one temporary file in the folder, or "". */
static const char *temporary_file(void)
{
    static char name[300];
    name[0] = '\0';
    DIR *open = opendir(folder);
    for (struct dirent *entry; (entry = readdir(open)) != NULL;)
        if (strstr(entry->d_name, ".tmp.") != NULL)
            snprintf(name, sizeof name, "%s", entry->d_name);
    closedir(open);
    return name;
}

static void a_series_is_listed_after_each_output(void **state)
{
    (void) state;
    struct engine_error error = {0};
    struct io_index *index = io_index_open(io_format_named("vti"), opened_folder(), "cells.pvd", &error);
    assert_string_equal(io_format_named("vti")->about->index->ending, "pvd");
    assert_string_equal(io_index_name(index), "cells.pvd");
    for (int i = 0; i < MEMBERS; i++) {
        add_member(index, i);
        assert_int_equal(io_index_write(index, i + 1 == MEMBERS, &error), 0);
        is_listed((uint64_t) i + 1);
    }
    assert_string_equal(temporary_file(), "");
    io_index_close(index);
    is_listed(MEMBERS);
}

/* A run that continues lists the existing files with its first output. */
static void members_from_before_are_listed_with_the_next(void **state)
{
    (void) state;
    struct engine_error error = {0};
    struct io_index *index = io_index_open(io_format_named("vti"), opened_folder(), "cells.pvd", &error);
    for (int i = 0; i < 3; i++)
        add_member(index, i);
    assert_int_equal(io_index_write(index, false, &error), 0);
    is_listed(3);
    io_index_close(index);
}

static void a_series_is_listed_although_somebody_removed_the_list(void **state)
{
    (void) state;
    struct engine_error error = {0};
    struct io_index *index = io_index_open(io_format_named("vti"), opened_folder(), "cells.pvd", &error);
    for (int i = 0; i < MEMBERS; i++) {
        add_member(index, i);
        if (i == 2)
            assert_int_equal(unlink(path_of("cells.pvd")), 0);
        if (i == 5)
            assert_int_equal(unlink(path_of(temporary_file())), 0);
        assert_int_equal(io_index_write(index, false, &error), 0);
        is_listed((uint64_t) i + 1);
    }
    io_index_close(index);
    assert_string_equal(temporary_file(), "");
}

static void a_list_that_cannot_be_written_is_told(void **state)
{
    (void) state;
    struct engine_error error = {0};
    struct io_index *index = io_index_open(io_format_named("vti"), opened_folder(), ".", &error);
    add_member(index, 0);
    assert_int_equal(io_index_write(index, false, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "exists and is not a regular file"));
    io_index_close(index);
    struct folder *removed = removed_folder();
    index = io_index_open(io_format_named("vti"), removed, "cells.pvd", &error);
    add_member(index, 0);
    assert_int_equal(io_index_write(index, false, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "removed/cells.pvd: cannot be created: its folder was removed"));
    io_index_close(index);
    folder_close(removed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_of_one_to_three_axes_are_cell_data),
        cmocka_unit_test(elements_keep_their_type),
        cmocka_unit_test(blocks_are_the_same_by_any_number_of_threads),
        cmocka_unit_test(write_errors_are_told),
        cmocka_unit_test(what_vtk_cannot_count_is_not_written),
        cmocka_unit_test(a_series_is_listed_after_each_output),
        cmocka_unit_test(members_from_before_are_listed_with_the_next),
        cmocka_unit_test(a_series_is_listed_although_somebody_removed_the_list),
        cmocka_unit_test(a_list_that_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
