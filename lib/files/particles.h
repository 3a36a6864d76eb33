/* Particles in files. All formats of particles use these functions.
 *
 * Arrays have the names of fields: position and velocity (3 components), mass, species (whole numbers from 0) and id.
 * Other arrays have the names that the file gives. */
#ifndef LIB_FILES_PARTICLES_H
#define LIB_FILES_PARTICLES_H

#include "files/common.h"
#include "files/text_file.h"

#include <engine/format_cell.h>
#include <stdio.h>

/* ---- Reading: rows are added one by one, so that no memory is taken for a number that a file states -------------- */

enum { PARTICLES_SYMBOLS_MAX = IO_SYMBOLS_MAX };

struct particles_column {
    char name[32];
    uint32_t type; /* ENGINE_F32, ENGINE_F64 or ENGINE_I64 */
    uint32_t components;
    void *at; /* the rows, in C order */
};

struct particles {
    uint32_t count; /* of columns */
    struct particles_column columns[IO_ARRAYS_MAX];
    uint64_t rows, capacity;
    struct engine_file_frame frame; /* step, time, box and corner */
    char skipped[IO_SKIPPED_MAX], remarks[IO_REMARKS_MAX];
    bool many;        /* a symbol was one too many, or too long: the species of all frames are left out */
    uint32_t symbols; /* of species 0, 1, …; "" where the file has types without a symbol */
    char symbol[PARTICLES_SYMBOLS_MAX][IO_SYMBOL_SIZE];
};

/* Adds a column, before there are rows. Returns its number, or -1 where there are IO_ARRAYS_MAX columns. */
int particles_add_column(struct particles *particles, const char *name, uint32_t type, uint32_t components);

/* Returns the column of that name, or -1. */
int particles_find(const struct particles *particles, const char *name);

/* Adds a row, which the caller fills in. */
int particles_add_row(struct particles *particles, const struct engine_file *file);

/* Removes columns, rows and header and frees their memory. The symbols stay. */
void particles_clear(struct particles *particles);

/* Sorts the rows by a column of ENGINE_I64. Returns PARTICLES_DUPLICATE where two rows have the same number
 * *duplicate. */
enum { PARTICLES_DUPLICATE = -1 };
int particles_sort(struct particles *particles, int column, int64_t *duplicate, const struct engine_file *file);

/* Sets the box of the frame, and turns its vectors if the cell is turned. `corner` is where the cell begins. */
void particles_turn(struct particles *particles, const struct engine_cell *cell, const double corner[3]);

/* Leaves out the species, if their symbols are too many. */
void particles_drop_species(struct particles *particles);

/* A file that is a series of frames of text. It has ENGINE_FORMAT_PACKED, ENGINE_FORMAT_RANGES and
 * ENGINE_FORMAT_VARIES. */
struct particles_frames {
    size_t bytes; /* of what the format keeps, which is 0 at first */
    /* Reads the next frame into `particles`, which have no columns before, or skips it where `particles` is NULL.
     * *found is false after the last frame. A frame that is cut short is an error. */
    int (*next)(void *kept, struct text_file *text, struct particles *particles, bool *found);
};

/* The functions of such formats. The particles need positions, which become the first array. */
int particles_open(const struct engine_file *file, struct engine_file_content *content, void **self,
                   const struct particles_frames *frames);
int particles_frame(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame);
int particles_read(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                   uint64_t count, void *out);
void particles_close(const struct engine_file *file, void *self);

/* How the words of a row of a text file are used. */
enum particles_use {
    PARTICLES_SKIP,
    PARTICLES_REAL,
    PARTICLES_INTEGER,
    PARTICLES_FROM_ONE, /* types from 1 become species from 0 */
    PARTICLES_SYMBOL,   /* symbols become species, numbered as they appear */
    PARTICLES_LABEL     /* the symbol of a species that another word of the row gives */
};
enum { PARTICLES_WORDS_MAX = 128 };

struct particles_row {
    uint32_t words;
    struct {
        enum particles_use use;
        int column; /* of SYMBOL and LABEL: that of the species */
        uint32_t component;
    } word[PARTICLES_WORDS_MAX];
};

/* Adds a word to the row. Returns false where there are PARTICLES_WORDS_MAX words. */
bool particles_add_word(struct particles_row *row, enum particles_use use, int column, uint32_t component);

/* Adds a row of particles from a line that text_file_line read. */
int particles_parse_row(struct particles *particles, const struct particles_row *row, const struct text_file *text,
                        char *line);

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* Can this array be positions? It has three floating-point numbers per particle, and the name position or none. An
 * array of two axes, (n, 3) in a .npy file, is one too. */
bool particles_are_positions(const struct engine_file_array *array);

/* Can the array, which is not the positions, be a column? It has a name, real or whole numbers, and a row for each
 * particle. */
bool particles_takes(const struct engine_file_array *array);

/* The arrays of a frame that are written: the positions, and then the others with as many particles. */
struct particles_output {
    const struct engine_file *file;
    const struct engine_file_frame *frame;
    uint64_t count;
    uint32_t columns;
    uint32_t column[IO_ARRAYS_MAX]; /* numbers of the arrays */
    int species;                    /* number of the array species, which is not a column; -1: none */
    int id;                         /* number of the array id, if the format writes ids before the columns; -1: none */
    FILE *stream;
};

/* A column's array. */
static inline const struct engine_file_array *particles_array(const struct particles_output *output, uint32_t column)
{
    return &output->frame->content->arrays.at[output->column[column]];
}

/* A text format of particles. */
struct particles_text {
    bool ids; /* the row begins with an id, which is not a column */
    /* Writes the lines before the rows. */
    int (*head)(struct particles_output *output);
    /* Writes the beginning of a row, before its numbers. `id` is that of the array id, or else counts from 1; species
     * is -1 where there is none. Returns the number of characters, at most 63. */
    int (*row)(const struct particles_output *output, char *out, int64_t id, int64_t species);
    /* Is the species, numbered from 1, the last number of a row? NULL: never. */
    bool (*ends_with_type)(const struct particles_output *output);
};

/* Writes a frame of particles. Numbers have so many digits that reading them gives the same bits. Refuses numbers that
 * are not finite, which no reader here accepts. */
int particles_write(const struct engine_file *file, const struct engine_file_frame *frame,
                    const struct particles_text *text);

/* The symbol of a species, or "X" where it has none. */
const char *particles_symbol(const struct engine_file_content *content, int64_t species);

/* Refuses a number of a particle that is infinite or not a number. */
int particles_refuse_number(const struct engine_file *file, const char *name, uint64_t row);

/* Writes text as printf does, for `head`. */
int particles_print(struct particles_output *output, const char *format, ...) ENGINE_PRINTF(2, 3);

/* Finds where the box begins and ends along each axis. An open axis has the bounds of the particles, or is 1 wide if all
 * particles lie in one plane. */
int particles_bounds(const struct particles_output *output, double least[3], double greatest[3]);

#endif
