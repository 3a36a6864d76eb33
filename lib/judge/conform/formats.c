#include "judge/conform/formats.h"
#include "api/handles.h"
#include "files/file.h"
#include "files/formats.h"
#include "judge/conform/apart.h"
#include "judge/conform/format_draws.h"
#include "judge/conform/properties.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PARTICLES_MAX = 64,
    ELEMENTS_MAX = 6 * PARTICLES_MAX,
    FRAMES_MAX = 5,
    FILE_MAX = 1 << 16,
    DAMAGED_MAX = 1024,
    GROWN_MAX = 24
};

/* ---- Frames to write ------------------------------------------------------------------------------------------- */

/* A document of made-up frames, which the format can write. */
struct sample {
    struct io_document document;
    uint64_t particles, frame;
    uint32_t type;  /* of real numbers: ENGINE_F32 or ENGINE_F64 */
    bool grid;      /* of `particles` x 3 cells, or x 3 x 2 where their number is odd */
    double special; /* the second coordinate of the first particle, unless it is 0.25 */
};

static const char *const sample_symbols[] = {"OW", "HW1"};

/* A number with at most two digits after the point, which differs from element to element and from frame to frame. */
static double real_of(const struct sample *sample, uint32_t array, uint64_t element)
{
    const double made = (double) ((element * 37 + sample->frame * 11 + (uint64_t) array * 5) % 997) / 100 - 4.5;
    return array == 0 && element == 1 && sample->special != 0.25 ? sample->special : made;
}

static int read_sample(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                       struct engine_error *error)
{
    const struct sample *sample = document->context;
    const uint32_t type = document->arrays[array].shape.type;
    const bool species = strcmp(document->arrays[array].name, "species") == 0;
    (void) error;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t element = begin + i;
        if (type == ENGINE_F32)
            ((float *) out)[i] = (float) real_of(sample, array, element);
        else if (type == ENGINE_F64)
            ((double *) out)[i] = real_of(sample, array, element);
        else
            ((int64_t *) out)[i] = (int64_t) (species ? element % 2 : element + 1);
    }
    return 0;
}

static void show(struct sample *sample)
{
    struct io_header *header = &sample->document.header;
    header->frame.step = 100 * sample->frame;
    header->frame.has = ENGINE_HAS_TIME;
    header->frame.time = 0.5 * (double) sample->frame;
    memcpy(header->frame.box, (const double[6]){10, 11, 12.5, 0, 0, 0}, sizeof header->frame.box);
}

static int next_sample(struct io_document *document, uint64_t by, struct engine_error *error)
{
    struct sample *sample = document->context;
    (void) error;
    sample->frame += by;
    show(sample);
    return 0;
}

static const struct io_options options;

static bool holds_grids(const struct io_format *format)
{
    return format->about->flags & ENGINE_FORMAT_GRIDS;
}

static bool holds_particles(const struct io_format *format)
{
    return format->about->arrays != NULL;
}

static void make_grid(uint64_t width, uint64_t frames, uint32_t type, struct sample *sample)
{
    *sample = (struct sample){.particles = width, .type = type, .special = 0.25, .grid = true};
    struct io_document *document = &sample->document;
    *document =
        (struct io_document){.read = read_sample, .context = sample, .next = next_sample, .frames = frames, .count = 1};
    document->arrays[0] = (struct engine_file_array){
        .name = "cells", .shape = {sizeof(struct engine_shape), type, 1, width % 2 ? 3 : 2, {width, 3, width % 2 + 1}}};
    show(sample);
}

static void make_particles(const struct io_format *format, uint64_t particles, uint64_t frames, uint32_t type,
                           struct sample *sample)
{
    static const struct {
        const char *name;
        uint32_t components;
        bool integer;
    } arrays[] = {{"position", 3, false}, {"velocity", 3, false}, {"force", 3, false},  {"mass", 1, false},
                  {"charge", 1, false},   {"species", 1, true},   {"residue", 1, true}, {"id", 1, true}};
    *sample = (struct sample){.particles = particles, .type = type, .special = 0.25};
    struct io_document *document = &sample->document;
    *document = (struct io_document){.read = read_sample, .context = sample, .next = next_sample, .frames = frames};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        struct engine_file_array array = {.name = arrays[i].name, .kind = ENGINE_PARTICLES};
        array.shape = (struct engine_shape){
            sizeof array.shape, arrays[i].integer ? ENGINE_I64 : type, arrays[i].components, 1, {particles, 1, 1}};
        if (file_writes(format, &array, &options) || file_takes(format, &array))
            document->arrays[document->count++] = array;
        if (arrays[i].integer && strcmp(arrays[i].name, "species") == 0) {
            document->symbols = 2;
            document->symbol = sample_symbols;
        }
    }
    document->header.length = format->about->length;
    show(sample);
}

