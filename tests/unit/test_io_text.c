/* Plaintext, Life 1.05 and Life 1.06 patterns, gzip files, and how files are recognised. */
#include "folder.h"
#include "tests/documents.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

static const char *bytes_file(const char *name, const void *bytes, size_t size)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *text_file(const char *name, const char *text)
{
    return bytes_file(name, text, strlen(text));
}

static const char *gzip_file(const char *name, const char *text)
{
    gzFile file = gzopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned) strlen(text)), strlen(text));
    assert_int_equal(gzclose(file), Z_OK);
    return path_of(name);
}

static struct io_document *opened(const char *path)
{
    struct engine_error error = {0};
    struct io_document *document;
    if (open_document(path, &document, &error) != 0)
        fail_msg("%s", error.text);
    return document;
}

/* Opens the file and compares its cells, as text of '.' and 'O', read in ranges of 1, 2, … cells and all at once. */
static void expect_cells(const char *path, const char *expected)
{
    for (uint64_t range = 1; range <= 64; range++) {
        struct engine_error error = {0};
        struct io_document *document = opened(path);
        const struct engine_shape *shape = &document->arrays[0].shape;
        uint64_t total = shape->extent[0] * shape->extent[1], at = 0;
        uint8_t cells[512];
        char text[600] = "";
        assert_true(total <= sizeof cells && shape->rank == 2 && document->arrays[0].values == 2);
        for (uint64_t begin = 0; begin < total; begin += range) {
            uint64_t count = total - begin < range ? total - begin : range;
            if (document->read(document, 0, begin, count, cells + begin, &error) != 0)
                fail_msg("%s", error.text);
        }
        for (uint64_t i = 0; i < total; i++) {
            text[at++] = ".O"[cells[i] & 1];
            if (i % shape->extent[0] == shape->extent[0] - 1)
                text[at++] = '\n';
        }
        assert_string_equal(text, expected);
        document->close(document);
    }
}

static void expect_error(const char *path, const char *where, const char *what)
{
    struct engine_error error = {0};
    struct io_document *document;
    int status = open_document(path, &document, &error);
    char begin[600];
    snprintf(begin, sizeof begin, "%s%s", path, where);
    if (status != ENGINE_STATUS_INPUT || document != NULL || strncmp(error.text, begin, strlen(begin)) != 0 ||
        strstr(error.text, what) == NULL)
        fail_msg("status %d, '%s', expected '%s…%s'", status, error.text, begin, what);
}

/* ---- .cells ------------------------------------------------------------------------------------------------- */

static void plaintext_is_read(void **state)
{
    (void) state;
    expect_cells(text_file("a.cells", "!Name: Glider\n!\n.O\n..O\nOOO\n"), ".O.\n..O\nOOO\n");
    expect_cells(text_file("a.cells", ".O\n..O\nOOO"), ".O.\n..O\nOOO\n");
    expect_cells(text_file("a.cells", ".*\r\n..*\r\n***\r\n"), ".O.\n..O\nOOO\n");
    expect_cells(text_file("a.cells", "!\nO\n\n! between\n..O  \n.\n\n\n"), "O..\n...\n..O\n...\n");
    expect_cells(text_file("a.cells", "!\n...\n.\n"), "...\n...\n");
    expect_cells(text_file("known-by-its-bytes", "!Name: dot\nO\n"), "O\n");
    struct io_document *document = opened(text_file("a.cells", "O\n"));
    assert_string_equal(document->header.rule, "");
    assert_false(document->header.pattern.placed);
    document->close(document);
}

