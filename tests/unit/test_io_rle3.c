/* Reading and writing RLE3. The pattern and its notation come from Golly's Help (3D.lua, RLE3 file format). Cells are
 * written by hand. A reader in this test, which does what 3D.lua does, reads the files that the engine writes. */
#define PATTERN_FILE "in.rle3"
#include "files/io.h"
#include "pattern_files.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

static const char ship[] = "3D version=1 size=40 pos=19,18,18\n"
                           "# A 10c/10 orthogonal spaceship.\n"
                           "# Found by Andrew Trevorrow in April, 2018.\n"
                           "x=2 y=4 z=4 rule=3D4,7/5,8\n"
                           "$bo$bo/bo$bo$bo$oo/oo$bo$bo$bo/$bo$bo!\n";

/* Planes of rows, one after the other. */
static const char ship_cells[] = "..\n.O\n.O\n..\n"
                                 ".O\n.O\n.O\nOO\n"
                                 "OO\n.O\n.O\n.O\n"
                                 "..\n.O\n.O\n..\n";

/* Returns all cells as text of '.' and 'O', a line per row, read in ranges of `range` cells. Closes the document. */
static void expect_cells(struct io_document *document, uint64_t range, const char *expected)
{
    struct engine_error error = {0};
    const uint64_t *extent = document->arrays[0].shape.extent;
    uint64_t total = extent[0] * extent[1] * extent[2], at = 0;
    uint8_t *cells = malloc(total);
    char *text = calloc(1, total + extent[1] * extent[2] + 1);
    for (uint64_t begin = 0; begin < total; begin += range) {
        uint64_t count = total - begin < range ? total - begin : range;
        if (document->read(document, 0, begin, count, cells + begin, &error) != 0)
            fail_msg("%s", error.text);
    }
    for (uint64_t i = 0; i < total; i++) {
        text[at++] = "?.O"[cells[i] <= 1 ? cells[i] + 1 : 0];
        if (i % extent[0] == extent[0] - 1)
            text[at++] = '\n';
    }
    assert_string_equal(text, expected);
    free(cells);
    free(text);
    document->close(document);
}

static void the_spaceship_of_the_help_is_read(void **state)
{
    (void) state;
    static const uint64_t ranges[] = {1, 3, 8, 31, 32};
    struct io_document *document = opened(ship);
    const struct engine_file_array *array = &document->arrays[0];
    assert_int_equal(document->count, 1);
    assert_int_equal(array->values, 2);
    assert_int_equal(array->shape.type, ENGINE_U8);
    assert_int_equal(array->shape.rank, 3);
    assert_int_equal(array->shape.components, 1);
    assert_int_equal(array->shape.extent[0], 2);
    assert_int_equal(array->shape.extent[1], 4);
    assert_int_equal(array->shape.extent[2], 4);
    assert_string_equal(document->header.rule, "3D4,7/5,8");
    static const uint64_t cube[3] = {40, 40, 40};
    static const int64_t at[3] = {19, 18, 18};
    assert_memory_equal(document->header.pattern.grid, cube, sizeof cube);
    assert_memory_equal(document->header.pattern.at, at, sizeof at);
    assert_true(document->header.pattern.placed);
    assert_int_equal(document->header.frame.step, 0);
    document->close(document);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        expect_cells(opened(ship), ranges[i], ship_cells);
}

static void the_first_line_says_where_and_when(void **state)
{
    (void) state;
    struct io_document *document = opened("3D version=1 size=10 gen=77 colour=red\nx=1 y=1 z=1 rule=3D5..7/6\no!");
    assert_int_equal(document->header.frame.step, 77);
    assert_true(document->header.pattern.placed); /* without pos: at 0 0 0 */
    assert_int_equal(document->header.pattern.at[0], 0);
    assert_string_equal(document->header.rule, "3D5..7/6");
    document->close(document);
    document = opened("3D pos=1,2,3\nx=1 y=1 z=1 rule=BusyBoxes\no!");
    assert_false(document->header.pattern.placed);
    assert_int_equal(document->header.pattern.grid[0], 0);
    assert_string_equal(document->header.rule, "BusyBoxes");
    document->close(document);
    document = opened("3D version=1 size=9 pos=3,0,4 grid=4,9,5\nx=1 y=1 z=1 rule=3D/\no!");
    static const uint64_t box[3] = {4, 9, 5};
    assert_memory_equal(document->header.pattern.grid, box, sizeof box);
    assert_int_equal(document->header.pattern.at[2], 4);
    document->close(document);
    /* A thin grid may be longer than a cube of 2^48 cells. */
    document = opened("3D size=1000000 grid=1000000,3,2\nx=1 y=1 z=1 rule=3D/\no!");
    assert_int_equal(document->header.pattern.grid[0], 1000000);
    document->close(document);
}

