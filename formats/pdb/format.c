/* PDB, the structures of the Protein Data Bank in text. A line is a record, whose name is in its first six columns:
 *
 *     CRYST1   lengths of the unit cell in angstrom, 9 columns each from column 7, and its angles in degrees,
 *              7 columns each
 *     MODEL    begins a frame, and ends one that has atoms; without these records the file is one frame
 *     ATOM, HETATM   an atom: its name in columns 13 to 16, residue number in 23 to 26, x y z in angstrom in 31 to 54
 *     ENDMDL   ends a frame
 *     END      ends a frame, too, because some programs write frames of a trajectory this way
 *
 * The format is described at https://www.wwpdb.org/documentation/file-format. */
#include "common/angles.h"
#include "residues.h"
#include "write.h"

#include <strings.h>

enum { NAME = 12, WORD = 16 };

/* Where a frame begins, and the unit cell that holds there. */
struct place {
    uint64_t offset, line; /* of the first line; the line is that before it */
    double box[6];
    bool boxed;
};

struct reader {
    uint64_t atoms, frames;
    struct place *places;
    bool hybrid; /* numbers of residues */
    struct atoms_content content;
    struct atoms_names names;
};

/* What the records so far say. */
struct scan {
    struct place place;
    uint64_t atoms;  /* of the frame that has begun */
    bool in_model;   /* its end is expected */
    bool ends;       /* a record ENDMDL was found */
    bool behind;     /* the last record of a frame was ENDMDL */
    bool celled;     /* a unit cell was found */
    bool cell_first; /* before the end of the first frame; else a unit cell behind ENDMDL is that of the frame before */
};

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

/* Makes a box whose first edge lies along x and whose second lies in the plane of x and y. A cell of 1 x 1 x 1 stands
 * for no cell. */
static int take_cell(const struct engine_file *file, const struct engine_lines *lines, struct place *place)
{
    double length[3], angle[3], cosine[3];
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
    if (angle[0] == 0 && angle[1] == 0 && angle[2] == 0) /* not given */
        angle[0] = angle[1] = angle[2] = 90;
    for (int i = 0; i < 3; i++)
        cosine[i] = angles_cosine(angle[i]);
    if (angles_make_box(length, cosine, place->box))
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
                     struct scan *scan)
{
    const uint64_t atoms = scan->atoms;
    scan->atoms = 0;
    scan->in_model = false;
    if (atoms == 0)
        return 0;
    if (reader->frames > 0 && atoms != reader->atoms)
        return ENGINE_FAIL_LINE(file, lines->number,
                                "model %llu, counted from 0, has %llu atoms; expected %llu as in the "
                                "first one",
                                (unsigned long long) reader->frames, (unsigned long long) atoms,
                                (unsigned long long) reader->atoms);
    scan->cell_first = reader->frames == 0 ? scan->celled : scan->cell_first;
    reader->atoms = atoms;
    return add_place(file, reader, &scan->place);
}

static int add_cell(const struct engine_file *file, const struct engine_lines *lines, struct reader *reader,
                    struct scan *scan)
{
    const int code = take_cell(file, lines, &scan->place);
    scan->celled = true;
    if (code == 0 && scan->behind && !scan->cell_first) {
        struct place *before = &reader->places[reader->frames - 1];
        memcpy(before->box, scan->place.box, sizeof before->box);
        before->boxed = scan->place.boxed;
    }
    return code;
}

static int add_atom(const struct engine_file *file, const struct engine_lines *lines, struct reader *reader,
                    struct scan *scan)
{
    double unused;
    int code = 0;
    scan->behind = false;
    if (scan->atoms++ == 0) {
        scan->place.offset = lines->begin;
        scan->place.line = lines->number - 1;
    }
    for (size_t i = 0; code == 0 && i < 3; i++)
        code = take_real(file, lines, 30 + 8 * i, 38 + 8 * i, &unused);
    reader->hybrid = reader->hybrid || residues_are_hybrid(lines->text);
    return code == 0 && reader->frames == 0 ? atoms_add_name(file, lines, NAME, NAME + 4, &reader->names) : code;
}

static int take_line(const struct engine_file *file, const struct engine_lines *lines, struct reader *reader,
                     struct scan *scan)
{
    const char *text = lines->text;
    if (is_record(text, "CRYST1"))
        return add_cell(file, lines, reader, scan);
    if (is_atom(text))
        return add_atom(file, lines, reader, scan);
    if (!is_record(text, "MODEL") && !ends_frame(text))
        return 0;
    const int code = end_frame(file, lines, reader, scan);
    scan->in_model = is_record(text, "MODEL");
    scan->behind = is_record(text, "ENDMDL") && reader->frames > 0;
    scan->ends = scan->ends || scan->behind;
    return code;
}

/* Ends a file whose last model may lack its end, if all models do. */
static int end_file(const struct engine_file *file, const struct engine_lines *lines, struct reader *reader,
                    struct scan *scan)
{
    if (scan->in_model && (scan->ends || reader->frames == 0))
        return ENGINE_FAIL_LINE(file, lines->number, "the file ends within model %llu, counted from 0; expected ENDMDL",
                                (unsigned long long) reader->frames);
    const int code = end_frame(file, lines, reader, scan);
    return code != 0 || reader->frames > 0 ? code
                                           : ENGINE_FAIL_FILE(file, "has no atoms: no line begins with ATOM or HETATM");
}