/* Particles if the format holds them, and otherwise a grid. */
static void make_sample(const struct io_format *format, uint64_t particles, uint64_t frames, uint32_t type,
                        struct sample *sample)
{
    if (holds_particles(format))
        make_particles(format, particles, frames, type, sample);
    else
        make_grid(particles, frames, type, sample);
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

/* Files have names, because libraries that open files themselves want them. */
static int new_file(struct test *test, char path[64])
{
    snprintf(path, 64, "%s/XXXXXX", test->folder);
    const int file = mkostemp(path, O_CLOEXEC);
    REQUIRE(test, file >= 0, "%s: no file can be made: %s", test->folder, strerror(errno));
    return file;
}

/* Removes the files of a property. */
static void empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

static const struct io_format *format_of(struct test *test)
{
    const struct io_format *format = formats_named(&test->context->context, test->name);
    REQUIRE(test, format, "the format does not load");
    return format;
}

static const struct io_format *writer_of(struct test *test)
{
    const struct io_format *format = format_of(test);
    SKIP_UNLESS(test, io_is_written(format), "the format is only read, and conform has no files of it");
    SKIP_UNLESS(test, format->about->create, "the format converts films, which conform does not make");
    return format;
}

/* Writes a file of the sample. */
static int write_sample(struct test *test, const struct io_format *format, struct sample *sample, char path[64])
{
    struct engine_error error = {0};
    const int file = new_file(test, path);
    REQUIRE(test, file_write(format, file, &sample->document, &options, &error) == 0,
            "%llu particles in %llu frames cannot be written: %s", (unsigned long long) sample->particles,
            (unsigned long long) sample->document.frames, error.text);
    return file;
}

static uint64_t frames_of(const struct io_format *format, uint64_t wanted)
{
    return io_has(format, ENGINE_FORMAT_FRAMES) ? wanted : 1;
}

/* Refusals have a reason that the format gave. */
static void check_refusal(struct test *test, const struct engine_error *error, const char *when)
{
    REQUIRE(test, error->status == ENGINE_STATUS_INPUT || error->status == ENGINE_STATUS_DEVICE, "%s: %s", when,
            error->text);
}

/* Reads everything in a file that may be damaged. Returns false where it is refused. */
static bool read_all(struct test *test, const struct io_format *format, const char *path, const char *when)
{
    struct io_document *document;
    struct engine_error error = {0};
    if (file_open(format, path, true, &document, &error) != 0) {
        check_refusal(test, &error, when);
        return false;
    }
    bool good = true;
    for (uint64_t frame = 0; good && frame < document->frames && frame < FRAMES_MAX; frame++) {
        good = frame == 0 || document->next(document, 1, &error) == 0;
        for (uint32_t i = 0; good && i < document->count; i++) {
            uint64_t elements = 0, bytes = 0;
            void *out = shape_elements(&document->arrays[i].shape, &elements) &&
                                shape_bytes(&document->arrays[i].shape, &bytes) && bytes < FILE_MAX
                            ? malloc(bytes)
                            : NULL;
            good = !out || document->read(document, i, 0, elements, out, &error) == 0;
            free(out);
        }
    }
    if (!good)
        check_refusal(test, &error, when);
    document->close(document);
    return good;
}

/* ---- Properties ------------------------------------------------------------------------------------------------ */

static void loads_format(struct test *test)
{
    const struct io_format *format;
    struct engine_error error;
    REQUIRE(test, io_format_named(test->name) == NULL, "the engine has a format of this name already");
    REQUIRE(test, formats_find(&test->context->context, test->name, &format, &error) == 0, "%s", error.text);
    REQUIRE(test, format, "there is no such format");
}

static void probe_refuses_other_files(struct test *test)
{
    static const char *const others[] = {"\x93NUMPY\x01\x00v",
                                         "ITEM: TIMESTEP\n0\n",
                                         "x = 3, y = 3\nbo$\n",
                                         "\x89PNG\r\n\x1a\n",
                                         "!Name: Glider\n.O\n",
                                         "#Life 1.06\n0 0\n",
                                         "\x01"};
    const struct io_format *loaded = format_of(test);
    SKIP_UNLESS(test, loaded->about->probe, "the format is only written");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const size_t count = strlen(others[i]);
        /* memory that ends with the bytes, so that a probe which reads further is found out by tools */
        unsigned char *bytes = malloc(count);
        REQUIRE(test, bytes, "there is no memory");
        memcpy(bytes, others[i], count);
        const bool is = file_probe(loaded, "a.file", bytes, count, count);
        free(bytes);
        REQUIRE(test, !is, "probe takes a file of another format, which begins with '%.6s'", others[i]);
    }
}

