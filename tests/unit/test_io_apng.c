/* Films: every chunk, its CRC and its sequence number follow the specification, https://www.w3.org/TR/png-3/, and the
 * frames are the single pictures. */
#include "files/io.h"
#include "folder.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>
#include <zlib.h>

enum { WIDTH = 40, HEIGHT = 30 };

/* ---- Documents and files -------------------------------------------------------------------------------------- */

/* A diagonal that moves along with the step. */
static int read_cells(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                      struct engine_error *error)
{
    const uint64_t width = document->arrays[array].shape.extent[0];
    (void) error;
    for (uint64_t i = 0; i < count; i++)
        ((uint8_t *) out)[i] = ((begin + i) / width + (begin + i) % width + document->header.frame.step) % 7 == 0;
    return 0;
}

static struct io_document document_of(uint64_t width, uint64_t step)
{
    struct io_document document = {.count = 1, .read = read_cells, .header = {.frame.step = step, .rule = "B3/S23"}};
    document.arrays[0] = (struct engine_file_array){
        .name = "cells", .values = 2, .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 2, {width, HEIGHT, 1}}};
    return document;
}

static int put_frame(const char *name, uint64_t step, bool first, struct engine_error *error)
{
    struct io_document document = document_of(WIDTH, step);
    const struct io_options options = {.scale = 1, .rate = 25};
    return (first ? io_write_in : io_append)(io_format_named("apng"), opened_folder(), name, &document, &options,
                                             error);
}

/* Frames of steps 0, 10, 20, … */
static void make_film(const char *name, uint64_t frames)
{
    struct engine_error error;
    for (uint64_t i = 0; i < frames; i++)
        assert_int_equal(put_frame(name, 10 * i, i == 0, &error), 0);
}

struct bytes {
    uint8_t at[1 << 16];
    size_t count;
};

static void read_whole(const char *name, struct bytes *bytes)
{
    FILE *file = fopen(path_of(name), "rb");
    assert_non_null(file);
    bytes->count = fread(bytes->at, 1, sizeof bytes->at, file);
    assert_true(bytes->count > 0 && bytes->count < sizeof bytes->at);
    fclose(file);
}

static void write_whole(const char *name, const uint8_t *at, size_t count)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(at, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static uint32_t word(const uint8_t *at)
{
    return (uint32_t) at[0] << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3];
}

static uint64_t number(const uint8_t *digits, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = 10 * value + (uint64_t) (digits[i] - '0');
    return value;
}

/* ---- Chunks --------------------------------------------------------------------------------------------------- */

struct chunk {
    char type[5];
    const uint8_t *data;
    uint32_t count;
};

/* Returns the chunk at *at after checking its CRC. */
static struct chunk take_chunk(const struct bytes *bytes, size_t *at)
{
    struct chunk chunk = {.count = word(bytes->at + *at), .data = bytes->at + *at + 8};
    memcpy(chunk.type, bytes->at + *at + 4, 4);
    *at += 12 + (size_t) chunk.count;
    assert_true(*at <= bytes->count);
    assert_int_equal(crc32(0, chunk.data - 4, chunk.count + 4), word(chunk.data + chunk.count));
    return chunk;
}

/* Samples of a picture's compressed pixels: rows of a filter byte and one bit a pixel. */
struct samples {
    uint8_t at[HEIGHT * (1 + WIDTH / 8)];
};

static void inflate_all(struct samples *samples, const uint8_t *data, size_t count)
{
    unsigned long size = sizeof samples->at;
    assert_int_equal(uncompress(samples->at, &size, data, count), Z_OK);
    assert_int_equal(size, sizeof samples->at);
}

/* The single picture of a step. */
static void picture_of(uint64_t step, struct samples *samples)
{
    static struct bytes bytes;
    struct io_document document = document_of(WIDTH, step);
    const struct io_options options = {.scale = 1};
    struct engine_error error;
    assert_int_equal(io_write(io_format_named("png"), path_of("one.png"), &document, &options, &error), 0);
    read_whole("one.png", &bytes);
    for (size_t at = 8; at < bytes.count;) {
        const struct chunk chunk = take_chunk(&bytes, &at);
        if (strcmp(chunk.type, "IDAT") == 0)
            inflate_all(samples, chunk.data, chunk.count);
    }
}

