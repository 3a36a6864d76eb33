/* What a data file of LAMMPS holds, in memory. */
#ifndef FORMATS_LAMMPSDATA_DATA_H
#define FORMATS_LAMMPSDATA_DATA_H

#define ENGINE_FORMAT_NEEDS 4 /* for remarks */
#include <engine/format_cell.h>
#include <engine/format_text.h>

#include <stdbool.h>
#include <stddef.h>

enum { DATA_TYPES = 256, DATA_LABEL = 16, DATA_SKIPPED = 256 };

/* The columns of a style of atoms, counted from 0; -1: there is none. */
struct data_style {
    const char *name;
    int type, molecule, charge, position, columns; /* without the images */
};

struct data_atom {
    int64_t id, type, molecule;
    double charge, position[3], velocity[3];
};

struct data {
    uint64_t count;          /* of atoms, by the head */
    struct data_atom *atoms; /* sorted by id; NULL: the section was not read */
    struct data_style style;
    bool velocities, masses, images;
    double low[3], high[3], tilts[3], vectors[9], corner[3];
    bool general; /* the box has three vectors */
    struct engine_cell cell;
    double mass[DATA_TYPES];
    char label[DATA_TYPES][DATA_LABEL];
    const char *labels[DATA_TYPES];
    int64_t types; /* the largest type of an atom */
    bool labelled; /* labels are of the section of type labels, and atoms may have them for numbers */
    char skipped[DATA_SKIPPED];
    /* while the file is read: */
    struct engine_lines lines;
};

/* A line without its comment, in words. */
enum { DATA_WORDS = 24 };
struct data_words {
    char text[ENGINE_LINE_MAX];
    char *at[DATA_WORDS];
    int count;           /* at most DATA_WORDS */
    const char *comment; /* behind the first #, or NULL; in the line that was read */
};

int data_next(const struct engine_file *file, struct data *data, struct data_words *words, bool *found);
bool data_is_section(const struct data_words *words);
int64_t data_find_type(const struct data *data, const char *word);
int data_read(const struct engine_file *file, struct data *data);
int data_read_atoms(const struct engine_file *file, struct data *data, const char *style, struct data_words *words,
                    bool *more);
int data_read_velocities(const struct engine_file *file, struct data *data, struct data_words *words, bool *more);

#endif