/* Compares the present frame of a file with that of the sample. Formats may round to a hundredth. */
static void compare_frame(struct test *test, const struct io_format *format, struct sample *sample,
                          struct io_document *read)
{
    const struct engine_file_frame *is = &read->header.frame, *should = &sample->document.header.frame;
    const unsigned long long frame = sample->frame;
    struct engine_error error = {0};
    double got[ELEMENTS_MAX], expected[ELEMENTS_MAX];
    REQUIRE(test, !(format->about->keeps & ENGINE_HAS_STEP) || is->step == should->step,
            "frame %llu: step %llu became %llu", frame, (unsigned long long) should->step,
            (unsigned long long) is->step);
    REQUIRE(test,
            sample->grid || !(format->about->keeps & ENGINE_HAS_TIME) ||
                (is->has & ENGINE_HAS_TIME && fabs(is->time - should->time) < 0.01),
            "frame %llu: time %g became %g", frame, should->time, is->time);
    for (int i = 0; i < 6; i++)
        REQUIRE(test,
                sample->grid || !(format->about->keeps & ENGINE_HAS_BOX) || fabs(is->box[i] - should->box[i]) < 0.01,
                "frame %llu: number %d of the box, %g, became %g", frame, i, should->box[i], is->box[i]);
    REQUIRE(test, read->header.length == format->about->length,
            "the file states another unit of length than its format");
    for (uint32_t i = 0; i < sample->document.count; i++) {
        const struct engine_file_array *array = &sample->document.arrays[i];
        uint32_t k = 0;
        while (k < read->count && strcmp(read->arrays[k].name, array->name) != 0)
            k++;
        REQUIRE(test, k < read->count, "array %s was written and not read", array->name);
        const struct engine_shape *shape = &read->arrays[k].shape;
        REQUIRE(test,
                memcmp(shape->extent, array->shape.extent, sizeof shape->extent) == 0 &&
                    shape->components == array->shape.components && type_bytes(shape->type) <= sizeof(double),
                "array %s has another shape when it is read", array->name);
        const uint64_t count = shape->extent[0] * shape->extent[1] * shape->extent[2] * shape->components;
        char elements[sizeof got];
        REQUIRE(test, read->read(read, k, 0, count, elements, &error) == 0, "%s", error.text);
        for (uint64_t e = 0; e < count; e++)
            got[e] = shape->type == ENGINE_F32   ? (double) ((float *) (void *) elements)[e]
                     : shape->type == ENGINE_F64 ? ((double *) (void *) elements)[e]
                                                 : (double) integer_at(shape->type, elements, e);
        read_sample(&sample->document, i, 0, count, elements, &error);
        for (uint64_t e = 0; e < count; e++)
            expected[e] = array->shape.type == ENGINE_F32   ? (double) ((float *) (void *) elements)[e]
                          : array->shape.type == ENGINE_F64 ? ((double *) (void *) elements)[e]
                                                            : (double) integer_at(array->shape.type, elements, e);
        for (uint64_t e = 0; e < count; e++)
            REQUIRE(test, fabs(got[e] - expected[e]) < 0.0051, "frame %llu: element %llu of %s, %g, became %g", frame,
                    (unsigned long long) e, array->name, expected[e], got[e]);
    }
}

static void compare_file(struct test *test, const struct io_format *format, struct sample *sample, const char *path,
                         uint64_t by)
{
    struct io_document *read;
    struct engine_error error = {0};
    const uint64_t frames = sample->document.frames;
    sample->frame = 0;
    show(sample);
    REQUIRE(test, file_open(format, path, true, &read, &error) == 0, "a written file is refused: %s", error.text);
    REQUIRE(test, read->frames == frames, "%llu frames were written and %llu read", (unsigned long long) frames,
            (unsigned long long) read->frames);
    for (uint64_t frame = 0; frame < frames; frame += by) {
        if (frame > 0) {
            REQUIRE(test, read->next(read, by, &error) == 0, "%s", error.text);
            next_sample(&sample->document, by, &error);
        }
        compare_frame(test, format, sample, read);
    }
    read->close(read);
}

