/* Files of a few bytes whose headers state very large sizes. They are refused at once, or opened without memory for
 * these sizes. */
#include "folder.h"
#include "tests/documents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#define BYTES(text) (text), sizeof(text) - 1

/* 84 and CORD, 20 words of which the first is the number of frames, one title of no bytes, and 2^31 - 1 atoms. */
#define DCD_HEAD "T\0\0\0CORD\1\0\0\0" ZEROS_72 "\30\0\0\0T\0\0\0\0\0\0\0\0\0\0\0"
#define ZEROS_8  "\0\0\0\0\0\0\0\0"
#define ZEROS_72 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8

static const struct {
    const char *name, *bytes;
    size_t size;
    const char *refusal; /* NULL: the file is opened */
} files[] = {
    {"a.rle", BYTES("x = 1000000000000, y = 1000000000000\no!"), "expected 1 to 2^48 cells"},
    {"b.rle", BYTES("x = 16777216, y = 16777216\no!"), NULL},
    {"c.rle3", BYTES("3D version=1 size=1000000\nx=1 y=1 z=1 rule=3D5..7/6\no!"), "expected 1 to 2^48 cells"},
    {"d.rle3", BYTES("3D version=1 size=65536\nx=65536 y=65536 z=65536 rule=3D5..7/6\no!"), NULL},
    {"e.lif", BYTES("#Life 1.06\n-1000000000000 0\n1000000000000 1000000000000\n"), "the limit is 2^48 cells"},
    {"f.lif", BYTES("#Life 1.05\n#P 1000000000000 0\n*\n#P 0 1000000000000\n*\n"), "the limit is 2^48 cells"},
    {"g.npy",
     BYTES("\x93NUMPY\1\0\x50\0{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 3), }         \n"),
     "header states 24000000000000"},
    {"h.npy", BYTES("\x93NUMPY\3\0\xff\xff\xff\xff{}"), "states a header of 4294967295 bytes"},
    {"i.xyz", BYTES("1000000000000\n\nX 0 0 0\n"), "the file ends after 1 of 1000000000000 particles"},
    {"j.lammpstrj",
     BYTES("ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1000000000000\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\n"
           "ITEM: ATOMS x y z\n0 0 0\n"),
     "the file ends after 1 of 1000000000000 atoms"},
    {"k.tipsy", BYTES(ZEROS_8 "\x7f\xff\xff\xff\0\0\0\3\0\0\0\0\x7f\xff\xff\xff\0\0\0\0"),
     "states 0 gas, 2147483647 dark"},
    {"l.dcd", BYTES(DCD_HEAD "\4\0\0\0\xff\xff\xff\x7f\4\0\0\0"), "contains 0 frames but its header states 1"},
    {"m.dcd", BYTES(DCD_HEAD "\xff\xff\xff\x7f\1\0\0\0"), "the number of atoms is not where it should be"},
};

/* Returns the most memory that this process has used, in KiB. */
static long peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void open_file(size_t i)
{
    struct engine_error error = {0};
    struct io_document *document;
    FILE *file = fopen(path_of(files[i].name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(files[i].bytes, 1, files[i].size, file), files[i].size);
    assert_int_equal(fclose(file), 0);
    const int status = open_document(path_of(files[i].name), &document, &error);
    if (status != (files[i].refusal ? ENGINE_STATUS_INPUT : 0))
        fail_msg("%s: status %d: %s", files[i].name, status, error.text);
    if (files[i].refusal && strstr(error.text, files[i].refusal) == NULL)
        fail_msg("%s: '%s', expected '%s'", files[i].name, error.text, files[i].refusal);
    if (document)
        document->close(document);
}

static void what_a_header_promises_takes_no_memory(void **state)
{
    (void) state;
    const long before = peak();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        open_file(i);
    if (peak() - before > 32 << 10)
        fail_msg("%ld KiB were taken", peak() - before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_header_promises_takes_no_memory)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
