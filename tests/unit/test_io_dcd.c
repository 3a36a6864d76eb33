/* Reading DCD trajectories. Files are built record by record from the description of the format, in both byte orders.
 * Boxes are compared with lengths and angles that were computed by hand. */
#include "particle_files.h"

#include <math.h>

enum { FRAMES = 0, FIXED = 8, HAS_CELL = 10, HAS_FOURTH = 11, VERSION = 19 };

/* A file as it grows. */
struct dcd {
    bool big;
    size_t size;
    unsigned char bytes[1 << 16];
};

static void put(struct dcd *dcd, const void *word, size_t size)
{
    for (size_t i = 0; i < size; i++)
        dcd->bytes[dcd->size + i] = ((const unsigned char *) word)[dcd->big ? size - 1 - i : i];
    dcd->size += size;
}

static void put_word(struct dcd *dcd, uint32_t word)
{
    put(dcd, &word, sizeof word);
}

static void put_text(struct dcd *dcd, const char *text)
{
    memcpy(dcd->bytes + dcd->size, text, strlen(text));
    dcd->size += strlen(text);
}

static void put_head(struct dcd *dcd, const char *kind, const uint32_t words[20], uint32_t atoms)
{
    put_word(dcd, 84);
    put_text(dcd, kind);
    for (int i = 0; i < 20; i++)
        put_word(dcd, words[i]);
    put_word(dcd, 84);
    put_word(dcd, 84);
    put_word(dcd, 1);
    put_text(dcd, "REMARKS made for a test                                                         ");
    put_word(dcd, 84);
    put_word(dcd, 4);
    put_word(dcd, atoms);
    put_word(dcd, 4);
}

/* A gamma B beta alpha C. */
static void put_cell(struct dcd *dcd, const double cell[6])
{
    put_word(dcd, 48);
    for (int i = 0; i < 6; i++)
        put(dcd, &cell[i], sizeof cell[i]);
    put_word(dcd, 48);
}

/* Coordinates `first`, first + 1, …: all x, then all y, then all z. */
static void put_atoms(struct dcd *dcd, uint32_t atoms, int records, float first)
{
    for (int record = 0; record < records; record++) {
        put_word(dcd, 4 * atoms);
        for (uint32_t i = 0; i < atoms; i++, first += 1)
            put(dcd, &first, sizeof first);
        put_word(dcd, 4 * atoms);
    }
}

static struct dcd *begun(bool big, uint32_t frames, bool cell, bool fourth, uint32_t atoms)
{
    static struct dcd dcd;
    uint32_t words[20] = {[FRAMES] = frames, [HAS_CELL] = cell, [HAS_FOURTH] = fourth, [VERSION] = 24};
    dcd = (struct dcd){.big = big};
    put_head(&dcd, "CORD", words, atoms);
    return &dcd;
}

static const char *file(const struct dcd *dcd)
{
    return file_of("in.dcd", dcd->bytes, dcd->size);
}

static struct io_document *frames_of(const char *path)
{
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document_frames(path, &document, &error) != 0)
        fail_msg("%s", error.text);
    return document;
}

static const double cube[6] = {10, 0, 11, 0, 0, 12};

static void test_both_byte_orders(void **state)
{
    for (int big = 0; big < 2; big++) {
        struct dcd *dcd = begun(big, 2, true, false, 2);
        put_cell(dcd, cube);
        put_atoms(dcd, 2, 3, 1);
        put_cell(dcd, (double[6]){20, 90, 21, 90, 90, 22});
        put_atoms(dcd, 2, 3, 101);
        struct io_document *document = opened(file(dcd));
        expect_numbers(document, "position", 2, 3, (double[]){101, 103, 105, 102, 104, 106});
        expect_box(document, (double[6]){20, 21, 22, 0, 0, 0});
        document->close(document);

        struct engine_error error = {0};
        document = frames_of(path_of("in.dcd"));
        assert_int_equal(document->frames, 2);
        expect_numbers(document, "position", 2, 3, (double[]){1, 3, 5, 2, 4, 6});
        expect_box(document, (double[6]){10, 11, 12, 0, 0, 0});
        assert_int_equal(document->next(document, 1, &error), 0);
        expect_numbers(document, "position", 2, 3, (double[]){101, 103, 105, 102, 104, 106});
        expect_box(document, (double[6]){20, 21, 22, 0, 0, 0});
        document->close(document);
    }
}

