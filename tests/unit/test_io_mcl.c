/* Reading MCell patterns. Cells are written by hand, and the places are those to which Golly 3.3 puts the same files:
 * `bgolly -a HashLife -m 0 -o out.mc in.mcl`. */
#define PATTERN_FILE "in.mcl"
#include "pattern_files.h"

static void expect_place(const char *file, const char *rule, uint64_t width, uint64_t height, int64_t x, int64_t y)
{
    struct io_document *document = opened(file);
    const struct io_header *header = &document->header;
    assert_string_equal(header->rule, rule);
    assert_int_equal(header->pattern.grid[0], width);
    assert_int_equal(header->pattern.grid[1], height);
    assert_int_equal(header->pattern.placed, width > 0);
    assert_int_equal(header->pattern.at[0], x);
    assert_int_equal(header->pattern.at[1], y);
    document->close(document);
}

static void cells_are_read(void **state)
{
    (void) state;
    expect_pattern("#MCell 4.20\n#GAME Life\n#RULE 23/3\n#L .A$..A$3A\n", ".A.\n..A\nAAA\n");
    expect_pattern("#MCell 4.20\r\n#L .A$..A\r\n#L $3A2$\r\n", ".A.\n..A\nAAA\n");
    expect_pattern("#MCell 4.20\n\n#L 5$4.B.2A3$\n#L 3.C\n", ".B.AA\n.....\n.....\nC....\n");
    struct io_document *document = opened("#MCell 4.20\n#L X2aAjO\n");
    struct engine_error error = {0};
    uint8_t cells[4];
    assert_int_equal(document->arrays[0].values, 256);
    assert_int_equal(document->arrays[0].shape.extent[0], 4);
    assert_int_equal(document->read(document, 0, 0, 4, cells, &error), 0);
    assert_memory_equal(cells, "\x18\x19\x19\xff", 4);
    document->close(document);
}

/* MCell breaks lines, but a line of cells or of a comment may have any length. */
static void long_lines_are_read(void **state)
{
    enum { LENGTH = 100000 };
    static char file[2 * LENGTH + 100], cells[LENGTH + 1];
    char *at = file + sprintf(file, "#MCell 4.20\n#D ");
    (void) state;
    memset(at, 'd', LENGTH);
    at += LENGTH + sprintf(at + LENGTH, "\n#L ");
    for (int i = 0; i < LENGTH; i += 2)
        memcpy(at + i, ".A", 2);
    sprintf(at + LENGTH, "\n");
    struct io_document *document = opened(file);
    struct engine_error error = {0};
    assert_string_equal(document->header.skipped, "a part of the comments");
    assert_int_equal(document->arrays[0].shape.extent[0], LENGTH - 1);
    assert_int_equal(document->read(document, 0, 0, LENGTH - 1, cells, &error), 0);
    for (int i = 0; i < LENGTH - 1; i++)
        assert_int_equal(cells[i], i % 2 == 0);
    document->close(document);
}

static void the_board_is_the_grid_and_the_pattern_is_in_its_middle(void **state)
{
    (void) state;
    expect_place("#MCell 4.20\n#GAME Life\n#RULE 23/3\n#BOARD 10x8\n#WRAP 1\n#L .A$..A$3A\n", "23/3", 10, 8, 4, 3);
    expect_place("#MCell 4.20\n#GAME Life\n#RULE 23/3\n#BOARD 11x9\n#WRAP 1\n#L .A$3A\n", "23/3", 11, 9, 4, 4);
    struct io_document *dead = opened("#MCell 4.20\n#BOARD 10x8\n#WRAP 0\n#L .A$..A$3A\n");
    assert_int_equal(dead->header.pattern.grid[0], 10);
    assert_int_equal(dead->header.pattern.edges[0], ENGINE_EDGE_DEAD);
    assert_int_equal(dead->header.pattern.edges[1], ENGINE_EDGE_DEAD);
    dead->close(dead);
    expect_place("#MCell 2.0\n#GAME Generations\n#RULE 2/13/21\n#L A\n", "2/13/21", 0, 0, 0, 0);
    expect_place("#MCell 4.20\n#GAME Rules table\n#RULE 1,0,0,\n#GOLLY WireWorld\n#RULE 0,3\n#L C\n", "WireWorld", 0, 0,
                 0, 0);
    expect_place("#MCell 2.20\n#GAME Larger than Life\n#RULE R5,C0,M1,S34..58,B34..45,NM\n#L A\n",
                 "R5,C0,M1,S34..58,B34..45,NM", 0, 0, 0, 0);
    expect_place("#MCell 4.20\n#L A\n", "", 0, 0, 0, 0);
}