/* Checks that every frame of a film is the picture of its step. Returns the number of frames. */
static uint32_t check_film(const char *name)
{
    static struct bytes bytes;
    struct samples is, should;
    uint32_t promised = 0, frames = 0, sequence = 0;
    struct chunk chunk = {.type = ""};
    uint64_t step = UINT64_MAX;
    read_whole(name, &bytes);
    assert_memory_equal(bytes.at, "\x89PNG\r\n\x1a\n", 8);
    for (size_t at = 8; at < bytes.count;) {
        assert_string_not_equal(chunk.type, "IEND");
        const size_t begin = at;
        chunk = take_chunk(&bytes, &at);
        if (strcmp(chunk.type, "acTL") == 0) {
            assert_int_equal(begin, 8 + 12 + 13);
            promised = word(chunk.data);
            assert_int_equal(word(chunk.data + 4), 0); /* for ever */
        } else if (strcmp(chunk.type, "tEXt") == 0 && strcmp((const char *) chunk.data, "Step") == 0)
            step = number(chunk.data + 5, chunk.count - 5);
        else if (strcmp(chunk.type, "fcTL") == 0) {
            static const uint8_t rest[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 25, 0, 0};
            assert_int_equal(word(chunk.data), sequence++);
            assert_true(word(chunk.data + 4) == WIDTH && word(chunk.data + 8) == HEIGHT);
            assert_int_equal(chunk.count, 26);
            assert_memory_equal(chunk.data + 12, rest, sizeof rest);
        } else if (strcmp(chunk.type, "IDAT") == 0 || strcmp(chunk.type, "fdAT") == 0) {
            const bool numbered = chunk.type[0] == 'f';
            assert_int_equal(numbered, frames > 0);
            if (numbered)
                assert_int_equal(word(chunk.data), sequence++);
            inflate_all(&is, chunk.data + 4 * numbered, chunk.count - 4 * numbered);
            picture_of(step, &should);
            assert_memory_equal(is.at, should.at, sizeof is.at);
            frames++;
        }
    }
    assert_string_equal(chunk.type, "IEND");
    assert_int_equal(promised, frames);
    return frames;
}

/* ---- Tests ---------------------------------------------------------------------------------------------------- */

static void a_film_is_its_pictures(void **state)
{
    (void) state;
    for (uint32_t frames = 1; frames <= 5; frames++) {
        make_film("film.apng", frames);
        assert_int_equal(check_film("film.apng"), frames);
    }
}

static void frames_of_another_size_are_refused(void **state)
{
    (void) state;
    struct engine_error error;
    make_film("film.apng", 2);
    struct io_document wider = document_of(WIDTH + 1, 20);
    assert_int_equal(io_append(io_format_named("apng"), opened_folder(), "film.apng", &wider,
                               &(struct io_options){.scale = 1}, &error),
                     ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "film.apng: the film has 40 x 30 pixels and this frame has 41 x 30"));
    assert_int_equal(check_film("film.apng"), 2);
}

/* A plugin may give colours to cells that had none when an earlier version began the film. The old frame and the new
 * one have the same cells, and so the same pixels. */
static void a_grey_film_stays_grey(void **state)
{
    static const uint8_t colours[256][3] = {{1, 2, 3}, {200, 100, 50}, {7, 8, 9}};
    const struct io_options options = {.scale = 1, .rate = 25, .colours = IO_AUTO};
    struct io_document document = document_of(WIDTH, 0);
    struct engine_error error;
    static struct bytes film;
    struct chunk chunk, first = {.type = ""};
    (void) state;
    document.arrays[0].values = 3;
    assert_int_equal(io_write_in(io_format_named("apng"), opened_folder(), "grey.apng", &document, &options, &error),
                     0);
    document.looks[0].colours = colours;
    if (io_append(io_format_named("apng"), opened_folder(), "grey.apng", &document, &options, &error) != 0)
        fail_msg("%s", error.text);
    read_whole("grey.apng", &film);
    assert_int_equal(film.at[8 + 8 + 9], 0); /* the kind of pixels in IHDR: grey */
    for (size_t at = 8; at < film.count;) {
        chunk = take_chunk(&film, &at);
        assert_string_not_equal(chunk.type, "PLTE");
        if (strcmp(chunk.type, "IDAT") == 0)
            first = chunk;
        else if (strcmp(chunk.type, "fdAT") == 0)
            break;
    }
    assert_string_equal(chunk.type, "fdAT");
    assert_int_equal(chunk.count, first.count + 4);
    assert_memory_equal(chunk.data + 4, first.data, first.count);
}

static void what_is_no_film_is_left_alone(void **state)
{
    (void) state;
    static struct bytes before, after;
    struct engine_error error;
    picture_of(0, &(struct samples){{0}});
    read_whole("one.png", &before);
    assert_int_equal(put_frame("one.png", 10, false, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "is not a film that a frame can be added to"));
    read_whole("one.png", &after);
    assert_int_equal(after.count, before.count);
    assert_memory_equal(after.at, before.at, before.count);
}

/* A film that is cut back and continued has the same bytes as one that was never interrupted. */
static void a_film_goes_on_from_any_step(void **state)
{
    (void) state;
    static struct bytes whole, again;
    struct engine_error error;
    make_film("whole.apng", 5);
    read_whole("whole.apng", &whole);
    for (uint64_t step = 0; step < 60; step += 5) {
        make_film("again.apng", 5);
        const uint32_t left = step >= 40 ? 5 : (uint32_t) step / 10 + 1;
        assert_int_equal(io_cut(io_format_named("apng"), opened_folder(), "again.apng", left, &error), 0);
        assert_int_equal(check_film("again.apng"), left);
        for (uint64_t i = left; i < 5; i++)
            assert_int_equal(put_frame("again.apng", 10 * i, false, &error), 0);
        read_whole("again.apng", &again);
        assert_int_equal(again.count, whole.count);
        assert_memory_equal(again.at, whole.at, whole.count);
    }
}

