/* Reads the head and the sections of a data file. */
#include "data.h"

#include <ctype.h>

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static void split(const char *line, struct data_words *words)
{
    const char *comment = strchr(line, '#');
    const size_t length = comment ? (size_t) (comment - line) : strlen(line);
    memcpy(words->text, line, length);
    words->text[length] = '\0';
    words->comment = comment ? comment + 1 : NULL;
    words->count = 0;
    for (char *at = words->text; *(at += strspn(at, " \t")) != '\0' && words->count < DATA_WORDS;) {
        words->at[words->count++] = at;
        at += strcspn(at, " \t");
        if (*at != '\0')
            *at++ = '\0';
    }
}

/* Reads the next line that has words. *found is false at the end of the file. */
int data_next(const struct engine_file *file, struct data *data, struct data_words *words, bool *found)
{
    int has = 1;
    do {
        const int code = engine_lines_next(file, &data->lines, &has);
        if (code != 0)
            return code;
        split(data->lines.text, words);
    } while (has && words->count == 0);
    *found = has != 0;
    return 0;
}

/* Does a line begin a section? Its words are names, and the last one is that of a section. */
bool data_is_section(const struct data_words *words)
{
    static const char *const names[] = {"Atoms",     "Velocities", "Masses",     "Bonds", "Angles",
                                        "Dihedrals", "Impropers",  "Ellipsoids", "Lines", "Bodies",
                                        "Triangles", "Coeffs",     "Labels"};
    const char *last = words->at[words->count - 1];
    if (!isalpha((unsigned char) words->at[0][0]))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(last, names[i]) == 0)
            return true;
    return false;
}

/* ---- The head ---------------------------------------------------------------------------------------------------- */

/* The numbers of a line of the head and the names behind them, which begin with this one. */
struct head_line {
    const char *name;
    int numbers, names;
    size_t to;
};

#define HEAD_AT(member) offsetof(struct data, member)

static const struct head_line head_lines[] = {
    {"xy", 3, 3, HEAD_AT(tilts)},        {"avec", 3, 1, HEAD_AT(vectors)}, {"bvec", 3, 1, HEAD_AT(vectors[3])},
    {"cvec", 3, 1, HEAD_AT(vectors[6])}, {"abc", 3, 2, HEAD_AT(corner)},
};

static int take_bounds(const struct engine_file *file, struct data *data, const struct data_words *words, int axis)
{
    if (engine_word_real(words->at[0], &data->low[axis]) && engine_word_real(words->at[1], &data->high[axis]) &&
        data->high[axis] > data->low[axis])
        return 0;
    return ENGINE_FAIL_LINE(file, data->lines.number, "'%s %s' are not two bounds of the box", words->at[0],
                            words->at[1]);
}

static int take_head_line(const struct engine_file *file, struct data *data, const struct data_words *words)
{
    static const char *const lows[] = {"xlo", "ylo", "zlo"};
    int64_t count;
    if (words->count == 2 && strcmp(words->at[1], "atoms") == 0) {
        if (!engine_word_integer(words->at[0], &count) || count < 1 || (uint64_t) count > file->bytes / 8)
            return ENGINE_FAIL_LINE(file, data->lines.number, "'%s' is not a number of atoms that the file can have",
                                    words->at[0]);
        data->count = (uint64_t) count;
    }
    for (int axis = 0; axis < 3; axis++)
        if (words->count == 4 && strcmp(words->at[2], lows[axis]) == 0)
            return take_bounds(file, data, words, axis);
    for (size_t i = 0; i < sizeof head_lines / sizeof head_lines[0]; i++) {
        const struct head_line *line = &head_lines[i];
        double *to = (double *) (void *) ((char *) data + line->to);
        if (words->count != line->numbers + line->names || strcmp(words->at[line->numbers], line->name) != 0)
            continue;
        data->general = data->general || line->name[0] == 'a';
        for (int k = 0; k < line->numbers; k++)
            if (!engine_word_real(words->at[k], &to[k]))
                return ENGINE_FAIL_LINE(file, data->lines.number, "'%.20s' is not a number of the box", words->at[k]);
    }
    return 0;
}

/* Makes the cell. LAMMPS takes the bounds -0.5 and 0.5 for those that are not given. */
static int take_cell(const struct engine_file *file, struct data *data)
{
    double *v = data->vectors;
    for (int axis = 0; axis < 3 && !data->general; axis++) {
        if (!(data->high[axis] > data->low[axis]))
            data->low[axis] = -0.5, data->high[axis] = 0.5;
        v[4 * axis] = data->high[axis] - data->low[axis];
        data->corner[axis] = data->low[axis];
    }
    if (!data->general)
        v[3] = data->tilts[0], v[6] = data->tilts[1], v[7] = data->tilts[2];
    for (int i = 0; i < 9; i++)
        if (!(v[i] - v[i] == 0))
            return ENGINE_FAIL_FILE(file, "the box exceeds double precision");
    return engine_cell_take(&data->cell, v, NULL) ? 0 : ENGINE_FAIL_FILE(file, "the vectors of the box lie in a plane");
}

