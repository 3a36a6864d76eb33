/* The function `seek` of formats of patterns: the cells that it finds are those of an array from which the test writes a
 * file by plain loops. */
#include "folder.h"
#include "tests/documents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Patterns and their files ------------------------------------------------------------------------------- */

enum { SIDE = 64, PATTERNS = 120 };

/* The cells that a linear congruential generator draws. The first and the last cell live, so that the smallest grid is
 * the whole pattern. */
struct drawn {
    uint32_t random;
    int width, height, states;
    uint8_t cells[SIDE][SIDE];
};

static uint32_t draw(struct drawn *drawn, uint32_t below)
{
    drawn->random = drawn->random * 1664525 + 1013904223;
    return (uint32_t) ((uint64_t) drawn->random * below >> 32);
}

static void draw_cells(struct drawn *drawn, int round)
{
    const uint32_t every = (uint32_t[]){1, 2, 10, 200}[round % 4];
    memset(drawn->cells, 0, sizeof drawn->cells);
    drawn->width = 1 + (int) draw(drawn, SIDE);
    drawn->height = 1 + (int) draw(drawn, SIDE);
    drawn->states = round % 3 == 0 ? 5 : 2;
    for (int y = 0; y < drawn->height; y++)
        for (int x = 0; x < drawn->width; x++)
            if (draw(drawn, every) == 0)
                drawn->cells[y][x] = (uint8_t) (1 + draw(drawn, (uint32_t) drawn->states - 1));
    drawn->cells[0][0] = drawn->cells[drawn->height - 1][drawn->width - 1] = 1;
}

/* Runs of one to three cells, and only the live cells of a row, so that the file has gaps. */
static void put_rle(struct drawn *drawn, FILE *file)
{
    fprintf(file, "x = %d, y = %d, rule = %s\n", drawn->width, drawn->height, drawn->states > 2 ? "2/3/5" : "B3/S23");
    for (int y = 0; y < drawn->height; y++) {
        int last = SIDE - 1;
        while (last >= 0 && drawn->cells[y][last] == 0)
            last--;
        for (int x = 0, n; x <= last; x += n) {
            for (n = 1; n < 3 && x + n <= last && drawn->cells[y][x + n] == drawn->cells[y][x]; n++)
                ;
            fprintf(file, n > 1 ? "%d%c" : "%.0d%c", n > 1 ? n : 0,
                    (drawn->states > 2 ? ".ABCD" : "bo")[drawn->cells[y][x]]);
        }
        fputs(y % 5 == 0 ? "$\n" : "$", file);
    }
    fputs("!\n", file);
}

/* Writes all squares of the array, a square for each place; returns the number of the last one, 0 for dead cells. */
static int put_square(const struct drawn *drawn, FILE *file, int level, int x, int y, int *count)
{
    const int side = 1 << level, half = side / 2;
    int quarters[4], live = 0;
    if (level == 3 && drawn->states == 2) {
        char line[80] = "";
        for (int i = 0; i < 64; i++) {
            live += drawn->cells[y + i / 8][x + i % 8];
            sprintf(line + strlen(line), "%c%s", ".*"[drawn->cells[y + i / 8][x + i % 8]], i % 8 == 7 ? "$" : "");
        }
        return live == 0 ? 0 : (fprintf(file, "%s\n", line), ++*count);
    }
    for (int i = 0; i < 4; i++) {
        const int at_x = x + i % 2 * half, at_y = y + i / 2 * half;
        quarters[i] = level == 1 ? drawn->cells[at_y][at_x] : put_square(drawn, file, level - 1, at_x, at_y, count);
        live += quarters[i];
    }
    if (live == 0)
        return 0;
    fprintf(file, "%d %d %d %d %d\n", level, quarters[0], quarters[1], quarters[2], quarters[3]);
    return ++*count;
}

static void put_mc(struct drawn *drawn, FILE *file)
{
    int count = 0;
    fprintf(file, "[M2]\n#R %s\n", drawn->states > 2 ? "2/3/5" : "B3/S23");
    put_square(drawn, file, 6, 0, 0, &count);
}

static const char *file_of(struct drawn *drawn, const char *name, void (*put)(struct drawn *, FILE *))
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    put(drawn, file);
    assert_int_equal(fclose(file), 0);
    return path_of(name);
}

static struct io_document *opened(const char *path)
{
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document(path, &document, &error) != 0)
        fail_msg("%s", error.text);
    assert_non_null(document->seek);
    return document;
}

