/* Reading Tipsy files. Their bytes are built from the description of the format, with numbers chosen by hand. */
#include "particle_files.h"

struct bytes {
    bool big;
    size_t size;
    unsigned char at[1024];
};

static void put(struct bytes *bytes, const void *number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes->at[bytes->size + i] = ((const unsigned char *) number)[bytes->big ? size - 1 - i : i];
    bytes->size += size;
}

static void put_integer(struct bytes *bytes, int32_t number)
{
    put(bytes, &number, sizeof number);
}

/* Numbers first, first + 1, … */
static void put_record(struct bytes *bytes, float first, int numbers)
{
    for (int i = 0; i < numbers; i++) {
        const float number = first + (float) i;
        put(bytes, &number, sizeof number);
    }
}

/* One gas, two dark, one star particle. */
static struct bytes small_file(bool big, bool padded)
{
    struct bytes bytes = {.big = big};
    const double time = 0.25;
    const int32_t header[] = {4, 3, 1, 2, 1};
    put(&bytes, &time, sizeof time);
    for (int i = 0; i < 5; i++)
        put_integer(&bytes, header[i]);
    if (padded)
        put_integer(&bytes, 0);
    put_record(&bytes, 100, 12);
    put_record(&bytes, 200, 9);
    put_record(&bytes, 300.5f, 9);
    put_record(&bytes, -400, 11);
    return bytes;
}

static void expect_small(const char *path)
{
    struct io_document *document = opened(path);
    assert_int_equal(document->count, 3);
    expect_numbers(document, "mass", 4, 1, (double[]){100, 200, 300.5, -400});
    expect_numbers(document, "position", 4, 3,
                   (double[]){101, 102, 103, 201, 202, 203, 301.5, 302.5, 303.5, -399, -398, -397});
    expect_numbers(document, "velocity", 4, 3,
                   (double[]){104, 105, 106, 204, 205, 206, 304.5, 305.5, 306.5, -396, -395, -394});
    document->close(document);
}

static void test_both_byte_orders_and_headers(void **state)
{
    for (int i = 0; i < 4; i++) {
        const struct bytes bytes = small_file(i & 1, i & 2);
        expect_small(file_of("in.tipsy", bytes.at, bytes.size));
        expect_small(file_of("without_ending", bytes.at, bytes.size));
        expect_small(zipped_file_of("in.tipsy.gz", bytes.at, bytes.size, 0));
    }
}

/* As many particles as the header states, of zeros. */
static void test_a_gzip_ed_file_that_unpacks_to_a_thousand_times_its_size(void **state)
{
    enum { DARK = 2000000 };
    uint8_t *bytes = calloc(28 + 36 * DARK, 1);
    const uint32_t words[] = {DARK, 3, 0, DARK, 0};
    assert_non_null(bytes);
    memcpy(bytes + 8, words, sizeof words);
    expect_error(zipped_file_of("bomb.tipsy.gz", bytes, 28 + 36 * DARK, 0), "200 times its size");
    free(bytes);
}

static void test_files_cut_short(void **state)
{
    const struct bytes bytes = small_file(true, true);
    for (size_t size = 1; size < bytes.size; size++)
        if (size != bytes.size - 4) /* as long as a whole file with the short header */
            expect_error(file_of("in.tipsy", bytes.at, size),
                         size < 28 ? "" : "but its header states 1 gas, 2 dark and 1 star");
    expect_error(zipped_file_of("cut.tipsy.gz", bytes.at, bytes.size, 9), "");
    expect_error(zipped_file_of("short.tipsy.gz", bytes.at, bytes.size - 8, 0), "but its header states");
}

static void test_more_than_was_promised(void **state)
{
    const struct bytes bytes = small_file(false, true);
    expect_error(file_of("in.tipsy", bytes.at, bytes.size + 1), "but its header states");
}

static void test_headers_that_are_none(void **state)
{
    static const int32_t headers[][5] = {
        {4, 3, 1, 2, 2},                 /* does not add up */
        {4, 2, 1, 2, 1},                 /* two dimensions */
        {0, 3, 0, 0, 0},                 /* nothing */
        {-4, 3, -1, -2, -1},             /* negative */
        {2, 3, INT32_MAX, INT32_MAX, 4}, /* adds up only where sums wrap around */
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct bytes bytes = small_file(true, true);
        bytes.size = 8;
        for (int k = 0; k < 5; k++)
            put_integer(&bytes, headers[i][k]);
        expect_error(file_of("in.tipsy", bytes.at, 32 + 48 + 2 * 36 + 44), "is not a Tipsy file");
    }
}

/* A header with far more particles than the file has bytes is refused before memory is taken. */
static void test_a_huge_count(void **state)
{
    struct bytes bytes = small_file(true, true);
    static const int32_t header[] = {2000000000, 3, 0, 2000000000, 0};
    bytes.size = 8;
    for (int k = 0; k < 5; k++)
        put_integer(&bytes, header[k]);
    expect_error(file_of("in.tipsy", bytes.at, 200), "has 200 bytes but its header states");
    expect_error(zipped_file_of("in.tipsy.gz", bytes.at, 200, 0), "has 200 bytes but its header states");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_byte_orders_and_headers),
        cmocka_unit_test(test_files_cut_short),
        cmocka_unit_test(test_a_gzip_ed_file_that_unpacks_to_a_thousand_times_its_size),
        cmocka_unit_test(test_more_than_was_promised),
        cmocka_unit_test(test_headers_that_are_none),
        cmocka_unit_test(test_a_huge_count),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