/* ---- Sections of types ------------------------------------------------------------------------------------------- */

/* Keeps a printable word as the name of a type; others are left out. */
static void take_label(struct data *data, int64_t type, const char *text)
{
    char word[DATA_LABEL];
    int end = 0;
    if (!text || sscanf(text, " %15s %n", word, &end) != 1 || text[end] != '\0')
        return;
    for (const char *c = word; *c; c++)
        if (*c <= ' ' || *c > '~')
            return;
    strcpy(data->label[type - 1], word);
}

/* The type of a number or a label; 0: it is neither. */
int64_t data_find_type(const struct data *data, const char *word)
{
    int64_t type;
    if (engine_word_integer(word, &type))
        return type > 0 ? type : 0;
    for (type = 0; type < DATA_TYPES; type++)
        if (data->labelled && strcmp(data->label[type], word) == 0)
            return type + 1;
    return 0;
}

/* Reads `type label`, or `type mass # name`. */
static int take_type(const struct engine_file *file, struct data *data, const struct data_words *words, bool labels)
{
    const int64_t type = words->count == 2 ? data_find_type(data, words->at[0]) : 0;
    double mass;
    if (type == 0)
        return ENGINE_FAIL_LINE(file, data->lines.number, "'%.60s' is not a type and a word", data->lines.text);
    if (type > DATA_TYPES)
        return 0;
    if (labels) {
        take_label(data, type, words->at[1]);
        return 0;
    }
    if (!engine_word_real(words->at[1], &mass) || mass < 0)
        return ENGINE_FAIL_LINE(file, data->lines.number, "'%.20s' is not a mass", words->at[1]);
    data->mass[type - 1] = mass;
    if (!data->labelled)
        take_label(data, type, words->comment);
    return 0;
}

static int take_types(const struct engine_file *file, struct data *data, bool labels, struct data_words *words,
                      bool *more)
{
    int code = data_next(file, data, words, more);
    while (code == 0 && *more && !data_is_section(words)) {
        code = take_type(file, data, words, labels);
        if (code == 0)
            code = data_next(file, data, words, more);
    }
    return code;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static int skip_section(const struct engine_file *file, struct data *data, struct data_words *words, bool *more)
{
    const size_t used = strlen(data->skipped);
    bool plain = used + 40 < sizeof data->skipped;
    for (int i = 0; i < words->count; i++)
        for (const char *c = words->at[i]; *c; c++)
            plain = plain && isalpha((unsigned char) *c);
    if (plain)
        snprintf(data->skipped + used, sizeof data->skipped - used, "%s%.15s%s%.15s", used ? ", " : "", words->at[0],
                 words->count > 1 ? " " : "", words->count > 1 ? words->at[words->count - 1] : "");
    int code;
    do
        code = data_next(file, data, words, more);
    while (code == 0 && *more && !data_is_section(words));
    return code;
}

/* Reads the section whose line was read, and the line of the next one. */
static int read_section(const struct engine_file *file, struct data *data, struct data_words *words, bool *more)
{
    const char *name = words->at[0];
    if (strcmp(name, "Atoms") == 0)
        return data_read_atoms(file, data, words->comment, words, more);
    if (strcmp(name, "Velocities") == 0)
        return data_read_velocities(file, data, words, more);
    if (strcmp(name, "Atom") == 0 && strcmp(words->at[words->count - 1], "Labels") == 0) {
        data->labelled = true;
        return take_types(file, data, true, words, more);
    }
    if (strcmp(name, "Masses") == 0) {
        data->masses = true;
        return take_types(file, data, false, words, more);
    }
    return skip_section(file, data, words, more);
}

int data_read(const struct engine_file *file, struct data *data)
{
    struct data_words words;
    int found;
    bool more = true;
    int code = engine_lines_next(file, &data->lines, &found); /* a comment */
    if (code == 0)
        code = data_next(file, data, &words, &more);
    while (code == 0 && more && !data_is_section(&words)) {
        code = take_head_line(file, data, &words);
        if (code == 0)
            code = data_next(file, data, &words, &more);
    }
    if (code == 0)
        code = take_cell(file, data);
    while (code == 0 && more)
        code = read_section(file, data, &words, &more);
    if (code == 0 && !data->atoms)
        return ENGINE_FAIL_FILE(file, "has no section Atoms");
    return code;
}