static void write_and_read(struct test *test, const struct io_format *format, struct sample *sample)
{
    char path[64];
    const int file = write_sample(test, format, sample, path);
    compare_file(test, format, sample, path, 1);
    compare_file(test, format, sample, path, 2);
    close(file);
}

static void round_trip(struct test *test)
{
    static const uint64_t particles[] = {1, 2, 3, 9, 10, 11, PARTICLES_MAX};
    const struct io_format *format = writer_of(test);
    SKIP_UNLESS(test, format->about->open, "the format is only written");
    for (size_t i = 0; i < sizeof particles / sizeof particles[0]; i++)
        for (uint32_t type = ENGINE_F32; type <= ENGINE_F64; type++)
            for (uint64_t frames = 1; frames <= frames_of(format, FRAMES_MAX); frames += 2) {
                struct sample sample;
                if (holds_particles(format)) {
                    make_particles(format, particles[i], frames, type, &sample);
                    write_and_read(test, format, &sample);
                }
                if (holds_grids(format)) {
                    make_grid(particles[i], frames, type, &sample);
                    write_and_read(test, format, &sample);
                }
            }
}

/* A file that was written is recognised. */
static void probe_takes_written_files(struct test *test)
{
    const struct io_format *format = writer_of(test);
    SKIP_UNLESS(test, format->about->probe, "the format is only written");
    struct sample sample;
    char path[64], name[64];
    unsigned char bytes[4096];
    make_sample(format, PARTICLES_MAX, 1, ENGINE_F32, &sample);
    const int file = write_sample(test, format, &sample, path);
    const ssize_t count = pread(file, bytes, sizeof bytes, 0);
    const off_t size = lseek(file, 0, SEEK_END);
    snprintf(name, sizeof name, "a%.*s", (int) strcspn(format->about->endings, " "), format->about->endings);
    REQUIRE(test, count > 0 && file_probe(format, name, bytes, (uint64_t) count, (uint64_t) size),
            "probe refuses a file that the format has written, with the name %s", name);
    close(file);
}

/* Numbers that a format may not be able to hold. */
static void odd_values(struct test *test)
{
    static const double values[] = {-0.0, 1e-300, -99999.994, 123456.7, 1e12, 1e300, INFINITY, -INFINITY, NAN};
    const struct io_format *format = writer_of(test);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        for (uint32_t type = ENGINE_F32; type <= ENGINE_F64; type++) {
            struct sample sample;
            struct engine_error error = {0};
            char path[64];
            make_sample(format, 12, 1, type, &sample);
            sample.special = values[i];
            const int file = new_file(test, path);
            if (file_write(format, file, &sample.document, &options, &error) != 0)
                REQUIRE(test, error.status == ENGINE_STATUS_OUTPUT, "the value %g is refused: %s", values[i],
                        error.text);
            else if (format->about->open && isfinite(values[i]))
                REQUIRE(test, read_all(test, format, path, "a position with an odd value"),
                        "a file with the position %g is written, and then refused", values[i]);
            close(file);
        }
}

/* Files of one frame and of several. */
static int small_file(struct test *test, const struct io_format *format, unsigned char *bytes, uint64_t particles,
                      uint64_t frames)
{
    struct sample sample;
    char path[64];
    make_sample(format, particles, frames, ENGINE_F32, &sample);
    const int file = write_sample(test, format, &sample, path);
    const ssize_t count = pread(file, bytes, FILE_MAX, 0);
    close(file);
    REQUIRE(test, count > 0, "an empty file was written");
    return (int) count;
}

static void put_file(struct test *test, int file, const unsigned char *bytes, int count)
{
    REQUIRE(test, pwrite(file, bytes, (size_t) count, 0) == count && ftruncate(file, count) == 0,
            "a file cannot be made");
}

