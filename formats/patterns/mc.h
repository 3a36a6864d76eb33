/* Macrocell files: mc_parse.c reads the squares of a file, mc.c the cells, and mc_write.c writes files. */
#ifndef FORMATS_PATTERNS_MC_H
#define FORMATS_PATTERNS_MC_H

#include "files/text_file.h"
#include "formats/patterns/pattern.h"

/* The level of the smallest squares of a file, of 2^level cells along an axis. */
enum { MC_LEAF_TWO = 3, MC_LEAF_MANY = 1 };

struct mc_node {
    uint32_t level;
    uint32_t child[4]; /* nw ne sw se: numbers of nodes, or states of a leaf. Of 8 x 8 cells: bits in [0] and [1] */
};

/* Two by two neighbouring squares of one level, which contain all live cells. */
struct mc_block {
    uint32_t level;
    uint32_t at[4];    /* nw ne sw se */
    bool near;         /* the middle is known: */
    int64_t middle[2]; /* of the four squares, x y from the middle of the root */
};

struct mc {
    struct pattern pattern;
    struct mc_node *nodes; /* from 1 on; node 0 is not used */
    bool *empty;           /* the node has no live cell */
    uint64_t *top;         /* the first row of a node that has one, if the node lies in the block */
    uint64_t count, capacity;
    uint32_t leaf;    /* level of leaves; 0: no node was read */
    uint32_t highest; /* level of a node */
    uint8_t largest;  /* state */
    struct mc_block block;
    uint64_t from[2];    /* column and row of the block where the array begins */
    uint64_t span[2];    /* columns and rows that contain the live cells */
    int64_t position[2]; /* of the first live cell's column and row, in Golly's coordinates, if `placed` is set: */
    bool placed;         /* the position is known, and no cell is outside of the grid of the file */
    bool wide; /* the span has more cells than an array can have: the array has one cell, which cannot be read */
};

/* Reads all lines of a file into *mc, which is 0 before, and the rule, the grid and the step into the header. The
 * caller frees the arrays of *mc, also after an error. */
int mc_parse(struct text_file *text, struct mc *mc, struct pattern_header *header);

/* The function `write` of the format. */
int mc_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);

#endif
