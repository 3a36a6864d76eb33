/* XYZ and extended XYZ: a line with the number of particles, a comment line, then a line per particle, `El x y z` or
 * `El x y z vx vy vz`. In the extended form, https://github.com/libAtoms/extxyz, the comment has key=value pairs:
 *
 *     Properties=species:S:1:pos:R:3:… Lattice="ax ay az bx by bz cx cy cz" pbc="T T T"
 *
 * Properties describes the columns. A file is a series of such frames. */
#include "formats/particles/xyz.h"
#include "base/text.h"
#include "files/particles.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_SIZE = 1 << 16 };

struct xyz {
    struct text_file *text;      /* of the present call, as the next one: */
    struct particles *particles; /* NULL: the frame is skipped */
    struct particles_row row;
    double vectors[9]; /* Lattice */
    double corner[3];  /* Origin */
    int open[3];       /* pbc */
    char line[LINE_SIZE];
};

/* ---- The comment -------------------------------------------------------------------------------------------- */

/* Names of columns in files, and the names of their fields. */
static const char *const names[][2] = {
    {"pos", "position"}, {"positions", "position"},  {"velo", "velocity"},
    {"vel", "velocity"}, {"velocities", "velocity"}, {"masses", "mass"},
};

static const char *field_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0)
            return names[i][1];
    return name;
}

static int add_words(struct xyz *xyz, enum particles_use use, int column, uint32_t components)
{
    for (uint32_t i = 0; i < components; i++)
        if (!particles_add_word(&xyz->row, column < 0 ? PARTICLES_SKIP : use, column, i))
            return text_file_error(xyz->text, "more than %d columns", PARTICLES_WORDS_MAX);
    return 0;
}

/* Turns the words of one use into words of another one. */
static void change_use(struct particles_row *row, enum particles_use from, enum particles_use to)
{
    for (uint32_t i = 0; i < row->words; i++)
        if (row->word[i].use == from)
            row->word[i].use = to;
}

/* Adds a column of the array `species`: types from 1, or symbols. Where there are both, the types count, and the
 * symbols are their labels. */
static int add_species(struct xyz *xyz, enum particles_use use)
{
    int column = particles_find(xyz->particles, "species");
    const struct particles_column *held = column >= 0 ? &xyz->particles->columns[column] : NULL;
    if (held != NULL && (held->type != ENGINE_I64 || held->components != 1))
        return text_file_error(xyz->text, "Properties names species twice, and once not as a single whole number");
    if (column >= 0 && use == PARTICLES_SYMBOL)
        use = PARTICLES_LABEL;
    else if (column >= 0)
        change_use(&xyz->row, PARTICLES_SYMBOL, PARTICLES_LABEL);
    if (column < 0)
        column = particles_add_column(xyz->particles, "species", ENGINE_I64, 1);
    return add_words(xyz, use, column, 1);
}

static int add_property(struct xyz *xyz, const char *name, char type, uint32_t components)
{
    const char *field = field_name(name);
    if (type == 'I' && components == 1 && strcmp(name, "type") == 0)
        return add_species(xyz, PARTICLES_FROM_ONE);
    if (type == 'S' && components == 1 && strcmp(name, "species") == 0)
        return add_species(xyz, PARTICLES_SYMBOL);
    if (type == 'S' || type == 'L') {
        io_note_skipped(xyz->particles->skipped, name);
        return add_words(xyz, PARTICLES_SKIP, -1, components);
    }
    if (particles_find(xyz->particles, field) >= 0)
        return text_file_error(xyz->text, "Properties names %s twice", name);
    const bool real = type == 'R' || strcmp(field, "position") == 0; /* places on a lattice may be integers */
    const int column = particles_add_column(xyz->particles, field, real ? ENGINE_F64 : ENGINE_I64, components);
    return add_words(xyz, real ? PARTICLES_REAL : PARTICLES_INTEGER, column, components);
}

/* Reads a list of name:type:columns, separated by colons. */
static int parse_properties(struct xyz *xyz, const char *at)
{
    char name[32];
    int64_t components;
    for (bool more = true; more;) {
        const size_t length = strcspn(at, ":");
        if (length == 0 || length >= sizeof name || at[length] == '\0')
            return text_file_error(xyz->text,
                                   "Properties is not a list of <name of 1 to 31 characters>:<type>:<columns>");
        memcpy(name, at, length);
        name[length] = '\0';
        if (strpbrk(name, " \"'{}[]=") != NULL)
            return text_file_error(xyz->text, "Properties: the name '%s' has a blank, quote, bracket or '='", name);
        if (text_file_check_printable(xyz->text, name, "a name in Properties") != 0)
            return ENGINE_INVALID;
        const char type = at[length + 1];
        if (type == '\0' || strchr("SRIL", type) == NULL || at[length + 2] != ':')
            return text_file_error(xyz->text, "Properties: expected the type of %s, S, R, I or L", name);
        at += length + 3;
        if (!text_number(&at, &components) || components < 1 || components > PARTICLES_WORDS_MAX ||
            (*at != ':' && *at != '\0'))
            return text_file_error(xyz->text, "Properties: expected the number of columns of %s, 1 to %d", name,
                                   PARTICLES_WORDS_MAX);
        if (add_property(xyz, name, type, (uint32_t) components) != 0)
            return ENGINE_INVALID;
        more = *at == ':';
        at += more;
    }
    return 0;
}

