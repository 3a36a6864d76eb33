/* Reading and writing XYZ and extended XYZ. Files are written by hand from the description of the format, and one by
 * ase.io.write of ASE 3.29. */
#include "particle_files.h"

#include <float.h>
#include <math.h>

static const char *xyz(const char *text)
{
    return file_of("in.xyz", text, strlen(text));
}

static void expect_bad(const char *text, const char *what)
{
    expect_error(xyz(text), what);
}

/* ---- In ----------------------------------------------------------------------------------------------------- */

static void test_plain_positions(void **state)
{
    struct io_document *document =
        opened(xyz("3\na comment with Lattice in it\nSi 0 1 2\n O\t-1e-3 .5 +4.\nSi 7 8 9\n"));
    expect_numbers(document, "position", 3, 3, (double[]){0, 1, 2, -1e-3, 0.5, 4, 7, 8, 9});
    expect_numbers(document, "species", 3, 1, (double[]){0, 1, 0});
    assert_string_equal(document->arrays[0].name, "position");
    assert_int_equal(document->count, 2);
    expect_box(document, (double[6]){0});
    document->close(document);
}

static void test_plain_velocities(void **state)
{
    struct io_document *document = opened(xyz("2\r\n\r\n1 0 1 2 3 4 5\r\n8 6 7 8 9 10 11\r\n"));
    expect_numbers(document, "position", 2, 3, (double[]){0, 1, 2, 6, 7, 8});
    expect_numbers(document, "velocity", 2, 3, (double[]){3, 4, 5, 9, 10, 11});
    expect_numbers(document, "species", 2, 1, (double[]){0, 1});
    document->close(document);
}

static void test_the_last_frame_counts(void **state)
{
    struct io_document *document =
        opened(xyz("2\nLattice=\"1 0 0 0 1 0 0 0 1\"\nA 0 0 0\nB 1 1 1\n1\n\nB 5 6 7\n\n  \n"));
    expect_numbers(document, "position", 1, 3, (double[]){5, 6, 7});
    expect_numbers(document, "species", 1, 1, (double[]){0});
    expect_box(document, (double[6]){0});
    document->close(document);
}

static void test_properties(void **state)
{
    struct io_document *document =
        opened(xyz("2\nProperties=mass:R:1:tag:S:2:pos:R:3:id:I:1:fixed:L:1:velo:R:3:charge:R:2 Time=3 "
                   "Lattice='4 0 0 1 5 0 2 3 6'\n"
                   "1.5 a b 1 2 3 7 T 4 5 6 -1 -2\n2.5 c d 8 9 10 -6 F 11 12 13 0.5 0.25\n"));
    expect_numbers(document, "position", 2, 3, (double[]){1, 2, 3, 8, 9, 10});
    expect_numbers(document, "velocity", 2, 3, (double[]){4, 5, 6, 11, 12, 13});
    expect_numbers(document, "mass", 2, 1, (double[]){1.5, 2.5});
    expect_numbers(document, "id", 2, 1, (double[]){7, -6});
    expect_numbers(document, "charge", 2, 2, (double[]){-1, -2, 0.5, 0.25});
    assert_string_equal(document->arrays[0].name, "position");
    assert_int_equal(document->count, 5);
    expect_box(document, (double[6]){4, 5, 6, 1, 2, 3});
    document->close(document);
}

static void test_types_go_before_symbols(void **state)
{
    struct io_document *document = opened(xyz("2\nProperties=species:S:1:type:I:1:pos:R:3\nX 3 0 0 0\nX 1 0 0 0\n"));
    expect_numbers(document, "species", 2, 1, (double[]){2, 0});
    document->close(document);
    document = opened(xyz("2\nProperties=type:I:1:pos:R:3:species:S:1\n3 0 0 0 X\n1 0 0 0 X\n"));
    expect_numbers(document, "species", 2, 1, (double[]){2, 0});
    document->close(document);
}

static void test_places_on_a_lattice_may_be_integers(void **state)
{
    struct io_document *document = opened(xyz("2\nProperties=species:S:1:pos:I:3\nX 1 -2 3\nX 4 5 6\n"));
    expect_numbers(document, "position", 2, 3, (double[]){1, -2, 3, 4, 5, 6});
    document->close(document);
}

