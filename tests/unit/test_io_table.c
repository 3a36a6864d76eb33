/* Writing tables of bins: csv, and the texts of svg. */
#include "particle_files.h"

#include <math.h>

enum { BINS = 3 };
static const double x[BINS] = {0.05, 0.15, 1.0 / 3};
static const uint64_t counts[2 * BINS] = {0, 1, 18446744073709551615u, 3, 4, 5};
static const float share[BINS] = {0.1f, -INFINITY, NAN};

static struct io_document *table(struct memory *memory)
{
    static struct io_document document;
    document = (struct io_document){.context = memory, .header.frame.step = 70};
    add_memory(&document, "position", ENGINE_F32, 1, 3, share);
    add_memory(&document, "x", ENGINE_F64, BINS, 1, x);
    add_memory(&document, "total", ENGINE_F64, 2, 1, x);
    add_memory(&document, "counts", ENGINE_U64, BINS, 2, counts);
    add_memory(&document, "share", ENGINE_F32, BINS, 1, share);
    for (uint32_t i = 1; i < document.count; i++)
        document.arrays[i].kind = ENGINE_BINS;
    return &document;
}

/* The columns have as many bins as the first array; other arrays are left out. Numbers are the shortest that give the
 * same bits, and whole numbers are written as whole numbers. */
static void test_csv(void **state)
{
    struct memory memory;
    assert_string_equal(text_of(written(table(&memory), "csv", "out.csv")), "x,count_0,count_1,share\n"
                                                                            "0.05,0,1,0.1\n"
                                                                            "0.15,18446744073709551615,3,-inf\n"
                                                                            "0.3333333333333333,4,5,nan\n");
}

/* An array of several rows of bins, (2, 3), of two components: the rows are columns, one behind the other. */
static void test_csv_of_rows(void **state)
{
    static const uint8_t numbers[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    struct memory memory;
    struct io_document document = {.context = &memory};
    add_memory(&document, "x", ENGINE_F64, BINS, 1, x);
    add_memory(&document, "g", ENGINE_U8, BINS, 2, numbers);
    document.arrays[0].kind = document.arrays[1].kind = ENGINE_BINS;
    document.arrays[1].shape.rank = 2;
    document.arrays[1].shape.extent[1] = 2;
    assert_string_equal(text_of(written(&document, "csv", "out.csv")),
                        "x,g_0,g_1,g_2,g_3\n0.05,0,1,6,7\n0.15,2,3,8,9\n0.3333333333333333,4,5,10,11\n");
}

static void test_csv_of_every_type(void **state)
{
    static const int8_t i8[] = {-128};
    static const uint8_t u8[] = {255};
    static const int16_t i16[] = {-32768};
    static const uint16_t u16[] = {65535};
    static const int32_t i32[] = {INT32_MIN};
    static const uint32_t u32[] = {UINT32_MAX};
    static const int64_t i64[] = {INT64_MIN};
    static const float f32[] = {16777217};
    static const struct {
        const char *name;
        uint32_t type;
        const void *elements;
    } all[] = {{"a", ENGINE_I8, i8},   {"b", ENGINE_U8, u8},   {"c", ENGINE_I16, i16}, {"d", ENGINE_U16, u16},
               {"e", ENGINE_I32, i32}, {"f", ENGINE_U32, u32}, {"g", ENGINE_I64, i64}, {"h", ENGINE_F32, f32}};
    struct memory memory;
    struct io_document document = {.context = &memory};
    for (int i = 0; i < 8; i++) {
        add_memory(&document, all[i].name, all[i].type, 1, 1, all[i].elements);
        document.arrays[i].kind = ENGINE_BINS;
    }
    assert_string_equal(
        text_of(written(&document, "csv", "out.csv")),
        "a,b,c,d,e,f,g,h\n-128,255,-32768,65535,-2147483648,4294967295,-9223372036854775808,16777216\n");
}

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in\n%s", part, text);
}

/* Panels for counts and share against x, a line for each component, names and ticks. */
static void test_svg(void **state)
{
    struct memory memory;
    struct io_document *document = table(&memory);
    document->arrays[0].kind = ENGINE_GRID;
    const char *text = text_of(written(document, "svg", "out.svg"));
    static const char *const parts[] = {"<svg xmlns=\"http://www.w3.org/2000/svg\"",
                                        ">x</text>",
                                        ">count</text>",
                                        ">count_1</text>",
                                        ">share</text>",
                                        ">0.2</text>",
                                        ">step 70</text>",
                                        "</svg>\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        expect_has(text, parts[i]);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_null(strstr(text, "total"));
}

/* The peak of a line is where the ticks are: y from 0 to 4 fills the panel, whose axis ends at 4. A panel alone is 420
 * pixels high. */
static void test_svg_places(void **state)
{
    static const double r[] = {0, 1, 2}, g[] = {0, 4, 2};
    struct memory memory;
    struct io_document document = {.context = &memory};
    add_memory(&document, "r", ENGINE_F64, 3, 1, r);
    add_memory(&document, "g", ENGINE_F64, 3, 1, g);
    document.arrays[0].kind = document.arrays[1].kind = ENGINE_BINS;
    expect_has(text_of(written(&document, "svg", "out.svg")), "d=\"M84.00 444.00h0L392.00 24.00L700.00 234.00\"");
}

static void expect_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("'%s' is in\n%s", part, text);
}