static int parse_lattice(struct xyz *xyz, const char *at)
{
    for (int i = 0; i < 9; i++) {
        at += strspn(at, " \t,");
        if (!text_real(&at, &xyz->vectors[i]) || (*at != '\0' && strchr(" \t,", *at) == NULL))
            return text_file_error(xyz->text, "Lattice: expected nine numbers");
    }
    return at[strspn(at, " \t,")] == '\0' ? 0 : text_file_error(xyz->text, "Lattice: expected nine numbers");
}

/* Programs write comments of their own, such as "t= 10.0 step= 5", so other texts are not errors. */
static void parse_step(const char *at, struct engine_file_frame *frame)
{
    int64_t step;
    if (text_number(&at, &step) && *at == '\0' && step >= 0) {
        frame->step = (uint64_t) step;
        frame->has |= ENGINE_HAS_STEP;
    }
}

static void parse_time(const char *at, struct engine_file_frame *frame)
{
    const bool timed = text_real(&at, &frame->time) && *at == '\0';
    frame->has = timed ? frame->has | ENGINE_HAS_TIME : frame->has & ~(uint32_t) ENGINE_HAS_TIME;
}

/* Origin="x y z", the corner of the box, as OVITO writes it. */
static bool parse_origin(const char *at, double corner[3])
{
    for (int axis = 0; axis < 3; axis++) {
        at += strspn(at, " \t,");
        if (!text_real(&at, &corner[axis]))
            return false;
    }
    return at[strspn(at, " \t,")] == '\0';
}

/* Reads which axes are periodic; the others are open. One word is for all axes. */
static int parse_pbc(struct xyz *xyz, const char *at)
{
    static const char letters[] = "TtFf10";
    for (int axis = 0; axis < 3; axis++) {
        at += strspn(at, " \t,");
        if (*at == '\0' && axis == 1) {
            xyz->open[1] = xyz->open[2] = xyz->open[0];
            return 0;
        }
        if (*at == '\0' || strchr(letters, *at) == NULL)
            return text_file_error(xyz->text, "pbc: expected T or F for each of three axes");
        xyz->open[axis] = strchr("Tt1", *at) == NULL;
        at += strcspn(at, " \t,");
    }
    return 0;
}

/* Takes the next `key=value` from the comment. The value may be in quotes or brackets. Sets *words where other text is
 * before it. Returns false where there is no pair. */
static bool take_pair(char **at, char **key, char **value, bool *words)
{
    static const char quotes[] = "\"'{[", ends[] = "\"'}]";
    for (;;) {
        *at += strspn(*at, " \t");
        *key = *at;
        *at += strcspn(*at, " \t=");
        *words = *words || (**at != '=' && *at > *key);
        if (**at == '\0')
            return false;
        if (**at == '=')
            break;
    }
    *(*at)++ = '\0';
    const char *quote = **at != '\0' ? strchr(quotes, **at) : NULL;
    *value = *at + (quote != NULL);
    const char end[] = {quote != NULL ? ends[quote - quotes] : ' ', quote != NULL ? '\0' : '\t', '\0'};
    *at = *value + strcspn(*value, end);
    if (**at != '\0')
        *(*at)++ = '\0';
    return true;
}

static int parse_pair(struct xyz *xyz, const char *key, const char *value, bool *others)
{
    struct engine_file_frame *frame = &xyz->particles->frame;
    if (strcasecmp(key, "Properties") == 0 && xyz->row.words == 0)
        return parse_properties(xyz, value);
    if (strcasecmp(key, "Lattice") == 0)
        return parse_lattice(xyz, value);
    if (strcasecmp(key, "pbc") == 0)
        return parse_pbc(xyz, value);
    if (strcasecmp(key, "step") == 0 || strcmp(key, "Timestep") == 0) /* the second is LAMMPS's */
        parse_step(value, frame);
    else if (strcasecmp(key, "time") == 0)
        parse_time(value, frame);
    else if (strcasecmp(key, "Origin") != 0 || !parse_origin(value, xyz->corner))
        *others = true;
    return 0;
}

