/* Snapshot files: their content as zlib reads it, every layout written and read, and every kind of damage reported. */
#include "files/json.h"
#include "files/snapshot_member.h"
#include "folder.h"
#include "tests/documents.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#include <cmocka.h>

/* ---- Fields ------------------------------------------------------------------------------------------------- */

enum { WIDTH = 100, HEIGHT = 37, DEPTH = 3, BODIES = 50 };

static const struct engine_field bits = {
    .name = "cells", .kind = ENGINE_GRID, .type = ENGINE_U8, .components = 1, .rank = 3, .values = 2};
static const struct engine_field floats = {
    .name = "position", .kind = ENGINE_PARTICLES, .type = ENGINE_F32, .components = 3};
static const struct engine_shape grid = {sizeof grid, ENGINE_U8, 1, 3, {WIDTH, HEIGHT, DEPTH}};
static const struct engine_shape points = {sizeof points, ENGINE_F32, 3, 1, {BODIES, 1, 1}};

static const struct engine_layout plain = {.size = sizeof plain};
static const struct engine_layout linear = {.size = sizeof linear, .cell_bits = 1, .word_bytes = 8};
static const struct engine_layout striped = {.size = sizeof striped,
                                             .cell_bits = 1,
                                             .word_bytes = 4,
                                             .order = ENGINE_ORDER_STRIPED,
                                             .group_words = 4,
                                             .ghost = {5, 2, 1}};
static const struct engine_layout padded = {.size = sizeof padded, .component_stride = 4};

/* A cell is alive by no simple pattern; and the bodies' numbers. */
static uint8_t alive(uint64_t x, uint64_t y, uint64_t z)
{
    return (x * 2654435761u ^ y * 40503u ^ z * 97u) >> 7 & 1;
}

static float number(uint64_t i)
{
    return (float) i * 0.37f - 5;
}

static struct snapshot_cells cells_of(const struct engine_field *field, const struct engine_shape *shape,
                                      const struct engine_layout *layout)
{
    struct engine_error error;
    struct snapshot_cells cells;
    if (geometry_make(field, shape, layout, &cells.geometry, &error) != 0)
        fail_msg("%s", error.text);
    cells.memory = calloc(1, cells.geometry.bytes);
    assert_non_null(cells.memory);
    return cells;
}

static uint8_t canonical_cells[WIDTH * HEIGHT * DEPTH];
static float canonical_numbers[BODIES * 3];

static int make_values(void **state)
{
    for (uint64_t i = 0; i < sizeof canonical_cells; i++)
        canonical_cells[i] = alive(i % WIDTH, i / WIDTH % HEIGHT, i / WIDTH / HEIGHT);
    for (uint64_t i = 0; i < BODIES * 3; i++)
        canonical_numbers[i] = number(i);
    return make_folder(state);
}

static const struct snapshot_header about = {
    .engine = "1.2.3",
    .plugin = "life3d-packed",
    .plugin_version = "4",
    .implementation = "cpu",
    .rule = "B6/S5..7",
    .device = "a \"processor\"",
    .config = "[run]\nplugin = life3d-packed\n\n[grid]\nsize = 100 37 3 ; \xc3\xa4\n",
    .extra = "{\"rows\": 3}",
    .step = 1234567890123,
    .seed = UINT64_C(9000000000000000001),
    .box = {0.1, 2, 3e10, 0, 0, -1},
    .count = 2,
    .roles = {ENGINE_STATE, ENGINE_INPUT},
};

static struct snapshot_header make_header(void)
{
    struct snapshot_header header = about;
    header.fields[0] = (struct engine_file_array){.name = "cells", .values = 2, .shape = grid};
    header.fields[1] = (struct engine_file_array){.name = "position", .shape = points};
    return header;
}