static void survives_cut_files(struct test *test)
{
    const struct io_format *format = writer_of(test);
    SKIP_UNLESS(test, format->about->open, "the format is only written");
    unsigned char bytes[FILE_MAX];
    char path[64], when[96];
    const int count = small_file(test, format, bytes, 12, frames_of(format, 2)), file = new_file(test, path);
    for (int length = 0; length < count; length++) {
        snprintf(when, sizeof when, "a file of %d bytes that is cut after %d", count, length);
        put_file(test, file, bytes, length);
        read_all(test, format, path, when);
    }
    put_file(test, file, bytes, count / 4);
    REQUIRE(test, !read_all(test, format, path, "a quarter of a file"),
            "a quarter of a file is taken without an error");
    close(file);
}

/* All frames of a file have the same particles: two files that follow each other in one are no file of two frames where
 * their particles differ in number. */
static void refuses_other_counts(struct test *test)
{
    const struct io_format *format = writer_of(test);
    SKIP_UNLESS(test, format->about->open, "the format is only written");
    SKIP_UNLESS(test, holds_particles(format) && io_has(format, ENGINE_FORMAT_FRAMES),
                "files of the format have no frames of particles");
    SKIP_UNLESS(test, !io_has(format, ENGINE_FORMAT_VARIES), "declares that frames may differ");
    unsigned char bytes[2 * FILE_MAX];
    char path[64];
    const int first = small_file(test, format, bytes, 12, 1), second = small_file(test, format, bytes + first, 7, 1),
              file = new_file(test, path);
    put_file(test, file, bytes, first + second);
    struct io_document *document;
    struct engine_error error = {0};
    if (file_open(format, path, true, &document, &error) == 0) {
        const bool several = document->frames > 1;
        document->close(document);
        REQUIRE(test, !several || !read_all(test, format, path, "a frame of 12 particles and one of 7"),
                "a file with a frame of 12 particles and one of 7 is read; expected that the format refuses it");
    }
    close(file);
}

static void survives_damaged_files(struct test *test)
{
    const struct io_format *format = writer_of(test);
    SKIP_UNLESS(test, format->about->open, "the format is only written");
    unsigned char bytes[FILE_MAX];
    char path[64], when[96];
    const int count = small_file(test, format, bytes, 12, frames_of(format, 2)), file = new_file(test, path);
    for (int bit = 0; bit < 8 * count && bit < 8 * DAMAGED_MAX; bit++) {
        snprintf(when, sizeof when, "a file whose byte %d has another bit %d", bit / 8, bit % 8);
        bytes[bit / 8] ^= (unsigned char) (1u << bit % 8);
        put_file(test, file, bytes, count);
        bytes[bit / 8] ^= (unsigned char) (1u << bit % 8);
        read_all(test, format, path, when);
    }
    close(file);
}

/* Adds frames until there are `frames`. The sample shows the last one that the file has. */
static void grow(struct test *test, const struct io_format *format, int file, struct sample *sample, uint64_t frames)
{
    struct engine_error error = {0};
    while (sample->frame + 1 < frames) {
        next_sample(&sample->document, 1, &error);
        REQUIRE(test, file_append(format, file, &sample->document, &options, &error) == 0, "a frame is not added: %s",
                error.text);
    }
}

/* The bytes of a file after each frame. */
struct growth {
    ssize_t size[GROWN_MAX + 1];
    unsigned char bytes[GROWN_MAX + 1][FILE_MAX];
};

/* A file that is cut and grows to as many frames as it had is the same file. A killed run that goes on does this. */
static void grow_again(struct test *test, const struct io_format *format, int file, uint64_t kept, uint64_t frames,
                       const struct growth *whole)
{
    struct sample sample;
    struct engine_error error = {0};
    unsigned char again[FILE_MAX];
    put_file(test, file, whole->bytes[frames], (int) whole->size[frames]);
    REQUIRE(test, file_cut(format, file, kept, &error) == 0, "frames cannot be removed: %s", error.text);
    make_sample(format, 12, 1, ENGINE_F32, &sample);
    next_sample(&sample.document, kept - 1, &error);
    grow(test, format, file, &sample, frames);
    const ssize_t size = pread(file, again, FILE_MAX, 0);
    REQUIRE(test, size == whole->size[frames] && memcmp(whole->bytes[frames], again, (size_t) size) == 0,
            "a file of %llu frames that is cut to %llu and grows again is not the same file",
            (unsigned long long) frames, (unsigned long long) kept);
}

