/* PDB, the structures of the Protein Data Bank in text. A line is a record, whose name is in its first six columns:
 *
 *     CRYST1   lengths of the unit cell in angstrom, 9 columns each from column 7, and its angles in degrees,
 *              7 columns each
 *     MODEL    begins a frame; without these records the file is one frame
 *     ATOM, HETATM   an atom: its name in columns 13 to 16, residue number in 23 to 26, x y z in angstrom in 31 to 54
 *     ENDMDL   ends a frame
 *     END      ends a frame, too, because some programs write frames of a trajectory this way
 *
 * The format is described at https://www.wwpdb.org/documentation/file-format. */
#include "common/atoms.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { NAME = 12, WORD = 16, SERIAL_MODULUS = 100000, RESIDUE_MODULUS = 10000 };

/* Where a frame begins, and the unit cell that holds there. */
struct place {
    uint64_t offset, line; /* of the first line; the line is that before it */
    double box[6];
    bool boxed;
};

struct reader {
    uint64_t atoms, frames;
    struct place *places;
    struct engine_file_array arrays[3];
    struct atoms_names names;
};

enum { POSITION, SPECIES, RESIDUE };

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static bool is_record(const char *line, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(line, name, length) == 0 &&
           (length >= 6 || line[length] == '\0' || line[length] == ' ' || (line[length] >= '0' && line[length] <= '9'));
}

static bool is_atom(const char *line)
{
    return strncmp(line, "ATOM  ", 6) == 0 || strncmp(line, "HETATM", 6) == 0;
}

static bool ends_frame(const char *line)
{
    return is_record(line, "ENDMDL") || is_record(line, "END");
}

static int take_real(const struct engine_file *file, const struct engine_lines *lines, size_t begin, size_t end,
                     double *number)
{
    char word[WORD];
    if (engine_word_real(engine_columns(lines->text, begin, end, word), number))
        return 0;
    return ENGINE_FAIL_LINE(file, lines->number, "'%s' in columns %zu to %zu is not a number", word, begin + 1, end);
}

static double cosine_of(double degrees)
{
    return degrees == 90 ? 0 : cos(degrees * (PI / 180));
}

static double angle_of(double cosine)
{
    return cosine == 0 ? 90 : acos(cosine < -1 ? -1 : cosine > 1 ? 1 : cosine) * (180 / PI);
}

/* Makes a box whose first edge lies along x and whose second lies in the plane of x and y. A cell of 1 x 1 x 1 stands
 * for no cell. */
