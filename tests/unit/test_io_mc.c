/* Reading and writing macrocell files. Cells are drawn by hand. The files with "golly 3.3" were written by
 * `bgolly -a HashLife -m 0 -o out.mc in.rle` (Generations for three states) of the RLE files in their comments. */
#define PATTERN_FILE "in.mc"
#include "pattern_files.h"

/* ---- Reading ------------------------------------------------------------------------------------------------ */

#define GLIDER "[M2] (golly 3.3)\n#R B3/S23\n$$..*$...*$.***$\n"

static void squares_of_two_states_are_read(void **state)
{
    (void) state;
    expect_pattern(GLIDER "4 0 0 0 1\n", ".A.\n..A\nAAA\n");
    expect_pattern(GLIDER "4 1 0 0 0\n5 0 2 0 0\n", ".A.\n..A\nAAA\n");
    expect_pattern("[M2]\r\n#C text\r\n..*$\r\n......**$$$$$$$........\r\n4 2 1 0 0\r\n", "AA..A\n");
    expect_pattern("[M2]\n*$\n.......*$\n4 0 2 1 0\n",
                   "...............A\n"
                   "................\n................\n................\n................\n................\n"
                   "................\n................\n"
                   "A...............\n");
    expect_pattern("[M2] (golly 3.3)\n#R B3/S23\n#G 5\n", ".\n"); /* what Golly 3.3 writes when all cells have died */
    expect_pattern("[M2]\n4 0 0 0 0\n", ".\n");
    expect_pattern("[M2]\n99 0 0 0 0\n", ".\n");
    expect_pattern("[M2]\n$$$$$$$$\n4 1 1 0 1\n5 2 0 2 0\n", ".\n");
}

static void squares_of_many_states_are_read(void **state)
{
    (void) state;
    expect_pattern("[M2]\n1 0 3 0 2\n2 0 0 1 0\n", "C\nB\n");
    expect_pattern("[M2]\n1 0 3 0 2\n1 1 0 0 0\n2 2 0 0 1\n3 0 3 3 0\n",
                   "....A...\n........\n.......C\n.......B\nA.......\n........\n...C....\n...B....\n");
}

/* #CXRLE Pos=-3,5 / x = 3, y = 3, rule = B3/S23:T20,18 / bo$2bo$3o!  and  Pos=0,0, x = 1, y = 1, rule = 345/2/4 / A! */
static void the_place_is_that_of_golly(void **state)
{
    (void) state;
    struct io_document *document =
        opened("[M2] (golly 3.3)\n#R B3/S23:T20,18\n$$$$......*$.......*$.....***$\n4 0 0 1 0\n");
    assert_string_equal(document->header.rule, "B3/S23");
    assert_int_equal(document->header.pattern.grid[0], 20);
    assert_int_equal(document->header.pattern.grid[1], 18);
    assert_true(document->header.pattern.placed);
    assert_int_equal(document->header.pattern.at[0], -3 + 10);
    assert_int_equal(document->header.pattern.at[1], 5 + 9);
    document->close(document);
    document = opened("[M2] (golly 3.3)\n#R 345/2/4:T20,20\n#G 77\n1 0 0 1 0\n2 0 1 0 0\n");
    assert_int_equal(document->header.pattern.at[0], 10);
    assert_int_equal(document->header.pattern.at[1], 10);
    assert_int_equal(document->header.frame.step, 77);
    document->close(document);
    /* A part of it is outside the grid, whose first row is -2: .O. of row 5 and the others are; all of it is. */
    static const char glider[] = "$$$$......*$.......*$.....***$\n4 0 0 1 0\n";
    char text[128];
    snprintf(text, sizeof text, "[M2] (golly 3.3)\n#R B3/S23:T5,14\n%s", glider);
    expect_pattern(text, "A.\n.A\n");
    document = opened(text);
    assert_int_equal(document->header.pattern.at[0], 0);
    assert_int_equal(document->header.pattern.at[1], 12);
    assert_non_null(strstr(document->remarks, "3 x 3 cells is not inside its grid of 5 x 14"));
    document->close(document);
    snprintf(text, sizeof text, "[M2] (golly 3.3)\n#R B3/S23:T4,4\n%s", glider);
    expect_pattern(text, "..\n");
    expect_error("[M2] (golly 3.3)\n#R B3/S23:K40*,0\n*$\n4 1 0 0 0\n", ":2: ", "bounded grid");
}

/* Adds squares of the levels `from` to `to`, each with the square before it in the quarters of `which`, a bit each. */
static void add_levels(char *text, int *number, int from, int to, unsigned which)
{
    for (int level = from; level <= to; level++) {
        char *at = text + strlen(text);
        int quarters[4];
        for (int i = 0; i < 4; i++)
            quarters[i] = which >> i & 1 ? *number : 0;
        sprintf(at, "%d %d %d %d %d\n", level, quarters[0], quarters[1], quarters[2], quarters[3]);
        ++*number;
    }
}