/* The vectors of the periodic axes decide. The part of (2, 3, 4) that is perpendicular to (4, 0, 0) is (0, 3, 4). */
static void test_open_axes(void **state)
{
    struct io_document *document =
        opened(xyz("1\nLattice=\"4 0 0 1 5 0 2 3 4\" pbc=\"T F T\" Properties=species:S:1:pos:R:3\nX 1 3 4\n"));
    expect_box(document, (double[6]){4, 0, 5, 0, 2, 0});
    expect_position(document, 1, 0, 5);
    document->close(document);
    document = opened(xyz("1\nLattice=\"4 0 0 1 5 0 0 0 0\" pbc=\"T T F\"\nX 1 3 4\n"));
    expect_box(document, (double[6]){4, 5, 0, 1, 0, 0});
    expect_numbers(document, "position", 1, 3, (double[]){1, 3, 4});
    document->close(document);
}

/* Checks that a file of these lines behind its number of particles has that box. */
static void expect_box_of(const char *text, const double box[6])
{
    struct io_document *document = opened(xyz(text));
    expect_box(document, box);
    document->close(document);
}

static void test_ways_to_write_pbc(void **state)
{
    expect_box_of("1\nLattice=\"4 0 0 0 5 0 0 0 6\" pbc=\"1 0 1\"\nX 0 0 0\n", (double[6]){4, 0, 6});
    expect_box_of("1\nLattice=\"4 0 0 0 5 0 0 0 6\" pbc=\"1 1 1\"\nX 0 0 0\n", (double[6]){4, 5, 6});
    expect_box_of("1\nLattice=\"4 0 0 0 5 0 0 0 6\" pbc=T\nX 0 0 0\n", (double[6]){4, 5, 6});
    expect_box_of("1\nLattice=\"4 0 0 0 5 0 0 0 6\" pbc=F\nX 0 0 0\n", (double[6]){0});
    expect_box_of("1\nLattice=\"4 0 0 0 5 0 0 0 6\" pbc=\"True False true\"\nX 0 0 0\n", (double[6]){4, 0, 6});
}

/* Vectors (0, 3, 0), (0, 0, 4), (5, 0, 0) turn the axes y, z, x to x, y, z. A left-handed cell is the same lattice with
 * its last vector reversed. */
static void test_cells_of_any_orientation(void **state)
{
    struct io_document *document =
        opened(xyz("1\nLattice=\"0 3 0 0 0 4 5 0 0\" Properties=species:S:1:pos:R:3:velo:R:3 Origin=\"7 8 9\"\n"
                   "X 1 2 3 10 20 30\n"));
    expect_box(document, (double[6]){3, 4, 5});
    expect_numbers(document, "position", 1, 3, (double[]){2, 3, 1});
    expect_numbers(document, "velocity", 1, 3, (double[]){20, 30, 10});
    assert_memory_equal(document->header.frame.corner, ((double[]){8, 9, 7}), 3 * sizeof(double));
    assert_string_equal(document->header.skipped, "");
    assert_non_null(strstr(document->remarks, "the engine rotates the cell"));
    document->close(document);
    document = opened(xyz("1\nLattice=\"3 0 0 0 4 0 0 0 -5\"\nX 1 2 -3\n"));
    expect_box(document, (double[6]){3, 4, 5});
    expect_numbers(document, "position", 1, 3, (double[]){1, 2, -3});
    assert_memory_equal(document->header.frame.corner, ((double[]){0, 0, -5}), 3 * sizeof(double));
    document->close(document);
}

/* Charges of a plain file, as other programs write them behind the positions. */
static void test_other_columns(void **state)
{
    struct io_document *document = opened(xyz("2\n\nX 1 2 3 0.5\nX 4 5 6 -.5\n"));
    expect_numbers(document, "position", 2, 3, (double[]){1, 2, 3, 4, 5, 6});
    assert_string_equal(document->header.skipped, "other columns");
    document->close(document);
}

/* LAMMPS writes the step in this way. Other programs call the time of a step so. */
static void test_the_step_of_lammps(void **state)
{
    struct io_document *document = opened(xyz("1\nTimestep=300 timestep=2\nX 1 2 3\n"));
    assert_int_equal(document->header.frame.step, 300);
    assert_true(document->header.frame.has & ENGINE_HAS_STEP);
    document->close(document);
    document = opened(xyz("1\nTimestep=0.5\nX 1 2 3\n"));
    assert_false(document->header.frame.has & ENGINE_HAS_STEP);
    document->close(document);
}

