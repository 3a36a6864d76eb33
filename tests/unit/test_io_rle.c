/* Reading and writing RLE. Expected cells are written by hand or are published patterns. The rules of the format are
 * Golly's.
 * */
#include "folder.h"
#include "formats/patterns/golly.h"
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

/* Files in the folder; with `remove` they are removed. */
static int count_files(bool remove)
{
    int count = 0;
    DIR *open = opendir(folder);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (remove)
            unlink(path_of(entry->d_name));
    }
    if (open != NULL)
        closedir(open);
    return count;
}

static const char *file_of(const char *bytes, size_t size)
{
    const char *path = path_of("in.rle");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static struct io_document *opened(const char *text)
{
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document(file_of(text, strlen(text)), &document, &error) != 0)
        fail_msg("%s", error.text);
    return document;
}

/* Returns cells as text of '.' and 'O', a line per row, read in ranges of `range` cells. */
static void expect_cells(struct io_document *document, uint64_t range, const char *expected)
{
    struct engine_error error = {0};
    const uint64_t *extent = document->arrays[0].shape.extent;
    uint64_t total = extent[0] * extent[1], at = 0;
    uint8_t *cells = malloc(total);
    char *text = calloc(1, total + extent[1] + 1);
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

static void a_glider_is_read_with_its_rule(void **state)
{
    (void) state;
    struct io_document *document = opened("#N Glider\n#C a comment\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n");
    assert_int_equal(document->count, 1);
    const struct engine_file_array *array = &document->arrays[0];
    assert_int_equal(array->values, 2);
    assert_int_equal(array->shape.type, ENGINE_U8);
    assert_int_equal(array->shape.rank, 2);
    assert_int_equal(array->shape.components, 1);
    assert_int_equal(array->shape.extent[0], 3);
    assert_int_equal(array->shape.extent[1], 3);
    assert_int_equal(array->shape.extent[2], 1);
    assert_string_equal(document->header.rule, "B3/S23");
    assert_int_equal(document->header.pattern.grid[0], 0);
    assert_false(document->header.pattern.placed);
    expect_cells(document, 9, ".O.\n..O\nOOO\n");
}

/* Gosper's glider gun, as LifeWiki publishes it: 36 cells in 36 x 9. */
static void the_glider_gun_is_the_same_by_any_ranges(void **state)
{
    (void) state;
    static const char gun[] = "#N Gosper glider gun\n#O Bill Gosper\nx = 36, y = 9, rule = B3/S23\n"
                              "24bo11b$22bobo11b$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o14b$2o8b\n"
                              "o3bob2o4bobo11b$10bo5bo7bo11b$11bo3bo20b$12b2o!";
    static const char cells[] = "........................O...........\n"
                                "......................O.O...........\n"
                                "............OO......OO............OO\n"
                                "...........O...O....OO............OO\n"
                                "OO........O.....O...OO..............\n"
                                "OO........O...O.OO....O.O...........\n"
                                "..........O.....O.......O...........\n"
                                "...........O...O....................\n"
                                "............OO......................\n";
    static const uint64_t ranges[] = {1, 2, 7, 36, 100, 324};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        expect_cells(opened(gun), ranges[i], cells);
}

static void white_space_comments_and_other_tags_are_read(void **state)
{
    (void) state;
    expect_cells(opened("x=3,y=3\nbo$2bo$3o!"), 9, ".O.\n..O\nOOO\n");
    expect_cells(opened("  x = 3 , y = 3 ,rule=23/3 \n b o\t$\n\n2\nb o $ 3\no\n!"), 9, ".O.\n..O\nOOO\n");
    expect_cells(opened("x = 3, y = 3\r\nbo$2bo$\r\n3o!\r\n"), 9, ".O.\n..O\nOOO\n");
    expect_cells(opened("x = 3, y = 3\rbo$2bo$\r3o!\r"), 9, ".O.\n..O\nOOO\n");
    expect_cells(opened("\xEF\xBB\xBFx = 3, y = 3\nbo$2bo$3o!"), 9, ".O.\n..O\nOOO\n");
    expect_cells(opened("x = 3, y = 3\n.A$2.A$3A!"), 9, ".O.\n..O\nOOO\n");
    expect_cells(opened("x = 3, y = 3\nbo$2bo$\n#C between\n3o!"), 9, ".O.\n..O\nOOO\n");
    expect_cells(opened("#P 3 4\n#R -1 -1\n#c c\n\nx = 3, y = 3\nbo$2bo$3o! and x = 2, what Q \n\n#C after"), 9,
                 ".O.\n..O\nOOO\n");
    expect_cells(opened("x = 12, y = 1\n1\n2o!"), 12, "OOOOOOOOOOOO\n"); /* a line end within a count, as in Golly */
}

static void what_is_not_said_is_dead(void **state)
{
    (void) state;
    expect_cells(opened("x = 4, y = 5\no2$bo!"), 20, "O...\n....\n.O..\n....\n....\n");
    expect_cells(opened("x = 2, y = 2\n!"), 4, "..\n..\n");
    expect_cells(opened("x = 2, y = 2\n9$!"), 4, "..\n..\n");
    expect_cells(opened("x = 2, y = 2\no99b$bo7b$5b!"), 4, "O.\n.O\n");
}

static void the_rule_may_stand_in_a_comment_and_the_header_wins(void **state)
{
    (void) state;
    struct io_document *document = opened("#r B36/S23\nx = 1, y = 1\no!");
    assert_string_equal(document->header.rule, "B36/S23");
    document->close(document);
    document = opened("#r B36/S23\nx = 1, y = 1, rule = B3/S23\no!");
    assert_string_equal(document->header.rule, "B3/S23");
    document->close(document);
    document = opened("x = 1, y = 1, rule = R5,C0,M1,S33..57,B34..45,NM,\no!");
    assert_string_equal(document->header.rule, "R5,C0,M1,S33..57,B34..45,NM");
    document->close(document);
}

/* Golly Help, Extended RLE: '.' is state 0, A to X are 1 to 24, pA to pX are 25 to 48, …, yA to yO are 241 to 255. */
static void states_above_1_are_read(void **state)
{
    (void) state;
    static const struct {
        const char *cells;
        uint32_t states;
        uint8_t expected[8];
    } cases[] = {
        {".ABX$pApX!", 49, {0, 1, 2, 24, 25, 48}},
        {"qArA$yO!", 256, {49, 73, 0, 0, 255}},
        {"xXyA.$!", 242, {240, 241}},
        {"2C$\n#C yO is in a comment\n2 b\n2\nB! yO", 4, {3, 3, 0, 0, 0, 0, 2, 2}},
        {"bo.A$2A!", 2, {0, 1, 0, 1, 1, 1}},
        {"bAoB!", 3, {0, 1, 1, 2}}, /* both forms in one pattern, as Golly reads it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t range = 1; range <= 8; range++) {
            char text[128];
            uint8_t cells[8];
            struct engine_error error = {0};
            snprintf(text, sizeof text, "x = 4, y = 2\n%s", cases[i].cells);
            struct io_document *document = opened(text);
            assert_int_equal(document->arrays[0].values, cases[i].states);
            for (uint64_t begin = 0; begin < 8; begin += range)
                assert_int_equal(
                    document->read(document, 0, begin, 8 - begin < range ? 8 - begin : range, cells + begin, &error),
                    0);
            if (memcmp(cells, cases[i].expected, 8) != 0)
                fail_msg("case %zu in ranges of %d cells", i, (int) range);
            document->close(document);
        }
}

/* Golly Help, Bounded Grids: the cell in the top left corner has coordinates -int(w/2), -int(h/2). */
static void a_pattern_is_placed_on_its_torus(void **state)
{
    (void) state;
    static const struct {
        const char *head;
        uint64_t grid[2];
        bool placed;
        int64_t at[2];
        uint64_t step;
    } cases[] = {
        {"x = 3, y = 3, rule = B3/S23:T20,10", {20, 10}, false, {0, 0}, 0},
        {"x = 3, y = 3, rule = B3/S23:t20", {20, 20}, false, {0, 0}, 0},
        {"#CXRLE Pos=-10,-5\nx = 3, y = 3, rule = B3/S23:T20,10", {20, 10}, true, {0, 0}, 0},
        {"#CXRLE Pos=-10,-5 Gen=3480106827776\nx = 3, y = 3, rule = B3/S23:T21,11",
         {21, 11},
         true,
         {0, 0},
         3480106827776},
        {"#CXRLE Gen=7 Pos=7,2\nx = 3, y = 3, rule = B3/S23:T20,10", {20, 10}, true, {17, 7}, 7},
        {"#CXRLE Pos=0,-1377\nx = 3, y = 3, rule = B3/S23", {0, 0}, true, {0, -1377}, 0},
        {"#CXRLE\nx = 3, y = 3, rule = :T3,3", {3, 3}, false, {0, 0}, 0},
        {"#CXRLE Pos=-9,2\nx = 3, y = 3, rule = B3/S23:T0,20",
         {UINT64_C(1) << 61, 20},
         true,
         {(INT64_C(1) << 60) - 9, 12},
         0},
        {"x = 3, y = 3, rule = B3/S23:P9,0", {9, UINT64_C(1) << 61}, true, {3, (INT64_C(1) << 60) - 1}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s\nbo$2bo$3o!", cases[i].head);
        struct io_document *document = opened(text);
        assert_int_equal(document->header.pattern.grid[0], cases[i].grid[0]);
        assert_int_equal(document->header.pattern.grid[1], cases[i].grid[1]);
        assert_int_equal(document->header.pattern.grid[2], cases[i].grid[0] != 0);
        assert_int_equal(document->header.pattern.placed, cases[i].placed);
        assert_int_equal(document->header.pattern.at[0], cases[i].at[0]);
        assert_int_equal(document->header.pattern.at[1], cases[i].at[1]);
        assert_int_equal(document->header.frame.step, cases[i].step);
        assert_null(strchr(document->header.rule, ':'));
        expect_cells(document, 9, ".O.\n..O\nOOO\n");
    }
}

/* A file of 40 bytes may state 2^48 cells in rows of 2^40. Reading a part takes no memory for the rest. */
static void memory_does_not_follow_the_header(void **state)
{
    (void) state;
    struct engine_error error = {0};
    struct io_document *document = opened("x = 1099511627776, y = 256\nbo5b99999999999b!");
    uint8_t cells[8];
    assert_int_equal(document->read(document, 0, 0, 8, cells, &error), 0);
    assert_memory_equal(cells, "\0\1\0\0\0\0\0\0", 8);
    document->close(document);
}

/* What people post, and Golly reads; the specification of RLE lets any letter but 'b' be alive. The cells are those of
 * bgolly 3.3, but for 'z', which it skips. */
static void odd_files_are_read_with_a_remark(void **state)
{
    (void) state;
    static const char glider[] = ".O.\n..O\nOOO\n";
    static const struct {
        const char *text, *cells, *remark, *rule;
    } cases[] = {
        {"x = 3, y = 3, rule = B3/S23\nbxb$2by$3z!", glider, "'x', 'y' and 'z' are read as live", "B3/S23"},
        {"x = 3, y = 3\nbx$\n2by$\nxx\nx!", glider, "'x', 'y' and 'z' are read as live", ""},
        {"x = 3, y = 3\nbp$2b\nq$rwu!", glider, "'x', 'y' and 'z' are read as live", ""},
        {"bo$2bo$3o!", glider, "no header line", ""},
        {"#N Glider\n#r B36/S23\nbo$2bo$3o!\n", glider, "no header line", "B36/S23"},
        {"   #N Glider\n\t#C c\n x = 3, y = 3, rule = B36/S23\n bo$2bo$\n  #C d\n 3o!", glider, "", "B36/S23"},
        {"x = 2, y = 2\nbo$2bo$3o!", glider, "the header says 2 x 2, the pattern has 3 x 3 cells", ""},
        {"x = 3, y = 1\nbo\n$2bo$3o!", glider, "the header says 3 x 1, the pattern has 3 x 3 cells", ""},
        {"x = -29, y = -8\nbo$2bo$3o!", glider, "the header says -29 x -8, the pattern has 3 x 3 cells", ""},
        {"x = 0, y = 0, rule = B3/S23\nbo$2bo$3o!", glider, "the header says 0 x 0, the pattern has", "B3/S23"},
        {"x = 0, y = 0, rule = B3/S23\n!", ".\n", "no live cells; it is read as one dead cell", "B3/S23"},
        {"!", ".\n", "no live cells; it is read as one dead cell", ""},
        {" !\n", ".\n", "no live cells; it is read as one dead cell", ""},
        {"#N n\n!\n", ".\n", "no live cells; it is read as one dead cell", ""},
        {"#C c\nx = 0, y = 2\n!", ".\n.\n", "", ""},
        {"x = 3, y = 3\nbo$2bo$3o", glider, "without '!'", ""},
        {"x = 3, y = 3\nbo$2bo$3o\n\n", glider, "without '!'", ""},
        {"x = 2, y = 1\n", "..\n", "without '!'", ""},
        {"x=3, y=3, h=-4, v=0\nbo$2bo$3o!", glider, "the key h of its header line is not read; the key v", ""},
        {"x=3, y=3, h=-4, rule=23/3, v=0\nbo$2bo$3o!", glider, "the key h of its header line", "23/3"},
        {"x = 9, y = 9\nx = 3, y = 3, rule = B36/S23\nbo$2bo$3o!", glider, "two header lines", "B36/S23"},
        {"x = 3, y = 3, rule = Day & Night \nbo$2bo$3o!", glider, "", "Day & Night"},
        {"x = 4, y = 4, rule = B3/S23:P2,3\n2obo$o2bo$bo$4o!", "OO\nO.\n.O\n", "not inside its grid of 2 x 3",
         "B3/S23"},
        {"#CXRLE Pos=-3,-1\nx = 3, y = 3, rule = B3/S23:T5\nbo$2bo$3o!", "O.\n.O\nOO\n", "grid of 5 x 5", "B3/S23"},
        {"#CXRLE Pos=1,1\nx = 3, y = 3, rule = B3/S23:T5\nbo$2bo$3o!", ".O\n..\n", "grid of 5 x 5", "B3/S23"},
        {"#CXRLE Pos=-10,5\nx = 3, y = 3, rule = B3/S23:T5\n3o$3o$3o!", ".\n", "grid of 5 x 5", "B3/S23"},
        {"#CXRLE Pos=9,-9\nx = 3, y = 3, rule = B3/S23:T5\n3o$3o$3o!", ".\n", "grid of 5 x 5", "B3/S23"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t range = 1; range <= 9; range += 4) {
            struct io_document *document = opened(cases[i].text);
            if (cases[i].remark[0] != '\0' ? strstr(document->remarks, cases[i].remark) == NULL
                                           : document->remarks[0] != '\0')
                fail_msg("case %zu: '%s', expected '%s'", i, document->remarks, cases[i].remark);
            assert_string_equal(document->header.rule, cases[i].rule);
            expect_cells(document, range, cases[i].cells);
        }
}

/* bgolly -h -m 0 -o writes these cells: P9,9, top left corner where the size in the header is 0 or too large; otherwise
 * in the middle of the size that the header states. */
static void a_wrong_size_decides_the_place_as_in_golly(void **state)
{
    (void) state;
    static const struct {
        const char *head;
        int64_t at[2];
    } cases[] = {
        {"x = 0, y = 0", {0, 0}}, {"x = 2, y = 2", {3, 3}}, {"x = 12, y = 3", {0, 0}}, {"x = -1, y = 3", {0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s, rule = B3/S23:P9,9\nbo$2bo$3o!", cases[i].head);
        struct io_document *document = opened(text);
        assert_true(document->header.pattern.placed);
        assert_int_equal(document->header.pattern.at[0], cases[i].at[0]);
        assert_int_equal(document->header.pattern.at[1], cases[i].at[1]);
        document->close(document);
    }
}

/* Golly writes generations of any length. */
static void what_is_too_large_to_count_is_skipped(void **state)
{
    (void) state;
    struct io_document *document =
        opened("#CXRLE Pos=9223372036854775807,0 Gen=18446744073709551616\nx = 1, y = 1\no!");
    assert_int_equal(document->header.frame.step, 0);
    assert_false(document->header.pattern.placed);
    assert_string_equal(document->header.skipped, "the position, the generation");
    document->close(document);
}

/* Golly Help, Algorithms, QuickLife: "Rules with B0". Generations has no such rules, and Larger than Life takes them as
 * the engine does. */
static void rules_that_golly_emulates_are_known(void **state)
{
    (void) state;
    static const struct {
        const char *rule;
        bool life, always, odd;
    } cases[] = {
        {"B0/S8", true, true, true},
        {"S08/B30", true, true, true},
        {"b0s78", true, true, true},
        {"8/0", true, true, true},
        {"B0/S23", true, false, true},
        {"23/01", true, false, true},
        {"B0/S6H", true, true, true},
        {"B02/S8H", true, false, true},
        {"B0/S4V", true, true, true},
        {"B3/S08", true, false, false},
        {"B3/S23", true, false, false},
        {"08/3", true, false, false},
        {"", true, false, false},
        {"B2-a/S12", true, false, false},
        {"/0/3", false, false, false},
        {"MAPgAAAAQ", true, true, true},
        {"MAPgAAAAA", true, false, true},
        {"MAPAAAAAQ", true, false, false},
        {"345/2/4", false, false, false},
        {"WireWorld", false, false, false},
        {"Seeds", false, false, false},
        {"B0/S8History", false, false, false},
        {"R1,C0,M0,S2..8,B0..3,NM", false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *rule = cases[i].rule;
        if (golly_is_life(rule) != cases[i].life || (golly_difference(rule, false) != NULL) != cases[i].always ||
            (golly_difference(rule, true) != NULL) != cases[i].odd)
            fail_msg("%s", rule);
    }
    assert_non_null(golly_difference_of("mc", "R1,C0,M0,S2..8,B3..3,NM", false));
    assert_null(golly_difference_of("rle", "R1,C0,M0,S2..8,B3..3,NM", false));
    assert_null(golly_difference_of("mc", "Rule", false));
}

/* The words of the author, for the files that are made of this one. The text is UTF-8. */
static void comments_are_notes(void **state)
{
    (void) state;
    static const char *const expected[][2] = {
        {"Name", "Glider\n"}, {"Author", "Richard K. Guy\n"}, {"Comment", "first\n\n second \xef\xbf\xbd\nlast\n"}};
    struct io_document *document = opened("#C first\n#N Glider\n#O Richard K. Guy\n#C\n#C  second \xe9\n#P 1 2\n"
                                          "x = 3, y = 3\n#c last\nbo$2bo$\n#C between\n3o! behind");
    assert_int_equal(document->header.notes, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(document->header.note[i].key, expected[i][0]);
        assert_string_equal(document->header.note[i].text, expected[i][1]);
    }
    assert_string_equal(document->header.skipped, "the comments, the comments between the cells, the text behind '!'");
    document->close(document);
}

static void bad_files_are_refused_with_their_line(void **state)
{
    (void) state;
    static const struct {
        const char *text;
        const char *where, *what;
    } cases[] = {
        {"x = 3, y = 3\n99999999999999999999o!", ":2: ", "the count is more than 2^48"},
        {"x = 3, y = 3\nb\n\n18446744073709551617b!", ":4: ", "the count is more than 2^48"},
        {"x = 3, y = 3\n0b3o!", ":2: ", "the count is 0"},
        {"x = 3, y = 3\nbo$2bo$3", ":2: ", "ends behind a count"},
        {"#!/bin/sh\n# a script\nexit\n", ":3: ", "'e' is not a cell; expected 'b', 'o'"},
        {"#!/bin/sh\n# a script\nexit\n", ":3: ", "there is no header line 'x = <width>"},
        {"#C numbers\n1 2 3\n", ":2: ", "ends behind a count"},
        {"x = 3, y = 3, h = -4, rle = B3/S23\n!", ":1: ", "expected 'rule = <rule>', not 'rle = B3/S23'"},
        {"x = 3, y = 3, h -4\n!", ":1: ", "expected 'rule = <rule>', not 'h -4'"},
        {"x = 3, y = 3\n281474976710656b2o!", ":2: ", "the limit is 2^48"},
        {"x = 281474976710656, y = 1\n281474976710656$281474976710656$o!", ":2: ", "the limit is 2^48"},
        {"x = 3, y = 3\nbo$\n\1!", ":3: ", "byte 0x01 is not a cell"},
        {"x = 3, y = 3\nbo$ #C x\n!", ":2: ", "'#' is not a cell"},
        {"x = 3, y = 3\nbo$\n2bY!", ":3: ", "'Y' is not a cell; expected 'b', 'o', '.', 'A' to 'X', 'pA' to 'yO'"},
        {"x = 3, y = 3\nA.B$yP!", ":2: ", "'yP' is not a cell; 'y' begins the tag of a state from 25 to 255"},
        {"x = 3, y = 3\npY!", ":2: ", "'pY' is not a cell"},
        {"x = 3, y = 3\nbo$\nx = 3, y = 3\n!", ":3: ", "a second header line"},
        {"#C only comments\n\n", ":2: ", "before its header line"},
        {"x = 1000000000000000000, y = 1\n!", ":1: ", "1 to 2^48 cells"},
        {"x = 16777217, y = 16777216\n!", ":1: ", "1 to 2^48 cells"},
        {"x = 4294967296, y = 4294967296\n!", ":1: ", "1 to 2^48 cells"},
        {"x = 99999999999999999999, y = 1\n!", ":1: ", "whole numbers"},
        {"x = three, y = 3\n!", ":1: ", "whole numbers"},
        {"x = 3\n!", ":1: ", "whole numbers"},
        {"x = 3, y = 3, rules = B3/S23\n!", ":1: ", "expected 'rule = <rule>'"},
        {"x = 3, y = 3, rule = B3/S23 x\n!", ":1: ", "after the rule"},
        {"x = 3, y = 3, rule = B3/S23:K30*,20*\n!", ":1: ", "':K30*,20*': at character 9, '*': a Klein bottle"},
        {"x = 3, y = 3, rule = B3/S23:K30*,20+1\n!",
         ":1: ", "at character 9, '+': a Klein bottle (K) has its shift on the twisted side"},
        {"x = 3, y = 3, rule = B3/S23:C30+1,20\n!",
         ":1: ", "bounded grid ':C30+1,20': at character 5, '+': only a torus (T) and"},
        {"x = 3, y = 3, rule = B3/S23:C30*,20\n!", ":1: ", "at character 5, '*': only a Klein bottle (K) has a '*'"},
        {"x = 3, y = 3, rule = B3/S23:P30*,20\n!", ":1: ", "at character 5, '*': only a Klein bottle"},
        {"x = 3, y = 3, rule = B3/S23:S30,20\n!", ":1: ", "at character 5, ',': unexpected text"},
        {"x = 3, y = 3, rule = B3/S23:T30+5,20+1\n!", ":1: ", "at character 10, '+': a torus (T) has one shift"},
        {"x = 3, y = 3, rule = B3/S23:T30+,20\n!",
         ":1: ", "at character 5, '+': expected a number of cells after the sign"},
        {"x = 3, y = 3, rule = B3/S23:T30,20-2x\n!", ":1: ", "at character 10, 'x': unexpected text"},
        {"x = 3, y = 3, rule = B3/S23:X30,20\n!", ":1: ", "at character 2, 'X': expected T (torus)"},
        {"x = 3, y = 3, rule = B3/S23:C30,0\n!",
         ":1: ", "':C30,0': at character 6, '0': only a torus (T) and a plane (P) have an infinite side"},
        {"x = 3, y = 3, rule = B3/S23:T30+1,0\n!",
         ":1: ", "at character 5, '+': a grid with an infinite side has no shift"},
        {"x = 3, y = 3, rule = B3/S23:\n!", ":1: ", "bounded grid ':' ends too early: expected T (torus)"},
        {"x = 3, y = 3, rule = B3/S23:T30,20,10\n!", ":1: ", "at character 8, ',': unexpected text"},
        {"x = 3, y = 3, rule = B3/S23:P30,20+0\n!", ":1: ", "at character 8, '+': only a torus (T) and"},
        {"x = 3, y = 3, rule = B3/S23:T16777217,16777216\n!", ":1: ", "at character 3, '1': expected at most 2^48"},
        {"x = 3, y = 3, rule = B3/S23:T-30,20\n!", ":1: ", "at character 3, '-': expected a number of cells"},
        {"x = 3, y = 3, rule = B3/S23:T99999999999999999999\n!",
         ":1: ", "at character 3, '9': expected a number of cells"},
        {"x = 3, y = 3, rule = B3/S23:T\n!", ":1: ", "':T' ends too early: expected a number of cells"},
        {"\n#CXRLE Pos=1;2\nx = 3, y = 3\n!", ":2: ", "'Pos=<x>,<y>'"},
        {"#CXRLE Pos=\nx = 3, y = 3\n!", ":1: ", "'Pos=<x>,<y>'"},
        {"#CXRLE Gen=-1\nx = 3, y = 3\n!", ":1: ", "'Gen=<n>'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct engine_error error = {0};
        struct io_document *document = NULL;
        uint8_t cells[16];
        const char *path = file_of(cases[i].text, strlen(cases[i].text));
        int status = open_document(path, &document, &error);
        if (status != 0)
            assert_null(document);
        else
            status = document->read(document, 0, 0,
                                    document->arrays[0].shape.extent[0] * document->arrays[0].shape.extent[1], cells,
                                    &error);
        char begin[600];
        snprintf(begin, sizeof begin, "%s%s", path_of("in.rle"), cases[i].where);
        if (status != ENGINE_STATUS_INPUT || error.status != ENGINE_STATUS_INPUT ||
            strncmp(error.text, begin, strlen(begin)) != 0 || strstr(error.text, cases[i].what) == NULL)
            fail_msg("case %zu: status %d, '%s', expected '%s…%s'", i, status, error.text, begin, cases[i].what);
        if (document != NULL)
            document->close(document);
    }
}

static void nul_bytes_and_long_lines_are_refused(void **state)
{
    (void) state;
    struct engine_error error = {0};
    struct io_document *document;
    static const char nul[] = "x = 3, y = 3\nbo$\0bo!";
    assert_int_equal(open_document(file_of(nul, sizeof nul - 1), &document, &error), ENGINE_STATUS_INPUT);
    assert_non_null(strstr(error.text, ":2: NUL byte"));

    static const char head[] = "#C a\nx = 3, y\0 = 3\nbo!";
    assert_int_equal(open_document(file_of(head, sizeof head - 1), &document, &error), ENGINE_STATUS_INPUT);
    assert_non_null(strstr(error.text, ":2: NUL byte"));

    size_t size = 1 << 20;
    char *text = malloc(size);
    memset(text, ' ', size);
    memcpy(text, "x = 3, y = 3, rule = B3/S23", 27);
    assert_int_equal(open_document(file_of(text, size), &document, &error), ENGINE_STATUS_INPUT);
    assert_non_null(strstr(error.text, ":1: the line is too long"));
    memset(text, 'B', size);
    memcpy(text, "x = 3, y = 3, rule = ", 21);
    text[600] = '\n';
    assert_int_equal(open_document(file_of(text, size), &document, &error), ENGINE_STATUS_INPUT);
    assert_non_null(strstr(error.text, ":1: the rule has 579 characters"));
    memset(text, 'c', size);
    memcpy(text, "#C ", 3); /* a comment may have any length */
    memcpy(text + size - 20, "\nx = 1, y = 1\no!\n\n\n\n", 20);
    assert_int_equal(open_document(file_of(text, size), &document, &error), 0);
    expect_cells(document, 1, "O\n");
    free(text);
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* A document of one grid in memory; the read that begins at cell `fail_at` or later fails. */
struct memory {
    struct io_document document;
    const uint8_t *cells;
    uint64_t next, fail_at;
};

static int read_memory(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                       struct engine_error *error)
{
    struct memory *memory = document->context;
    assert_int_equal(array, 0);
    assert_int_equal(begin, memory->next); /* in order, without gaps */
    memory->next += count;
    if (memory->next > memory->fail_at)
        return error_set(error, ENGINE_STATUS_INPUT, "source:3: broken");
    memcpy(out, memory->cells + begin, count);
    return 0;
}

static void fill(struct memory *memory, const uint8_t *cells, uint64_t width, uint64_t height)
{
    *memory = (struct memory){.cells = cells, .fail_at = UINT64_MAX};
    memory->document.count = 1;
    memory->document.arrays[0] = (struct engine_file_array){
        .name = "cells", .values = 2, .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 2, {width, height, 1}}};
    memory->document.read = read_memory;
    memory->document.context = memory;
}

static const struct io_format *rle(void)
{
    return io_format_named("rle");
}

static const char *written_as(struct memory *memory, const char *name)
{
    static char text[1 << 16];
    struct engine_error error = {0};
    if (io_write(rle(), path_of(name), &memory->document, NULL, &error) != 0)
        fail_msg("%s", error.text);
    FILE *file = fopen(path_of(name), "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void a_grid_is_written_as_golly_reads_it(void **state)
{
    (void) state;
    static const uint8_t cells[5 * 4] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1};
    struct memory memory;
    fill(&memory, cells, 5, 4);
    memory.document.header =
        (struct io_header){.rule = "B3/S23", .pattern = {.grid = {5, 4, 1}, .placed = 1}, .frame.step = 1200};
    assert_string_equal(written_as(&memory, "a.rle"), "#CXRLE Pos=-2,-2 Gen=1200\n"
                                                      "x = 5, y = 4, rule = B3/S23:T5,4\n"
                                                      "$bo2$3obo!\n");
    fill(&memory, cells, 5, 4); /* a pattern at 3 2 of a larger torus, whose first cell is at -10 -5 for Golly */
    memory.document.header =
        (struct io_header){.rule = "B3/S23", .pattern = {.grid = {20, 10, 1}, .placed = 1, .at = {3, 2}}};
    assert_string_equal(written_as(&memory, "a.rle"), "#CXRLE Pos=-7,-3 Gen=0\n"
                                                      "x = 5, y = 4, rule = B3/S23:T20,10\n"
                                                      "$bo2$3obo!\n");
    fill(&memory, cells, 5, 4); /* a pattern on no torus */
    memory.document.header = (struct io_header){.rule = "B3/S23"};
    assert_string_equal(written_as(&memory, "a.rle"), "#CXRLE Pos=-2,-2 Gen=0\n"
                                                      "x = 5, y = 4, rule = B3/S23\n"
                                                      "$bo2$3obo!\n");
    fill(&memory, cells, 20, 1); /* without a rule */
    assert_string_equal(written_as(&memory, "a.rle"), "#CXRLE Pos=-10,0 Gen=0\nx = 20, y = 1\n6bo8b3obo!\n");
    fill(&memory, cells, 1, 20);
    assert_string_equal(written_as(&memory, "a.rle"), "#CXRLE Pos=0,-10 Gen=0\nx = 1, y = 20\n6$o9$o$o$o2$o!\n");
    fill(&memory, cells, 3, 2); /* dead cells at the end are not written */
    assert_string_equal(written_as(&memory, "a.rle"), "#CXRLE Pos=-1,-1 Gen=0\nx = 3, y = 2\n!\n");
    static const uint8_t full[6] = {1, 1, 1, 1, 1, 1}; /* a run ends where its row does */
    fill(&memory, full, 3, 2);
    assert_string_equal(written_as(&memory, "a.rle"), "#CXRLE Pos=-1,-1 Gen=0\nx = 3, y = 2\n3o$3o!\n");
}

static void lines_stay_short_and_cells_come_back(void **state)
{
    (void) state;
    enum { WIDTH = 1021, HEIGHT = 769 }; /* several chunks, which no row fits into evenly */
    uint8_t *cells = malloc(WIDTH * HEIGHT), *back = malloc(WIDTH * HEIGHT);
    uint32_t random = 1;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        random = random * 1664525 + 1013904223;
        cells[i] = (random >> 28) < (i < 300000 ? 1 : 8) || (i > 500000 && i < 600000);
    }
    for (int compressed = 0; compressed < 2; compressed++) {
        struct memory memory;
        struct engine_error error = {0};
        struct io_document *document;
        fill(&memory, cells, WIDTH, HEIGHT);
        const char *name = compressed ? "b.rle.gz" : "b.rle";
        const char *text = written_as(&memory, name);
        assert_int_equal((unsigned char) text[0] == 0x1f, compressed);
        while (!compressed && *text != '\0') {
            size_t length = strcspn(text, "\n");
            assert_true(length <= 70);
            text += length + (text[length] == '\n');
        }
        assert_int_equal(open_document(path_of(name), &document, &error), 0);
        assert_int_equal(document->read(document, 0, 0, WIDTH * HEIGHT, back, &error), 0);
        assert_memory_equal(cells, back, WIDTH * HEIGHT);
        document->close(document);
    }
    free(cells);
    free(back);
}

static void states_above_1_are_written(void **state)
{
    (void) state;
    static const uint8_t cells[12] = {0, 1, 1, 2, 24, 25, 48, 49, 240, 241, 255, 0};
    struct memory memory;
    fill(&memory, cells, 6, 2);
    memory.document.arrays[0].values = 256;
    assert_string_equal(written_as(&memory, "m.rle"), "#CXRLE Pos=-3,-1 Gen=0\nx = 6, y = 2\n.2ABXpA$pXqAxXyAyO!\n");
    fill(&memory, cells, 6, 1);
    memory.document.arrays[0].values = 0; /* not known: the states 0 and 1 are those of two states */
    assert_string_equal(written_as(&memory, "m.rle"), "#CXRLE Pos=-3,0 Gen=0\nx = 6, y = 1\nb2oBXpA!\n");

    enum { SIDE = 1024 }; /* runs that end at chunks and lines, and every state */
    uint8_t *many = malloc(SIDE * SIDE), *back = malloc(SIDE * SIDE);
    uint32_t random = 1;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        random = random * 1664525 + 1013904223;
        many[i] = random >> 30 == 0 || i == 0 ? (uint8_t) (random >> 20) : many[i - 1];
    }
    fill(&memory, many, SIDE, SIDE);
    memory.document.arrays[0].values = 256;
    for (const char *text = written_as(&memory, "m.rle"); *text != '\0';
         text += strcspn(text, "\n"), text += *text != '\0')
        assert_true(strcspn(text, "\n") <= 70);
    struct engine_error error = {0};
    struct io_document *document;
    assert_int_equal(open_document(path_of("m.rle"), &document, &error), 0);
    assert_int_equal(document->arrays[0].values, 256);
    assert_int_equal(document->read(document, 0, 0, SIDE * SIDE, back, &error), 0);
    assert_memory_equal(many, back, SIDE * SIDE);
    document->close(document);
    free(many);
    free(back);
}

static void only_bytes_in_two_axes_are_written(void **state)
{
    (void) state;
    static const uint8_t cells[4] = {0, 1, 0, 7};
    struct memory memory;
    struct engine_error error = {0};
    fill(&memory, cells, 2, 2);
    struct engine_file_array *array = &memory.document.arrays[0];
    assert_true(io_writes(rle(), array, &(struct io_options){0}));
    array->shape.rank = 3;
    assert_false(io_writes(rle(), array, &(struct io_options){0}));
    array->shape.rank = 2;
    array->shape.type = ENGINE_F32;
    assert_false(io_writes(rle(), array, &(struct io_options){0}));
    assert_int_equal(io_write(rle(), path_of("c.rle"), &memory.document, NULL, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "c.rle: format rle cannot hold any of the arrays"));
    array->shape.type = ENGINE_U8;
    array->shape.components = 2;
    assert_false(io_writes(rle(), array, &(struct io_options){0}));
}

static void a_failed_write_leaves_what_was_there(void **state)
{
    (void) state;
    static const uint8_t cells[4] = {1, 1, 1, 1};
    struct memory memory;
    struct engine_error error = {0};
    count_files(true);
    fill(&memory, cells, 2, 2);
    strcpy(memory.document.header.rule, "B3/S23");
    written_as(&memory, "d.rle");
    fill(&memory, cells, 1, 4);
    memory.fail_at = 0;
    assert_int_equal(io_write(rle(), path_of("d.rle"), &memory.document, NULL, &error), ENGINE_STATUS_INPUT);
    assert_string_equal(error.text, "source:3: broken");
    assert_int_equal(count_files(false), 1); /* no temporary file */
    struct io_document *document;
    assert_int_equal(open_document(path_of("d.rle"), &document, &error), 0);
    expect_cells(document, 4, "OO\nOO\n");
}

static void write_errors_say_path_and_reason(void **state)
{
    (void) state;
    static const uint8_t cells[4] = {1, 1, 1, 1};
    struct memory memory;
    struct engine_error error = {0};
    fill(&memory, cells, 2, 2);
    assert_int_equal(io_write(rle(), path_of("none/e.rle"), &memory.document, NULL, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "none/e.rle: its folder cannot be opened: No such file or directory"));
    fill(&memory, cells, 2, 2);
    assert_int_equal(file_write(rle(), open("/dev/full", O_WRONLY), &memory.document, &(struct io_options){0}, &error),
                     ENGINE_STATUS_OUTPUT);
    assert_string_equal(error.text, "cannot be written: No space left on device");
    fill(&memory, cells, 2, 2);
    assert_int_equal(io_write(rle(), "/dev/null", &memory.document, NULL, &error), ENGINE_STATUS_OUTPUT);
    assert_string_equal(error.text, "/dev/null: exists and is not a regular file; it is not replaced");
    fill(&memory, cells, 2, 2);
    assert_int_equal(io_write(rle(), folder, &memory.document, NULL, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "is not a regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_glider_is_read_with_its_rule),
        cmocka_unit_test(the_glider_gun_is_the_same_by_any_ranges),
        cmocka_unit_test(white_space_comments_and_other_tags_are_read),
        cmocka_unit_test(what_is_not_said_is_dead),
        cmocka_unit_test(the_rule_may_stand_in_a_comment_and_the_header_wins),
        cmocka_unit_test(states_above_1_are_read),
        cmocka_unit_test(a_pattern_is_placed_on_its_torus),
        cmocka_unit_test(memory_does_not_follow_the_header),
        cmocka_unit_test(odd_files_are_read_with_a_remark),
        cmocka_unit_test(a_wrong_size_decides_the_place_as_in_golly),
        cmocka_unit_test(what_is_too_large_to_count_is_skipped),
        cmocka_unit_test(rules_that_golly_emulates_are_known),
        cmocka_unit_test(comments_are_notes),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(nul_bytes_and_long_lines_are_refused),
        cmocka_unit_test(a_grid_is_written_as_golly_reads_it),
        cmocka_unit_test(lines_stay_short_and_cells_come_back),
        cmocka_unit_test(states_above_1_are_written),
        cmocka_unit_test(only_bytes_in_two_axes_are_written),
        cmocka_unit_test(a_failed_write_leaves_what_was_there),
        cmocka_unit_test(write_errors_say_path_and_reason),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