/* Golly takes such files for empty universes. */
static void a_file_without_live_cells_is_one_dead_cell(void **state)
{
    (void) state;
    static const char *const files[][2] = {{"a.cells", "!only\n!comments\n"},
                                           {"a.cells", "\n\n"},
                                           {"a.lif", "#Life 1.06\n\n# nothing\n"},
                                           {"a.lif", "#Life 1.05\n#P 0 0\n...\n"}};
    for (int i = 0; i < 4; i++) {
        struct io_document *document = opened(text_file(files[i][0], files[i][1]));
        assert_string_equal(document->remarks, "the file has no live cells; it is read as one dead cell");
        assert_false(document->header.pattern.placed);
        document->close(document);
        expect_cells(path_of(files[i][0]), ".\n");
    }
}

static void expect_note(const char *path, int index, const char *key, const char *text)
{
    struct io_document *document = opened(path);
    assert_true(document->header.notes > (uint32_t) index);
    assert_string_equal(document->header.note[index].key, key);
    assert_string_equal(document->header.note[index].text, text);
    assert_string_equal(document->header.skipped, "");
    document->close(document);
}

static void comments_are_notes(void **state)
{
    (void) state;
    const char *path =
        text_file("a.cells", "!Name: Glider\n!Author: Richard K. Guy\n!\n! small\n.O\n..O\n!ship\nOOO\n");
    expect_note(path, 0, "Name", "Glider\n");
    expect_note(path, 1, "Author", "Richard K. Guy\n");
    expect_note(path, 2, "Comment", "\n small\nship\n");
    path = text_file("a.lif", "#Life 1.05\n#D a glider\n#O Guy\n#N\n#C ship\n#P 0 0\n*\n");
    expect_note(path, 0, "Author", "Guy\n");
    expect_note(path, 1, "Comment", "a glider\nship\n");
    expect_note(text_file("a.lif", "#Life 1.06\n#D a cell\n0 0\n"), 0, "Comment", "a cell\n");
}

/* Coordinates of the whole plane, whose origin is Golly's. */
static void expect_position(const char *path, bool placed, int64_t x, int64_t y)
{
    struct io_document *document = opened(path);
    assert_int_equal(document->header.pattern.placed, placed);
    assert_int_equal(document->header.pattern.at[0], x);
    assert_int_equal(document->header.pattern.at[1], y);
    document->close(document);
}

static void lists_of_cells_have_a_position(void **state)
{
    (void) state;
    expect_position(text_file("a.lif", "#Life 1.06\n102 200\n100 201\n"), true, 100, 200);
    expect_position(text_file("a.lif", "#Life 1.05\n#P -5 7\n.*\n#P 9 6\n*\n"), true, -4, 6);
    expect_position(text_file("a.lif", "#Life 1.05\n.*\n"), false, 1, 0);
}

static void bad_plaintext_is_refused(void **state)
{
    (void) state;
    expect_error(text_file("a.cells", "!\n.O\n..x\n"), ":3: ", "'x' is not a cell");
    expect_error(text_file("a.cells", ".O!\n"), ":1: ", "'!' is not a cell");
    expect_error(text_file("a.cells", ".O\n\x7f\n"), ":2: ", "byte 0x7F is not a cell");
    expect_error(bytes_file("a.cells", ".O\n.\0O\n", 7), ":2: ", "NUL byte");
}

/* ---- Life 1.06 and 1.05 ------------------------------------------------------------------------------------- */

static void life106_is_read_in_any_order(void **state)
{
    (void) state;
    static const char glider[] = ".O.\n..O\nOOO\n";
    expect_cells(text_file("a.lif", "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n"), glider);
    expect_cells(text_file("b", "#Life 1.06\r\n1 1\r\n0 1\r\n\r\n# c\r\n1 0\r\n1 0\r\n-1 1\r\n0 -1"), glider);
    expect_cells(text_file("b", "#Life 1.06\n1000000000001 -5\n  1000000000003\t-5 \n"), "O.O\n");
    expect_cells(text_file("b", "#Life 1.06\n7 7\n"), "O\n");
}