static void test_a_stride_passes_over_frames(void **state)
{
    struct dcd *dcd = begun(false, 5, false, true, 1);
    for (int frame = 0; frame < 5; frame++)
        put_atoms(dcd, 1, 4, (float) (10 * frame));
    struct engine_error error = {0};
    struct io_document *document = frames_of(file(dcd));
    assert_int_equal(document->frames, 5);
    assert_int_equal(document->next(document, 3, &error), 0);
    expect_numbers(document, "position", 1, 3, (double[]){30, 31, 32});
    expect_box(document, (double[6]){0});
    document->close(document);
}

/* In X-PLOR's files the words of the cell's flag are half of the time step. */
static void test_xplor_has_no_cell(void **state)
{
    static struct dcd dcd;
    uint32_t words[20] = {[FRAMES] = 1, [HAS_CELL] = 0x3FA00000, [HAS_FOURTH] = 7};
    dcd = (struct dcd){.big = true};
    put_head(&dcd, "CORD", words, 3);
    put_atoms(&dcd, 3, 3, 0);
    struct io_document *document = opened(file(&dcd));
    expect_numbers(document, "position", 3, 3, (double[]){0, 3, 6, 1, 4, 7, 2, 5, 8});
    document->close(document);
}

static void expect_box_near(const double cell[6], const double box[6])
{
    struct dcd *dcd = begun(false, 1, true, false, 1);
    put_cell(dcd, cell);
    put_atoms(dcd, 1, 3, 0);
    struct io_document *document = opened(file(dcd));
    for (int i = 0; i < 6; i++)
        if (fabs(document->header.frame.box[i] - box[i]) > 1e-12)
            fail_msg("box[%d] is %.17g; expected %.17g", i, document->header.frame.box[i], box[i]);
    document->close(document);
}

/* gamma 60: b = 4 (1/2, sqrt(3)/2, 0). With alpha = beta = gamma = 60 and edges of 2, the cell of an fcc lattice: c =
 * (1, 1/sqrt(3), 2 sqrt(2/3)). */
static void test_triclinic_cells(void **state)
{
    expect_box_near((double[6]){3, 0.5, 4, 0, 0, 5}, (double[6]){3, 2 * sqrt(3), 5, 2, 0, 0});
    expect_box_near((double[6]){3, 60, 4, 90, 90, 5}, (double[6]){3, 2 * sqrt(3), 5, 2, 0, 0});
    expect_box_near((double[6]){2, 0.5, 2, 0.5, 0.5, 2}, (double[6]){2, sqrt(3), 2 * sqrt(2.0 / 3), 1, 1, 1 / sqrt(3)});
    expect_box_near((double[6]){2, 120, 2, 90, 90, 2}, (double[6]){2, sqrt(3), 2, -1, 0, 0});
    expect_box_near((double[6]){0, 0, 0, 0, 0, 0}, (double[6]){0});
}

/* CHARMM 36 writes a symmetric matrix: the vectors (4, 3, 0), (3, 4, 0) and (0, 0, 10). Both of length 5, they have the
 * product 24, so the box is 5, 7/5 and 10 long and leans by 24/5. A point on the first vector comes to lie on the axis x. */