/* 300 symbols are too many, and the file is read without them. */
static void test_many_symbols(void **state)
{
    char text[8192] = "300\n\n";
    for (int i = 0; i < 300; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "S%d %d 0 0\n", i, i);
    struct io_document *document = opened(xyz(text));
    assert_int_equal(document->count, 1);
    assert_int_equal(document->symbols, 0);
    assert_int_equal(document->arrays[0].shape.extent[0], 300);
    assert_string_equal(document->header.skipped, "the symbols (more than 256, or longer than 15 characters)");
    document->close(document);
}

/* ase.io.write('x.xyz', Atoms('SiO2', …, cell=[[4, 0, 0], [-2, 3.46410161514, 0], [0, 0, 5]], pbc=True)) with arrays of
 * velocities and masses, and things of its own in the comment. */
static void test_as_ase_writes(void **state)
{
    struct io_document *document = opened(xyz(
        "3\n"
        "Lattice=\"4.0 0.0 0.0 -2.0 3.46410161514 0.0 0.0 0.0 5.0\" Properties=species:S:1:pos:R:3:velo:R:3:mass:R:1 "
        "note=\"it's a = test\" m=\"_JSON [[0, 1], [2, 3]]\" pbc=\"T T T\"\n"
        "Si       0.00000000       0.50000000       1.00000000       1.00000000       2.00000000       3.00000000      "
        "28.08500000\n"
        "O       -1.00000000       0.25000000       1.00000000       0.00000000      -2.00000000       3.00000000      "
        "15.99900000\n"
        "O        2.00000000       0.12500000       1.00000000       0.50000000       0.00000000       0.00000000      "
        "15.99900000\n"));
    expect_numbers(document, "position", 3, 3, (double[]){0, 0.5, 1, -1, 0.25, 1, 2, 0.125, 1});
    expect_numbers(document, "velocity", 3, 3, (double[]){1, 2, 3, 0, -2, 3, 0.5, 0, 0});
    expect_numbers(document, "mass", 3, 1, (double[]){28.085, 15.999, 15.999});
    expect_numbers(document, "species", 3, 1, (double[]){0, 1, 1});
    expect_box(document, (double[6]){4, 3.46410161514, 5, -2, 0, 0});
    document->close(document);
}

static void test_a_gzip_file(void **state)
{
    static const char text[] = "1\n\nX 1 2 3\n";
    struct io_document *document = opened(zipped_file_of("in.xyz.gz", text, sizeof text - 1, 0));
    expect_numbers(document, "position", 1, 3, (double[]){1, 2, 3});
    document->close(document);
    expect_error(zipped_file_of("cut.xyz.gz", text, sizeof text - 1, 4), "gzip data is cut short");
}

/* ---- What is refused ---------------------------------------------------------------------------------------- */

static void test_counts(void **state)
{
    expect_bad("0\n\n", ":1: '0' is not a number of particles; expected 1 or more");
    expect_bad("3 atoms\n\nX 0 0 0\n", "'3 atoms' is not a number of particles");
    expect_bad("99999999999999999999\n\nX 0 0 0\n", ":1: '99999999999999999999' is not a number");
    expect_bad("3\n\nX 0 0 0\nX 0 0 0\n", ":4: the file ends after 2 of 3 particles");
    expect_bad("4000000000000\n\nX 0 0 0\n", "the file ends after 1 of 4000000000000 particles");
    expect_bad("1\n\nX 0 0 0\nX 0 0 0\n", ":4: 'X 0 0 0' is not a number of particles");
    expect_bad("1\n\nX 0 0 0\n2\n\nX 0 0 0\n", ":6: the file ends after 1 of 2");
    expect_bad("1\n", "the file ends; expected a comment");
}

static void test_numbers(void **state)
{
    static const char *const bad[] = {"nan",   "inf", "-Infinity", "1e999", "0x10", "1.5.2",
                                      "12abc", "--1", ".",         "e5",    "1,5"};
    char text[64], what[64];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "2\n\nX 0 0 0\nX 0 %s 0\n", bad[i]);
        snprintf(what, sizeof what, ":4: '%s' is not a finite number", bad[i]);
        expect_bad(text, what);
    }
    expect_bad("1\nProperties=pos:R:3:id:I:1\n0 0 0 1.5\n", ":3: '1.5' is not a whole number");
    expect_bad("1\nProperties=pos:R:3:type:I:1\n0 0 0 0\n", ":3: '0' is not a type");
}