static void bad_life106_is_refused(void **state)
{
    (void) state;
    expect_error(text_file("a", "#Life 1.06\n0 1\n0\n"), ":3: ", "expected the coordinates '<x> <y>'");
    expect_error(text_file("a", "#Life 1.06\n0 1 2\n"), ":2: ", "nothing after them");
    expect_error(text_file("a", "#Life 1.06\n0,1\n"), ":2: ", "expected the coordinates '<x> <y>'");
    expect_error(text_file("a", "#Life 1.06\n0 1.5\n"), ":2: ", "nothing after them");
    expect_error(text_file("a", "#Life 1.06\n0 99999999999999999999\n"), ":2: ", "expected the coordinates '<x> <y>'");
    expect_error(text_file("a", "#Life 1.06\n0 9223372036854775807\n"), ":2: ", "further than 2^60");
    expect_error(text_file("a", "#Life 1.06\n0 0\n16777216 16777216\n"), ": ", "the cells span 16777217 x 16777217");
    expect_error(text_file("a", "#Life 1.06\n-1000000000000000000 0\n1000000000000000000 0\n"), ": ", "the cells span");
    expect_error(text_file("a.lif", "0 0\n"), ":1: ", "expected the first line '#Life 1.06' or '#Life 1.05'");
    expect_error(bytes_file("a", "#Life 1.06\n0 0\n1\0 1\n", 20), ":3: ", "NUL byte");
}

static void life105_is_read_with_its_blocks(void **state)
{
    (void) state;
    /* Golly's acorn.lif */
    struct io_document *document = opened(text_file("acorn.lif", "#Life 1.05\n#D Acorn\n#P\n.*\n...*\n**..***\n"));
    assert_string_equal(document->header.rule, "");
    document->close(document);
    expect_cells(path_of("acorn.lif"), ".O.....\n...O...\nOO..OOO\n");
    expect_cells(text_file("a", "#Life 1.05\n#N\n#P -1 -1\n**\n**\n#P 2 1\n*\n.\n*"), "OO..\nOO..\n...O\n....\n...O\n");
    document = opened(path_of("a"));
    assert_string_equal(document->header.rule, "B3/S23");
    document->close(document);
    document = opened(text_file("a", "#Life 1.05\r\n#R 125/36\r\n#P 0 0\r\n*\r\n"));
    assert_string_equal(document->header.rule, "125/36");
    document->close(document);
    expect_error(text_file("a", "#Life 1.05\n#P 0\n*\n"), ":2: ", "after #P");
    expect_error(text_file("a", "#Life 1.05\n#P 0 0 0\n*\n"), ":2: ", "after #P");
    expect_error(text_file("a", "#Life 1.05\n#R\n*\n"), ":2: ", "after #R");
    expect_error(text_file("a", "#Life 1.05\n#P 0 0\n*.\n.o\n"), ":4: ", "'o' is not a cell; expected '.' or '*'");
    expect_error(text_file("a", "#Life 1.05\n#P 9223372036854775807 9223372036854775807\n.*\n"), ":3: ", "2^60");
}

/* ---- gzip --------------------------------------------------------------------------------------------------- */

static void every_text_format_may_be_gzip_ed(void **state)
{
    (void) state;
    expect_cells(gzip_file("a.rle.gz", "x = 3, y = 3\nbo$2bo$3o!"), ".O.\n..O\nOOO\n");
    expect_cells(gzip_file("a", "!\n.O\n..O\nOOO\n"), ".O.\n..O\nOOO\n");
    expect_cells(gzip_file("a", "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n"), ".O.\n..O\nOOO\n");
    expect_error(gzip_file("a.gz", "\x93NUMPY"), ": ", "gunzip it first");
    expect_error(gzip_file("a.rle.gz", "x = 3, y = 3, rule = B3/S23:P3x\n!"), ":1: ", "bounded grid");
    expect_error(gzip_file("a.rle.gz", ""), ": ", "ends before its header line");
}

