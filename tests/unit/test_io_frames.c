/* Files of several frames, read frame by frame. */
#include "files/file.h"
#include "particle_files.h"

#include <stdatomic.h>

static struct io_document *frames_of(const char *path)
{
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document_frames(path, &document, &error) != 0)
        fail_msg("%s", error.text);
    return document;
}

static struct io_document *frames_of_text(const char *text)
{
    return frames_of(file_of("in", text, strlen(text)));
}

static void go_on(struct io_document *document, uint64_t by)
{
    struct engine_error error = {0};
    if (document->next(document, by, &error) != 0)
        fail_msg("%s", error.text);
}

static void expect_stop(struct io_document *document, const char *text)
{
    struct engine_error error = {0};
    assert_int_equal(document->next(document, 1, &error), ENGINE_STATUS_INPUT);
    if (strstr(error.text, text) == NULL)
        fail_msg("the error is '%s'; expected '%s'", error.text, text);
    document->close(document);
}

static void expect_bad(const char *text, const char *what)
{
    struct engine_error error = {0};
    struct io_document *document = (void *) &error;
    assert_int_equal(open_document_frames(file_of("in", text, strlen(text)), &document, &error), ENGINE_STATUS_INPUT);
    assert_null(document);
    if (strstr(error.text, what) == NULL)
        fail_msg("the error is '%s'; expected '%s'", error.text, what);
}

static const char three[] = "2\nLattice=\"1 0 0 0 2 0 0 0 3\"\nA 0 1 2\nB 3 4 5\n"
                            "2\nLattice=\"4 0 0 0 5 0 0 0 6\"\nB 10 11 12\nC 13 14 15\n\n"
                            "2\n\nA 20 21 22\nC 23 24 25";

/* A symbol keeps its number in all frames. */
static void test_xyz(void **state)
{
    struct io_document *document = frames_of_text(three);
    assert_int_equal(document->frames, 3);
    expect_numbers(document, "position", 2, 3, (double[]){0, 1, 2, 3, 4, 5});
    expect_numbers(document, "species", 2, 1, (double[]){0, 1});
    expect_box(document, (double[6]){1, 2, 3});
    go_on(document, 1);
    expect_numbers(document, "position", 2, 3, (double[]){10, 11, 12, 13, 14, 15});
    expect_numbers(document, "species", 2, 1, (double[]){1, 2});
    expect_box(document, (double[6]){4, 5, 6});
    go_on(document, 1);
    expect_numbers(document, "position", 2, 3, (double[]){20, 21, 22, 23, 24, 25});
    expect_numbers(document, "species", 2, 1, (double[]){0, 2});
    expect_box(document, (double[6]){0});
    expect_stop(document, "frame 3 is missing");

    document = frames_of_text(three);
    go_on(document, 2);
    expect_numbers(document, "position", 2, 3, (double[]){20, 21, 22, 23, 24, 25});
    document->close(document);
}

static void test_xyz_gzipped(void **state)
{
    struct io_document *document = frames_of(zipped_file_of("in.xyz.gz", three, sizeof three - 1, 0));
    assert_int_equal(document->frames, 3);
    document->close(document);
    struct engine_error error = {0};
    assert_int_equal(open_document_frames(zipped_file_of("in.xyz.gz", three, sizeof three - 1, 4), &document, &error),
                     ENGINE_STATUS_INPUT);
}

static void test_xyz_that_changes(void **state)
{
    expect_stop(frames_of_text("1\n\nA 0 1 2\n2\n\nA 0 1 2\nA 0 1 3\n"),
                "frame 1 has 2 particles and the first frame has 1");
    expect_stop(frames_of_text("1\n\nA 0 1 2\n1\n\nA 0 1 2 3 4 5\n"), "frame 1 has other columns than the first one");
    expect_stop(frames_of_text("1\n\nA 0 1 2\n1\n\nA 0 x 2\n"), "in:6: 'x' is not a finite number");
}

static void test_xyz_cut_short(void **state)
{
    expect_bad("1\n\nA 0 1 2\n2\n\nA 0 1 2\n", "the file ends after 1 of 2 particles");
    expect_bad("1\n\nA 0 1 2\n2\n", "the file ends; expected a comment");
    expect_bad("1\n\nA 0 1 2\nB 0 1 2\n", "is not a number of particles; expected 1 or more");
}

#define FRAME(step, edge, atoms) \
    "ITEM: TIMESTEP\n" step "\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 " edge "\n0 " edge "\n0 " edge \
    "\nITEM: ATOMS id type x y z\n" atoms