static const char *written_with(struct snapshot_header header, enum snapshot_compression compression,
                                const struct engine_layout *layout, uint32_t threads)
{
    struct snapshot_cells cells[] = {cells_of(&bits, &grid, layout), cells_of(&floats, &points, &padded)};
    const char *path = path_of("a.snapshot");
    struct engine_error error;
    geometry_write(&cells[0].geometry, cells[0].memory, 0, sizeof canonical_cells, canonical_cells);
    geometry_write(&cells[1].geometry, cells[1].memory, 0, BODIES * 3, canonical_numbers);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (snapshot_file_write(file, &header, cells, compression, threads, &error) != 0)
        fail_msg("%s", error.text);
    close(file);
    free(cells[0].memory);
    free(cells[1].memory);
    return path;
}

static const char *written_as(enum snapshot_compression compression, const struct engine_layout *layout,
                              uint32_t threads)
{
    return written_with(make_header(), compression, layout, threads);
}

static const char *written(const struct engine_layout *layout, uint32_t threads)
{
    return written_as(SNAPSHOT_DEFLATE, layout, threads);
}

static struct snapshot_file *opened(const char *path)
{
    struct engine_error error;
    struct snapshot_file *file;
    if (snapshot_file_open(path, &file, &error) != 0)
        fail_msg("%s", error.text);
    return file;
}

/* ---- What a file says --------------------------------------------------------------------------------------- */

static void header_is_kept(void **state)
{
    struct snapshot_file *file = opened(written(&linear, 2));
    const struct snapshot_header *header = snapshot_file_header(file);
    assert_string_equal(header->engine, about.engine);
    assert_string_equal(header->host, "");
    assert_string_equal(header->device, about.device);
    assert_string_equal(header->plugin, about.plugin);
    assert_string_equal(header->plugin_version, about.plugin_version);
    assert_string_equal(header->implementation, about.implementation);
    assert_string_equal(header->rule, about.rule);
    assert_string_equal(header->config, about.config);
    assert_string_equal(header->extra, about.extra);
    assert_true(header->step == about.step && header->seed == about.seed);
    assert_memory_equal(header->box, about.box, sizeof about.box);
    assert_int_equal(header->count, 2);
    assert_string_equal(header->fields[1].name, "position");
    assert_memory_equal(&header->fields[0].shape, &grid, sizeof grid);
    assert_memory_equal(&header->fields[1].shape, &points, sizeof points);
    assert_int_equal(header->fields[0].values, 2);
    assert_int_equal(header->roles[1], ENGINE_INPUT);
    snapshot_file_close(file);
}

/* All members one behind the other, as zcat prints them. */
static size_t unzipped(const char *path, char *out, size_t size)
{
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    const int got = gzread(file, out, (unsigned) size);
    assert_true(got > 0 && (size_t) got < size);
    assert_int_equal(gzclose(file), Z_OK);
    out[got] = '\0';
    return (size_t) got;
}

/* Reads the format as docs/reference/snapshot.md describes it, with loops of its own. */
static size_t model_of_blocks(uint8_t *out)
{
    size_t bytes = 0;
    for (uint64_t z = 0; z < DEPTH; z++)
        for (uint64_t band = 0; band < HEIGHT; band += 8)
            for (uint64_t x = 0; x < WIDTH; x++) {
                uint8_t column = 0;
                for (uint64_t y = band; y < band + 8 && y < HEIGHT; y++)
                    column |= (uint8_t) (alive(x, y, z) << (y - band));
                out[bytes++] = column;
            }
    for (uint64_t i = 0; i < BODIES * 3; i++, bytes += sizeof(float))
        memcpy(out + bytes, &(float){number(i)}, sizeof(float));
    return bytes;
}

