/* GRO, the structures of GROMACS in text. A frame consists of:
 *
 *     a title, which may contain t= TIME in ps and step= STEP
 *     the number of atoms
 *     an atom per line, in columns: residue number 5, residue name 5, atom name 5, atom number 5, and then x y z in nm
 *         and vx vy vz in nm/ps. The distance of the points of x and y tells the width of these numbers
 *     the box in nm: v1x v2y v3z, and for other boxes than rectangular ones v1y v1z v2x v2z v3x v3y */
#include "common/atoms.h"

enum { NUMBERS = 20, NAME = 10, NUMBER_MAX = 64, COUNT_MODULUS = 100000 };

/* Where a frame begins. */
struct place {
    uint64_t offset, line; /* of the title; the line is that before it */
};

struct reader {
    uint64_t atoms, frames;
    struct place *places; /* of the frames, and then the end of the last one */
    bool velocities;
    size_t width; /* of the numbers of a position; those of a velocity are as wide */
    struct engine_file_array arrays[4];
    struct atoms_names names;
};

enum { POSITION, SPECIES, RESIDUE, VELOCITY };

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Reads a line that has to be there. */
static int take_line(const struct engine_file *file, struct engine_lines *lines, const char *what)
{
    int found;
    const int code = engine_lines_next(file, lines, &found);
    if (code != 0)
        return code;
    return found ? 0 : ENGINE_FAIL_LINE(file, lines->number, "the file ends here; expected %s", what);
}

static int take_count(const struct engine_file *file, const struct engine_lines *lines, uint64_t *atoms)
{
    char word[ENGINE_LINE_MAX];
    int64_t count;
    engine_columns(lines->text, 0, sizeof lines->text, word);
    if (!engine_word_integer(word, &count) || count < 1 || (uint64_t) count > file->bytes / NUMBERS)
        return ENGINE_FAIL_LINE(file, lines->number, "'%.40s' is not a number of atoms that the file can have", word);
    *atoms = (uint64_t) count;
    return 0;
}

/* Finds the width of the numbers from the points of the first two. */
static int take_width(const struct engine_file *file, const struct engine_lines *lines, struct reader *reader)
{
    const char *first = strlen(lines->text) > NUMBERS ? strchr(lines->text + NUMBERS, '.') : NULL;
    const char *second = first ? strchr(first + 1, '.') : NULL;
    reader->width = second ? (size_t) (second - first) : 0;
    if (reader->width < 3 || reader->width >= NUMBER_MAX)
        return ENGINE_FAIL_LINE(file, lines->number, "'%.60s' is not an atom with a position: it has no two points",
                                lines->text);
    char word[NUMBER_MAX];
    const size_t end = NUMBERS + 3 * reader->width;
    reader->velocities = *engine_columns(lines->text, end, end + reader->width, word) != '\0';
    return 0;
}