/* A pattern of random rows, so that the compressed file is longer than any buffer. */
static char *long_pattern(size_t rows)
{
    char *text = malloc(32 + rows * 64), *at = text;
    uint32_t random = 1;
    at += sprintf(at, "x = 60, y = %zu\n", rows);
    for (size_t row = 0; row < rows; row++) {
        for (int i = 0; i < 60; i++, random = random * 1664525 + 1013904223)
            *at++ = random >> 31 ? 'o' : 'b';
        *at++ = '$';
        *at++ = '\n';
    }
    strcpy(at, "!");
    return text;
}

/* Returns the first error of opening the file and reading all of it. */
static int read_all(const char *path, struct engine_error *error)
{
    struct io_document *document;
    uint8_t row[60];
    int status = open_document(path, &document, error);
    if (status != 0)
        return status;
    for (uint64_t y = 0; status == 0 && y < document->arrays[0].shape.extent[1]; y++)
        status = document->read(document, 0, y * 60, 60, row, error);
    document->close(document);
    return status;
}

static void damaged_gzip_is_an_error_wherever_it_is(void **state)
{
    (void) state;
    struct engine_error error;
    enum { ROWS = 20000 };
    char *text = long_pattern(ROWS);
    gzip_file("good.rle.gz", text);
    assert_int_equal(read_all(path_of("good.rle.gz"), &error), 0);
    FILE *file = fopen(path_of("good.rle.gz"), "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, ROWS * 64, file);
    fclose(file);
    assert_true(size > 100000);
    const size_t cuts[] = {3, 10, 11, 30, size / 2, size - 9, size - 8, size - 4, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        error.text[0] = '\0';
        if (read_all(bytes_file("cut.rle.gz", text, cuts[i]), &error) != ENGINE_STATUS_INPUT ||
            strstr(error.text, "the gzip data is cut short") == NULL)
            fail_msg("cut to %zu of %zu bytes: '%s'", cuts[i], size, error.text);
    }
    for (size_t i = 3; i < sizeof cuts / sizeof cuts[0]; i++) {
        text[cuts[i]] ^= 0x55;
        error.text[0] = '\0';
        if (read_all(bytes_file("bad.rle.gz", text, size), &error) != ENGINE_STATUS_INPUT)
            fail_msg("byte %zu of %zu changed: '%s'", cuts[i], size, error.text);
        if (i > 4)
            assert_non_null(strstr(error.text, "the gzip data is "));
        text[cuts[i]] ^= 0x55;
    }
    free(text);
}

/* ---- Recognition ---------------------------------------------------------------------------------------------- */

/* Makes a gzip file that begins with `head` and continues with so many times 64 KiB of `filling`. */
static const char *gzip_repeated(const char *head, char filling, int times)
{
    static char piece[1 << 16];
    memset(piece, filling, sizeof piece);
    gzFile file = gzopen(path_of("bomb.gz"), "wb");
    assert_non_null(file);
    assert_int_equal(gzputs(file, head), strlen(head));
    for (int i = 0; i < times; i++)
        assert_int_equal(gzwrite(file, piece, sizeof piece), sizeof piece);
    assert_int_equal(gzclose(file), Z_OK);
    return path_of("bomb.gz");
}

/* deflate packs a thousand blanks into a byte. */
static void gzip_that_unpacks_to_200_times_its_size_is_refused_beyond_64_mib(void **state)
{
    (void) state;
    struct engine_error error;
    const char *head = "x = 3, y = 3\nbo$2bo$3o!\n";
    assert_int_equal(read_all(gzip_repeated(head, ' ', 1023), &error), 0);
    error.text[0] = '\0';
    assert_int_equal(read_all(gzip_repeated(head, ' ', 1100), &error), ENGINE_STATUS_INPUT);
    assert_non_null(strstr(error.text, "unpacks to more than 64 MiB and 200 times its size"));
    expect_error(gzip_repeated("#Life 1.06\n0 0\n", '\n', 1100), ":", "200 times its size");
    expect_error(gzip_repeated("!\nO\n", '.', 1100), ":", "200 times its size");
}

/* ---- .zip --------------------------------------------------------------------------------------------------- */

/* Files of an archive, as PKWARE's APPNOTE.TXT describes it. */
struct packed_file {
    const char *name, *content;
    unsigned method, flags; /* 0: stored, 8: deflated; others as 0 */
};

static size_t put_number(unsigned char *to, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char) (number >> 8 * i);
    return (size_t) bytes;
}

