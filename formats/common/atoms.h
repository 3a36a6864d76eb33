/* What formats of text with a line for each atom share: the names of atoms, which are the species, and the arrays of a
 * file that is written. */
#ifndef FORMATS_COMMON_ATOMS_H
#define FORMATS_COMMON_ATOMS_H

#include <engine/format_text.h>

#include <stdbool.h>

enum { ATOMS_NAMES_MAX = 256, ATOMS_NAME = 8, ATOMS_LABEL = 32, ATOMS_ARRAYS_MAX = 4 };

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* The names of the first frame. The number of a name is the species. */
struct atoms_names {
    char text[ATOMS_NAMES_MAX][ATOMS_NAME];
    const char *at[ATOMS_NAMES_MAX];
    uint32_t count;
    bool many; /* there are more than ATOMS_NAMES_MAX: the file is read without them */
};

/* Returns the number of a name; the count of names if it is not there. */
static inline uint32_t atoms_find_name(const struct atoms_names *names, const char *name)
{
    uint32_t i = 0;
    while (i < names->count && strcmp(names->text[i], name) != 0)
        i++;
    return i;
}

/* Gives the name in columns [begin, end) of a line, fewer than ATOMS_NAME, a number. */
static inline int atoms_add_name(const struct engine_file *file, const struct engine_lines *lines, size_t begin,
                                 size_t end, struct atoms_names *names)
{
    char name[ATOMS_NAME];
    if (names->many)
        return 0;
    engine_columns(lines->text, begin, end, name);
    for (const char *c = name; *c; c++)
        if (*c <= ' ' || *c > '~')
            return ENGINE_FAIL_LINE(file, lines->number,
                                    "the name of the atom has the byte 0x%02X; expected printable ASCII without blanks",
                                    (unsigned char) *c);
    if (atoms_find_name(names, name) < names->count)
        return 0;
    if (names->count == ATOMS_NAMES_MAX) {
        names->many = true;
        names->count = 0;
        return 0;
    }
    strcpy(names->text[names->count], name);
    names->at[names->count] = names->text[names->count];
    names->count++;
    return 0;
}