static void zlib_reads(const char *path)
{
    static char text[1 << 16];
    static uint8_t model[1 << 16];
    const size_t got = unzipped(path, text, sizeof text), bytes = model_of_blocks(model);
    const char *begin = strstr(text, "\n}\n"); /* the end of the header's object */
    assert_memory_equal(text, "engine snapshot 1\n{\n", 20);
    assert_non_null(strstr(text, "\n    \"plugin = life3d-packed\",\n"));
    assert_non_null(begin);
    begin += 3;
    assert_true((size_t) (begin - text) + bytes < got);
    assert_memory_equal(begin, model, bytes);
    assert_memory_equal(begin + bytes, "hash ", 5);
    assert_int_equal(text + got - begin - bytes, 38 + 2 * 28);
}

static void a_rule_that_other_files_do_not_hold_is_refused(void **state)
{
    (void) state;
    struct snapshot_header header = make_header();
    struct io_document *document;
    struct engine_error error;
    char rule[513] = {0};
    memset(rule, '1', 512);
    header.rule = rule;
    assert_int_equal(open_document(written_with(header, SNAPSHOT_DEFLATE, &linear, 1), &document, &error),
                     ENGINE_STATUS_INPUT);
    assert_non_null(strstr(error.text, "the rule has 512 characters; the limit is 511"));
    rule[511] = '\0';
    assert_int_equal(open_document(written_with(header, SNAPSHOT_DEFLATE, &linear, 1), &document, &error), 0);
    assert_string_equal(document->header.rule, rule);
    document->close(document);
}

static void zlib_reads_it(void **state)
{
    zlib_reads(written(&striped, 2));
    zlib_reads(written_as(SNAPSHOT_STORE, &striped, 2));
}

static void stored_files_are_longer(void **state)
{
    struct stat deflated, stored;
    static uint8_t model[1 << 16];
    assert_int_equal(stat(written(&linear, 1), &deflated), 0);
    assert_int_equal(stat(written_as(SNAPSHOT_STORE, &linear, 1), &stored), 0);
    assert_true(stored.st_size > (off_t) model_of_blocks(model));
    assert_true(stored.st_size > deflated.st_size);
}

/* ---- Members ------------------------------------------------------------------------------------------------- */

enum { MEMBER_CONTENT = 200000 }; /* several of the blocks that deflate stores */

/* Bytes that look random (SplitMix64), and others that repeat. */
static void make_content(uint8_t *content, bool random)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < MEMBER_CONTENT; i++) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        content[i] = random ? (uint8_t) (z >> 40) : (uint8_t) (i % 251 == 0);
    }
}

/* A member's content by zlib, which looks at its checksum too. */
static void zlib_takes(uint8_t *member, size_t bytes, const uint8_t *content, size_t content_bytes)
{
    static uint8_t out[MEMBER_CONTENT + 1];
    z_stream stream = {
        .next_in = member, .avail_in = (unsigned) bytes, .next_out = out, .avail_out = MEMBER_CONTENT + 1};
    assert_int_equal(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, content_bytes);
    assert_memory_equal(out, content, content_bytes);
    inflateEnd(&stream);
}

/* Returns its bytes. */
static size_t goes_in_and_out(struct isal_zstream *deflater, const uint8_t *content, size_t content_bytes)
{
    static uint8_t out[MEMBER_CONTENT];
    static struct inflate_state inflater;
    uint8_t *member = malloc(member_bound(content_bytes)); /* so that a sanitizer sees a byte beyond */
    const size_t bytes = member_make(deflater, content, content_bytes, member);
    assert_true(bytes <= member_bound(content_bytes));
    zlib_takes(member, bytes, content, content_bytes);
    memset(&inflater, 0xa5, sizeof inflater);
    assert_true(member_unpack(&inflater, member, bytes, out, content_bytes));
    assert_memory_equal(out, content, content_bytes);
    assert_false(member_unpack(&inflater, member, bytes - 1, out, content_bytes));
    assert_false(member_unpack(&inflater, member, bytes, out, content_bytes - 1));
    free(member);
    return bytes;
}