static void files_grow_again(struct test *test, const struct io_format *format)
{
    struct sample sample;
    char path[64];
    struct growth *whole = calloc(1, sizeof *whole);
    REQUIRE(test, whole, "there is no memory");
    make_sample(format, 12, 1, ENGINE_F32, &sample);
    const int file = write_sample(test, format, &sample, path);
    for (uint64_t frames = 1; frames <= GROWN_MAX; frames++) {
        grow(test, format, file, &sample, frames);
        whole->size[frames] = pread(file, whole->bytes[frames], FILE_MAX, 0);
    }
    for (uint64_t frames = 2; frames <= GROWN_MAX; frames++)
        for (uint64_t kept = 1; kept < frames; kept++)
            grow_again(test, format, file, kept, frames, whole);
    free(whole);
    close(file);
}

/* Frames that are added one by one give the file that is written at once. What follows a frame can be removed. */
static void files_grow(struct test *test)
{
    const struct io_format *format = writer_of(test);
    SKIP_UNLESS(test, format->about->flags & ENGINE_FORMAT_GROWS, "files of the format do not grow");
    struct sample sample;
    struct engine_error error = {0};
    char path[64], whole[64];
    unsigned char grown[FILE_MAX], written[FILE_MAX];
    make_sample(format, 12, 3, ENGINE_F32, &sample);
    const int all = write_sample(test, format, &sample, whole);
    make_sample(format, 12, 1, ENGINE_F32, &sample);
    const int file = write_sample(test, format, &sample, path);
    grow(test, format, file, &sample, 3);
    const ssize_t size = pread(file, grown, FILE_MAX, 0);
    REQUIRE(test, size == pread(all, written, FILE_MAX, 0) && memcmp(grown, written, (size_t) size) == 0,
            "a file that has grown by two frames is not the file of three frames");
    REQUIRE(test, ftruncate(file, size - 1) == 0, "a file cannot be cut");
    REQUIRE(test, file_cut(format, file, 2, &error) == 0, "a last frame that is cut short cannot be removed: %s",
            error.text);
    sample.document.frames = 2;
    compare_file(test, format, &sample, path, 1);
    close(file);
    close(all);
    files_grow_again(test, format);
}

static const struct property format_properties[] = {
    {"probe refuses files of other formats", probe_refuses_other_files},
    {"probe takes files that were written", probe_takes_written_files},
    {"what is written is read again", round_trip},
    {"odd values are written or refused with a reason", odd_values},
    {"files that are cut at any byte are refused or read", survives_cut_files},
    {"frames of different numbers of particles are refused", refuses_other_counts},
    {"files with any damaged bit are refused or read", survives_damaged_files},
    {"frames are added to a file and removed", files_grow},
    {NULL, NULL},
};

/* ---- The examination ------------------------------------------------------------------------------------------- */

static bool try_property(const struct conform_request *request, struct test *test, const struct property *property)
{
    char *written;
    apart_run(test, property->check, request->seconds, &written);
    for (char *c = test->told->reason; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    char *rest = written;
    for (const char *line; rest && (line = strsep(&rest, "\n"));)
        if (*line)
            context_pass(test->caller, ENGINE_LOG_WARNING, test->name, line);
    free(written);
    request->report(request->user,
                    &(struct engine_property){.plugin = test->name,
                                              .property = property->name,
                                              .outcome = test->told->outcome,
                                              .reason = test->told->outcome == ENGINE_HOLDS ? "" : test->told->reason});
    empty_folder(test->folder);
    return test->told->outcome == ENGINE_HOLDS;
}

int conform_examine_format(struct conform_request *request, struct engine_error *error)
{
    static const struct property load[] = {{"loads", loads_format}, {NULL, NULL}};
    static const struct property *const tables[] = {load, format_properties, NULL};
    struct test *test = &request->test;
    if (property_check_texts(test->caller, request->properties, tables, error) != 0)
        return error->status;
    char folder[] = "/tmp/engine-conform-XXXXXX";
    if (!mkdtemp(folder))
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot be made: %s", folder, strerror(errno));
    test->folder = folder;
    const int status = apart_open(test, error);
    const bool loads = status == 0 && (io_format_named(test->name) || try_property(request, test, load));
    if (loads && request->draws > 0) {
        format_draws_examine(request);
        empty_folder(folder);
    } else if (loads)
        for (const struct property *property = format_properties; property->name; property++)
            if (property_is_wanted(property, request->properties))
                try_property(request, test, property);
    if (status == 0)
        apart_close(test);
    rmdir(folder);
    return status;
}
