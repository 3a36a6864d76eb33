/* Reading and writing LAMMPS dumps. Files are written by hand from the manual's description of `dump` and its boxes. */
#include "particle_files.h"

#define HEAD(atoms) "ITEM: TIMESTEP\n100\nITEM: NUMBER OF ATOMS\n" #atoms "\n"
#define BOX         "ITEM: BOX BOUNDS pp pp pp\n0 4\n0 5\n0 6\n"

static const char *dump(const char *text)
{
    return file_of("in.lammpstrj", text, strlen(text));
}

static void expect_bad(const char *text, const char *what)
{
    expect_error(dump(text), what);
}

/* ---- In ----------------------------------------------------------------------------------------------------- */

static void test_atoms_are_sorted_by_id(void **state)
{
    struct io_document *document =
        opened(dump(HEAD(3) BOX "ITEM: ATOMS id type x y z ix vx vy vz mass \n"
                                "7 2 1 2 3 0 4 5 6 16\n-1 1 -1e-3 .5 4. 1 0 0 0 28.5 \n3 1 7 8 9 0 10 11 12 28.5\n"));
    expect_numbers(document, "id", 3, 1, (double[]){-1, 3, 7});
    expect_numbers(document, "position", 3, 3, (double[]){-1e-3, 0.5, 4, 7, 8, 9, 1, 2, 3});
    expect_numbers(document, "velocity", 3, 3, (double[]){0, 0, 0, 10, 11, 12, 4, 5, 6});
    expect_numbers(document, "mass", 3, 1, (double[]){28.5, 28.5, 16});
    expect_numbers(document, "species", 3, 1, (double[]){0, 0, 1});
    expect_box(document, (double[6]){4, 5, 6, 0, 0, 0});
    document->close(document);
}

static void test_elements_without_ids(void **state)
{
    struct io_document *document = opened(dump("ITEM: UNITS\nlj\nITEM: TIME\n0.5\n" HEAD(
        3) "ITEM: BOX BOUNDS ff ss fm\n0 4\n0 5\n0 6\nITEM: ATOMS element xu yu zu\nSi 1 2 3\nO 4 5 6\nSi 7 8 9\n"));
    expect_numbers(document, "position", 3, 3, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9});
    expect_numbers(document, "species", 3, 1, (double[]){0, 1, 0});
    assert_int_equal(array_of(document, "id"), -1);
    expect_box(document, (double[6]){0});
    document->close(document);
}

static void test_scaled_positions(void **state)
{
    struct io_document *document =
        opened(dump(HEAD(2) "ITEM: BOX BOUNDS pp pp ff\n-2 2\n10 15\n0 6\nITEM: ATOMS id type xs ys zs\n"
                            "1 1 0.5 0 0.25\n2 1 1 0.5 -1\n"));
    expect_numbers(document, "position", 2, 3, (double[]){0, 10, 1.5, 2, 12.5, -6});
    expect_box(document, (double[6]){4, 5, 0, 0, 0, 0});
    document->close(document);
}

/* Box of 4 x 5 x 6 with xy = 1, xz = -2, yz = 3. Its bounding box is from -2 to 4 + 1 along x, and from 0 to 5 + 3
 * along y, https://docs.lammps.org/Howto_triclinic.html. */
static void test_a_tilted_box(void **state)
{
    struct io_document *document = opened(dump(HEAD(1) "ITEM: BOX BOUNDS xy xz yz pp pp pp\n-2 5 1\n0 8 -2\n0 6 3\n"
                                                       "ITEM: ATOMS id type xs ys zs\n1 1 0.5 0.25 0.75\n"));
    expect_box(document, (double[6]){4, 5, 6, 1, -2, 3});
    expect_numbers(document, "position", 1, 3, (double[]){2 + 0.25 - 1.5, 1.25 + 2.25, 4.5});
    document->close(document);
    /* Both tilts the same way: from 0 to 4 + 1 + 2 along x, from -3 to 5 along y. */
    document =
        opened(dump(HEAD(1) "ITEM: BOX BOUNDS xy xz yz pp pp pp\n0 7 1\n-3 5 2\n0 6 -3\nITEM: ATOMS x y z\n0 0 0\n"));
    expect_box(document, (double[6]){4, 5, 6, 1, 2, -3});
    assert_non_null(strstr(text_of(written(document, "lammpstrj", "out.lammpstrj")),
                           "ITEM: BOX BOUNDS xy xz yz pp pp pp\n0 7 1\n-3 5 2\n0 6 -3\n"));
    document->close(document);
}