static size_t pack_content(const struct packed_file *file, unsigned char *to, size_t room)
{
    z_stream stream = {0};
    const size_t size = strlen(file->content);
    if (file->method != 8) {
        memcpy(to, file->content, size);
        return size;
    }
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (z_const Bytef *) (uintptr_t) file->content;
    stream.avail_in = (uInt) size;
    stream.next_out = to;
    stream.avail_out = (uInt) room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
}

/* Writes an archive into `out`. Returns its size. */
static size_t make_archive(const struct packed_file *files, unsigned count, unsigned char *out, size_t room)
{
    static unsigned char directory[4096];
    size_t at = 0, end = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct packed_file *file = &files[i];
        const size_t begin = at, name = strlen(file->name), size = strlen(file->content);
        unsigned char fields[26];
        const size_t packed = pack_content(file, out + at + 30 + name + 3, room - at - 100);
        put_number(fields, 20, 2);
        put_number(fields + 2, file->flags, 2);
        put_number(fields + 4, file->method, 2);
        put_number(fields + 6, 0, 4);
        put_number(fields + 10, crc32(0, (const Bytef *) file->content, (uInt) size), 4);
        put_number(fields + 14, packed, 4);
        put_number(fields + 18, size, 4);
        put_number(fields + 22, name, 2);
        put_number(fields + 24, 3, 2); /* an extra field, which only the file itself has */
        memcpy(out + at, "PK\3\4", 4);
        memcpy(out + at + 4, fields, 26);
        memcpy(out + at + 30, file->name, name);
        memset(out + at + 30 + name, 'x', 3);
        at += 30 + name + 3 + packed;
        put_number(fields + 24, 0, 2);
        memset(directory + end, 0, 46);
        memcpy(directory + end, "PK\1\2", 4);
        memcpy(directory + end + 6, fields, 26);
        put_number(directory + end + 42, begin, 4);
        memcpy(directory + end + 46, file->name, name);
        end += 46 + name;
    }
    memcpy(out + at, directory, end);
    memset(out + at + end, 0, 22);
    memcpy(out + at + end, "PK\5\6", 4);
    put_number(out + at + end + 8, count, 2);
    put_number(out + at + end + 10, count, 2);
    put_number(out + at + end + 12, end, 4);
    put_number(out + at + end + 16, at, 4);
    return at + end + 22;
}

static unsigned char archive[1 << 20];

static const char *archive_of(const struct packed_file *files, unsigned count)
{
    return bytes_file("a.zip", archive, make_archive(files, count, archive, sizeof archive));
}

static const char glider[] = "x = 3, y = 3\nbo$2bo$3o!\n";

static void the_pattern_in_an_archive_is_read(void **state)
{
    (void) state;
    for (unsigned method = 0; method <= 8; method += 8) {
        const struct packed_file files[] = {{"folder/", "", 0, 0},
                                            {"readme.txt", "read me", method, 0},
                                            {"folder/Glider.RLE", glider, method, 0},
                                            {"__MACOSX/folder/._Glider.rle", "x", method, 0}};
        expect_cells(archive_of(files, 4), ".O.\n..O\nOOO\n");
    }
    const struct packed_file plain = {"g.cells", ".O\n..O\nOOO\n", 8, 0}; /* its format is known by its name alone */
    expect_cells(archive_of(&plain, 1), ".O.\n..O\nOOO\n");
    const struct packed_file wrong = {"g.cells", "!\n.z\n", 8, 0};
    expect_error(archive_of(&wrong, 1), "/g.cells:2: ", "'z' is not a cell");
    size_t size = make_archive(&plain, 1, archive, sizeof archive);
    put_number(archive + size - 2, 300, 2); /* a comment */
    memset(archive + size, 'P', 300);
    expect_cells(bytes_file("a.zip", archive, size + 300), ".O.\n..O\nOOO\n");
}

