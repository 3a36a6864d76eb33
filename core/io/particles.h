/* Particles in files: what the formats of particles share.
 *
 * Their arrays are called as fields are: position, velocity (3 components each), mass, species (whole numbers from 0),
 * id; others as the file calls them. */
#ifndef CORE_IO_PARTICLES_H
#define CORE_IO_PARTICLES_H

#include "io/io.h"
#include "io/text_file.h"

/* ---- Reading: rows are added one by one, so that a file's own word about their number allocates nothing --------- */

enum { PARTICLES_SYMBOLS_MAX = 256, PARTICLES_SYMBOL_SIZE = 16 };

struct particles_column {
    char name[32];
    uint32_t type; /* ENGINE_F32, ENGINE_F64 or ENGINE_I64 */
    uint32_t components;
    void *at; /* of the rows, in C order */
};

struct particles {
    uint32_t count; /* of columns */
    struct particles_column columns[IO_ARRAYS_MAX];
    uint64_t rows, room;
    struct io_header header;
    uint32_t symbols; /* that stand for species, in the order in which they were first met */
    char symbol[PARTICLES_SYMBOLS_MAX][PARTICLES_SYMBOL_SIZE];
};

/* Adds a column, before there are rows. Returns its number, or -1 where there are IO_ARRAYS_MAX already. */
int particles_add_column(struct particles *particles, const char *name, uint32_t type, uint32_t components);

/* The column of that name, or -1. */
int particles_find(const struct particles *particles, const char *name);

/* Adds a row, which the caller fills. */
int particles_add_row(struct particles *particles, struct engine_error *error);

/* Without columns, rows and header, as at the beginning, but for the symbols; frees what they took. */
void particles_clear(struct particles *particles);

/* Sorts the rows by a column of ENGINE_I64. PARTICLES_TWICE where two rows have the same number there, *twice. */
enum { PARTICLES_TWICE = -1 };
int particles_sort(struct particles *particles, int column, int64_t *twice, struct engine_error *error);

/* Makes a document of what `fill` reads from the file: the array position first, which has to be there, then the
 * others. Its arrays may be read in any order. ENGINE_STATUS_INPUT. */
int particles_open(const char *path,
                   int (*fill)(const char *path, struct particles *particles, struct engine_error *error),
                   struct io_document **document, struct engine_error *error);

/* Files of frames, one behind the other. */
struct particles_frames {
    int (*open)(const char *path, void **file, struct engine_error *error);
    /* Reads the next frame into `particles`, which are cleared, or passes over it where that is NULL. *found is false
     * behind the last frame; a frame that is cut short is an error. */
    int (*next)(void *file, struct particles *particles, bool *found, struct engine_error *error);
    void (*close)(void *file);
};

/* Makes a document of the last frame, or one that goes through all of them. ENGINE_STATUS_INPUT. */
int particles_open_last(const char *path, const struct particles_frames *frames, struct io_document **document,
                        struct engine_error *error);
int particles_open_frames(const char *path, const struct particles_frames *frames, struct io_document **document,
                          struct engine_error *error);

/* What a row of a text file becomes, word by word. */
enum particles_use { PARTICLES_SKIP, PARTICLES_REAL, PARTICLES_INTEGER, PARTICLES_FROM_ONE, PARTICLES_SYMBOL };
enum { PARTICLES_WORDS_MAX = 128 };

struct particles_row {
    uint32_t words;
    struct {
        enum particles_use use; /* FROM_ONE: types from 1, species from 0. SYMBOL: numbered in the order they appear */
        int column;
        uint32_t component;
    } word[PARTICLES_WORDS_MAX];
};

/* Adds a word to the row; false: there are PARTICLES_WORDS_MAX. */
bool particles_add_word(struct particles_row *row, enum particles_use use, int column, uint32_t component);

/* Adds a row of particles from a line of text that text_file_line read. */
int particles_parse_row(struct particles *particles, const struct particles_row *row, const struct text_file *text,
                        char *line, struct engine_error *error);

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* Can this array be the positions: floating-point numbers, three a particle, of that name or of none? (n, 3) in a .npy
 * file, an array of two axes, is so too. */
bool particles_are_positions(const struct io_array *array);

/* What is about to be written: arrays of as many particles as there are positions, the positions first. */
struct particles_output {
    struct io_document *document;
    uint64_t count;
    uint32_t columns;
    struct {
        uint32_t array; /* of the document */
        uint32_t type, components;
    } column[IO_ARRAYS_MAX];
    int species; /* the array of that name, which is whole numbers and no column; -1: none */
    gzFile file;
};

/* A format of particles in text. */
struct particles_text {
    /* Is the array, of real or whole numbers and not the positions, written? */
    bool (*takes)(const struct io_array *array);
    int (*head)(struct particles_output *output, struct engine_error *error);
    /* Writes what stands in a row before its numbers: index from 0, and the species or -1. Returns the characters, at
     * most 63. */
    int (*row)(char *out, uint64_t index, int64_t species);
};

/* Writes the document's particles to a new file, gzip-ed where its name says so; numbers so that they give the same
 * bits again. ENGINE_STATUS_OUTPUT. */
int particles_write(const char *path, struct io_document *document, const struct particles_text *text,
                    struct engine_error *error);

/* For head: writes text as printf does. */
int particles_print(struct particles_output *output, struct engine_error *error, const char *format, ...)
    ENGINE_PRINTF(3, 4);

/* The least and the greatest of the positions in an array of the document, along each axis. */
int particles_bounds(struct io_document *document, uint32_t array, double least[3], double greatest[3],
                     struct engine_error *error);

#endif