static int take_cell(const struct engine_file *file, const struct engine_lines *lines, struct place *place)
{
    double length[3], angle[3], *box = place->box;
    int code = 0;
    for (size_t i = 0; code == 0 && i < 3; i++) {
        code = take_real(file, lines, 6 + 9 * i, 15 + 9 * i, &length[i]);
        if (code == 0)
            code = take_real(file, lines, 33 + 7 * i, 40 + 7 * i, &angle[i]);
        if (code == 0 && (length[i] < 0 || length[i] > 1e9 || angle[i] < 0 || angle[i] >= 180))
            code = ENGINE_FAIL_LINE(file, lines->number, "a length or an angle of the unit cell is out of range");
    }
    if (code != 0)
        return code;
    place->boxed =
        length[0] > 0 && length[1] > 0 && length[2] > 0 && !(length[0] == 1 && length[1] == 1 && length[2] == 1);
    if (!place->boxed)
        return 0;
    const double alpha = cosine_of(angle[0]), beta = cosine_of(angle[1]), gamma = cosine_of(angle[2]);
    box[0] = length[0];
    box[3] = length[1] * gamma;
    box[1] = sqrt(length[1] * length[1] - box[3] * box[3]);
    box[4] = length[2] * beta;
    box[5] = box[1] > 0 ? (length[1] * length[2] * alpha - box[3] * box[4]) / box[1] : 0;
    box[2] = sqrt(length[2] * length[2] - box[4] * box[4] - box[5] * box[5]);
    if (box[1] > 0 && box[2] > 0)
        return 0;
    return ENGINE_FAIL_LINE(file, lines->number, "no box has the angles %g, %g and %g of the unit cell", angle[0],
                            angle[1], angle[2]);
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static int add_place(const struct engine_file *file, struct reader *reader, const struct place *place)
{
    struct place *places = atoms_grow(file, reader->places, reader->frames, sizeof *places);
    if (!places)
        return ENGINE_NO_MEMORY;
    reader->places = places;
    reader->places[reader->frames++] = *place;
    return 0;
}

/* Ends the frame that has begun, if it has atoms. */
static int end_frame(const struct engine_file *file, const struct engine_lines *lines, struct reader *reader,
                     const struct place *place, uint64_t atoms)
{
    if (atoms == 0)
        return 0;
    if (reader->frames > 0 && atoms != reader->atoms)
        return ENGINE_FAIL_LINE(file, lines->number,
                                "model %llu, counted from 0, has %llu atoms; expected %llu as in the "
                                "first one",
                                (unsigned long long) reader->frames, (unsigned long long) atoms,
                                (unsigned long long) reader->atoms);
    reader->atoms = atoms;
    return add_place(file, reader, place);
}

/* A file of models has an ENDMDL after each of them. */
static int find_frames(const struct engine_file *file, struct reader *reader, struct engine_lines *lines)
{
    struct place place = {.offset = 0};
    uint64_t atoms = 0;
    bool in_model = false;
    for (;;) {
        const uint64_t offset = lines->offset, line = lines->number;
        int found, code = engine_lines_next(file, lines, &found);
        if (code != 0)
            return code;
        if (!found)
            break;
        const char *text = lines->text;
        if (is_record(text, "CRYST1")) {
            code = take_cell(file, lines, &place);
        } else if (is_record(text, "MODEL")) {
            in_model = true;
        } else if (is_atom(text)) {
            if (atoms++ == 0) {
                place.offset = offset;
                place.line = line;
            }
            double unused;
            for (size_t i = 0; code == 0 && i < 3; i++)
                code = take_real(file, lines, 30 + 8 * i, 38 + 8 * i, &unused);
            if (code == 0 && reader->frames == 0)
                code = atoms_add_name(file, lines, NAME, NAME + 4, &reader->names);
        } else if (ends_frame(text)) {
            code = end_frame(file, lines, reader, &place, atoms);
            atoms = 0;
            in_model = false;
        }
        if (code != 0)
            return code;
    }
    if (in_model)
        return ENGINE_FAIL_LINE(file, lines->number, "the file ends within model %llu, counted from 0; expected ENDMDL",
                                (unsigned long long) reader->frames);
    const int code = end_frame(file, lines, reader, &place, atoms);
    if (code != 0)
        return code;
    return reader->frames > 0 ? 0 : ENGINE_FAIL_FILE(file, "has no atoms: no line begins with ATOM or HETATM");
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    static const char *const records[] = {"HEADER", "TITLE ", "CRYST1", "ATOM  ", "HETATM",
                                          "REMARK", "MODEL ", "COMPND", "OBSLTE", "SPLIT "};
    (void) name, (void) bytes;
    for (size_t i = 0; count >= 6 && i < sizeof records / sizeof records[0]; i++)
        if (memcmp(begin, records[i], 6) == 0)
            return ENGINE_PROBE_YES;
    return ENGINE_PROBE_NO;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    static const char *const names[] = {"position", "species", "residue"};
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
    for (int i = 0; i < 3; i++)
        reader->arrays[i] = (struct engine_file_array){.name = names[i],
                                                       .kind = ENGINE_PARTICLES,
                                                       .lengths = i == POSITION,
                                                       .shape = {sizeof(struct engine_shape),
                                                                 i == POSITION ? ENGINE_F64 : ENGINE_I64,
                                                                 i == POSITION ? 3 : 1,
                                                                 1,
                                                                 {reader->atoms, 1, 1}}};
    content->length = ENGINE_ANGSTROM;
    content->arrays.at = reader->arrays;
    content->arrays.count = 3;
    content->arrays.item_size = sizeof reader->arrays[0];
    content->frames = reader->frames;
    content->labels = reader->names.at;
    content->label_count = reader->names.count;
    content->skipped = "all records but MODEL, CRYST1 and those of atoms, the names of residues";
    *self = reader;
    return 0;
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct place *place = &((const struct reader *) self)->places[number];
    (void) file;
    if (place->boxed) {
        memcpy(frame->box, place->box, sizeof frame->box);
        frame->has = ENGINE_HAS_BOX;
    }
    return 0;
}

/* A residue without a number is 0. */
static int take_residue(const struct engine_file *file, const struct engine_lines *lines, int64_t *residue)
{
    char word[ATOMS_NAME];
    *residue = 0;
    if (*engine_columns(lines->text, 22, 26, word) == '\0' || engine_word_integer(word, residue))
        return 0;
    return ENGINE_FAIL_LINE(file, lines->number, "'%s' in columns 23 to 26 is not the number of a residue", word);
}

static int read_lines(const struct engine_file *file, const struct reader *reader, struct engine_lines *lines,
                      uint32_t array, void *out)
{
    int code = 0, found;
    for (uint64_t i = 0; code == 0 && i < reader->atoms;) {
        code = engine_lines_next(file, lines, &found);
        if (code == 0 && (!found || ends_frame(lines->text)))
            return ENGINE_FAIL_LINE(file, lines->number, "the file changed while it was read");
        if (code != 0 || !is_atom(lines->text))
            continue;
        if (array == SPECIES)
            code = atoms_take_species(file, lines, NAME, NAME + 4, &reader->names, "model", (int64_t *) out + i);
        else if (array == RESIDUE)
            code = take_residue(file, lines, (int64_t *) out + i);
        for (size_t k = 0; array == POSITION && code == 0 && k < 3; k++)
            code = take_real(file, lines, 30 + 8 * k, 38 + 8 * k, (double *) out + 3 * i + k);
        i++;
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
    memset(lines, 0, sizeof *lines);
    lines->offset = reader->places[number].offset;
    lines->number = reader->places[number].line;
    const int code = read_lines(file, reader, lines, array, out);
    file->release(file, lines);
    return code;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

struct writer {
    struct atoms_arrays arrays;
    const char *const *labels;
    uint32_t label_count;
    uint64_t frames, frame;
};

static int create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    static const char *const names[] = {"position", "species", "residue"};
    struct writer *writer = file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    *writer =
        (struct writer){.labels = content->labels, .label_count = content->label_count, .frames = content->frames};
    atoms_find_arrays(content, names, 3, &writer->arrays);
    *self = writer;
    return 0;
}

static int write_atom(const struct engine_file *file, const struct writer *writer, uint64_t atom)
{
    double position[3] = {0};
    int64_t species = 0, residue = 0;
    int code = atoms_get_reals(file, &writer->arrays, POSITION, atom, "coordinate", "angstrom", position);
    if (code == 0)
        code = atoms_get_integer(file, &writer->arrays, SPECIES, atom, -1, &species);
    if (code == 0)
        code = atoms_get_integer(file, &writer->arrays, RESIDUE, atom, 1, &residue);
    if (code != 0)
        return code;
    const char *label = species >= 0 && species < writer->label_count ? writer->labels[species] : "X";
    if (residue < 0 || strlen(label) > 4)
        return ENGINE_FAIL_FILE(
            file,
            "atom %llu has the name '%s' and the residue %lld; expected at most 4 characters, and 0 "
            "or more",
            (unsigned long long) atom + 1, label, (long long) residue);
    return engine_put_text(file, "ATOM  %5llu %s%-*s MOL X%4lld    %8.3f%8.3f%8.3f  1.00  0.00            \n",
                           (unsigned long long) ((atom + 1) % SERIAL_MODULUS), strlen(label) < 4 ? " " : "",
                           strlen(label) < 4 ? 3 : 4, label, (long long) (residue % RESIDUE_MODULUS), position[0],
                           position[1], position[2]);
}

static int write_cell(const struct engine_file *file, const double box[6])
{
    const double b = sqrt(box[1] * box[1] + box[3] * box[3]);
    const double c = sqrt(box[2] * box[2] + box[4] * box[4] + box[5] * box[5]);
    if (!(box[0] > 0 && box[1] > 0 && box[2] > 0 && box[0] < 99999 && b < 99999 && c < 99999))
        return ENGINE_FAIL_FILE(file, "the box is open along an axis, or longer than 99999 angstrom; the format has no "
                                      "place for it");
    return engine_put_text(file, "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n", box[0], b, c,
                           angle_of((box[3] * box[4] + box[1] * box[5]) / (b * c)), angle_of(box[4] / c),
                           angle_of(box[3] / b));
}

/* Models are numbered from 1. A file of one frame has no models. */
static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct writer *writer = self;
    int code = frame->has & ENGINE_HAS_BOX ? write_cell(file, frame->box) : 0;
    writer->frame++;
    if (code == 0 && writer->frames > 1)
        code = engine_put_text(file, "MODEL     %4llu\n", (unsigned long long) (writer->frame % RESIDUE_MODULUS));
    for (uint64_t i = 0; code == 0 && i < writer->arrays.at[POSITION].shape.extent[0]; i++)
        code = write_atom(file, writer, i);
    if (code == 0 && writer->frames > 1)
        code = engine_put_text(file, "ENDMDL\n");
    return code;
}

static int finish(const struct engine_file *file, void *self)
{
    (void) self;
    return engine_put_text(file, "END\n");
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("pdb", "0.1.0", "particles, structures of the Protein Data Bank, one frame or models",
                       ".pdb .ent"),
    .flags = ENGINE_FORMAT_FRAMES,
    .length = ENGINE_ANGSTROM,
    .keeps = ENGINE_HAS_BOX | ENGINE_HAS_LABELS,
    .arrays = "position species residue",
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = create,
    .write = write_frame,
    .finish = finish,
};