/* Reads three numbers of the width of the file from a column on. */
static int take_numbers(const struct engine_file *file, const struct engine_lines *lines, size_t begin, size_t width,
                        double numbers[3])
{
    char word[NUMBER_MAX];
    for (size_t i = 0; i < 3; i++) {
        engine_columns(lines->text, begin + i * width, begin + (i + 1) * width, word);
        if (!engine_word_real(word, &numbers[i]))
            return ENGINE_FAIL_LINE(file, lines->number, "'%s' in columns %zu to %zu is not a number", word,
                                    begin + i * width + 1, begin + (i + 1) * width);
    }
    return 0;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static int add_place(const struct engine_file *file, struct reader *reader, uint64_t offset, uint64_t line)
{
    struct place *places = atoms_grow(file, reader->places, reader->frames, sizeof *places);
    if (!places)
        return ENGINE_NO_MEMORY;
    reader->places = places;
    reader->places[reader->frames++] = (struct place){offset, line};
    return 0;
}

/* Skips a frame whose title was read. The names of the first frame count. */
static int skip_frame(const struct engine_file *file, struct reader *reader, struct engine_lines *lines)
{
    uint64_t atoms = 0;
    int code = take_line(file, lines, "the number of atoms");
    if (code == 0)
        code = take_count(file, lines, &atoms);
    if (code != 0)
        return code;
    if (reader->frames > 1 && atoms != reader->atoms)
        return ENGINE_FAIL_LINE(file, lines->number, "%llu atoms; expected %llu as in the first frame",
                                (unsigned long long) atoms, (unsigned long long) reader->atoms);
    reader->atoms = atoms;
    for (uint64_t i = 0; code == 0 && i < atoms; i++) {
        code = take_line(file, lines, "an atom");
        if (code == 0 && reader->frames == 1 && i == 0)
            code = take_width(file, lines, reader);
        if (code == 0 && reader->frames == 1)
            code = atoms_add_name(file, lines, NAME, NAME + 5, &reader->names);
    }
    return code == 0 ? take_line(file, lines, "the box") : code;
}

static int find_frames(const struct engine_file *file, struct reader *reader, struct engine_lines *lines)
{
    for (;;) {
        const uint64_t offset = lines->offset, line = lines->number;
        int found, code = engine_lines_next(file, lines, &found);
        if (code != 0)
            return code;
        if (!found || (lines->offset == file->bytes && strspn(lines->text, " \t") == strlen(lines->text)))
            break; /* an empty last line */
        if ((code = add_place(file, reader, offset, line)) != 0 || (code = skip_frame(file, reader, lines)) != 0)
            return code;
    }
    return reader->frames > 0 ? 0 : ENGINE_FAIL_FILE(file, "has no frames");
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* The second line is a number of atoms, and the third an atom with two points in its position. */
static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    const unsigned char *end = begin + count, *line = memchr(begin, '\n', count);
    uint64_t digits = 0, points = 0;
    (void) name, (void) bytes;
    if (!line)
        return ENGINE_PROBE_NO;
    for (line++; line < end && *line == ' '; line++)
        ;
    for (; line < end && *line >= '0' && *line <= '9'; line++)
        digits++;
    for (; line < end && (*line == ' ' || *line == '\r'); line++)
        ;
    if (digits == 0 || line == end || *line++ != '\n' || end - line < NUMBERS)
        return ENGINE_PROBE_NO;
    for (int i = 0; i < NUMBERS; i++)
        if (line[i] < ' ' || line[i] > '~' ||
            ((i < 5 || i >= 15) && line[i] != ' ' && (line[i] < '0' || line[i] > '9')))
            return ENGINE_PROBE_NO;
    for (line += NUMBERS; line < end && *line != '\n'; line++)
        points += *line == '.';
    return points >= 2 ? ENGINE_PROBE_YES : ENGINE_PROBE_NO;
}

static void set_array(struct reader *reader, int which, const char *name, uint32_t type, uint32_t components)
{
    reader->arrays[which] = (struct engine_file_array){
        .name = name,
        .kind = ENGINE_PARTICLES,
        .lengths = type == ENGINE_F64 ? 1 : 0,
        .shape = {sizeof(struct engine_shape), type, components, 1, {reader->atoms, 1, 1}},
    };
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct reader *reader = file->allocate(file, sizeof *reader);
    struct engine_lines *lines = file->allocate(file, sizeof *lines);
    if (!reader || !lines)
        return ENGINE_NO_MEMORY;
    memset(reader, 0, sizeof *reader);
    memset(lines, 0, sizeof *lines);
    const int code = find_frames(file, reader, lines);
    file->release(file, lines);
    if (code != 0)
        return code;
    set_array(reader, POSITION, "position", ENGINE_F64, 3);
    set_array(reader, SPECIES, "species", ENGINE_I64, 1);
    set_array(reader, RESIDUE, "residue", ENGINE_I64, 1);
    set_array(reader, VELOCITY, "velocity", ENGINE_F64, 3);
    content->length = ENGINE_NANOMETRE;
    content->arrays.at = reader->arrays;
    content->arrays.count = reader->velocities ? VELOCITY + 1 : VELOCITY;
    content->arrays.item_size = sizeof reader->arrays[0];
    content->frames = reader->frames;
    content->labels = reader->names.at;
    content->label_count = reader->names.count;
    content->skipped = "the names of residues, the title";
    *self = reader;
    return 0;
}

/* Reads the number after a word of the title, such as t= 0.5. */
static bool title_number(const char *title, const char *word, double *number)
{
    char digits[NUMBER_MAX];
    const char *at = strstr(title, word);
    if (!at || (at > title && at[-1] != ' ' && at[-1] != ',') || sscanf(at + strlen(word), "%63s", digits) != 1)
        return false;
    digits[strcspn(digits, ",;")] = '\0';
    return engine_word_real(digits, number);
}

static void take_title(const char *title, struct engine_file_frame *frame)
{
    double number;
    if (title_number(title, "t=", &number)) {
        frame->time = number;
        frame->has |= ENGINE_HAS_TIME;
    }
    if (title_number(title, "step=", &number) && number >= 0 && number < 9e15) {
        frame->step = (uint64_t) number;
        frame->has |= ENGINE_HAS_STEP;
    }
}

/* Reads v1x v2y v3z [v1y v1z v2x v2z v3x v3y]. */
static int take_box(const struct engine_file *file, const struct engine_lines *lines, struct engine_file_frame *frame)
{
    static const int to[9] = {0, 1, 2, -1, -1, 3, -1, 4, 5}; /* Lx Ly Lz, and xy xz yz; -1: has to be 0 */
    const char *at = lines->text;
    char word[NUMBER_MAX];
    int count = 0, used;
    for (double number; sscanf(at, "%63s%n", word, &used) == 1; count++, at += used) {
        if (count == 9 || !engine_word_real(word, &number) || (count < 3 && number < 0))
            return ENGINE_FAIL_LINE(file, lines->number, "'%.60s' is not a box; expected 3 or 9 numbers", lines->text);
        if (to[count] < 0 && number != 0)
            return ENGINE_FAIL_LINE(file, lines->number,
                                    "the first vector of the box is not along x, or the second not "
                                    "in the plane of x and y; rotate it with gmx editconf");
        if (to[count] >= 0)
            frame->box[to[count]] = number;
    }
    if (count != 3 && count != 9)
        return ENGINE_FAIL_LINE(file, lines->number, "the box has %d numbers; expected 3 or 9", count);
    if (frame->box[0] > 0 || frame->box[1] > 0 || frame->box[2] > 0)
        frame->has |= ENGINE_HAS_BOX;
    return 0;
}

static void go_to(const struct reader *reader, uint64_t number, struct engine_lines *lines)
{
    memset(lines, 0, sizeof *lines);
    lines->offset = reader->places[number].offset;
    lines->number = reader->places[number].line;
}

static int skip_lines(const struct engine_file *file, struct engine_lines *lines, uint64_t count)
{
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < count; i++)
        code = take_line(file, lines, "a line of the frame");
    return code;
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct reader *reader = self;
    struct engine_lines *lines = file->allocate(file, sizeof *lines);
    if (!lines)
        return ENGINE_NO_MEMORY;
    go_to(reader, number, lines);
    int code = skip_lines(file, lines, 1);
    if (code == 0) {
        take_title(lines->text, frame);
        code = skip_lines(file, lines, reader->atoms + 2);
    }
    if (code == 0)
        code = take_box(file, lines, frame);
    file->release(file, lines);
    return code;
}