static void members_are_deflated_or_stored(void **state)
{
    static uint8_t noise[MEMBER_CONTENT], sparse[MEMBER_CONTENT];
    static const size_t sizes[] = {1, 2, 65535, 65536, 131070, MEMBER_CONTENT};
    static struct isal_zstream deflater;
    make_content(noise, true);
    make_content(sparse, false);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t stored =
            28 + sizes[i] + (sizes[i] + 65534) / 65535 * 5; /* RFC 1951, 3.2.4; RFC 1952, 2.3 and IG */
        memset(&deflater, 0x5a, sizeof deflater);
        assert_int_equal(goes_in_and_out(NULL, noise, sizes[i]), stored);
        assert_int_equal(goes_in_and_out(NULL, sparse, sizes[i]), stored);
        assert_true(goes_in_and_out(&deflater, noise, sizes[i]) <= stored);
        const size_t deflated = goes_in_and_out(&deflater, sparse, sizes[i]);
        assert_true(deflated <= stored && (sizes[i] < 100 || deflated < sizes[i] / 20));
    }
}

/* The same content gives the same bytes, whatever its address and the content of the deflater's memory, so that a
 * resumed run writes the same checkpoints. */
static void members_are_the_same_again(void **state)
{
    static uint8_t content[2 * 4096], members[2][8192];
    static struct isal_zstream deflaters[2];
    uint64_t seed = 1;
    for (int i = 0; i < 3000; i++) {
        const size_t bytes = 1 + (size_t) (seed >> 20) % 300, to = 4096 + (size_t) (seed >> 40) % 64;
        for (size_t at = 0; at < sizeof content; at++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            content[at] = (uint8_t) ((seed >> 33) % (i % 7 + 2));
        }
        memcpy(content + to, content, bytes);
        memset(&deflaters[1], i, sizeof deflaters[1]);
        const size_t made = member_make(&deflaters[0], content, bytes, members[0]);
        assert_int_equal(member_make(&deflaters[1], content + to, bytes, members[1]), made);
        assert_memory_equal(members[0], members[1], made);
    }
}

/* ---- In and out --------------------------------------------------------------------------------------------- */

static void read_back(const char *path, const struct engine_layout *layout, uint32_t threads)
{
    static uint8_t got[sizeof canonical_cells];
    float numbers[BODIES * 3];
    struct engine_error error;
    struct snapshot_cells cells = cells_of(&bits, &grid, layout), bodies = cells_of(&floats, &points, &plain);
    struct snapshot_file *file = opened(path);
    if (snapshot_file_read(file, 0, &cells, threads, &error) != 0 ||
        snapshot_file_read(file, 1, &bodies, threads, &error) != 0)
        fail_msg("%s", error.text);
    geometry_read(&cells.geometry, cells.memory, 0, sizeof got, got);
    geometry_read(&bodies.geometry, bodies.memory, 0, BODIES * 3, numbers);
    assert_memory_equal(got, canonical_cells, sizeof got);
    assert_memory_equal(numbers, canonical_numbers, sizeof numbers);
    snapshot_file_close(file);
    free(cells.memory);
    free(bodies.memory);
}

static void layouts_do_not_matter(void **state)
{
    const struct engine_layout *layouts[] = {&plain, &linear, &striped};
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++) {
            read_back(written(layouts[from], 1 + from), layouts[to], 1 + to);
            read_back(written_as(SNAPSHOT_STORE, layouts[from], 1 + from), layouts[to], 1 + to);
        }
}

/* The bytes of a file depend on neither the number of threads nor the layout. */
static void files_are_the_same(void **state)
{
    static char first[1 << 16], second[1 << 16];
    FILE *file = fopen(written(&linear, 1), "rb");
    const size_t bytes = fread(first, 1, sizeof first, file);
    fclose(file);
    file = fopen(written(&striped, 3), "rb");
    assert_int_equal(fread(second, 1, sizeof second, file), bytes);
    fclose(file);
    assert_memory_equal(first, second, bytes);
}