static void an_archive_without_one_pattern_is_refused(void **state)
{
    (void) state;
    const struct packed_file two[] = {{"a.rle", glider, 8, 0}, {"b/b\xff.mc", "[M2]\n", 8, 0}};
    expect_error(archive_of(two, 2), ": ", "2 pattern files; unzip it and choose one: a.rle, b/b?.mc");
    const struct packed_file text = {"readme.txt", "read me", 8, 0};
    expect_error(archive_of(&text, 1), ": ", "without a pattern file (rle rle3 mc");
    expect_error(archive_of(NULL, 0), ": ", "is an empty zip archive");
    const struct packed_file secret = {"a.rle", glider, 8, 1}, other = {"a.rle", glider, 12, 0};
    expect_error(archive_of(&secret, 1), ": ", "a.rle is encrypted");
    expect_error(archive_of(&other, 1), ": ", "a.rle has compression 12; expected 8");
    const struct packed_file array = {"a.rle", "\x93NUMPY", 8, 0};
    expect_error(archive_of(&array, 1), "/a.rle: ", "is a npy file in a zip archive");
    expect_error(text_file("a.zip", "PK\x03\x04"), ": ", "cut short");
}

static void a_damaged_archive_is_refused(void **state)
{
    (void) state;
    const struct packed_file file = {"a.rle", glider, 0, 0};
    const size_t size = make_archive(&file, 1, archive, sizeof archive), data = 30 + 5 + 3;
    for (size_t cut = 4; cut < size; cut++)
        expect_error(bytes_file("a.zip", archive, cut), ": ", "cut short");
    archive[data + sizeof glider - 4] = 'b'; /* a cell */
    struct engine_error error = {0};
    assert_int_equal(read_all(bytes_file("a.zip", archive, size), &error), ENGINE_STATUS_INPUT);
    if (strstr(error.text, "the zip archive is damaged") == NULL || strstr(error.text, "a.zip/a.rle") == NULL)
        fail_msg("%s", error.text);
    make_archive(&file, 1, archive, sizeof archive);
    put_number(archive + size - 22 - 46 - 5 + 24, 4, 4); /* the size is not that of the stored bytes */
    expect_error(bytes_file("a.zip", archive, size), ": ", "the zip archive is damaged");
    make_archive(&file, 1, archive, sizeof archive);
    put_number(archive + size - 22 - 46 - 5 + 42, 7, 4); /* the file is not there */
    expect_error(bytes_file("a.zip", archive, size), ": ", "the zip archive is damaged");
}

static void an_archive_that_unpacks_to_far_more_is_refused(void **state)
{
    (void) state;
    const size_t blanks = 70 << 20;
    char *content = malloc(blanks + sizeof glider);
    strcpy(content, glider);
    memset(content + sizeof glider - 1, ' ', blanks);
    content[sizeof glider - 1 + blanks] = '\0';
    const struct packed_file file = {"a.rle", content, 8, 0};
    expect_error(archive_of(&file, 1), ": ", " to 73400344 bytes, which is more than 64 MiB and 200 times its size");
    free(content);
}