static int take_residue(const struct engine_file *file, const struct engine_lines *lines, int64_t *residue)
{
    char word[ATOMS_NAME];
    if (engine_word_integer(engine_columns(lines->text, 0, 5, word), residue))
        return 0;
    return ENGINE_FAIL_LINE(file, lines->number, "'%s' in columns 1 to 5 is not the number of a residue", word);
}

static int read_lines(const struct engine_file *file, const struct reader *reader, struct engine_lines *lines,
                      uint32_t array, void *out)
{
    int code = skip_lines(file, lines, 2);
    for (uint64_t i = 0; code == 0 && i < reader->atoms; i++) {
        code = take_line(file, lines, "an atom");
        if (code != 0)
            return code;
        if (array == SPECIES)
            code = atoms_take_species(file, lines, NAME, NAME + 5, &reader->names, "frame", (int64_t *) out + i);
        else if (array == RESIDUE)
            code = take_residue(file, lines, (int64_t *) out + i);
        else /* a velocity has one digit more after the point, and numbers that are as wide */
            code = take_numbers(file, lines, NUMBERS + (array == VELOCITY ? 3 * reader->width : 0), reader->width,
                                (double *) out + 3 * i);
    }
    return code;
}

static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct reader *reader = self;
    struct engine_lines *lines = file->allocate(file, sizeof *lines);
    (void) begin, (void) count;
    if (!lines)
        return ENGINE_NO_MEMORY;
    go_to(reader, number, lines);
    const int code = read_lines(file, reader, lines, array, out);
    file->release(file, lines);
    return code;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