/* ---- Tests -------------------------------------------------------------------------------------------------- */

/* Reads the pattern as the engine does: a piece from each cell that is found on. */
static void expect_drawn(struct drawn *drawn, const char *path)
{
    struct engine_error error = {0};
    struct io_document *document = opened(path);
    const uint64_t width = (uint64_t) drawn->width, total = width * (uint64_t) drawn->height;
    assert_int_equal(document->arrays[0].shape.extent[0], width);
    assert_int_equal(document->arrays[0].shape.extent[1], drawn->height);
    for (uint64_t from = 0, at, end; from < total; from = end) {
        uint8_t piece[SIDE];
        assert_int_equal(document->seek(document, 0, from, &at, &error), 0);
        uint64_t wanted = from;
        while (wanted < total && drawn->cells[wanted / width][wanted % width] == 0)
            wanted++;
        assert_int_equal(at, wanted < total ? wanted : UINT64_MAX);
        if (at == UINT64_MAX)
            break;
        const uint64_t left = width - at % width, most = 1 + draw(drawn, 20), count = left < most ? left : most;
        assert_int_equal(document->read(document, 0, at, count, piece, &error), 0);
        assert_memory_equal(piece, &drawn->cells[at / width][at % width], count);
        end = at + count;
    }
    document->close(document);
}

static void drawn_patterns_are_found(void **state)
{
    (void) state;
    struct drawn drawn = {.random = 1};
    for (int round = 0; round < PATTERNS; round++) {
        draw_cells(&drawn, round);
        expect_drawn(&drawn, file_of(&drawn, "a.rle", put_rle));
        expect_drawn(&drawn, file_of(&drawn, "a.mc", put_mc));
    }
}

/* Expects these numbers of elements, and no others. */
static void expect_found(const char *name, const char *text, const uint64_t *numbers, int count)
{
    struct engine_error error = {0};
    FILE *file = fopen(path_of(name), "wb");
    assert_true(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    struct io_document *document = opened(path_of(name));
    uint64_t at, from = 0;
    for (int i = 0; i < count; i++, from = at + 1) {
        assert_int_equal(document->seek(document, 0, from, &at, &error), 0);
        assert_int_equal(at, numbers[i]);
    }
    assert_int_equal(document->seek(document, 0, from, &at, &error), 0);
    assert_int_equal(at, UINT64_MAX);
    document->close(document);
}

/* A pattern whose cells no loop can visit: 2^39 + 1 rows of a column; a million rows of ten million columns. */
static void gaps_cost_nothing(void **state)
{
    (void) state;
    char text[4096] = "[M2]\n1 1 0 0 0\n";
    for (int level = 2, number = 1; level < 40; level++, number++)
        sprintf(text + strlen(text), "%d %d 0 0 0\n", level, number);
    strcat(text, "40 39 0 39 0\n");
    expect_found("a.mc", text, (uint64_t[]){0, UINT64_C(1) << 39}, 2);
    expect_found("a.rle", "x = 10000000, y = 1000000, rule = B3/S23\no9999998bo999999$5000000b2o!\n",
                 (uint64_t[]){0, 9999999, 9999995000000, 9999995000001}, 4);
}

static void planes_are_found(void **state)
{
    (void) state;
    expect_found("a.rle3", "3D version=1 size=10\nx=3 y=2 z=3 rule=3D4,5/5\n2bo//$bo!\n", (uint64_t[]){2, 16}, 2);
}

/* Cells outside the grid of a file are not found. */
static void cells_in_the_grid_are_found(void **state)
{
    (void) state;
    expect_found("a.mc", "[M2] (golly 3.3)\n#R B3/S23:T5,14\n$$$$......*$.......*$.....***$\n4 0 0 1 0\n",
                 (uint64_t[]){0, 3}, 2);
    expect_found("a.rle", "#CXRLE Pos=-3,5\nx = 3, y = 3, rule = B3/S23:T5,14\nbo$2bo$3o!\n", (uint64_t[]){0, 3}, 2);
}

static void an_empty_pattern_has_no_cells(void **state)
{
    (void) state;
    expect_found("a.mc", "[M2]\n4 0 0 0 0\n", NULL, 0);
    expect_found("a.rle", "x = 5, y = 4, rule = B3/S23\n!\n", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_patterns_are_found),
        cmocka_unit_test(gaps_cost_nothing),
        cmocka_unit_test(planes_are_found),
        cmocka_unit_test(cells_in_the_grid_are_found),
        cmocka_unit_test(an_empty_pattern_has_no_cells),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
