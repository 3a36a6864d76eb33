/* GRO, the structures of GROMACS in text. A frame consists of:
 *
 *     a title, which may contain t= TIME in ps and step= STEP
 *     the number of atoms
 *     an atom per line, in columns: residue number 5, residue name 5, atom name 5, atom number 5, and then x y z in nm
 *         and vx vy vz in nm/ps. The distance of the points of x and y tells the width of these numbers
 *     the box in nm: v1x v2y v3z, and for other boxes than rectangular ones v1y v1z v2x v2z v3x v3y */
#include "write.h"

#include <engine/format_cell.h>

enum { NUMBERS = 20, NAME = 10, NUMBER_MAX = 64 };

/* Where a frame begins. */
struct place {
    uint64_t offset, line; /* of the title; the line is that before it */
};

struct reader {
    uint64_t atoms, frames;
    struct place *places;    /* of the frames, and then the end of the last one */
    bool velocities, turned; /* the first frame has velocities; its cell is turned */
    size_t width;            /* of the numbers of a position; those of a velocity are as wide */
    struct atoms_content content;
    struct atoms_names names;
};

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
    return 0;
}

/* Is there anything behind the position? */
static bool has_velocity(const struct reader *reader, const char *line)
{
    const size_t end = NUMBERS + 3 * reader->width;
    return strlen(line) > end && line[end + strspn(line + end, " ")] != '\0';
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

/* ---- Boxes ----------------------------------------------------------------------------------------------------------- */

/* Numbers without blanks between them have as many digits behind the point as the last one. Copies the next one, and
 * returns what follows it. */
static const char *take_word(const char *at, size_t digits, char word[NUMBER_MAX])
{
    at += strspn(at, " \t");
    size_t length = strcspn(at, " \t");
    const char *point = memchr(at, '.', length);
    if (point && (size_t) (point + 1 + digits - at) < length &&
        memchr(point + 1, '.', length - (size_t) (point + 1 - at)))
        length = (size_t) (point + 1 + digits - at);
    snprintf(word, NUMBER_MAX, "%.*s", (int) (length < NUMBER_MAX ? length : NUMBER_MAX), at);
    return at + length;
}

/* Reads v1x v2y v3z [v1y v1z v2x v2z v3x v3y]. */
static int take_cell(const struct engine_file *file, const struct engine_lines *lines, struct engine_cell *cell)
{
    static const int to[9] = {0, 4, 8, 1, 2, 3, 5, 6, 7};
    const char *at = lines->text, *last = strrchr(at, '.');
    const size_t digits = last ? strspn(last + 1, "0123456789") : 0;
    double vectors[9] = {0};
    char word[NUMBER_MAX];
    int count = 0;
    for (at = take_word(at, digits, word); *word; at = take_word(at, digits, word), count++)
        if (count == 9 || !engine_word_real(word, &vectors[to[count]]))
            return ENGINE_FAIL_LINE(file, lines->number, "'%.60s' is not a box; expected 3 or 9 numbers", lines->text);
    if (count != 3 && count != 9)
        return ENGINE_FAIL_LINE(file, lines->number, "the box has %d numbers; expected 3 or 9", count);
    return engine_cell_take(cell, vectors, NULL)
               ? 0
               : ENGINE_FAIL_LINE(file, lines->number, "the vectors of the box lie in a plane");
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

/* Skips a frame whose title was read. The names and the velocities of the first frame count. */
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
        reader->velocities =
            reader->velocities || (reader->frames == 1 && code == 0 && has_velocity(reader, lines->text));
        if (code == 0 && reader->frames == 1)
            code = atoms_add_name(file, lines, NAME, NAME + 5, &reader->names);
    }
    if (code == 0)
        code = take_line(file, lines, "the box");
    struct engine_cell cell;
    if (code == 0 && reader->frames == 1 && (code = take_cell(file, lines, &cell)) == 0)
        reader->turned = cell.turned;
    return code;
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
        if ((code = add_place(file, reader, offset, line)) != 0)
            return code;
        code = skip_frame(file, reader, lines);
        if (code == ENGINE_INVALID && reader->frames > 1 && (file->flags & ENGINE_FILE_UNFINISHED) != 0) {
            reader->frames--;
            break;
        }
        if (code != 0)
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
    content->length = ENGINE_NANOMETRE;
    content->arrays = (struct engine_file_array_array){reader->content.arrays, 0, sizeof reader->content.arrays[0]};
    atoms_add_array(&reader->content, content, reader->atoms, ATOMS_POSITION);
    if (!reader->names.many)
        atoms_add_array(&reader->content, content, reader->atoms, ATOMS_SPECIES);
    atoms_add_array(&reader->content, content, reader->atoms, ATOMS_RESIDUE);
    if (reader->velocities)
        atoms_add_array(&reader->content, content, reader->atoms, ATOMS_VELOCITY);
    content->frames = reader->frames;
    content->labels = reader->names.at;
    content->label_count = reader->names.count;
    content->skipped = reader->names.many ? "the names of residues and atoms (there are more than 256), the title"
                                          : "the names of residues, the title";
    content->remarks = reader->turned ? ENGINE_CELL_TURNED : NULL;
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
    struct engine_cell cell;
    int code = skip_lines(file, lines, 1);
    if (code == 0) {
        take_title(lines->text, frame);
        code = skip_lines(file, lines, reader->atoms + 2);
    }
    if (code == 0)
        code = take_cell(file, lines, &cell);
    if (code == 0)
        engine_cell_place(&cell, NULL, frame);
    file->release(file, lines);
    return code;
}

static int read_lines(const struct engine_file *file, const struct reader *reader, struct engine_lines *lines,
                      int which, void *out)
{
    int code = skip_lines(file, lines, 2);
    for (uint64_t i = 0; code == 0 && i < reader->atoms; i++) {
        code = take_line(file, lines, "an atom");
        if (code != 0)
            return code;
        if (which == ATOMS_SPECIES)
            code = atoms_take_species(file, lines, NAME, NAME + 5, &reader->names, "frame", (int64_t *) out + i);
        else if (which == ATOMS_RESIDUE)
            code = atoms_take_residue(file, lines, (int64_t *) out + i);
        else if (which == ATOMS_VELOCITY && !has_velocity(reader, lines->text))
            memset((double *) out + 3 * i, 0, 3 * sizeof(double)); /* as GROMACS reads it */
        else /* a velocity has one digit more after the point, and numbers that are as wide */
            code = take_numbers(file, lines, NUMBERS + (which == ATOMS_VELOCITY ? 3 * reader->width : 0), reader->width,
                                (double *) out + 3 * i);
    }
    struct engine_cell cell;
    if (code != 0 || (which != ATOMS_POSITION && which != ATOMS_VELOCITY))
        return code;
    code = take_line(file, lines, "the box");
    if (code == 0)
        code = take_cell(file, lines, &cell);
    if (code == 0)
        engine_cell_turn(&cell, ENGINE_F64, reader->atoms, out);
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
    const int code = read_lines(file, reader, lines, reader->content.which[array], out);
    file->release(file, lines);
    return code;
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
    .create = gro_create,
    .write = gro_write,
};