static void test_columns(void **state)
{
    expect_bad("1\n\n0 0 0\n", ":3: 3 columns");
    expect_bad("2\n\nX 0 0 0 1\nX 0 0 0\n", ":4: 4 columns; expected 5");
    expect_bad("2\n\nX 0 0 0\nX 0 0 0 1 2 3\n", ":4: 7 columns; expected 4");
    expect_bad("2\n\nX 0 0 0\n\nX 0 0 0\n", ":4: 0 columns; expected 4");
    expect_bad("1\nProperties=species:S:1:pos:R:3\nX 0 0\n", ":3: 3 columns; expected 4");
    expect_bad("1\nProperties=species:S:1\nX\n", "no positions");
    expect_bad("1\nProperties=species:S:1:pos:R:2\nX 0 0\n", "no positions of three components");
}

static void test_comments(void **state)
{
    expect_bad("1\nProperties=pos\nX\n", ":2: Properties is not a list");
    expect_bad("1\nProperties=pos:Q:3\nX\n", ":2: Properties: expected the type of pos");
    expect_bad("1\nProperties=pos:R:-3\nX\n", ":2: Properties: expected the number of columns of pos");
    expect_bad("1\nProperties=pos:R:3:\nX\n", ":2: Properties is not a list");
    expect_bad("1\nProperties=pos:R:3:pos:R:3\nX\n", ":2: Properties names pos twice");
    expect_bad("1\nProperties=species:R:1:type:I:1:pos:R:3\n1.5 1 0 0 0\n", ":2: Properties names species twice");
    expect_bad("1\nProperties=species:I:3:type:I:1:pos:R:3\n1 2 3 1 0 0 0\n", ":2: Properties names species twice");
    expect_bad("1\nProperties=pos:R:100:velo:R:100\nX\n", ":2: more than 128 columns");
    expect_bad("1\nProperties=a_name_of_more_than_thirty_one_characters:R:1\nX\n", ":2: Properties is not a list");
    expect_bad("1\nLattice=\"1 0 0 0 1 0 0 0\"\nX 0 0 0\n", ":2: Lattice: expected nine numbers");
    expect_bad("1\nLattice=\"1 0 0 0 nan 0 0 0 1\"\nX 0 0 0\n", ":2: Lattice: expected nine numbers");
    expect_bad("1\nLattice=\"0 2 2 2 0 2 2 2 4\"\nX 0 0 0\n", ":2: Lattice: the vectors lie in a plane");
    expect_bad("1\nLattice=\"1 0 0 2 0 0 0 0 1\"\nX 0 0 0\n", ":2: Lattice: the vectors lie in a plane");
    expect_bad("1\npbc=\"T T\"\nX 0 0 0\n", ":2: pbc");
}

static void test_rubbish(void **state)
{
    static const char nul[] = "2\n\nX 0 0 0\nX 0\0 0 0\n";
    expect_error(file_of("nul.xyz", nul, sizeof nul - 1), ":4: NUL byte");
    expect_error(file_of("rubbish.xyz", "\x01\x02\xff\xfe rubbish\n\n", 13), ":1: ");
    expect_bad("\n\n\n", "no particles");
    static char huge[70000];
    memset(huge, 'c', sizeof huge);
    memcpy(huge, "1\n", 2);
    memcpy(huge + sizeof huge - 10, "\nX 0 0 0\n", 10);
    expect_bad(huge, ":2: the comment is longer than");
}

/* ---- Out ---------------------------------------------------------------------------------------------------- */