/* Digits of a step are followed by bytes of a CRC, some of which look like digits. */
static void every_step_is_told_from_what_is_behind_it(void **state)
{
    (void) state;
    enum { FRAMES = 60 };
    struct engine_error error;
    for (uint64_t step = 0; step < 10 * FRAMES; step += 50) {
        make_film("many.apng", FRAMES);
        assert_int_equal(io_cut(io_format_named("apng"), opened_folder(), "many.apng", step / 10 + 1, &error), 0);
        assert_int_equal(check_film("many.apng"), step / 10 + 1);
    }
}

/* A process that was killed leaves any part of its last writes. The whole frames are kept. */
static void a_film_cut_short_anywhere_goes_on(void **state)
{
    (void) state;
    static struct bytes whole, two, again;
    struct engine_error error;
    make_film("two.apng", 2);
    read_whole("two.apng", &two);
    make_film("whole.apng", 3);
    read_whole("whole.apng", &whole);
    memcpy(whole.at, two.at, 53); /* the number of frames is changed last */
    for (size_t count = two.count - 12; count <= whole.count; count++) {
        write_whole("again.apng", whole.at, count);
        assert_int_equal(io_cut(io_format_named("apng"), opened_folder(), "again.apng", 2, &error), 0);
        read_whole("again.apng", &again);
        assert_int_equal(again.count, two.count);
        assert_memory_equal(again.at, two.at, two.count);
    }
}

/* A frame is written behind the end of the film, and then its first bytes replace that end. A process that was killed
 * before leaves a whole film with something behind it. */
static void what_is_behind_a_film_is_no_frame(void **state)
{
    (void) state;
    static struct bytes whole, two, again;
    struct engine_error error;
    make_film("two.apng", 2);
    read_whole("two.apng", &two);
    make_film("whole.apng", 3);
    read_whole("whole.apng", &whole);
    memcpy(whole.at, two.at, two.count);
    for (size_t count = two.count; count <= whole.count; count++) {
        write_whole("again.apng", whole.at, count);
        assert_int_equal(io_cut(io_format_named("apng"), opened_folder(), "again.apng", 3, &error),
                         ENGINE_STATUS_OUTPUT);
        assert_non_null(strstr(error.text, "again.apng: has 2 frames; expected at least 3"));
        assert_int_equal(io_cut(io_format_named("apng"), opened_folder(), "again.apng", 2, &error), 0);
        read_whole("again.apng", &again);
        assert_int_equal(again.count, two.count);
        assert_memory_equal(again.at, two.at, two.count);
    }
}

static void what_is_no_film_is_not_cut(void **state)
{
    (void) state;
    struct engine_error error;
    assert_int_equal(io_cut(io_format_named("apng"), opened_folder(), "none.apng", 2, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "none.apng: cannot be opened"));
    picture_of(0, &(struct samples){{0}});
    assert_int_equal(io_cut(io_format_named("apng"), opened_folder(), "one.png", 2, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "one.png: is not a film"));
}

/* When the disk becomes full, the film keeps the frames that it has. */
static void a_frame_that_does_not_fit_is_taken_away(void **state)
{
    (void) state;
    static struct bytes before, after;
    struct engine_error error;
    struct rlimit all, few;
    make_film("film.apng", 3);
    read_whole("film.apng", &before);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &all);
    for (uint64_t more = 0; more < 60; more += 7) {
        few = (struct rlimit){before.count + more, all.rlim_max};
        setrlimit(RLIMIT_FSIZE, &few);
        const int status = put_frame("film.apng", 30, false, &error);
        setrlimit(RLIMIT_FSIZE, &all);
        assert_int_equal(status, ENGINE_STATUS_OUTPUT);
        read_whole("film.apng", &after);
        assert_int_equal(after.count, before.count);
        assert_memory_equal(after.at, before.at, before.count);
    }
    assert_int_equal(put_frame("film.apng", 30, false, &error), 0);
    assert_int_equal(check_film("film.apng"), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_film_is_its_pictures),
        cmocka_unit_test(frames_of_another_size_are_refused),
        cmocka_unit_test(a_grey_film_stays_grey),
        cmocka_unit_test(what_is_no_film_is_left_alone),
        cmocka_unit_test(a_film_goes_on_from_any_step),
        cmocka_unit_test(every_step_is_told_from_what_is_behind_it),
        cmocka_unit_test(a_film_cut_short_anywhere_goes_on),
        cmocka_unit_test(what_is_behind_a_film_is_no_frame),
        cmocka_unit_test(what_is_no_film_is_not_cut),
        cmocka_unit_test(a_frame_that_does_not_fit_is_taken_away),
    };
    return cmocka_run_group_tests_name("animated PNG", tests, make_folder, remove_folder);
}
