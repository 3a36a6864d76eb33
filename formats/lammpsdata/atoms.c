/* Reads the sections Atoms and Velocities. */
#include "data.h"

/* The styles of https://docs.lammps.org/read_data.html whose columns are known. */
static const struct data_style styles[] = {
    {"atomic", 1, -1, -1, 2, 5},   {"bond", 2, 1, -1, 3, 6},    {"angle", 2, 1, -1, 3, 6},
    {"molecular", 2, 1, -1, 3, 6}, {"charge", 1, -1, 2, 3, 6},  {"full", 2, 1, 3, 4, 7},
    {"dipole", 1, -1, 2, 3, 9},    {"sphere", 1, -1, -1, 4, 7}, {"ellipsoid", 1, -1, -1, 4, 7},
};

enum { IMAGES = 3 };

/* Finds the style that the line of the section names, or the one that lines of as many words have by default. */
static int take_style(const struct engine_file *file, struct data *data, const char *name, int words)
{
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
        const bool has = words == styles[i].columns || words == styles[i].columns + IMAGES;
        const bool usual = strcmp(styles[i].name, "atomic") == 0 || strcmp(styles[i].name, "full") == 0;
        if (*name ? strcmp(name, styles[i].name) == 0 : has && usual) {
            data->style = styles[i];
            return has ? 0
                       : ENGINE_FAIL_LINE(file, data->lines.number,
                                          "the line has %d words; expected %d or %d in the style %s", words,
                                          styles[i].columns, styles[i].columns + IMAGES, styles[i].name);
        }
    }
    return *name ? ENGINE_FAIL_LINE(file, data->lines.number,
                                    "the style of atoms '%s' is not known; expected atomic, bond, "
                                    "angle, molecular, charge, full, dipole, sphere or ellipsoid",
                                    name)
                 : ENGINE_FAIL_LINE(file, data->lines.number,
                                    "atoms of %d words may have several styles; name theirs behind "
                                    "the word Atoms, as in 'Atoms # charge' or 'Atoms # molecular'",
                                    words);
}

static int take_reals(const struct engine_file *file, const struct data *data, const struct data_words *words, int from,
                      int count, double *reals)
{
    for (int i = 0; i < count; i++)
        if (!engine_word_real(words->at[from + i], &reals[i]))
            return ENGINE_FAIL_LINE(file, data->lines.number, "'%.30s' is not a finite number", words->at[from + i]);
    return 0;
}

static int take_atom(const struct engine_file *file, struct data *data, const struct data_words *words,
                     struct data_atom *atom)
{
    const struct data_style *style = &data->style;
    *atom = (struct data_atom){.type = 0};
    if (words->count != style->columns && words->count != style->columns + IMAGES)
        return ENGINE_FAIL_LINE(file, data->lines.number, "the line has %d words; expected %d or %d in the style %s",
                                words->count, style->columns, style->columns + IMAGES, style->name);
    data->images = data->images || words->count != style->columns;
    atom->type = data_find_type(data, words->at[style->type]);
    if (!engine_word_integer(words->at[0], &atom->id) || atom->type == 0 || atom->type > INT32_MAX ||
        (style->molecule > 0 && !engine_word_integer(words->at[style->molecule], &atom->molecule)))
        return ENGINE_FAIL_LINE(file, data->lines.number, "'%.60s' does not begin with the numbers of an atom",
                                data->lines.text);
    data->types = atom->type > data->types ? atom->type : data->types;
    const int code = style->charge > 0 ? take_reals(file, data, words, style->charge, 1, &atom->charge) : 0;
    return code == 0 ? take_reals(file, data, words, style->position, 3, atom->position) : code;
}

static int by_id(const void *a, const void *b)
{
    const int64_t first = ((const struct data_atom *) a)->id, second = ((const struct data_atom *) b)->id;
    return first < second ? -1 : first > second;
}

static int sort_atoms(const struct engine_file *file, struct data *data)
{
    qsort(data->atoms, data->count, sizeof *data->atoms, by_id);
    for (uint64_t i = 1; i < data->count; i++)
        if (data->atoms[i].id == data->atoms[i - 1].id)
            return ENGINE_FAIL_FILE(file, "two atoms have the id %lld", (long long) data->atoms[i].id);
    return 0;
}

/* `style` is what stands behind the # of the line `Atoms`, or NULL. */
int data_read_atoms(const struct engine_file *file, struct data *data, const char *style, struct data_words *words,
                    bool *more)
{
    char name[32] = "";
    uint64_t i = 0;
    if (style)
        sscanf(style, "%31s", name);
    if (data->atoms || data->count == 0)
        return ENGINE_FAIL_LINE(file, data->lines.number, "%s",
                                data->atoms ? "a second section Atoms" : "the head has no line 'N atoms'");
    if (!(data->atoms = file->allocate(file, data->count * sizeof *data->atoms)))
        return ENGINE_NO_MEMORY;
    int code = data_next(file, data, words, more);
    if (code == 0 && *more)
        code = take_style(file, data, name, words->count);
    for (; code == 0 && *more && i < data->count && !data_is_section(words); i++) {
        code = take_atom(file, data, words, &data->atoms[i]);
        if (code == 0)
            code = data_next(file, data, words, more);
    }
    if (code == 0 && (i < data->count || (*more && !data_is_section(words))))
        return ENGINE_FAIL_LINE(file, data->lines.number, "the section Atoms has %s atoms than the %llu of the head",
                                i < data->count ? "fewer" : "more", (unsigned long long) data->count);
    return code == 0 ? sort_atoms(file, data) : code;
}

int data_read_velocities(const struct engine_file *file, struct data *data, struct data_words *words, bool *more)
{
    int code = data->atoms ? data_next(file, data, words, more)
                           : ENGINE_FAIL_LINE(file, data->lines.number, "the section Velocities comes before Atoms");
    while (code == 0 && *more && !data_is_section(words)) {
        struct data_atom key, *atom = NULL;
        if (words->count >= 4 && engine_word_integer(words->at[0], &key.id))
            atom = bsearch(&key, data->atoms, data->count, sizeof key, by_id);
        if (!atom)
            return ENGINE_FAIL_LINE(file, data->lines.number, "'%.60s' is not the id of an atom and its velocity",
                                    data->lines.text);
        code = take_reals(file, data, words, 1, 3, atom->velocity);
        data->velocities = true;
        if (code == 0)
            code = data_next(file, data, words, more);
    }
    return code;
}