static void ends_of_rows_and_planes_may_be_counted_and_left_out(void **state)
{
    (void) state;
    static const char head[] = "3D version=1 size=5\nx=2 y=2 z=4 rule=3D5..7/6\n";
    static const struct {
        const char *cells, *expected;
    } cases[] = {
        {"o3/$bo!", "O.\n..\n"
                    "..\n..\n"
                    "..\n..\n"
                    "..\n.O\n"},
        {"o$bo2/o/!", "O.\n.O\n"
                      "..\n..\n"
                      "O.\n..\n"
                      "..\n..\n"},
        {"!", "..\n..\n..\n..\n..\n..\n..\n..\n"},
        {"9b9$9/!", "..\n..\n..\n..\n..\n..\n..\n..\n"},
        {"b$o9$/b\n# a comment\n\no!", "..\nO.\n"
                                       ".O\n..\n"
                                       "..\n..\n"
                                       "..\n..\n"},
        {"1\n/o! what follows is no matter", "..\n..\n"
                                             "O.\n..\n"
                                             "..\n..\n"
                                             "..\n..\n"},
        {"\r\n/2o\r\n!", "..\n..\n"
                         "OO\n..\n"
                         "..\n..\n"
                         "..\n..\n"},
    };
    char text[256];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t range = 1; range <= 16; range++) {
            snprintf(text, sizeof text, "%s%s", head, cases[i].cells);
            expect_cells(opened(text), range, cases[i].expected);
        }
}

/* As 3D.lua saves a grid where nothing lives. */
static void an_empty_grid_is_read(void **state)
{
    (void) state;
    struct io_document *document = opened("3D version=1 size=40 gen=9\nx=0 y=0 z=0 rule=3D5..7/6\n!\n");
    assert_int_equal(document->header.pattern.grid[2], 40);
    expect_cells(document, 1, ".\n");
}

static void files_are_known_by_their_first_bytes_also_gziped(void **state)
{
    (void) state;
    char path[512];
    snprintf(path, sizeof path, "%s", path_of("ship.txt"));
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzputs(file, ship), strlen(ship));
    assert_int_equal(gzclose(file), Z_OK);
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document(path, &document, &error) != 0)
        fail_msg("%s", error.text);
    expect_cells(document, 5, ship_cells);
}

/* Opens and reads everything; the error's text, or "". */
static const char *trouble_of(const char *text)
{
    static struct engine_error error;
    error = (struct engine_error){0};
    struct io_document *document;
    if (open_document(file_of(text), &document, &error) != 0)
        return error.text;
    const uint64_t *extent = document->arrays[0].shape.extent;
    uint64_t total = extent[0] * extent[1] * extent[2];
    uint8_t *cells = malloc(1000);
    int status = 0;
    for (uint64_t at = 0; status == 0 && at < total; at += 1000)
        status = document->read(document, 0, at, total - at < 1000 ? total - at : 1000, cells, &error);
    free(cells);
    document->close(document);
    assert_true(status == 0 || (status == ENGINE_STATUS_INPUT && error.status == ENGINE_STATUS_INPUT));
    return status != 0 ? error.text : "";
}