static void test_lammpstrj(void **state)
{
    struct io_document *document = frames_of_text("ITEM: UNITS\nlj\n" FRAME("0", "4", "2 1 3 4 5\n1 2 0 1 2\n")
                                                      FRAME("9", "5", "1 2 10 11 12\n2 1 13 14 15\n") "\n");
    assert_int_equal(document->frames, 2);
    expect_numbers(document, "position", 2, 3, (double[]){0, 1, 2, 3, 4, 5});
    expect_numbers(document, "species", 2, 1, (double[]){1, 0});
    expect_box(document, (double[6]){4, 4, 4});
    go_on(document, 1);
    expect_numbers(document, "position", 2, 3, (double[]){10, 11, 12, 13, 14, 15});
    expect_box(document, (double[6]){5, 5, 5});
    document->close(document);
    expect_bad(FRAME("0", "4", "2 1 3 4 5\n1 2 0 1 2\n") FRAME("9", "5", "1 2 10 11 12\n"),
               "the file ends after 1 of 2 atoms");
    expect_bad(FRAME("0", "4", "2 1 3 4 5\n1 2 0 1 2\n") "ITEM: TIMESTEP\n1\n", "the last frame has no atoms");
}

/* An array of three axes, (frames, n, 3); others are one frame. */
static void test_npy(void **state)
{
    static const float numbers[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    char bytes[256] = "\x93NUMPY\x01\x00\x76";
    const int head = 10 + 0x76;
    for (int axes = 2; axes <= 3; axes++) {
        snprintf(bytes + 10, 0x77, "{'descr': '<f4', 'fortran_order': False, 'shape': %-64s}",
                 axes == 3 ? "(2, 2, 3)," : "(4, 3),");
        memset(bytes + 10 + strlen(bytes + 10), ' ', 0x76 - strlen(bytes + 10));
        memcpy(bytes + head, numbers, sizeof numbers);
        struct io_document *document = frames_of(file_of("in.npy", bytes, (size_t) head + sizeof numbers));
        float read[6];
        struct engine_error error = {0};
        assert_int_equal(document->frames, axes == 3 ? 2 : 0);
        assert_int_equal(document->arrays[0].shape.extent[1], axes == 3 ? 2 : 4);
        if (axes == 3)
            go_on(document, 1);
        assert_int_equal(document->read(document, 0, 0, 6, read, &error), 0);
        assert_memory_equal(read, axes == 3 ? numbers + 6 : numbers, sizeof read);
        document->close(document);
    }
}

/* ---- How many frames are decoded ahead -------------------------------------------------------------------------- */

enum { COUNTED_FRAMES = 64 };

static atomic_ullong last_asked; /* the highest frame that was decoded */

static int open_counted(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    static const struct engine_file_array position = {
        .name = "position",
        .kind = ENGINE_PARTICLES,
        .shape = {sizeof(struct engine_shape), ENGINE_F32, 3, 1, {1, 1, 1}},
    };
    content->arrays = (struct engine_file_array_array){&position, 1, sizeof position};
    content->frames = COUNTED_FRAMES;
    return 0;
}

static int frame_counted(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    return 0;
}

static int read_counted(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                        uint64_t count, void *out)
{
    unsigned long long before = atomic_load(&last_asked);
    while (before < number && !atomic_compare_exchange_weak(&last_asked, &before, number))
        ;
    for (int i = 0; i < 3; i++)
        ((float *) out)[i] = (float) number;
    return 0;
}

/* After frames 0, 1 and 2, a bank of `threads` frames is used and another one is decoded. */
static void test_frames_ahead(void **state)
{
    static const struct engine_file_format about = {ENGINE_FILE_FORMAT("counted", "1.0", "counts", ".counted"),
                                                    .flags = ENGINE_FORMAT_FRAMES, .open = open_counted,
                                                    .frame = frame_counted, .read = read_counted};
    static const struct io_format format = {.about = &about};
    const char *path = file_of("in.counted", "x", 1);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        struct engine_error error = {0};
        struct io_document *document;
        assert_int_equal(file_open(&format, path, true, &document, &error), 0);
        document->threads = threads;
        atomic_store(&last_asked, 0);
        for (uint64_t frame = 0; frame < 3; frame++) {
            float position[3];
            if (frame > 0)
                go_on(document, 1);
            assert_int_equal(document->read(document, 0, 0, 3, position, &error), 0);
            assert_true(position[0] == (float) frame);
        }
        document->close(document); /* waits for the other bank */
        assert_int_equal(atomic_load(&last_asked), 2 + 2 * threads - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xyz),
        cmocka_unit_test(test_xyz_gzipped),
        cmocka_unit_test(test_xyz_that_changes),
        cmocka_unit_test(test_xyz_cut_short),
        cmocka_unit_test(test_lammpstrj),
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_frames_ahead),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
