/* @NAME@: positions of particles in text. A frame is the line `particles N`, and N lines of three numbers in nm:
 *
 *     particles 2
 *     0.1 0.2 0.3
 *     1.5 2 -0.25
 */
#include <engine/format_text.h>

/* Where the first particle of a frame is. */
struct place {
    uint64_t offset, line;
};

/* A file that is read. The engine frees the memory of `allocate` when it closes the file. */
struct reader {
    uint64_t particles, frames;
    struct place *places;
    struct engine_file_array position;
};

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    static const char first[] = "particles ";
    (void) name, (void) bytes;
    return count >= sizeof first - 1 && memcmp(begin, first, sizeof first - 1) == 0 ? ENGINE_PROBE_YES
                                                                                    : ENGINE_PROBE_NO;
}

/* Reads the three numbers of the present line. */
static int take_position(const struct engine_file *file, const struct engine_lines *lines, double position[3])
{
    char word[64], rest[2];
    const char *at = lines->text;
    for (int i = 0; i < 3; i++) {
        int used = 0;
        if (sscanf(at, "%63s%n", word, &used) != 1 || !engine_word_real(word, &position[i]))
            return ENGINE_FAIL_LINE(file, lines->number, "'%.40s' is not a position; expected three numbers",
                                    lines->text);
        at += used;
    }
    if (sscanf(at, "%1s", rest) == 1)
        return ENGINE_FAIL_LINE(file, lines->number, "found '%.40s' after three numbers", at);
    return 0;
}

/* Reads the line `particles N`. */
static int take_count(const struct engine_file *file, const struct engine_lines *lines, uint64_t *particles)
{
    int64_t count = 0;
    const int good = strncmp(lines->text, "particles ", 10) == 0 && engine_word_integer(lines->text + 10, &count);
    if (!good || count < 1 || (uint64_t) count > file->bytes) /* a line has more than one byte */
        return ENGINE_FAIL_LINE(file, lines->number,
                                "'%.40s' does not begin a frame; expected particles N, N at least 1", lines->text);
    *particles = (uint64_t) count;
    return 0;
}

static int add_place(const struct engine_file *file, struct reader *reader, const struct engine_lines *lines)
{
    /* The list doubles when it is full: at 1, 2, 4, 8 … places. */
    if ((reader->frames & (reader->frames - 1)) == 0) {
        struct place *grown =
            (struct place *) file->allocate(file, (reader->frames ? 2 * reader->frames : 1) * sizeof *grown);
        if (!grown)
            return ENGINE_NO_MEMORY;
        if (reader->frames > 0)
            memcpy(grown, reader->places, reader->frames * sizeof *grown);
        file->release(file, reader->places);
        reader->places = grown;
    }
    reader->places[reader->frames].offset = lines->offset;
    reader->places[reader->frames].line = lines->number;
    reader->frames++;
    return 0;
}

/* Finds all frames. */
static int find_frames(const struct engine_file *file, struct reader *reader, struct engine_lines *lines)
{
    for (;;) {
        uint64_t particles = 0;
        int found, code = engine_lines_next(file, lines, &found);
        if (code != 0)
            return code;
        if (!found)
            return reader->frames > 0 ? 0 : ENGINE_FAIL_FILE(file, "has no frames");
        if ((code = take_count(file, lines, &particles)) != 0)
            return code;
        if (reader->frames > 0 && particles != reader->particles)
            return ENGINE_FAIL_LINE(file, lines->number, "%llu particles; expected %llu as in the first frame",
                                    (unsigned long long) particles, (unsigned long long) reader->particles);
        reader->particles = particles;
        if ((code = add_place(file, reader, lines)) != 0)
            return code;
        for (uint64_t i = 0; i < particles; i++) {
            if ((code = engine_lines_next(file, lines, &found)) != 0)
                return code;
            if (!found)
                return ENGINE_FAIL_LINE(file, lines->number, "the file ends after %llu of %llu particles of a frame",
                                        (unsigned long long) i, (unsigned long long) particles);
        }
    }
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct reader *reader = (struct reader *) file->allocate(file, sizeof *reader);
    struct engine_lines *lines = (struct engine_lines *) file->allocate(file, sizeof *lines);
    if (!reader || !lines)
        return ENGINE_NO_MEMORY;
    memset(reader, 0, sizeof *reader);
    memset(lines, 0, sizeof *lines);
    const int code = find_frames(file, reader, lines);
    file->release(file, lines);
    if (code != 0)
        return code;
    const struct engine_shape shape = {sizeof shape, ENGINE_F64, 3, 1, {reader->particles, 1, 1}};
    reader->position.name = "position";
    reader->position.kind = ENGINE_PARTICLES;
    reader->position.lengths = 1;
    reader->position.shape = shape;
    content->length = ENGINE_NANOMETRE;
    content->arrays.at = &reader->position;
    content->arrays.count = 1;
    content->arrays.item_size = sizeof reader->position;
    content->frames = reader->frames;
    *self = reader;
    return 0;
}

/* A frame has no step, time or box. */
static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    (void) file, (void) self, (void) number, (void) frame;
    return 0;
}

static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct reader *reader = (const struct reader *) self;
    struct engine_lines *lines = (struct engine_lines *) file->allocate(file, sizeof *lines);
    double *positions = (double *) out;
    int found, code = lines ? 0 : ENGINE_NO_MEMORY;
    (void) array, (void) begin, (void) count; /* the engine asks for the whole array, which is the only one */
    if (lines) {
        memset(lines, 0, sizeof *lines);
        lines->offset = reader->places[number].offset;
        lines->number = reader->places[number].line;
    }
    for (uint64_t i = 0; code == 0 && i < reader->particles; i++) {
        code = engine_lines_next(file, lines, &found);
        if (code == 0)
            code = take_position(file, lines, positions + 3 * i);
    }
    file->release(file, lines);
    return code;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* A file that is written: the shape of the positions. */
struct writer {
    struct engine_shape shape;
};

static int create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    struct writer *writer = (struct writer *) file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    writer->shape = content->arrays.at[0].shape;
    *self = writer;
    return 0;
}

/* Positions have single or double precision, as the engine has them. */
static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    const struct writer *writer = (const struct writer *) self;
    const uint64_t particles = writer->shape.extent[0];
    int code = engine_put_text(file, "particles %llu\n", (unsigned long long) particles);
    (void) frame;
    for (uint64_t i = 0; code == 0 && i < particles; i++) {
        double wide[3];
        float narrow[3];
        const int is_wide = writer->shape.type == ENGINE_F64;
        code = file->get(file, 0, 3 * i, 3, is_wide ? (void *) wide : (void *) narrow);
        for (int k = 0; code == 0 && k < 3; k++) {
            wide[k] = is_wide ? wide[k] : (double) narrow[k];
            if (wide[k] - wide[k] != 0)
                code = ENGINE_FAIL_FILE(file, "particle %llu has a position that is infinite or not a number",
                                        (unsigned long long) i);
        }
        if (code == 0)
            code = engine_put_text(file, "%.17g %.17g %.17g\n", wide[0], wide[1], wide[2]);
    }
    return code;
}

/* ---- The descriptor ---------------------------------------------------------------------------------------------- */

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("@NAME@", "0.1.0", "particles, positions in text", ".@NAME@"),
    .flags = ENGINE_FORMAT_FRAMES,
    .length = ENGINE_NANOMETRE,
    .keeps = 0,
    .arrays = "position",
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = create,
    .write = write_frame,
};