/* ---- Damage ------------------------------------------------------------------------------------------------- */

static size_t load(const char *path, char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    const size_t got = fread(bytes, 1, size, file);
    fclose(file);
    return got;
}

/* Opens and reads all fields; an error has to name the file and be one of input. */
static bool is_refused(const char *path, const char *what)
{
    struct engine_error error = {0};
    struct snapshot_file *file;
    int status = snapshot_file_open(path, &file, &error);
    assert_true((status == 0) == (file != NULL));
    struct snapshot_cells cells = cells_of(&bits, &grid, &linear), bodies = cells_of(&floats, &points, &plain);
    if (status == 0)
        status = snapshot_file_read(file, 0, &cells, 1, &error);
    if (status == 0)
        status = snapshot_file_read(file, 1, &bodies, 1, &error);
    snapshot_file_close(file);
    free(cells.memory);
    free(bodies.memory);
    if (status == 0)
        return false;
    assert_int_equal(status, ENGINE_STATUS_INPUT);
    if (strncmp(error.text, path, strlen(path)) != 0 || !strstr(error.text, what))
        fail_msg("%s", error.text);
    return true;
}

static void every_truncation_is_told(void **state)
{
    static char bytes[1 << 16];
    const char *path = written(&linear, 1);
    const size_t size = load(path, bytes, sizeof bytes);
    assert_false(is_refused(path, ""));
    for (size_t left = size; left-- > 0;) {
        assert_int_equal(truncate(path, (off_t) left), 0);
        if (!is_refused(path, "cut short"))
            fail_msg("cut at %zu of %zu bytes", left, size);
    }
}

static void every_flipped_bit_is_told(void **state)
{
    static char bytes[1 << 16];
    const char *path = written(&linear, 1);
    const size_t size = load(path, bytes, sizeof bytes);
    const int file = open(path, O_WRONLY);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        const char flipped = (char) (bytes[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(pwrite(file, &flipped, 1, (off_t) bit / 8), 1);
        if (!is_refused(path, "damaged"))
            fail_msg("bit %zu of byte %zu", bit % 8, bit / 8);
        assert_int_equal(pwrite(file, &bytes[bit / 8], 1, (off_t) bit / 8), 1);
    }
    close(file);
    assert_false(is_refused(path, ""));
}

/* ---- Files that are whole, and lie -------------------------------------------------------------------------- */

static void put_member(FILE *file, const char *text, size_t length, uint64_t *bytes, uint64_t *check)
{
    static uint8_t member[1 << 23];
    static struct isal_zstream deflater;
    *bytes = member_make(&deflater, text, length, member);
    *check = XXH3_64bits(member, *bytes);
    assert_int_equal(fwrite(member, 1, *bytes, file), *bytes);
}

/* A file of this header, one block of 100 bytes, and this index, in which %s stands for the block's line. */
static const char *forged(const char *header, const char *index)
{
    const char *path = path_of("forged.snapshot");
    char line[64], text[4096];
    uint8_t bytes[SNAPSHOT_END_BYTES];
    uint64_t block_bytes, block_check;
    struct snapshot_end end;
    FILE *file = fopen(path, "wb");
    put_member(file, header, strlen(header), &end.header_bytes, &end.header_check);
    put_member(file, memset(text, 0, 100), 100, &block_bytes, &block_check);
    snprintf(line, sizeof line, "%10u %016llx\n", (unsigned) block_bytes, (unsigned long long) block_check);
    snprintf(text, sizeof text, index, line);
    end.index_begin = end.header_bytes + block_bytes;
    put_member(file, text, strlen(text), &end.index_bytes, &end.index_check);
    end_make(&end, bytes);
    fwrite(bytes, 1, sizeof bytes, file);
    fclose(file);
    return path;
}

static void expect_refusal(const char *header, const char *index, const char *what)
{
    struct engine_error error = {0};
    struct snapshot_file *file;
    const char *path = forged(header, index);
    assert_int_equal(snapshot_file_open(path, &file, &error), ENGINE_STATUS_INPUT);
    if (strncmp(error.text, path, strlen(path)) != 0 || !strstr(error.text, what))
        fail_msg("%s: %s", what, error.text);
}

#define HASH_LINE "hash 0123456789abcdef0123456789abcdef\n"

/* A header of one field of bytes. */
static char *header_of(const char *extent)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "engine snapshot 1\n{\"plugin\":\"p\",\"plugin_version\":\"\",\"implementation\":\"\",\"rule\":\"\","
             "\"engine\":\"\",\"host\":\"\",\"device\":\"\",\"step\":0,\"seed\":0,\"box\":[0,0,0,0,0,0],\"extra\":\"\","
             "\"config\":[],\"fields\":[{\"name\":\"a\",\"role\":\"state\",\"type\":\"uint8\",\"values\":0,"
             "\"components\":1,\"extent\":[%s],\"bins\":false,\"order\":\"elements\"}]}\n",
             extent);
    return text;
}