static void a_small_pattern_in_a_huge_square_is_read(void **state)
{
    (void) state;
    static const unsigned corners[] = {1, 2, 4, 8};
    static const int sides[] = {5, 60, 64, 1000};
    for (int i = 0; i < 16; i++) {
        char text[1 << 16] = GLIDER;
        int number = 1;
        add_levels(text, &number, 4, sides[i / 4], corners[i % 4]);
        expect_pattern(text, ".A.\n..A\nAAA\n");
    }
    /* In the middle of the root, where a torus has room for it, and far from the middle, where it has none. */
    char text[1 << 16] = "[M2]\n#R B3/S23:T9,9\n*$\n";
    int number = 1;
    add_levels(text, &number, 4, 99, 1);
    sprintf(text + strlen(text), "100 0 0 0 %d\n", number);
    struct io_document *document = opened(text);
    assert_int_equal(document->header.pattern.at[0], 4);
    assert_int_equal(document->header.pattern.at[1], 5);
    document->close(document);
    sprintf(text + strlen(text), "101 0 0 0 %d\n", number + 1);
    expect_error(text, ":", "outside the grid");
}

/* Such a file opens, because a tree takes it. */
static void expect_wide(const char *text, const char *message)
{
    struct io_document *document = opened(text);
    struct engine_error error = {0};
    uint64_t at;
    uint8_t cell;
    assert_int_equal(document->read(document, 0, 0, 1, &cell, &error), ENGINE_STATUS_INPUT);
    assert_non_null(strstr(error.text, message));
    assert_int_equal(document->seek(document, 0, 0, &at, &error), ENGINE_STATUS_INPUT);
    document->close(document);
}

static void what_does_not_fit_is_refused_with_its_size(void **state)
{
    (void) state;
    char text[1 << 16] = "[M2]\n********$********$********$********$********$********$********$********$\n";
    int number = 1;
    add_levels(text, &number, 4, 24, 15);
    struct io_document *document = opened(text);
    struct engine_error error = {0};
    uint8_t cells[3];
    assert_int_equal(document->arrays[0].shape.extent[0], 1 << 24);
    assert_int_equal(document->arrays[0].shape.extent[1], 1 << 24);
    assert_int_equal(document->read(document, 0, (UINT64_C(1) << 48) - 3, 3, cells, &error), 0);
    assert_memory_equal(cells, "\1\1\1", 3);
    document->close(document);
    add_levels(text, &number, 25, 25, 15);
    expect_wide(text, "the live cells span 33554432 x 33554432; the limit is 2^48 cells");
    add_levels(text, &number, 26, 60, 15);
    expect_wide(text, "the live cells span 1152921504606846976 x 1152921504606846976");
    add_levels(text, &number, 61, 300, 15);
    expect_error(text, ":", "span more than 2^298 cells along an axis, in a square of 2^300 x 2^300");
    /* Two cells, 2^40 - 1 rows apart in one column: a thin pattern has room for them. */
    strcpy(text, "[M2]\n1 1 0 0 0\n");
    number = 1;
    add_levels(text, &number, 2, 39, 1);
    sprintf(text + strlen(text), "40 %d 0 %d 0\n", number, number);
    document = opened(text);
    assert_int_equal(document->arrays[0].shape.extent[0], 1);
    assert_int_equal(document->arrays[0].shape.extent[1], (UINT64_C(1) << 39) + 1);
    document->close(document);
}