static int find_frames(const struct engine_file *file, struct reader *reader, struct engine_lines *lines)
{
    struct scan scan = {.atoms = 0};
    int code = 0, found = 1;
    while (code == 0 && found) {
        code = engine_lines_next(file, lines, &found);
        if (code == 0)
            code = found ? take_line(file, lines, reader, &scan) : end_file(file, lines, reader, &scan);
    }
    const bool rest = code == ENGINE_INVALID && reader->frames > 0;
    return rest && (file->flags & ENGINE_FILE_UNFINISHED) != 0 ? 0 : code;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* The names of records, and a few that programs add. Those with a digit at their end come in series. */
static const char records[] =
    "HEADER OBSLTE TITLE SPLIT CAVEAT COMPND SOURCE KEYWDS EXPDTA NUMMDL MDLTYP AUTHOR REVDAT SPRSDE JRNL REMARK DBREF "
    "DBREF1 DBREF2 SEQADV SEQRES MODRES HET HETNAM HETSYN FORMUL HELIX SHEET TURN SSBOND LINK SLTBRG HYDBND CISPEP "
    "SITE "
    "CRYST1 ORIGX1 ORIGX2 ORIGX3 SCALE1 SCALE2 SCALE3 MTRIX1 MTRIX2 MTRIX3 TVECT MODEL ATOM SIGATM ANISOU SIGUIJ TER "
    "HETATM ENDMDL CONECT MASTER END PARENT PFRMAT TARGET METHOD USER ";

/* Does a line of `count` bytes begin with the name of a record in six columns? */
static bool begins_record(const unsigned char *line, size_t count)
{
    char name[8] = "";
    size_t length = 0;
    for (; length < count && length < 6 && line[length] > ' '; length++)
        name[length] = (char) line[length];
    for (size_t i = length; i < count && i < 6; i++)
        if (line[i] != ' ' && line[i] != '\r')
            return false;
    name[length] = ' ';
    for (const char *at = records; length > 0 && (at = strstr(at, name)) != NULL; at++)
        if (at == records || at[-1] == ' ')
            return true;
    return false;
}

/* Empty lines may come first. In a file with an ending of the format, other lines may come before the atoms. */
static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    static const char *const later[] = {"ATOM  ", "HETATM", "CRYST1", "MODEL "};
    const char *ending = strrchr(name, '.');
    const bool named = ending && (strcasecmp(ending, ".pdb") == 0 || strcasecmp(ending, ".ent") == 0);
    bool first = true, found = false;
    (void) bytes;
    for (uint64_t at = 0, end; at < count && !found && (first || named); at = end + 1) {
        const unsigned char *newline = memchr(begin + at, '\n', count - at);
        end = newline ? (uint64_t) (newline - begin) : count;
        if (end == at || (end == at + 1 && begin[at] == '\r'))
            continue;
        found = first && begins_record(begin + at, end - at);
        for (size_t i = 0; !found && named && i < sizeof later / sizeof later[0]; i++)
            found = end - at >= 6 && memcmp(begin + at, later[i], 6) == 0;
        first = false;
    }
    return found && memchr(begin, 0, count) == NULL ? ENGINE_PROBE_YES : ENGINE_PROBE_NO;
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
    content->length = ENGINE_ANGSTROM;
    content->arrays = (struct engine_file_array_array){reader->content.arrays, 0, sizeof reader->content.arrays[0]};
    atoms_add_array(&reader->content, content, reader->atoms, ATOMS_POSITION);
    if (!reader->names.many)
        atoms_add_array(&reader->content, content, reader->atoms, ATOMS_SPECIES);
    atoms_add_array(&reader->content, content, reader->atoms, ATOMS_RESIDUE);
    content->frames = reader->frames;
    content->labels = reader->names.at;
    content->label_count = reader->names.count;
    content->skipped = reader->names.many
                           ? "all records but MODEL, CRYST1 and those of atoms, the names of residues and atoms (there "
                             "are more than 256)"
                           : "all records but MODEL, CRYST1 and those of atoms, the names of residues";
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

static int take_residue(const struct engine_file *file, const struct engine_lines *lines, struct residues *residues,
                        int64_t *residue)
{
    return residues_take(residues, lines->text, residue)
               ? 0
               : ENGINE_FAIL_LINE(file, lines->number, "'%s' in columns 23 to 26 is not the number of a residue",
                                  residues->word);
}

static int read_lines(const struct engine_file *file, const struct reader *reader, struct engine_lines *lines,
                      int which, void *out)
{
    struct residues residues = {.hybrid = reader->hybrid};
    int code = 0, found;
    for (uint64_t i = 0; code == 0 && i < reader->atoms;) {
        code = engine_lines_next(file, lines, &found);
        if (code == 0 && (!found || ends_frame(lines->text)))
            return ENGINE_FAIL_LINE(file, lines->number, "the file changed while it was read");
        if (code != 0 || !is_atom(lines->text))
            continue;
        if (which == ATOMS_SPECIES)
            code = atoms_take_species(file, lines, NAME, NAME + 4, &reader->names, "model", (int64_t *) out + i);
        else if (which == ATOMS_RESIDUE)
            code = take_residue(file, lines, &residues, (int64_t *) out + i);
        for (size_t k = 0; which == ATOMS_POSITION && code == 0 && k < 3; k++)
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
    const int code = read_lines(file, reader, lines, reader->content.which[array], out);
    file->release(file, lines);
    return code;
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
    .create = pdb_create,
    .write = pdb_write,
    .finish = pdb_finish,
};