static void test_a_matrix_of_charmm(void **state)
{
    static const double matrix[6] = {4, 3, 4, 0, 0, 10}, should[6] = {5, 1.4, 10, 4.8, 0, 0};
    static const double lengths[6] = {10, 90, 11, 90, 90, 12};
    uint32_t words[20] = {[FRAMES] = 2, [HAS_CELL] = 1, [VERSION] = 36};
    static const float point[3] = {4, 3, 7};
    struct dcd dcd = {.big = false};
    put_head(&dcd, "CORD", words, 1);
    for (int frame = 0; frame < 2; frame++) {
        put_cell(&dcd, frame == 0 ? matrix : lengths);
        for (int axis = 0; axis < 3; axis++) {
            put_word(&dcd, 4);
            put(&dcd, &point[axis], sizeof point[axis]);
            put_word(&dcd, 4);
        }
    }
    struct engine_error error = {0};
    struct io_document *document = frames_of(file(&dcd));
    float read[3];
    for (int i = 0; i < 6; i++)
        assert_true(fabs(document->header.frame.box[i] - should[i]) < 1e-12);
    assert_int_equal(document->read(document, 0, 0, 3, read, &error), 0);
    assert_true(fabsf(read[0] - 5) < 1e-6f && fabsf(read[1]) < 1e-6f && read[2] == 7);
    assert_string_equal(document->header.skipped, "");
    assert_non_null(strstr(document->remarks, "the engine rotates the cell"));
    assert_int_equal(document->next(document, 1, &error), 0); /* no matrix: 90 is too large for one */
    expect_box(document, (double[6]){10, 11, 12, 0, 0, 0});
    expect_numbers(document, "position", 1, 3, (double[]){4, 3, 7});
    document->close(document);
}

/* MDAnalysis before 0.18 wrote three titles, and a length for two. */
static void test_titles_of_mdanalysis(void **state)
{
    struct dcd *dcd = begun(false, 1, true, false, 2);
    unsigned char more[160];
    memset(more, ' ', sizeof more);
    memmove(dcd->bytes + 92 + 88 + 160, dcd->bytes + 92 + 88, dcd->size - 92 - 88);
    memcpy(dcd->bytes + 92 + 88, more, sizeof more);
    dcd->size += sizeof more;
    dcd->bytes[92] = dcd->bytes[92 + 88 + 160] = 164;
    dcd->bytes[96] = 3;
    put_cell(dcd, cube);
    put_atoms(dcd, 2, 3, 1);
    struct io_document *document = opened(file(dcd));
    expect_numbers(document, "position", 2, 3, (double[]){1, 3, 5, 2, 4, 6});
    document->close(document);
}