static void bad_files_are_refused(void **state)
{
    (void) state;
    expect_error(GLIDER, ":3: ", "cut short");
    expect_error(GLIDER "4 1 0 0 1\n*$\n", ":5: ", "cut short");
    expect_error(GLIDER "4 1 0 0 2\n", ":4: ", "the quarter 2; expected 0 or an earlier square, 1 to 1");
    expect_error(GLIDER "5 1 0 0 1\n", ":4: ", "the quarter 1 of level 3; expected level 4");
    expect_error(GLIDER "3 1 0 0 1\n", ":4: ", "has level 3; expected 4");
    expect_error(GLIDER "1 1 0 0 1\n", ":4: ", "squares of one kind");
    expect_error("[M2]\n1 0 0 0 1\n*$\n2 0 0 0 1\n", ":3: ", "squares of one kind");
    expect_error("[M2]\n1 0 0 0 256\n2 1 0 0 0\n", ":2: ", "state 256");
    expect_error("[M2]\n.........\n4 1 0 0 0\n", ":2: ", "more than 8 x 8");
    expect_error("[M2]\n$$$$$$$$*\n4 1 0 0 0\n", ":2: ", "more than 8 x 8");
    expect_error("[M2]\n$$$$$$$$$\n4 1 0 0 0\n", ":2: ", "more than 8 x 8");
    expect_error("[M2]\n..x$\n4 1 0 0 0\n", ":2: ", "byte 0x78");
    expect_error("[M2]\n4 0 0 0\n", ":2: ", "expected a square");
    expect_error("[M2]\n4 0 0 0 0 0\n", ":2: ", "expected a square");
    expect_error("[M2]\n4 0 0 0 4294967296\n", ":2: ", "expected a square");
    expect_error("[M2]\n9999999 0 0 0 0\n", ":2: ", "has level 9999999; expected");
    expect_error("[M2]\n#G -1\n4 0 0 0 0\n", ":2: ", "#G <n>");
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static const char *converted(const char *in, const char *name, const char *rle)
{
    static char text[4096];
    struct engine_error error = {0};
    struct io_document *document;
    FILE *file = fopen(path_of(in), "wb");
    fputs(rle, file);
    fclose(file);
    if (open_document(path_of(in), &document, &error) != 0 ||
        io_write(io_format_named("mc"), path_of(name), document, NULL, &error) != 0)
        fail_msg("%s", error.text);
    document->close(document);
    file = fopen(path_of(name), "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void files_are_written_as_golly_writes_them(void **state)
{
    (void) state;
    assert_string_equal(
        converted("a.rle", "a.mc", "#CXRLE Pos=-1,-1 Gen=12\nx = 3, y = 3, rule = B3/S23:T10,8\nbo$2bo$3o!\n"),
        "[M2] (engine)\n#R B3/S23:T10,8\n#G 12\n$$$$$$*$.*$\n.......*$\n**$\n4 0 1 2 3\n");
    assert_string_equal(converted("a.rle", "a.mc", "#CXRLE Pos=0,0\nx = 1, y = 1, rule = 345/2/4:T20,20\nB!\n"),
                        "[M2] (engine)\n#R 345/2/4:T20,20\n1 0 0 2 0\n2 0 1 0 0\n");
    assert_string_equal(converted("a.rle", "a.mc", "x = 3, y = 3\n!\n"), "[M2] (engine)\n4 0 0 0 0\n");
}

static void equal_squares_stand_once(void **state)
{
    (void) state;
    /* 32 x 32 live cells from the middle: one leaf, one square of 16, one quarter of 32, and the root. */
    assert_string_equal(
        converted("a.rle", "a.mc",
                  "#CXRLE Pos=0,1\nx = 32, y = 32, rule = B3/S23:T80,80\n"
                  "32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$32o$"
                  "32o$32o$32o$32o$32o$32o$32o$32o!\n"),
        "[M2] (engine)\n#R B3/S23:T80,80\n********$********$********$********$********$********$********$********$\n"
        "4 1 1 1 1\n5 2 2 2 2\n6 0 0 0 3\n");
    /* The bits of the leaf and the quarters of the square around it are the same numbers. */
    assert_string_equal(converted("a.rle", "a.mc", "#CXRLE Pos=-16,-15\nx = 1, y = 1, rule = B3/S23:T40,40\no!\n"),
                        "[M2] (engine)\n#R B3/S23:T40,40\n*$\n4 1 0 0 0\n5 2 0 0 0\n");
}

/* A square grid of cells that a linear congruential generator draws, at every place relative to the squares of a
 * file. */
static void what_is_written_is_read_again(void **state)
{
    (void) state;
    uint32_t random = 1;
    for (int round = 0; round < 200; round++) {
        enum { SIDE = 37 };
        uint8_t cells[SIDE * SIDE];
        const int width = 1 + round % SIDE, height = 1 + round * 7 % SIDE, states = round % 3 == 0 ? 5 : 2;
        char rle[8192];
        int length = sprintf(rle, "#CXRLE Pos=%d,%d\nx = %d, y = %d, rule = B3/S23:T200,200\n", round % 23 - 60,
                             round % 19 - 30, width, height);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                random = random * 1664525 + 1013904223;
                const int live = (random >> 28) < (uint32_t) (round % 16);
                uint8_t cell = (uint8_t) (live ? 1 + (random >> 20) % (unsigned) (states - 1) : 0);
                /* The corners are live, so that the smallest grid is the whole pattern. */
                if ((x == 0 && y == 0) || (x == width - 1 && y == height - 1))
                    cell = 1;
                cells[y * width + x] = cell;
                rle[length++] = ".ABCDE"[cell];
            }
            rle[length++] = '$';
        }
        strcpy(rle + length, "!\n");
        converted("a.rle", "a.mc", rle);
        struct engine_error error = {0};
        struct io_document *document;
        uint8_t again[SIDE * SIDE];
        if (open_document(path_of("a.mc"), &document, &error) != 0)
            fail_msg("%s", error.text);
        assert_int_equal(document->arrays[0].shape.extent[0], width);
        assert_int_equal(document->arrays[0].shape.extent[1], height);
        assert_int_equal(document->header.pattern.at[0], 100 + round % 23 - 60);
        assert_int_equal(document->header.pattern.at[1], 100 + round % 19 - 30);
        assert_int_equal(document->read(document, 0, 0, (uint64_t) (width * height), again, &error), 0);
        assert_memory_equal(cells, again, width * height);
        document->close(document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_of_two_states_are_read),
        cmocka_unit_test(squares_of_many_states_are_read),
        cmocka_unit_test(the_place_is_that_of_golly),
        cmocka_unit_test(a_small_pattern_in_a_huge_square_is_read),
        cmocka_unit_test(what_does_not_fit_is_refused_with_its_size),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(files_are_written_as_golly_writes_them),
        cmocka_unit_test(equal_squares_stand_once),
        cmocka_unit_test(what_is_written_is_read_again),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