/* Golly's 3D.lua reads such files. */
static void odd_files_are_read_with_a_remark(void **state)
{
    (void) state;
    static const struct {
        const char *text, *remark;
        uint64_t extent[3];
    } cases[] = {
        {"3o!", "the header says 2 x 2 x 2, the pattern has 3 x 2 x 2 cells", {3, 2, 2}},
        {"2$o!", "the header says 2 x 2 x 2, the pattern has 2 x 3 x 2 cells", {2, 3, 2}},
        {"2/o!", "the header says 2 x 2 x 2, the pattern has 2 x 2 x 3 cells", {2, 2, 3}},
        {"o\n$", "the file ends without '!': it may be cut short", {2, 2, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "3D size=4\nx=2 y=2 z=2 rule=3D5..7/6\n%s", cases[i].text);
        struct io_document *document = opened(text);
        assert_string_equal(document->remarks, cases[i].remark);
        assert_memory_equal(document->arrays[0].shape.extent, cases[i].extent, sizeof cases[i].extent);
        document->close(document);
    }
}

static void bad_files_are_refused_with_their_line(void **state)
{
    (void) state;
#define SIZE "x=2 y=2 z=2 rule=3D5..7/6\n"
    static const struct {
        const char *text, *trouble;
    } cases[] = {
        {"3Dfoo\n", ":1: the first line does not begin with 3D"},
        {"3D version=2\n" SIZE "o!", ":1: the file has version 2; expected version=1"},
        {"3D version=one\n" SIZE "o!", ":1: expected version=1, not 'version=one'"},
        {"3D size=4x\n" SIZE "o!", ":1: expected size=<cells along an axis>, not 'size=4x'"},
        {"3D size=-4\n" SIZE "o!", "not 'size=-4'"},
        {"3D size=99999999999999999999\n" SIZE "o!", "not 'size=99999999999999999999'"},
        {"3D size=65537\n" SIZE "o!", ":1: the grid is 65537 x 65537 x 65537; expected 1 to 2^48 cells"},
        {"3D size=9223372036854775807\n" SIZE "o!", "expected 1 to 2^48 cells"},
        {"3D size=4 grid=4,0,4\n" SIZE "o!", ":1: the grid is 4 x 0 x 4; expected 1 to 2^48 cells"},
        {"3D size=4 grid=4,-1,-4\n" SIZE "o!", "expected 1 to 2^48 cells"},
        {"3D size=4 grid=4,3\n" SIZE "o!", "expected grid=<x>,<y>,<z>, not 'grid=4,3'"},
        {"3D size=5 grid=4,3,2\n" SIZE "o!", "size=5 is not the longest side of grid=4,3,2; correct one of them"},
        {"3D pos=1,2\n" SIZE "o!", "expected pos=<x>,<y>,<z>, not 'pos=1,2'"},
        {"3D gen=-1\n" SIZE "o!", "expected gen=<n> with a whole number below 2^63, not 'gen=-1'"},
        {"3D size=4 pos=3,0,0\n" SIZE "o!",
         ":2: pos=3,0,0 puts the pattern outside its grid: along x the pattern has 2 cells and the grid has 4"},
        {"3D size=4 pos=0,0,-1\n" SIZE "o!", ":2: pos=0,0,-1 puts the pattern outside its grid: along z"},
        {"3D size=4 grid=4,4,1\n" SIZE "o!", ":2: pos=0,0,0 puts the pattern outside its grid: along z"},
        {"3D size=4\n", ":1: the file ends before its header line"},
        {"3D size=4\nbo!", ":2: expected the header line 'x=<width> y=<height> z=<depth> rule=<rule>' before"},
        {"3D size=4\nx=2 y=2 rule=3D/\no!", ":2: expected the header line"},
        {"3D size=4\nx=2 y=2 z= rule=3D/\no!", "with whole numbers for x, y and z"},
        {"3D size=4\nx=2 y=0 z=2 rule=3D/\no!", ":2: the header states x=2 y=0 z=2; expected 1 to 2^48 cells"},
        {"3D size=4\nx=-1 y=-1 z=1 rule=3D/\no!", ":2: the header states x=-1 y=-1 z=1; expected 1 to 2^48 cells"},
        {"3D\nx=4294967296 y=4294967296 z=4294967296 rule=3D/\no!", "expected 1 to 2^48 cells"},
        {"3D\nx=9223372036854775808 y=1 z=1 rule=3D/\no!", "with whole numbers for x, y and z"},
        {"3D size=4\nx=2 y=2 z=2 what=3D/\no!", "expected 'rule=<rule>', not 'what=3D/'"},
        {"3D size=4\n" SIZE "5o!", ":2: pos=0,0,0 puts the pattern outside its grid: along x the pattern has 5 cells"},
        {"3D size=4\n" SIZE "281474976710655/281474976710655/281474976710655/o!", ":3: the pattern has 2 x 2 x "},
        {"3D size=4\n" SIZE "281474976710657o!", ":3: the count is more than 2^48"},
        {"3D size=4\n" SIZE "99999999999999999999999o!", ":3: the count is more than 2^48"},
        {"3D size=4\n" SIZE "0o!", ":3: the count is 0"},
        {"3D size=4\n" SIZE "o\n3", ":4: the file ends behind a count: it may be cut short"},
        {"3D size=4\n" SIZE "xo!", ":3: 'x' is not a cell"},
        {"3D size=4\n" SIZE "o\n?!", ":4: '?' is not a cell; expected 'b', 'o', '$', '/' or '!'"},
        {"3D size=4\n" SIZE "C!", ":3: cell of state 3; an RLE3 file has only the states 0 and 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *trouble = trouble_of(cases[i].text);
        if (strstr(trouble, cases[i].trouble) == NULL)
            fail_msg("%s\nsays: %s\nand not: %s", cases[i].text, trouble, cases[i].trouble);
        assert_non_null(strstr(trouble, "in.rle3:"));
    }
}

static void planes_end_in_two_axes_with_an_error(void **state)
{
    (void) state;
    assert_non_null(strstr(trouble_of("x = 2, y = 2\no/o!"), "'/' is not a cell; expected 'b', 'o', '.', 'A' to 'X'"));
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

struct volume {
    struct io_document document;
    const uint8_t *cells;
    uint64_t next;
};

static int read_volume(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                       struct engine_error *error)
{
    struct volume *volume = document->context;
    (void) array;
    (void) error;
    assert_int_equal(begin, volume->next);
    volume->next += count;
    memcpy(out, volume->cells + begin, count);
    return 0;
}

static struct volume volume_of(const uint8_t *cells, uint64_t x, uint64_t y, uint64_t z)
{
    struct volume volume = {.cells = cells};
    volume.document.count = 1;
    volume.document.arrays[0] = (struct engine_file_array){
        .name = "cells", .values = 2, .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 3, {x, y, z}}};
    memcpy(volume.document.header.pattern.grid, volume.document.arrays[0].shape.extent,
           sizeof volume.document.header.pattern.grid);
    volume.document.header.pattern.placed = true;
    volume.document.read = read_volume;
    return volume;
}

static const char *written(struct volume *volume)
{
    static char text[1 << 20];
    struct engine_error error = {0};
    volume->document.context = volume;
    volume->next = 0;
    if (io_write(io_format_named("rle3"), path_of("out.rle3"), &volume->document, NULL, &error) != 0)
        fail_msg("%s", error.text);
    FILE *file = fopen(path_of("out.rle3"), "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void a_grid_is_written_as_golly_reads_it(void **state)
{
    (void) state;
    static const uint8_t cube[8] = {0, 1, 0, 0, 0, 0, 1, 1};
    struct volume volume = volume_of(cube, 2, 2, 2);
    strcpy(volume.document.header.rule, "3D4/4");
    assert_string_equal(written(&volume), "3D version=1 size=2\nx=2 y=2 z=2 rule=3D4/4\nbo/$2o!\n");
    volume.document.header.frame.step = 12;
    volume.document.header.pattern.at[1] = 3;
    volume.document.header.pattern.grid[0] = volume.document.header.pattern.grid[1] =
        volume.document.header.pattern.grid[2] = 40;
    assert_string_equal(written(&volume), "3D version=1 size=40 pos=0,3,0 gen=12\nx=2 y=2 z=2 rule=3D4/4\nbo/$2o!\n");
    volume = volume_of(cube, 4, 1, 2);
    strcpy(volume.document.header.rule, "3D4/4");
    assert_string_equal(written(&volume), "3D version=1 size=4 grid=4,1,2\nx=4 y=1 z=2 rule=3D4/4\nbo/2b2o!\n");
    static const uint8_t dead[8];
    volume = volume_of(dead, 2, 2, 2);
    assert_string_equal(written(&volume), "3D version=1 size=2\nx=2 y=2 z=2 rule=3D5..7/6\n!\n");
}

static void rules_are_written_in_gollys_notation(void **state)
{
    (void) state;
    static const char *const rules[][2] = {
        {"B6/S5..7", "3D5..7/6"},
        {"b4,6,9..11/s5,7", "3D5,7/4,6,9..11"},
        {"B/S", "3D/"},
        {"3D5..7/6", "3D5..7/6"},
        {"BusyBoxes", "BusyBoxes"},
        {"B6/V", "B6/V"},
    };
    static const uint8_t one = 1;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct volume volume = volume_of(&one, 1, 1, 1);
        strcpy(volume.document.header.rule, rules[i][0]);
        char expected[64];
        snprintf(expected, sizeof expected, "z=1 rule=%s\n", rules[i][1]);
        assert_non_null(strstr(written(&volume), expected));
    }
}

/* What 3D.lua's ReadPattern does with the lines of cells, on a grid of x by y by z. */
static void parse_as_golly_does(const char *text, uint8_t *grid, const uint64_t extent[3])
{
    uint64_t x = 0, y = 0, z = 0, count = 0;
    memset(grid, 0, extent[0] * extent[1] * extent[2]);
    for (; *text != '!'; text++) {
        assert_int_not_equal(*text, '\0');
        if (isdigit((unsigned char) *text)) {
            count = count * 10 + (uint64_t) (*text - '0');
            continue;
        }
        if (*text == '\n')
            continue;
        count += count == 0;
        if (*text == 'o')
            for (uint64_t i = 0; i < count; i++) {
                assert_true(x + i < extent[0] && y < extent[1] && z < extent[2]);
                grid[x + i + extent[0] * (y + extent[1] * z)] = 1;
            }
        x = *text == 'o' || *text == 'b' ? x + count : 0;
        y = *text == '/' ? 0 : *text == '$' ? y + count : y;
        z += *text == '/' ? count : 0;
        assert_non_null(strchr("bo$/", *text));
        count = 0;
    }
}

static void soups_of_any_shape_are_written_and_come_back(void **state)
{
    (void) state;
    static const uint64_t extents[][3] = {{1, 1, 1}, {2, 3, 5}, {64, 64, 3}, {1, 7, 65}, {101, 1, 9}, {3, 90, 1}};
    static uint8_t cells[1 << 16], back[1 << 16];
    srand(3);
    for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++)
        for (int percent = 2; percent <= 98; percent += 16) {
            const uint64_t *extent = extents[i], total = extent[0] * extent[1] * extent[2];
            for (uint64_t c = 0; c < total; c++)
                cells[c] = rand() % 100 < percent;
            struct volume volume = volume_of(cells, extent[0], extent[1], extent[2]);
            strcpy(volume.document.header.rule, "B6/S5..7");
            const char *text = written(&volume);
            for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
                assert_true(strchr(line, '\n') - line <= 70);
            parse_as_golly_does(strchr(strchr(text, '\n') + 1, '\n') + 1, back, extent);
            assert_memory_equal(back, cells, total);
            struct io_document *document = opened(text);
            assert_memory_equal(document->arrays[0].shape.extent, extent, sizeof extents[i]);
            assert_memory_equal(document->header.pattern.grid, extent, sizeof extents[i]);
            assert_string_equal(document->header.rule, "3D5..7/6");
            struct engine_error error = {0};
            memset(back, 7, sizeof back);
            for (uint64_t at = 0; at < total; at += 100)
                assert_int_equal(
                    document->read(document, 0, at, total - at < 100 ? total - at : 100, back + at, &error), 0);
            assert_memory_equal(back, cells, total);
            document->close(document);
        }
}

static void only_two_states_in_three_axes_are_written(void **state)
{
    (void) state;
    const struct io_format *rle3 = io_format_named("rle3");
    struct engine_file_array array = {
        .name = "cells", .values = 2, .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 3, {3, 3, 3}}};
    assert_true(io_writes(rle3, &array, &(struct io_options){0}));
    assert_false(io_writes(io_format_named("rle"), &array, &(struct io_options){0}));
    array.values = 4;
    assert_false(io_writes(rle3, &array, &(struct io_options){0}));
    array.values = 2;
    array.shape.rank = 2;
    array.shape.extent[2] = 1;
    assert_false(io_writes(rle3, &array, &(struct io_options){0}));
    static const uint8_t three[8] = {0, 0, 0, 0, 0, 3, 0, 0};
    struct volume volume = volume_of(three, 2, 2, 2);
    struct engine_error error = {0};
    volume.document.context = &volume;
    assert_int_equal(io_write(rle3, path_of("bad.rle3"), &volume.document, NULL, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "cell 1 0 of plane 1 is 3; the format holds only 0 and 1"));
    assert_int_equal(access(path_of("bad.rle3"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spaceship_of_the_help_is_read),
        cmocka_unit_test(the_first_line_says_where_and_when),
        cmocka_unit_test(ends_of_rows_and_planes_may_be_counted_and_left_out),
        cmocka_unit_test(an_empty_grid_is_read),
        cmocka_unit_test(files_are_known_by_their_first_bytes_also_gziped),
        cmocka_unit_test(odd_files_are_read_with_a_remark),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(planes_end_in_two_axes_with_an_error),
        cmocka_unit_test(a_grid_is_written_as_golly_reads_it),
        cmocka_unit_test(rules_are_written_in_gollys_notation),
        cmocka_unit_test(soups_of_any_shape_are_written_and_come_back),
        cmocka_unit_test(only_two_states_in_three_axes_are_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
