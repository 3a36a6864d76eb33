/* G96, structures and trajectories of GROMOS96 and GROMACS in text. A file consists of blocks, each of a line with its
 * name, lines, and a line END. Lines that begin with # are comments.
 *
 *     TITLE         any text
 *     TIMESTEP      step and time in ps
 *     POSITION      an atom per line: residue number in columns 1 to 5, residue name 7 to 11, atom name 13 to 17, atom number
 *                   18 to 24, and then x y z in nm
 *     POSITIONRED   x y z alone
 *     VELOCITY, VELOCITYRED   the same for velocities in nm/ps
 *     BOX           v1x v2y v3z, and for other boxes than rectangular ones v1y v1z v2x v2z v3x v3y, in nm
 *
 * A frame ends where TITLE, TIMESTEP or positions follow those of the frame. */
#include "write.h"

#include <engine/format_cell.h>

enum { NAME = 12, NUMBERS = 24 };

/* A block of a frame. */
struct block {
    uint64_t offset, line; /* of its first line; 0: it is not there */
    bool full;             /* its lines begin with names and numbers of atoms */
};

struct place {
    struct block positions, velocities;
    struct engine_cell cell;
    uint64_t step;
    double time;
    bool timed;
};

struct reader {
    uint64_t atoms, frames; /* the last frame may lack its positions while the file is read */
    struct place *places;
    struct atoms_content content;
    struct atoms_names names;
};

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Reads the next line that is no comment, without the blanks at its end. *found is false at the end of the file. */
static int next_line(const struct engine_file *file, struct engine_lines *lines, bool *found)
{
    int has = 1, code = 0;
    do
        code = engine_lines_next(file, lines, &has);
    while (code == 0 && has && lines->text[0] == '#');
    for (size_t length = strlen(lines->text); length > 0 && strchr(" \t", lines->text[length - 1]);)
        lines->text[--length] = '\0';
    *found = has != 0;
    return code;
}

/* Reads the next line of a block. *ended is true at its END. */
static int next_of_block(const struct engine_file *file, struct engine_lines *lines, bool *ended)
{
    bool found;
    const int code = next_line(file, lines, &found);
    *ended = code == 0 && strcmp(lines->text, "END") == 0;
    return code != 0 || found ? code : ENGINE_FAIL_LINE(file, lines->number, "the file ends within a block");
}

/* Reads `most` real numbers of a line at most, and sets *count to their number. Returns false for other words. */
static bool take_numbers(const char *at, double *numbers, int most, int *count)
{
    char word[64];
    for (*count = 0; *(at += strspn(at, " \t")) != '\0'; ++*count) {
        const size_t length = strcspn(at, " \t");
        if (*count == most || length >= sizeof word)
            return false;
        memcpy(word, at, length);
        word[length] = '\0';
        if (!engine_word_real(word, &numbers[*count]))
            return false;
        at += length;
    }
    return true;
}

static int take_vector(const struct engine_file *file, const struct engine_lines *lines, bool full, double vector[3])
{
    int count = 0;
    if (full && strlen(lines->text) <= NUMBERS)
        return ENGINE_FAIL_LINE(file, lines->number, "'%.60s' is not an atom: it ends before column 25", lines->text);
    return take_numbers(lines->text + (full ? NUMBERS : 0), vector, 3, &count) && count == 3
               ? 0
               : ENGINE_FAIL_LINE(file, lines->number, "'%.80s' has not three numbers of an atom%s", lines->text,
                                  full ? " from column 25 on" : "");
}

/* ---- What the blocks hold ---------------------------------------------------------------------------------------- */

static int take_vectors(const struct engine_file *file, struct reader *reader, struct engine_lines *lines,
                        struct block *block)
{
    const bool full = strstr(lines->text, "RED") == NULL, positions = lines->text[0] == 'P';
    uint64_t count = 0;
    double vector[3];
    bool ended = false;
    if (block->offset != 0)
        return ENGINE_FAIL_LINE(file, lines->number, "the frame has two blocks %s", lines->text);
    *block = (struct block){lines->offset, lines->number, full};
    int code = next_of_block(file, lines, &ended);
    for (; code == 0 && !ended; count++) {
        code = take_vector(file, lines, full, vector);
        if (code == 0 && positions && full && reader->frames == 1)
            code = atoms_add_name(file, lines, NAME, NAME + 5, &reader->names);
        if (code == 0)
            code = next_of_block(file, lines, &ended);
    }
    if (code == 0 && positions && reader->frames == 1)
        reader->atoms = count;
    if (code == 0 && (count != reader->atoms || count == 0))
        return ENGINE_FAIL_LINE(file, lines->number,
                                "the block has %llu atoms; expected %llu as the positions of the first frame",
                                (unsigned long long) count, (unsigned long long) reader->atoms);
    return code;
}