/* The plugin says how its outputs are shown. Bins of 25 events and more have 2 and 1, so the scale ends at 2, which is
 * 210 pixels for 1; 40 is far above the panel. The line lies at 1. */
static struct io_document *described(struct memory *memory)
{
    static const double r[] = {0, 1, 2, 3}, g[] = {40, 0, 2, 1}, n[] = {0, 7, 8, 9};
    static const uint64_t events[] = {1, 24, 25, 60};
    static struct io_document document;
    document = (struct io_document){.context = memory, .header.length = ENGINE_ANGSTROM};
    add_memory(&document, "r", ENGINE_F64, 4, 1, r);
    add_memory(&document, "g", ENGINE_F64, 4, 1, g);
    add_memory(&document, "n", ENGINE_F64, 4, 1, n);
    add_memory(&document, "counts", ENGINE_U64, 4, 1, events);
    for (uint32_t i = 0; i < document.count; i++)
        document.arrays[i].kind = ENGINE_BINS;
    document.plots[0].lengths = 1;
    document.plots[1] = (struct engine_plot){.marked = 1, .mark = 1, .counts = "counts"};
    document.plots[2].hidden = document.plots[3].hidden = 1;
    return &document;
}

static void test_svg_as_described(void **state)
{
    struct memory memory;
    struct io_document *document = described(&memory);
    const char *text = text_of(written(document, "svg", "out.svg"));
    expect_has(text, "height=\"496\"");
    expect_has(text, "d=\"M84.00 -7956.00h0L289.33 444.00L494.67 24.00L700.00 234.00\"");
    expect_has(text, "viewBox=\"84 24 616 420\"");
    expect_has(text, "d=\"M84.00 234.00H700.00\"");
    expect_has(text, ">r (angstrom)<");
    expect_has(text, ">bins with a count below 25 do not set the scale<");
    expect_lacks(text, ">n<");
    expect_lacks(text, ">count<");
    strcpy(document->title, "rdf, position 8");
    document->plots[0].lengths = -1;
    text = text_of(written(document, "svg", "out.svg"));
    expect_has(text, ">rdf, position 8<");
    expect_has(text, "d=\"M84.00 254.00H700.00\"");
    expect_has(text, ">r (1/angstrom)<");
}

/* A plot shows what is hidden where nothing else is there. Without bins of 25 events, all bins set the scale. A line
 * beyond the numbers is on the scale: from 0 to 80, a pixel has 80 / 420. */
static void test_svg_of_hidden(void **state)
{
    struct memory memory;
    struct io_document *document = described(&memory);
    document->plots[1] = (struct engine_plot){.hidden = 1, .marked = 1, .mark = 80, .counts = "n"};
    const char *text = text_of(written(document, "svg", "out.svg"));
    expect_has(text, ">n<");
    expect_has(text, ">count<");
    expect_lacks(text, "do not set the scale");
    document->plots[1].hidden = 0;
    text = text_of(written(document, "svg", "out.svg"));
    expect_has(text, "d=\"M84.00 24.00H700.00\"");
    expect_has(text, "d=\"M84.00 234.00h0L");
}

/* Numbers that are all equal, and numbers whose difference overflows. */
static void test_svg_of_extremes(void **state)
{
    static const double bad[][2] = {{0, 0},        {5, 5},          {-5, -5},      {1e308, -1e308},   {NAN, NAN},
                                    {5e-324, 0},   {1e300, -1e300}, {INFINITY, 1}, {-1e-310, 1e-310}, {1e17, 1e17 + 16},
                                    {1e300, 1e300}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int columns = 1; columns <= 2; columns++) {
            struct memory memory;
            struct io_document document = {.context = &memory};
            add_memory(&document, "a", ENGINE_F64, 2, 1, bad[i]);
            if (columns == 2)
                add_memory(&document, "b", ENGINE_F64, 2, 1, bad[i]);
            document.arrays[0].kind = document.arrays[1].kind = ENGINE_BINS;
            const char *text = text_of(written(&document, "svg", "out.svg"));
            expect_has(text, "</svg>");
            assert_null(strstr(text, "nan"));
            assert_null(strstr(text, "inf"));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_of_rows),
        cmocka_unit_test(test_csv_of_every_type),
        cmocka_unit_test(test_svg),
        cmocka_unit_test(test_svg_places),
        cmocka_unit_test(test_svg_of_extremes),
        cmocka_unit_test(test_svg_as_described),
        cmocka_unit_test(test_svg_of_hidden),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