struct writer {
    struct atoms_arrays arrays;
    const char *const *labels;
    uint32_t label_count;
};

static int create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    static const char *const names[] = {"position", "species", "residue", "velocity"};
    struct writer *writer = file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    *writer = (struct writer){.labels = content->labels, .label_count = content->label_count};
    atoms_find_arrays(content, names, 4, &writer->arrays);
    *self = writer;
    return 0;
}

static int write_atom(const struct engine_file *file, const struct writer *writer, uint64_t atom)
{
    double position[3] = {0}, velocity[3] = {0};
    int64_t species = 0, residue = 0;
    int code = atoms_get_reals(file, &writer->arrays, POSITION, atom, "coordinate", "in nm and ps", position);
    if (code == 0)
        code = atoms_get_integer(file, &writer->arrays, SPECIES, atom, -1, &species);
    if (code == 0)
        code = atoms_get_integer(file, &writer->arrays, RESIDUE, atom, 1, &residue);
    if (code == 0 && writer->arrays.index[VELOCITY] >= 0)
        code = atoms_get_reals(file, &writer->arrays, VELOCITY, atom, "velocity", "in nm and ps", velocity);
    if (code != 0)
        return code;
    const char *label = species >= 0 && species < writer->label_count ? writer->labels[species] : "X";
    if (residue < 0)
        return ENGINE_FAIL_FILE(file, "atom %llu has the residue %lld; expected 0 or more",
                                (unsigned long long) atom + 1, (long long) residue);
    if (strlen(label) > 5)
        return ENGINE_FAIL_FILE(file, "the name '%s' of a species has more than 5 characters", label);
    code =
        engine_put_text(file, "%5lld%-5s%5s%5llu%8.3f%8.3f%8.3f", (long long) (residue % COUNT_MODULUS), "MOL", label,
                        (unsigned long long) ((atom + 1) % COUNT_MODULUS), position[0], position[1], position[2]);
    if (code == 0 && writer->arrays.index[VELOCITY] >= 0)
        code = engine_put_text(file, "%8.4f%8.4f%8.4f", velocity[0], velocity[1], velocity[2]);
    return code == 0 ? file->write(file, "\n", 1) : code;
}

static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    const struct writer *writer = self;
    const uint64_t atoms = writer->arrays.at[POSITION].shape.extent[0];
    const double *box = frame->box;
    int code = engine_put_text(file, "written by engine");
    if (code == 0 && (frame->has & ENGINE_HAS_TIME))
        code = engine_put_text(file, ", t= %.5f", frame->time);
    if (code == 0)
        code =
            engine_put_text(file, " step= %llu\n%5llu\n", (unsigned long long) frame->step, (unsigned long long) atoms);
    for (uint64_t i = 0; code == 0 && i < atoms; i++)
        code = write_atom(file, writer, i);
    if (code == 0)
        code = engine_put_text(file, "%10.5f%10.5f%10.5f", box[0], box[1], box[2]);
    if (code == 0 && (box[3] != 0 || box[4] != 0 || box[5] != 0))
        code = engine_put_text(file, "%10.5f%10.5f%10.5f%10.5f%10.5f%10.5f", 0.0, 0.0, box[3], 0.0, box[4], box[5]);
    return code == 0 ? file->write(file, "\n", 1) : code;
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("gro", "0.1.0", "particles, structures of GROMACS in text; positions rounded to 0.001 nm",
                       ".gro"),
    .flags = ENGINE_FORMAT_FRAMES,
    .length = ENGINE_NANOMETRE,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_TIME | ENGINE_HAS_BOX | ENGINE_HAS_LABELS,
    .arrays = "position velocity species residue",
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = create,
    .write = write_frame,
};