static void test_what_is_written(void **state)
{
    static const float position[] = {0, 1, 2, 0.1f, -1e-30f, 1e30f}, mass[] = {1, 0.5f};
    static const double velocity[] = {0.1, 0, 0, 1.0 / 3, 0, 0};
    static const uint8_t species[] = {2, 0};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory, .header.frame = {.step = 300, .box = {4, 5, 0, 0.5, 0, 0}}};
    add_memory(&document, "species", ENGINE_U8, 2, 1, species);
    add_memory(&document, "position", ENGINE_F32, 2, 3, position);
    add_memory(&document, "velocity", ENGINE_F64, 2, 3, velocity);
    add_memory(&document, "mass", ENGINE_F32, 2, 1, mass);
    add_memory(&document, "bins", ENGINE_F64, 3, 1, velocity); /* of another length: no particles */
    assert_string_equal(text_of(written(&document, "xyz", "out.xyz")),
                        "2\n"
                        "Lattice=\"4 0 0 0.5 5 0 0 0 1.0000000150474662e+30\" pbc=\"T T F\" Origin=\"0 0 2\" "
                        "Properties=species:S:1:type:I:1:pos:R:3:velo:R:3:mass:R:1 step=300\n"
                        "X 3 0 1 2 0.10000000000000001 0 0 1\n"
                        "X 1 0.100000001 -1e-30 1.00000002e+30 0.33333333333333331 0 0 0.5\n");
}

/* Numbers of every size and of random bits come back bit for bit. */
static void round_trip(uint32_t type, const void *position, uint64_t rows)
{
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct engine_error error = {0};
    static double back[3 * 4000];
    add_memory(&document, "position", type, rows, 3, position);
    static const char *const names[][2] = {
        {"xyz", "trip.xyz"}, {"xyz", "trip.xyz.gz"}, {"lammpstrj", "trip.lammpstrj"}};
    for (size_t i = 0; i < 3; i++) {
        struct io_document *read = opened(written(&document, names[i][0], names[i][1]));
        const int array = array_of(read, "position");
        assert_int_equal(read->arrays[array].shape.extent[0], rows);
        assert_int_equal(read->read(read, (uint32_t) array, 0, 3 * rows, back, &error), 0);
        for (uint64_t k = 0; k < 3 * rows; k++)
            if (type == ENGINE_F32) {
                const float is = (float) back[k];
                assert_memory_equal(&is, (const float *) position + k, sizeof is);
            } else
                assert_memory_equal(&back[k], (const double *) position + k, sizeof back[k]);
        read->close(read);
    }
}

static void test_round_trips(void **state)
{
    enum { ROWS = 4000 }; /* more than are handled at a time */
    static float f32[3 * ROWS];
    static double f64[3 * ROWS];
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 3 * ROWS; i++) {
        do {
            bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17; /* xorshift64 */
            const uint32_t low = (uint32_t) (bits >> 32);
            memcpy(&f32[i], &low, sizeof low);
            memcpy(&f64[i], &bits, sizeof bits);
        } while (!isfinite(f32[i]) || !isfinite(f64[i]));
    }
    f32[0] = FLT_MAX, f32[1] = FLT_TRUE_MIN, f32[2] = -0.0f;
    f64[0] = DBL_MAX, f64[1] = DBL_TRUE_MIN, f64[2] = -0.0;
    round_trip(ENGINE_F32, f32, ROWS);
    round_trip(ENGINE_F64, f64, ROWS);
}

static void test_what_cannot_be_written(void **state)
{
    static const float numbers[4] = {0};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct engine_error error = {0};
    add_memory(&document, "position", ENGINE_F32, 2, 2, numbers);
    add_memory(&document, "temperature", ENGINE_F32, 1, 3, numbers);
    assert_int_equal(io_write(io_format_named("xyz"), path_of("none.xyz"), &document, NULL, &error),
                     ENGINE_STATUS_OUTPUT);
    assert_int_equal(access(path_of("none.xyz"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_positions),
        cmocka_unit_test(test_plain_velocities),
        cmocka_unit_test(test_the_last_frame_counts),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_types_go_before_symbols),
        cmocka_unit_test(test_places_on_a_lattice_may_be_integers),
        cmocka_unit_test(test_open_axes),
        cmocka_unit_test(test_ways_to_write_pbc),
        cmocka_unit_test(test_cells_of_any_orientation),
        cmocka_unit_test(test_other_columns),
        cmocka_unit_test(test_the_step_of_lammps),
        cmocka_unit_test(test_many_symbols),
        cmocka_unit_test(test_as_ase_writes),
        cmocka_unit_test(test_a_gzip_file),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_rubbish),
        cmocka_unit_test(test_what_is_written),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_what_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