/* mirekw.com, Cellular Automata files formats: since MCell 2.30, a long rule may have several lines. */
static void a_rule_may_have_several_lines(void **state)
{
    (void) state;
    expect_place("#MCell 4.20\n#GAME Generations\n#RULE 345/\n#RULE 2/4\n#BOARD 9x9\n#WRAP 1\n#L A\n", "345/2/4", 9, 9,
                 4, 4);
    expect_place("#MCell 4.20\n#GAME Life\n#RULE 23\n#D c\n#RULE /3\n#L A\n", "23/3", 0, 0, 0, 0);
}

/* Golly moves a pattern that is larger than the board along an axis to the first column or row, and removes the cells
 * outside at the first step. */
static void a_pattern_larger_than_its_board_is_cut(void **state)
{
    (void) state;
    static const char file[] = "#MCell 4.20\n#BOARD 2x2\n#WRAP 1\n#L ABC$C\n";
    expect_pattern(file, "AB\nC.\n");
    expect_place(file, "", 2, 2, 0, 0);
    struct io_document *document = opened(file);
    assert_non_null(strstr(document->remarks, "3 x 2 cells is not inside its grid of 2 x 2"));
    document->close(document);
}

static void a_file_without_live_cells_is_one_dead_cell(void **state)
{
    (void) state;
    expect_pattern("#MCell 4.20\n#GAME Life\n#RULE 23/3\n", ".\n");
    expect_pattern("#MCell 4.20\n#BOARD 4x4\n#L 2.$\n", ".\n");
    struct io_document *document = opened("#MCell 4.20\n#L $\n");
    assert_non_null(strstr(document->remarks, "no live cells"));
    document->close(document);
}

static void what_is_left_out_is_named(void **state)
{
    (void) state;
    struct io_document *document = opened("#MCell 4.20\n#CCOLORS 3\n#D text\n#SPEED 0\n#L A\n");
    assert_non_null(strstr(document->header.skipped, "the settings of MCell"));
    assert_int_equal(document->header.notes, 1);
    assert_string_equal(document->header.note[0].key, "Comment");
    assert_string_equal(document->header.note[0].text, "text\n");
    document->close(document);
}

static void bad_files_are_refused(void **state)
{
    (void) state;
    expect_error("#MCell 4.20\n#GAME Weighted Life\n#RULE NW1,HI0\n#L A\n", ":4: ", "the game is 'Weighted Life'");
    expect_error("#MCell 4.20\n#GAME Rules table\n#RULE 1,0\n#L A\n", ":4: ", "#GOLLY <rule>");
    expect_error("#MCell 4.20\n#GAME Life\n#RULE\n#L A\n", ":3: ", "expected a rule");
    expect_error("#MCell 4.20\n#BOARD 10\n#L A\n", ":2: ", "#BOARD <width>x<height>");
    expect_error("#MCell 4.20\n#BOARD -10x10\n#L A\n", ":2: ", "#BOARD <width>x<height>");
    expect_error("#MCell 4.20\n#L A\nAAA\n", ":3: ", "begins with '#'");
    expect_error("#MCell 4.20\n#L 3o\n", ":2: ", "'o' is not a cell");
    expect_error("#MCell 4.20\n#L 3a.\n", ":2: ", "'.' is not a cell");
    expect_error("#MCell 4.20\n#L jP\n", ":2: ", "'P' is not a cell");
    expect_error("#MCell 4.20\n#L A3\n", ":2: ", "ends within a cell");
    expect_error("#MCell 4.20\n#L 3", ":2: ", "ends within a cell");
    expect_error("#MCell 4.20\n#L 0A\n", ":2: ", "the count is 0");
    expect_error("#MCell 4.20\n#L 99999999999999999A\n", ":2: ", "more than 2^48");
    expect_error("#MCell 4.20\n#L 200000000000000A200000000000000A\n", ":2: ", "more than 2^48");
    expect_error("#MCell 4.20\n#L 20000000A20000000$A\n", ":2: ", "span 20000000 x 20000001");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_read),
        cmocka_unit_test(long_lines_are_read),
        cmocka_unit_test(the_board_is_the_grid_and_the_pattern_is_in_its_middle),
        cmocka_unit_test(a_rule_may_have_several_lines),
        cmocka_unit_test(a_pattern_larger_than_its_board_is_cut),
        cmocka_unit_test(a_file_without_live_cells_is_one_dead_cell),
        cmocka_unit_test(what_is_left_out_is_named),
        cmocka_unit_test(bad_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