/* The sizes that a file states are compared with its size before memory is taken. */
static void sizes_are_held_against_the_file(void **state)
{
    struct engine_error error = {0};
    struct snapshot_file *file;
    assert_int_equal(snapshot_file_open(forged(header_of("100"), HASH_LINE "%s"), &file, &error), 0);
    snapshot_file_close(file);
    expect_refusal(header_of("1000000"), HASH_LINE "%s", "more than a file of ");
    expect_refusal(header_of("1000000000000,1000000"), HASH_LINE "%s", "more than a file of ");
    expect_refusal(header_of("9000000000000000000,9000000000000000000"), HASH_LINE "%s", "more than a file of ");
    expect_refusal(header_of("100"), HASH_LINE "%1$s%1$s", "its index");
    expect_refusal(header_of("100"), HASH_LINE, "its index");
    expect_refusal(header_of("100"), HASH_LINE "4294967295 0123456789abcdef\n", "too long");
    expect_refusal(header_of("100"), HASH_LINE "       130 0123456789abcdef\n", "does not match its length");
    expect_refusal(header_of("100"), "hash 0123456789abcdef0123456789abcdeg\n%s", "its index");
}

/* A block of 100 bytes for a field of 99 is refused: no byte is dropped and none is invented. */
static void blocks_of_another_size_are_refused(void **state)
{
    static const char *const extents[] = {"99", "101"};
    uint8_t memory[128];
    for (int i = 0; i < 2; i++) {
        struct engine_error error = {0};
        struct snapshot_file *file;
        struct snapshot_cells cells = {.memory = memory};
        assert_int_equal(snapshot_file_open(forged(header_of(extents[i]), HASH_LINE "%s"), &file, &error), 0);
        const struct engine_field field = {.name = "a", .kind = ENGINE_BINS};
        assert_int_equal(
            geometry_make(&field, &snapshot_file_header(file)->fields[0].shape, &plain, &cells.geometry, &error), 0);
        assert_int_equal(snapshot_file_read(file, 0, &cells, 1, &error), ENGINE_STATUS_INPUT);
        assert_non_null(strstr(error.text, "block 0 of field a is damaged"));
        snapshot_file_close(file);
    }
}