static int take_step(const struct engine_file *file, const struct engine_lines *lines, struct place *place)
{
    double numbers[2];
    int count;
    if (!take_numbers(lines->text, numbers, 2, &count) || count != 2 || !(numbers[0] >= 0 && numbers[0] < 9e15))
        return ENGINE_FAIL_LINE(file, lines->number, "'%.60s' is not a step and a time", lines->text);
    place->step = (uint64_t) numbers[0];
    place->time = numbers[1];
    place->timed = true;
    return 0;
}

static int take_box(const struct engine_file *file, const struct engine_lines *lines, struct place *place)
{
    static const int to[9] = {0, 4, 8, 1, 2, 3, 5, 6, 7};
    double numbers[9], vectors[9] = {0};
    int count;
    if (!take_numbers(lines->text, numbers, 9, &count) || (count != 3 && count != 9))
        return ENGINE_FAIL_LINE(file, lines->number, "'%.60s' is not a box; expected 3 or 9 numbers", lines->text);
    for (int i = 0; i < count; i++)
        vectors[to[i]] = numbers[i];
    return engine_cell_take(&place->cell, vectors, NULL)
               ? 0
               : ENGINE_FAIL_LINE(file, lines->number, "the vectors of the box lie in a plane");
}

/* Takes the first line of a block with a function, and skips the others. */
static int take_line(const struct engine_file *file, struct engine_lines *lines, struct place *place,
                     int (*take)(const struct engine_file *file, const struct engine_lines *lines, struct place *place))
{
    bool ended;
    int code = next_of_block(file, lines, &ended);
    if (code == 0 && take && !ended)
        code = take(file, lines, place);
    while (code == 0 && !ended)
        code = next_of_block(file, lines, &ended);
    return code;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static int add_frame(const struct engine_file *file, struct reader *reader)
{
    struct place *places = atoms_grow(file, reader->places, reader->frames, sizeof *places);
    if (!places)
        return ENGINE_NO_MEMORY;
    reader->places = places;
    memset(&reader->places[reader->frames], 0, sizeof *places);
    for (int i = 0; i < 3; i++)
        reader->places[reader->frames].cell.turn[4 * i] = 1;
    reader->frames++;
    return 0;
}

static bool is(const struct engine_lines *lines, const char *name, const char *other)
{
    return strcmp(lines->text, name) == 0 || strcmp(lines->text, other) == 0;
}

/* Takes the block whose name was read. */
static int take_block(const struct engine_file *file, struct reader *reader, struct engine_lines *lines)
{
    const bool positions = is(lines, "POSITION", "POSITIONRED");
    const bool begins = positions || is(lines, "TITLE", "TIMESTEP");
    if (reader->frames == 0 || (begins && reader->places[reader->frames - 1].positions.offset != 0))
        if (add_frame(file, reader) != 0)
            return ENGINE_NO_MEMORY;
    struct place *place = &reader->places[reader->frames - 1];
    if (positions)
        return take_vectors(file, reader, lines, &place->positions);
    if (is(lines, "VELOCITY", "VELOCITYRED"))
        return place->positions.offset != 0
                   ? take_vectors(file, reader, lines, &place->velocities)
                   : ENGINE_FAIL_LINE(file, lines->number, "the frame has velocities before its positions");
    return take_line(file, lines, place,
                     is(lines, "TIMESTEP", "TIMESTEP") ? take_step
                     : is(lines, "BOX", "BOX")         ? take_box
                                                       : NULL);
}

static int find_frames(const struct engine_file *file, struct reader *reader, struct engine_lines *lines)
{
    for (;;) {
        bool found;
        int code = next_line(file, lines, &found);
        if (code == 0 && !found)
            break;
        if (code == 0 && lines->text[0] != '\0')
            code = take_block(file, reader, lines);
        if (code == ENGINE_INVALID && reader->frames > 1 && (file->flags & ENGINE_FILE_UNFINISHED) != 0) {
            reader->frames--;
            break;
        }
        if (code != 0)
            return code;
    }
    if (reader->frames == 0 || reader->places[0].positions.offset == 0)
        return ENGINE_FAIL_FILE(file, "has no block POSITION");
    if (reader->places[reader->frames - 1].positions.offset == 0)
        return reader->frames > 1 && (file->flags & ENGINE_FILE_UNFINISHED) != 0
                   ? (reader->frames--, 0)
                   : ENGINE_FAIL_LINE(file, lines->number, "the file ends within frame %llu, counted from 0",
                                      (unsigned long long) reader->frames - 1);
    return 0;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* A file begins with the line of a block, maybe after comments. TITLE begins PDB files, too, and these have no line
 * POSITION. */
static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    static const char *const blocks[] = {"TITLE", "TIMESTEP", "POSITION"};
    char text[4097] = "\n";
    (void) name, (void) bytes;
    memcpy(text + 1, begin, count < sizeof text - 2 ? count : sizeof text - 2);
    const char *at = text + 1;
    while (*at == '#')
        at += strcspn(at, "\n") + (strchr(at, '\n') != NULL);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (strncmp(at, blocks[i], strlen(blocks[i])) == 0)
            return strstr(at - 1, "\nPOSITION") ? ENGINE_PROBE_YES : ENGINE_PROBE_NO;
    return ENGINE_PROBE_NO;
}

/* What all frames have, or the last one if it alone is wanted. */
static void take_arrays(const struct engine_file *file, struct reader *reader, struct engine_file_content *content)
{
    const uint64_t first = file->flags & ENGINE_FILE_SERIES ? 0 : reader->frames - 1;
    bool full = true, some = false, all = true;
    for (uint64_t i = first; i < reader->frames; i++) {
        const struct place *place = &reader->places[i];
        full = full && place->positions.full;
        all = all && place->velocities.offset != 0;
        some = some || place->velocities.offset != 0;
        content->remarks = place->cell.turned ? ENGINE_CELL_TURNED : content->remarks;
    }
    atoms_add_array(&reader->content, content, reader->atoms, ATOMS_POSITION);
    if (full && !reader->names.many)
        atoms_add_array(&reader->content, content, reader->atoms, ATOMS_SPECIES);
    if (full)
        atoms_add_array(&reader->content, content, reader->atoms, ATOMS_RESIDUE);
    if (all)
        atoms_add_array(&reader->content, content, reader->atoms, ATOMS_VELOCITY);
    content->skipped = some && !all         ? "the velocities, which some frames lack, the titles"
                       : reader->names.many ? "the names of residues and atoms (there are more than 256), the titles"
                       : full               ? "the names of residues, the titles"
                                            : "the titles";
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
    take_arrays(file, reader, content);
    content->frames = reader->frames;
    content->labels = reader->names.at;
    content->label_count = reader->names.count;
    *self = reader;
    return 0;
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct place *place = &((const struct reader *) self)->places[number];
    (void) file;
    engine_cell_place(&place->cell, NULL, frame);
    frame->step = place->step;
    frame->time = place->time;
    frame->has |= place->timed ? (uint32_t) ENGINE_HAS_STEP | ENGINE_HAS_TIME : 0;
    return 0;
}

static int read_lines(const struct engine_file *file, const struct reader *reader, const struct place *place, int which,
                      struct engine_lines *lines, void *out)
{
    const struct block *block = which == ATOMS_VELOCITY ? &place->velocities : &place->positions;
    bool ended;
    int code = 0;
    lines->offset = block->offset;
    lines->number = block->line;
    for (uint64_t i = 0; code == 0 && i < reader->atoms; i++) {
        code = next_of_block(file, lines, &ended);
        if (code == 0 && ended)
            return ENGINE_FAIL_LINE(file, lines->number, "the block changed while the file was read");
        if (code == 0 && which == ATOMS_SPECIES)
            code = atoms_take_species(file, lines, NAME, NAME + 5, &reader->names, "frame", (int64_t *) out + i);
        else if (code == 0 && which == ATOMS_RESIDUE)
            code = atoms_take_residue(file, lines, (int64_t *) out + i);
        else if (code == 0)
            code = take_vector(file, lines, block->full, (double *) out + 3 * i);
    }
    if (code == 0 && (which == ATOMS_POSITION || which == ATOMS_VELOCITY))
        engine_cell_turn(&place->cell, ENGINE_F64, reader->atoms, out);
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
    memset(lines, 0, sizeof *lines);
    const int code = read_lines(file, reader, &reader->places[number], reader->content.which[array], lines, out);
    file->release(file, lines);
    return code;
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("g96", "0.1.0", "particles, structures and trajectories of GROMOS96 and GROMACS in text",
                       ".g96"),
    .flags = ENGINE_FORMAT_FRAMES,
    .length = ENGINE_NANOMETRE,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_TIME | ENGINE_HAS_BOX | ENGINE_HAS_LABELS,
    .arrays = "position velocity species residue",
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = g96_create,
    .write = g96_write,
};