/* Reads the species of an atom from the same columns. `first` is what the names are those of, as in "frame". */
static inline int atoms_take_species(const struct engine_file *file, const struct engine_lines *lines, size_t begin,
                                     size_t end, const struct atoms_names *names, const char *first, int64_t *species)
{
    char name[ATOMS_NAME];
    *species = atoms_find_name(names, engine_columns(lines->text, begin, end, name));
    return *species < names->count
               ? 0
               : ENGINE_FAIL_LINE(file, lines->number, "the name '%s' is not in the first %s", name, first);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

/* The arrays of a file that is read, and what each of them is. */
enum { ATOMS_POSITION, ATOMS_SPECIES, ATOMS_RESIDUE, ATOMS_VELOCITY };
struct atoms_content {
    struct engine_file_array arrays[ATOMS_ARRAYS_MAX];
    int which[ATOMS_ARRAYS_MAX];
};

/* Adds an array of so many atoms. content->arrays.at is that of `held`. */
static inline void atoms_add_array(struct atoms_content *held, struct engine_file_content *content, uint64_t atoms,
                                   int which)
{
    static const char *const names[] = {"position", "species", "residue", "velocity"};
    const bool real = which == ATOMS_POSITION || which == ATOMS_VELOCITY;
    const uint32_t count = content->arrays.count++;
    held->which[count] = which;
    held->arrays[count] = (struct engine_file_array){
        .name = names[which],
        .kind = ENGINE_PARTICLES,
        .lengths = real,
        .shape = {sizeof(struct engine_shape), real ? ENGINE_F64 : ENGINE_I64, real ? 3 : 1, 1, {atoms, 1, 1}},
    };
}

/* Reads the number of a residue from columns 1 to 5. */
static inline int atoms_take_residue(const struct engine_file *file, const struct engine_lines *lines, int64_t *residue)
{
    char word[ATOMS_NAME];
    if (engine_word_integer(engine_columns(lines->text, 0, 5, word), residue))
        return 0;
    return ENGINE_FAIL_LINE(file, lines->number, "'%s' in columns 1 to 5 is not the number of a residue", word);
}

/* ---- Places of frames -------------------------------------------------------------------------------------------- */

/* Makes room for one more item behind `count` items of a list, and returns the list; NULL: there is no memory. The list
 * doubles when it is full: at 1, 2, 4, 8 … items. */
static inline void *atoms_grow(const struct engine_file *file, void *list, uint64_t count, size_t item_bytes)
{
    if ((count & (count - 1)) != 0)
        return list;
    void *grown = file->allocate(file, (count ? 2 * count : 1) * item_bytes);
    if (!grown)
        return NULL;
    if (count > 0)
        memcpy(grown, list, count * item_bytes);
    file->release(file, list);
    return grown;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* The arrays that a file is written from, in the order of the format, of which the first is the position. */
struct atoms_arrays {
    struct engine_file_array at[ATOMS_ARRAYS_MAX];
    int index[ATOMS_ARRAYS_MAX]; /* in the file; -1: there is none */
    const char *const *labels;   /* of the species */
    uint32_t label_count;
};

static inline void atoms_find_arrays(const struct engine_file_content *content, const char *const *names, int count,
                                     struct atoms_arrays *arrays)
{
    arrays->labels = content->labels;
    arrays->label_count = content->label_count;
    for (int k = 0; k < count; k++) {
        arrays->index[k] = -1;
        for (uint32_t i = 0; i < content->arrays.count; i++)
            if (strcmp(content->arrays.at[i].name, names[k]) == 0) {
                arrays->index[k] = (int) i;
                arrays->at[k] = content->arrays.at[i];
            }
    }
}

/* Gets three real numbers of an atom, which are more than `least` and less than `most` to fit into narrow columns. `what`
 * and `unit` are for the message. */
static inline int atoms_get_reals(const struct engine_file *file, const struct atoms_arrays *arrays, int which,
                                  uint64_t atom, double least, double most, const char *what, const char *unit,
                                  double numbers[3])
{
    float narrow[3];
    const bool wide = arrays->at[which].shape.type == ENGINE_F64;
    const int code =
        file->get(file, (uint32_t) arrays->index[which], 3 * atom, 3, wide ? (void *) numbers : (void *) narrow);
    for (int i = 0; code == 0 && i < 3; i++) {
        numbers[i] = wide ? numbers[i] : (double) narrow[i];
        if (!(numbers[i] > least && numbers[i] < most))
            return ENGINE_FAIL_FILE(file,
                                    "atom %llu has the %s %g; expected %g to %g %s, because the columns of the "
                                    "format are narrow",
                                    (unsigned long long) atom + 1, what, numbers[i], least, most, unit);
    }
    return code;
}

/* Gets a whole number of an atom; `none` if there is no such array. */
static inline int atoms_get_integer(const struct engine_file *file, const struct atoms_arrays *arrays, int which,
                                    uint64_t atom, int64_t none, int64_t *number)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
    } as = {.i64 = 0};
    *number = none;
    if (arrays->index[which] < 0)
        return 0;
    const int code = file->get(file, (uint32_t) arrays->index[which], atom, 1, &as);
    switch (arrays->at[which].shape.type) {
    case ENGINE_I8:
        *number = (int64_t) as.i8;
        break;
    case ENGINE_U8:
        *number = as.u8;
        break;
    case ENGINE_I16:
        *number = as.i16;
        break;
    case ENGINE_U16:
        *number = as.u16;
        break;
    case ENGINE_I32:
        *number = as.i32;
        break;
    case ENGINE_U32:
        *number = as.u32;
        break;
    default:
        *number = as.i64;
    }
    return code;
}

/* Gets the name of an atom, which is that of its species, or X, X1, X2, … of species without names. `which` is the array
 * of species. */
static inline int atoms_get_label(const struct engine_file *file, const struct atoms_arrays *arrays, int which,
                                  uint64_t atom, char label[ATOMS_LABEL])
{
    int64_t species;
    const int code = atoms_get_integer(file, arrays, which, atom, 0, &species);
    if (species >= 0 && species < arrays->label_count && arrays->labels[species][0] != '\0')
        snprintf(label, ATOMS_LABEL, "%s", arrays->labels[species]);
    else if (species > 0)
        snprintf(label, ATOMS_LABEL, "X%lld", (long long) species);
    else
        strcpy(label, "X");
    return code;
}

#endif