static void headers_are_read_strictly(void **state)
{
    static const struct {
        const char *out, *in, *what;
    } changes[] = {
        {"snapshot 1", "snapshot 2", "format 2 and this engine reads format 1"},
        {"snapshot 1", "snapshot x", "no version"},
        {"engine ", "engines ", "does not begin with"},
        {"{\"plugin\"", "[{\"plugin\"", "not a JSON object"},
        {"}\n", "} x", "not a JSON object"},
        {"\"plugin\":\"p\"", "\"plugin\":1", "\"plugin\""},
        {"\"plugin\":\"p\"", "\"plugin\":\"p\\u0000\"", "\"plugin\""},
        {"\"step\":0", "\"step\":-1", "\"step\""},
        {"\"step\":0", "\"step\":1.5", "\"step\""},
        {"\"step\":0", "\"stop\":0", "\"step\""},
        {"[0,0,0,0,0,0]", "[0,0,0,0,0]", "\"box\""},
        {"[0,0,0,0,0,0]", "[0,0,0,0,0,null]", "\"box\""},
        {"\"config\":[]", "\"config\":[1]", "\"config\""},
        {"\"role\":\"state\"", "\"role\":\"stat\"", "\"role\""},
        {"\"type\":\"uint8\"", "\"type\":\"uint\"", "\"type\""},
        {"\"values\":0", "\"values\":2", "\"order\""},
        {"\"values\":0", "\"values\":1", "\"values\""},
        {"\"components\":1", "\"components\":0", "\"components\""},
        {"\"components\":1", "\"components\":4294967296", "\"components\""},
        {"\"extent\":[100]", "\"extent\":[0]", "\"extent\""},
        {"\"extent\":[100]", "\"extent\":[]", "\"extent\""},
        {"\"extent\":[100]", "\"extent\":[1,1,1,100]", "\"extent\""},
        {"\"name\":\"a\"", "\"name\":\"a123456789a123456789a123456789ab\"", "\"name\""},
        {"\"name\":\"a\"", "\"name\":\"a\\u001b[2J\"", "\"name\""},
        {"[{\"name\"", "[1,{\"name\"", "\"fields\""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char text[4096];
        const char *before = header_of("100"), *at = strstr(before, changes[i].out);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int) (at - before), before, changes[i].in,
                 at + strlen(changes[i].out));
        expect_refusal(text, HASH_LINE "%s", changes[i].what);
    }
}

/* 5 MiB of text and 12 million values fit into a file of some KiB. Neither is taken into memory as objects. */
static void headers_have_a_size(void **state)
{
    const char *before = header_of("100"), *at = strstr(before, "\"config\":[") + strlen("\"config\":[");
    const size_t times[] = {JSON_CONTAINERS_MAX, 5 << 20};
    static const char *const whats[] = {"its header has 4102 JSON objects and arrays", "its header cannot be read"};
    for (int i = 0; i < 2; i++) {
        char *text = malloc(strlen(before) + 3 * times[i] + 1),
             *to = text + sprintf(text, "%.*s", (int) (at - before), before);
        for (size_t k = 0; k < times[i]; k++)
            to += sprintf(to, i == 0 ? "{}," : " ");
        strcpy(to, at);
        expect_refusal(text, HASH_LINE "%s", whats[i]);
        free(text);
    }
}

/* A pipe is refused at once: nobody writes to this one. */
static void pipes_are_no_snapshots(void **state)
{
    assert_int_equal(mkfifo(path_of("pipe.snapshot"), 0600), 0);
    assert_true(is_refused(path_of("pipe.snapshot"), "not a regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_is_kept),
        cmocka_unit_test(a_rule_that_other_files_do_not_hold_is_refused),
        cmocka_unit_test(zlib_reads_it),
        cmocka_unit_test(stored_files_are_longer),
        cmocka_unit_test(members_are_deflated_or_stored),
        cmocka_unit_test(members_are_the_same_again),
        cmocka_unit_test(layouts_do_not_matter),
        cmocka_unit_test(files_are_the_same),
        cmocka_unit_test(every_truncation_is_told),
        cmocka_unit_test(every_flipped_bit_is_told),
        cmocka_unit_test(sizes_are_held_against_the_file),
        cmocka_unit_test(blocks_of_another_size_are_refused),
        cmocka_unit_test(headers_are_read_strictly),
        cmocka_unit_test(headers_have_a_size),
        cmocka_unit_test(pipes_are_no_snapshots),
    };
    return cmocka_run_group_tests_name("snapshot files", tests, make_values, remove_folder);
}
