/* A macrocell file that is written: mc_nodes.c writes its squares, mc_squares.c makes them of a tree, and mc_write.c of the
 * cells of a grid. */
#ifndef FORMATS_PATTERNS_MC_WRITER_H
#define FORMATS_PATTERNS_MC_WRITER_H

#include "files/squares.h"
#include "formats/patterns/mc.h"

enum { MC_LEVELS = 64 };

/* A square that was written. One without a number is a free place of a table. */
struct mc_known {
    uint64_t content[2];
    uint32_t level, number;
};

/* A square with live cells, in a row of squares of its level. Up to the level of leaves its value is its content, above
 * it is the number of the square in the file. */
struct mc_square {
    uint64_t x;
    uint64_t value;
};

struct mc_row {
    struct mc_square *at; /* by ascending x */
    uint64_t count, capacity;
};

struct mc_writer {
    const struct engine_file *file;
    FILE *stream; /* that writes to it */
    bool many;    /* more than two states */
    struct mc_known *known;
    uint64_t slots; /* a power of 2 */
    uint32_t count; /* of squares in the file */
    struct mc_level {
        struct mc_row upper; /* the row that waits for the one below it */
        uint64_t y;          /* its place */
        bool waits;
        struct mc_row joined; /* what became of two rows of the level below */
    } levels[MC_LEVELS];
    uint32_t root; /* level of the root */
};

/* Records the error of the stream. */
int mc_write_error(const struct mc_writer *writer);

/* Gives the value of a square of this level with four quarters, at least one of which has live cells. A square of leaves, or
 * a larger one, is written if it is new. Below the leaves of two states, a square is a raster with rows of 8 bits. */
int mc_join(struct mc_writer *writer, uint32_t level, const uint64_t quarters[4], uint64_t *value);

/* The level of the smallest root in which the cells [begin, end) lie, of columns and rows of Golly. */
uint32_t mc_root_level(bool many, const int64_t begin[2], const int64_t end[2]);

/* Are the squares of a tree small enough for the root of writer->root? */
bool mc_takes_squares(const struct mc_writer *writer, const struct io_squares *squares);

/* Writes the squares of a tree. */
int mc_put_squares(struct mc_writer *writer, const struct io_squares *squares);

#endif