static void what_is_no_pattern_file_is_refused(void **state)
{
    (void) state;
    expect_error(path_of("missing.rle"), ": ", "No such file or directory");
    expect_error(folder, ": ", "is a folder");
    expect_error("/dev/null", ": ", "is a device");
    expect_error(text_file("empty.rle", ""), ": ", "is an empty file");
    expect_error(text_file("a.txt", "hello\n"), ": ",
                 "has no known format; the engine reads rle rle3 npy cells life106 life105 mcl mc");
    expect_error(text_file("a.png", "hello\n"), ": ", "no known format");
    expect_error(bytes_file("a.rle", "\x89PNG\r\n\x1a\n", 8), ": ", "is a PNG picture");
    assert_int_equal(mkfifo(path_of("pipe.rle"), 0600), 0);
    expect_error(path_of("pipe.rle"), ": ", "is a device, pipe or socket");
}

static void bytes_tell_more_than_endings(void **state)
{
    (void) state;
    expect_cells(text_file("a.cells", "#C an RLE file\nx = 1, y = 1\no!"), "O\n");
    expect_cells(text_file("a.npy", "\n\n x=1,y=1\no!"), "O\n");
    expect_cells(text_file("a.rle", "#Life 1.06\n3 3\n"), "O\n");
    expect_cells(text_file("A.CELLS", ".O\n"), ".O\n");
    expect_cells(text_file("a.rle", "bo$2bo$3o!"), ".O.\n..O\nOOO\n");
}

static void formats_are_found_by_name_and_ending(void **state)
{
    (void) state;
    static const char *const names[] = {"rle",     "rle3",     "npy", "vti",       "png",   "apng", "cells",
                                        "life106", "life105",  "xyz", "lammpstrj", "tipsy", "dcd",  "csv",
                                        "svg",     "snapshot", "mcl", "mc",        "txt"};
    uint32_t count = 0;
    while (io_format_at(count) != NULL)
        count++;
    assert_int_equal(count, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(io_format_named(names[i])->about->name, names[i]);
    assert_null(io_format_named("bmp"));
    assert_ptr_equal(io_format_of_path("a/b.rle"), io_format_named("rle"));
    assert_ptr_equal(io_format_of_path("b.RLE.gz"), io_format_named("rle"));
    assert_ptr_equal(io_format_of_path("x.npy"), io_format_named("npy"));
    assert_ptr_equal(io_format_of_path("x.png"), io_format_named("png"));
    assert_ptr_equal(io_format_of_path("x.snapshot"), io_format_named("snapshot"));
    assert_null(io_format_of_path("x.gz"));
    assert_null(io_format_of_path("rle"));
    assert_null(io_format_of_path(".rle/x"));
    struct engine_error error = {0};
    struct io_document document = {0};
    assert_int_equal(io_write(io_format_named("tipsy"), path_of("a.tipsy"), &document, NULL, &error),
                     ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "can only be read"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plaintext_is_read),
        cmocka_unit_test(a_file_without_live_cells_is_one_dead_cell),
        cmocka_unit_test(comments_are_notes),
        cmocka_unit_test(lists_of_cells_have_a_position),
        cmocka_unit_test(bad_plaintext_is_refused),
        cmocka_unit_test(life106_is_read_in_any_order),
        cmocka_unit_test(bad_life106_is_refused),
        cmocka_unit_test(life105_is_read_with_its_blocks),
        cmocka_unit_test(every_text_format_may_be_gzip_ed),
        cmocka_unit_test(damaged_gzip_is_an_error_wherever_it_is),
        cmocka_unit_test(gzip_that_unpacks_to_200_times_its_size_is_refused_beyond_64_mib),
        cmocka_unit_test(the_pattern_in_an_archive_is_read),
        cmocka_unit_test(an_archive_without_one_pattern_is_refused),
        cmocka_unit_test(a_damaged_archive_is_refused),
        cmocka_unit_test(an_archive_that_unpacks_to_far_more_is_refused),
        cmocka_unit_test(what_is_no_pattern_file_is_refused),
        cmocka_unit_test(bytes_tell_more_than_endings),
        cmocka_unit_test(formats_are_found_by_name_and_ending),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