/* Vectors (0, 3, 0), (0, 0, 4) and (5, 0, 0), with their origin in the last column, turn the axes y, z, x to x, y, z. */
static void test_a_general_triclinic_box(void **state)
{
#define GENERAL "ITEM: BOX BOUNDS abc origin pp pp pp\n0 3 0 7\n0 0 4 8\n5 0 0 9\n"
    struct io_document *document =
        opened(dump(HEAD(1) GENERAL "ITEM: ATOMS id x y z vx vy vz fx fy fz\n1 1 2 3 10 20 30 .1 .2 .3\n"));
    expect_box(document, (double[6]){3, 4, 5});
    expect_numbers(document, "position", 1, 3, (double[]){2, 3, 1});
    expect_numbers(document, "velocity", 1, 3, (double[]){20, 30, 10});
    expect_numbers(document, "force", 1, 3, (double[]){0.2, 0.3, 0.1});
    assert_memory_equal(document->header.frame.corner, ((double[]){8, 9, 7}), 3 * sizeof(double));
    assert_string_equal(document->header.skipped, "");
    assert_non_null(strstr(document->remarks, "the engine rotates the cell"));
    document->close(document);
    document = opened(dump(HEAD(1) GENERAL "ITEM: ATOMS id xs ys zs\n1 .5 .25 .2\n"));
    expect_numbers(document, "position", 1, 3, (double[]){9.5, 10, 8});
    document->close(document);
}

/* A periodic vector (3, 4, 0) that leans over an open axis has the length 5. */
static void test_a_tilt_over_an_open_axis(void **state)
{
    struct io_document *document = opened(dump(HEAD(1) "ITEM: BOX BOUNDS xy xz yz ff pp pp\n0 5 3\n0 4 0\n0 6 0\n"
                                                       "ITEM: ATOMS id x y z\n1 3 4 1\n"));
    expect_box(document, (double[6]){0, 5, 6});
    expect_position(document, 0, 5, 1);
    document->close(document);
}

static void test_the_last_frame_counts(void **state)
{
    struct io_document *document = opened(dump(HEAD(2) BOX "ITEM: ATOMS id x y z\n1 0 0 0\n2 1 1 1\n" HEAD(
        1) "ITEM: BOX BOUNDS pp pp pp\n0 1\n0 2\n0 3\nITEM: ATOMS x y z type\n5 6 7 4\n"));
    expect_numbers(document, "position", 1, 3, (double[]){5, 6, 7});
    expect_numbers(document, "species", 1, 1, (double[]){3});
    assert_int_equal(array_of(document, "id"), -1);
    expect_box(document, (double[6]){1, 2, 3, 0, 0, 0});
    document->close(document);
}

static void test_a_gzip_file(void **state)
{
    static const char text[] = HEAD(1) BOX "ITEM: ATOMS x y z\n1 2 3\n";
    struct io_document *document = opened(zipped_file_of("in.lammpstrj.gz", text, sizeof text - 1, 0));
    expect_numbers(document, "position", 1, 3, (double[]){1, 2, 3});
    document->close(document);
    expect_error(zipped_file_of("cut.lammpstrj.gz", text, sizeof text - 1, 4), "gzip data is cut short");
}

/* ---- What is refused ---------------------------------------------------------------------------------------- */