static void test_cells_that_are_none(void **state)
{
    static const double bad[][6] = {
        {3, 200, 3, 90, 90, 3},  {3, -5, 3, 0, 0, 3},          {-3, 0, 3, 0, 0, 3},       {3, 0, 3, 0, 0, INFINITY},
        {3, NAN, 3, 90, 90, 3},  {3, 20, 3, 20, 90, 3},        {3, 1, 3, 0, 0, 3},        {NAN, 0, 3, 0, 0, 3},
        {30, 1.5, 30, 2, 1, 30}, {3, 179, 3, 179, 179, 3},     {3, 0.9, 3, -0.9, 0.9, 3}, {0, 90, NAN, 90, 90, 3},
        {3, 90, -3, 90, 90, 0},  {0, 90, INFINITY, 90, 90, 3}, {3, 0, 1e200, 0, 0, 3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct dcd *dcd = begun(i % 2, 1, true, false, 1);
        put_cell(dcd, bad[i]);
        put_atoms(dcd, 1, 3, 0);
        expect_error(file(dcd), "the unit cell of frame 0");
    }
}

static void test_a_cut_file_is_refused_wherever_it_is_cut(void **state)
{
    struct dcd *dcd = begun(false, 2, true, false, 2);
    for (int frame = 0; frame < 2; frame++) {
        put_cell(dcd, cube);
        put_atoms(dcd, 2, 3, 0);
    }
    for (size_t size = 12; size < dcd->size; size++) {
        struct engine_error error = {0};
        struct io_document *document;
        const char *path = file_of("cut.dcd", dcd->bytes, size);
        assert_int_equal(open_document(path, &document, &error), ENGINE_STATUS_INPUT);
        assert_int_equal(open_document_frames(path, &document, &error), ENGINE_STATUS_INPUT);
    }
    expect_error(file_of("cut.dcd", dcd->bytes, dcd->size - 5), "ends within frame 1");
    expect_error(file_of("cut.dcd", dcd->bytes, dcd->size - 104), "contains 1 frames but its header states 2");
    struct dcd *more = begun(true, 0, false, false, 2); /* the header states no frames yet */
    put_atoms(more, 2, 3, 0);
    struct io_document *document = opened(file(more));
    document->close(document);
    expect_error(file(begun(false, 0, false, false, 2)), "has no frames");
}

static void test_what_is_not_read(void **state)
{
    static struct dcd dcd;
    uint32_t words[20] = {[FRAMES] = 1, [FIXED] = 7, [VERSION] = 24};
    dcd = (struct dcd){.big = false};
    put_head(&dcd, "CORD", words, 9);
    expect_error(file(&dcd), "7 atoms are fixed");
    words[FIXED] = 0;
    dcd = (struct dcd){.big = true};
    put_head(&dcd, "VELD", words, 9);
    expect_error(file(&dcd), "contains velocities");
    dcd = (struct dcd){.big = false};
    put_word(&dcd, 84), put_word(&dcd, 0), put_text(&dcd, "CORD");
    dcd.size = 200;
    expect_error(file(&dcd), "is not a DCD file with markers of 4 bytes");
}

/* Changes every byte of a small file in turn. The result is an error or a document, and nothing else. */
static void test_damaged_bytes(void **state)
{
    struct dcd *dcd = begun(false, 1, true, false, 2);
    put_cell(dcd, cube);
    put_atoms(dcd, 2, 3, 0);
    int refused = 0;
    for (size_t at = 0; at < dcd->size; at++)
        for (int value = 0; value < 256; value += 51) {
            const unsigned char kept = dcd->bytes[at];
            struct engine_error error = {0};
            struct io_document *document;
            dcd->bytes[at] = (unsigned char) value;
            if (open_document_frames(file(dcd), &document, &error) == 0)
                document->close(document);
            else
                refused++;
            dcd->bytes[at] = kept;
        }
    assert_true(refused > 100);
}

static void test_damaged_markers(void **state)
{
    struct dcd *dcd = begun(false, 1, false, false, 2);
    const size_t frame = dcd->size;
    put_atoms(dcd, 2, 3, 0);
    dcd->bytes[frame + 16] ^= 4; /* the end of the x */
    struct engine_error error = {0};
    struct io_document *document;
    float positions[6];
    assert_int_equal(open_document(file(dcd), &document, &error), 0);
    assert_int_equal(document->read(document, 0, 0, 6, positions, &error), ENGINE_STATUS_INPUT);
    assert_non_null(strstr(error.text, "frame 0, counted from 0, does not have 8 bytes"));
    document->close(document);
}

/* ---- Writing: a file of four frames, at steps 100, 110, 120 and 125 --------------------------------------------- */

static const uint64_t steps[] = {100, 110, 120, 125};

enum { STEPS = sizeof steps / sizeof steps[0] };

static const char *write_steps(const char *name, uint32_t first, uint32_t end)
{
    const char *path = path_of(name);
    for (uint32_t i = first; i < end; i++) {
        const float positions[] = {(float) i, 1, 2, 3, 4, (float) i + 0.5f};
        struct memory memory = {{0}};
        struct io_document document = {.context = &memory, .header.frame = {.step = steps[i], .box = {10, 11, 12}}};
        struct engine_error error = {0};
        add_memory(&document, "position", ENGINE_F32, 2, 3, positions);
        if ((i == 0 ? io_write_in : io_append)(io_format_named("dcd"), opened_folder(), name, &document, NULL,
                                               &error) != 0)
            fail_msg("%s", error.text);
    }
    return path;
}

static void test_a_file_that_grows(void **state)
{
    struct engine_error error = {0};
    for (uint32_t count = 1; count <= STEPS; count++) {
        struct io_document *document = frames_of(write_steps("grow.dcd", 0, count));
        assert_int_equal(document->frames, count);
        for (uint32_t i = 0; i < count; i++) {
            if (i > 0)
                assert_int_equal(document->next(document, 1, &error), 0);
            expect_numbers(document, "position", 2, 3, (double[]){i, 1, 2, 3, 4, i + 0.5});
            expect_box(document, (double[6]){10, 11, 12, 0, 0, 0});
            assert_int_equal(document->header.frame.step,
                             i < 3 ? steps[i] : 130); /* the file states evenly spaced steps */
            assert_false(document->header.frame.has & ENGINE_HAS_TIME);
        }
        document->close(document);
    }
}

/* A file that is cut back, at whatever byte the last frame ends, and continued has the bytes of one that never was. */
static void test_a_cut_file_goes_on(void **state)
{
    static char whole[4096], again[4096];
    struct engine_error error = {0};
    FILE *file = fopen(write_steps("whole.dcd", 0, STEPS), "rb");
    const size_t size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    for (uint32_t frames = 1; frames <= STEPS; frames++)
        for (size_t lost = 0; lost < 100; lost += 7) {
            const char *path = file_of("again.dcd", whole, size - (frames < STEPS ? lost : 0));
            assert_int_equal(io_cut(io_format_named("dcd"), opened_folder(), "again.dcd", frames, &error), 0);
            write_steps("again.dcd", frames, STEPS);
            file = fopen(path, "rb");
            assert_int_equal(fread(again, 1, sizeof again, file), size);
            fclose(file);
            assert_memory_equal(again, whole, size);
        }
    /* With fewer bytes than the checkpoint lists, something else has changed the file. */
    file_of("again.dcd", whole, size - 1);
    assert_int_equal(io_cut(io_format_named("dcd"), opened_folder(), "again.dcd", STEPS, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "the checkpoint lists 4 frames"));
    assert_int_equal(io_cut(io_format_named("dcd"), opened_folder(), "none.dcd", 1, &error), ENGINE_STATUS_OUTPUT);
}

static void test_what_is_not_added_to(void **state)
{
    struct engine_error error = {0};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory, .header.frame.step = 130};
    const float position[] = {1, 2, 3};
    add_memory(&document, "position", ENGINE_F32, 1, 3, position);
    const char *path = write_steps("grow.dcd", 0, 2);
    assert_int_equal(io_append(io_format_named("dcd"), opened_folder(), "grow.dcd", &document, NULL, &error),
                     ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "a frame has 1 particles and the first one has 2"));
    struct io_document *there = frames_of(path);
    assert_int_equal(there->frames, 2);
    there->close(there);
    struct dcd *dcd = begun(false, 1, true, false, 1); /* with one title line */
    put_cell(dcd, cube);
    put_atoms(dcd, 1, 3, 0);
    assert_int_equal(
        io_append(io_format_named("dcd"), opened_folder(), strrchr(file(dcd), '/') + 1, &document, NULL, &error),
        ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "is not a DCD file that a frame can be added to"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_byte_orders),    cmocka_unit_test(test_a_stride_passes_over_frames),
        cmocka_unit_test(test_xplor_has_no_cell),   cmocka_unit_test(test_triclinic_cells),
        cmocka_unit_test(test_a_matrix_of_charmm),  cmocka_unit_test(test_titles_of_mdanalysis),
        cmocka_unit_test(test_cells_that_are_none), cmocka_unit_test(test_a_cut_file_is_refused_wherever_it_is_cut),
        cmocka_unit_test(test_what_is_not_read),    cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_damaged_markers),     cmocka_unit_test(test_a_file_that_grows),
        cmocka_unit_test(test_a_cut_file_goes_on),  cmocka_unit_test(test_what_is_not_added_to),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