static int parse_comment(struct xyz *xyz)
{
    char *at = xyz->line, *key, *value;
    int status = 0;
    bool others = false;
    memset(xyz->vectors, 0, sizeof xyz->vectors);
    memset(xyz->corner, 0, sizeof xyz->corner);
    memset(xyz->open, 0, sizeof xyz->open);
    while (status == 0 && take_pair(&at, &key, &value, &others))
        status = parse_pair(xyz, key, value, &others);
    if (others)
        io_note_skipped(xyz->particles->skipped, "other text of the comment");
    return status;
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

static uint32_t count_words(const char *at)
{
    uint32_t words = 0;
    for (at += strspn(at, " \t"); *at != '\0'; at += strspn(at, " \t"), words++)
        at += strcspn(at, " \t");
    return words;
}

/* Without Properties, the number of columns decides what they are. What is behind the positions may be anything, such as
 * charges. */
static int guess_columns(struct xyz *xyz)
{
    const uint32_t words = count_words(xyz->line);
    if (words < 4)
        return text_file_error(xyz->text,
                               "%u columns; expected '<symbol> <x> <y> <z>', or velocities after that; describe other "
                               "columns with Properties=… in the comment",
                               words);
    if (parse_properties(xyz, words == 7 ? "species:S:1:pos:R:3:velo:R:3" : "species:S:1:pos:R:3") != 0)
        return ENGINE_INVALID;
    if (words > xyz->row.words)
        io_note_skipped(xyz->particles->skipped, "other columns");
    return add_words(xyz, PARTICLES_SKIP, -1, words - xyz->row.words);
}

static int refuse_end(const struct xyz *xyz, uint64_t i, uint64_t count)
{
    return text_file_error(xyz->text, "the file ends after %llu of %llu particles", (unsigned long long) i,
                           (unsigned long long) count);
}

static int parse_rows(struct xyz *xyz, uint64_t count)
{
    int status = 0;
    for (uint64_t i = 0; status == 0 && i < count; i++) {
        if (!text_file_line(xyz->text, xyz->line, sizeof xyz->line))
            return refuse_end(xyz, i, count);
        if (xyz->row.words == 0)
            status = guess_columns(xyz);
        if (status == 0)
            status = particles_parse_row(xyz->particles, &xyz->row, xyz->text, xyz->line);
    }
    return status;
}

static int skip_rows(struct xyz *xyz, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!text_file_line(xyz->text, xyz->line, sizeof xyz->line))
            return refuse_end(xyz, i, count);
    return 0;
}

/* Reads a frame whose first line was just read. */
static int parse_frame(struct xyz *xyz)
{
    const char *at = xyz->line + strspn(xyz->line, " \t");
    int64_t count;
    if (!text_number(&at, &count) || at[strspn(at, " \t")] != '\0' || count < 1)
        return text_file_error(xyz->text, "'%.40s' is not a number of particles; expected 1 or more, alone on a line",
                               xyz->line);
    if (!text_file_line(xyz->text, xyz->line, sizeof xyz->line))
        return text_file_error(xyz->text, "the file ends; expected a comment");
    if (xyz->particles == NULL)
        return skip_rows(xyz, (uint64_t) count);
    if (xyz->text->cut)
        return text_file_error(xyz->text, "the comment is longer than %d characters", LINE_SIZE - 1);
    xyz->row.words = 0;
    struct engine_cell cell;
    if (parse_comment(xyz) != 0)
        return ENGINE_INVALID;
    if (!engine_cell_take(&cell, xyz->vectors, xyz->open))
        return text_file_error(xyz->text, "Lattice: the vectors lie in a plane");
    if (parse_rows(xyz, (uint64_t) count) != 0)
        return ENGINE_INVALID;
    particles_turn(xyz->particles, &cell, xyz->corner);
    return 0;
}

static int next_frame(void *kept, struct text_file *text, struct particles *particles, bool *found)
{
    struct xyz *xyz = kept;
    xyz->text = text;
    xyz->particles = particles;
    *found = false;
    while (!*found && text_file_line(text, xyz->line, sizeof xyz->line))
        *found = xyz->line[strspn(xyz->line, " \t")] != '\0';
    return *found ? parse_frame(xyz) : text_file_check(text);
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    static const struct particles_frames frames = {sizeof(struct xyz), next_frame};
    return particles_open(file, content, self, &frames);
}

/* A number, alone on the first line. */
static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    const unsigned char *at = begin, *end = begin + count;
    (void) name;
    (void) bytes;
    at += count >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    const unsigned char *digits = at;
    while (at < end && isdigit(*at))
        at++;
    if (at == digits)
        return ENGINE_PROBE_NO;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at < end && *at == '\n' ? ENGINE_PROBE_YES : ENGINE_PROBE_NO;
}

/* ---- The format --------------------------------------------------------------------------------------------- */

const struct engine_file_format xyz_file_format = {
    ENGINE_FILE_FORMAT("xyz", "1.0", "particles, extended XYZ", ".xyz .extxyz .xyz.gz .extxyz.gz"),
    .flags =
        ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_VARIES | ENGINE_FORMAT_NOTES,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_TIME | ENGINE_HAS_BOX | ENGINE_HAS_CORNER | ENGINE_HAS_LABELS,
    .arrays = "position *",
    .probe = probe,
    .open = open_file,
    .frame = particles_frame,
    .read = particles_read,
    .create = io_keep_nothing,
    .write = xyz_write,
    .close = particles_close,
    .bytes = ENGINE_SIZE_TEXT,
};