static void test_what_is_refused(void **state)
{
    expect_bad(HEAD(0), ":4: '0' is not a number of atoms; expected 1 or more");
    expect_bad(HEAD(many), ":4: 'many' is not a number of atoms");
    expect_bad(HEAD(3) BOX "ITEM: ATOMS x y z\n1 2 3\n", ":10: the file ends after 1 of 3 atoms");
    expect_bad(HEAD(4000000000000) BOX "ITEM: ATOMS x y z\n1 2 3\n", "after 1 of 4000000000000 atoms");
    expect_bad(HEAD(1) BOX "ITEM: ATOMS x y z\n1 2 nan\n", ":10: 'nan' is not a finite number");
    expect_bad(HEAD(1) BOX "ITEM: ATOMS x y z\n1 2\n", ":10: 2 columns; expected 3");
    expect_bad(HEAD(1) BOX "ITEM: ATOMS x y z id\n1 2 3 4.5\n", ":10: '4.5' is not a whole number");
    expect_bad(HEAD(1) BOX "ITEM: ATOMS x y vx vy vz\n1 2 3 4 5\n", ":9: the columns contain no positions");
    expect_bad(HEAD(2) BOX "ITEM: ATOMS id x y z\n1 1 2 3\n1 1 2 3\n", "two atoms have the id 1");
    expect_bad(HEAD(1) BOX "ITEM: ATOMS x y z\n1 2 3\n4 5 6\n", ":11: '4 5 6' is not an item of a dump");
    expect_bad(HEAD(1) "ITEM: ATOMS x y z\n1 2 3\n", ":5: expected ITEM: NUMBER OF ATOMS and ITEM: BOX BOUNDS");
    expect_bad(HEAD(1) "ITEM: BOX BOUNDS pp pp pp\n0 4\n0\n0 6\n", ":7: expected 2 finite numbers");
    expect_bad(HEAD(1) "ITEM: BOX BOUNDS pp pp pp\n0 4\n0 5 6\n0 6\n", ":7: expected 2 numbers");
    expect_bad(HEAD(1) "ITEM: BOX BOUNDS pp pp pp\n0 4\n5 0\n0 6\n",
               "the box is empty, ends before it begins, or exceeds double precision along y");
    expect_bad(HEAD(1) "ITEM: BOX BOUNDS ff ff pp\n0 4\n0 5\n-1e308 1e308\n",
               "the box is empty, ends before it begins, or exceeds double precision along z");
    expect_bad(HEAD(1) "ITEM: BOX BOUNDS pp pp pp\n0 4\n", ":6: the file ends; expected the box");
    expect_bad(HEAD(1) "ITEM: BOX BOUNDS abc origin pp pp pp\n1 0 0 0\n2 0 0 0\n0 0 1 0\n",
               "the vectors of the box lie in a plane");
    expect_bad("ITEM: TIMESTEP\n", "the file ends; expected the number of a step");
    expect_bad(HEAD(1), "the last frame has no atoms");
    expect_bad("ITEM: ENTRIES\n", ":1: 'ITEM: ENTRIES' is not an item of a dump of atoms");
}

/* ---- Out ---------------------------------------------------------------------------------------------------- */

static const float position[] = {0, 1, 2, 0.5f, -3, 2};
static const double velocity[] = {0.1, 0, 0, 1, 0, 0};
static const uint32_t species[] = {2, 0};

static void test_open_axes_are_written_with_bounds(void **state)
{
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory, .header.frame.step = 300};
    add_memory(&document, "velocity", ENGINE_F64, 2, 3, velocity);
    add_memory(&document, "position", ENGINE_F32, 2, 3, position);
    add_memory(&document, "energy", ENGINE_F64, 2, 1, velocity);
    assert_string_equal(
        text_of(written(&document, "lammpstrj", "out.lammpstrj")),
        "ITEM: TIMESTEP\n300\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff ff\n0 0.5\n-3 1\n1.5 2.5\n"
        "ITEM: ATOMS id type x y z vx vy vz energy\n"
        "1 1 0 1 2 0.10000000000000001 0 0 0.10000000000000001\n2 1 0.5 -3 2 1 0 0 0\n");
}

/* The box of test_a_tilted_box. */
static void test_a_tilted_box_is_written(void **state)
{
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory, .header.frame.box = {4, 5, 6, 1, -2, 3}};
    add_memory(&document, "position", ENGINE_F32, 2, 3, position);
    add_memory(&document, "species", ENGINE_U32, 2, 1, species);
    assert_string_equal(text_of(written(&document, "lammpstrj", "out.lammpstrj")),
                        "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS xy xz yz pp pp pp\n"
                        "-2 5 1\n0 8 -2\n0 6 3\nITEM: ATOMS id type x y z\n1 3 0 1 2\n2 1 0.5 -3 2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atoms_are_sorted_by_id),  cmocka_unit_test(test_elements_without_ids),
        cmocka_unit_test(test_a_general_triclinic_box), cmocka_unit_test(test_a_tilt_over_an_open_axis),
        cmocka_unit_test(test_scaled_positions),        cmocka_unit_test(test_a_tilted_box),
        cmocka_unit_test(test_the_last_frame_counts),   cmocka_unit_test(test_a_gzip_file),
        cmocka_unit_test(test_what_is_refused),         cmocka_unit_test(test_open_axes_are_written_with_bounds),
        cmocka_unit_test(test_a_tilted_box_is_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
