/* A file that is drawn, as a document that a format writes. */
#ifndef LIB_JUDGE_CONFORM_FILE_DRAW_H
#define LIB_JUDGE_CONFORM_FILE_DRAW_H

#include "files/io.h"

/* The members of a file. Each is a number, and the smaller it is, the simpler is the file. */
enum member {
    KIND, /* particles, or a grid */
    FRAMES,
    PARTICLES,
    X,
    Y,
    Z,
    RANK,
    TYPE, /* of a grid; of the real numbers of particles 8 or 9 */
    COMPONENTS,
    VALUES, /* of cells: 2, all, or so many */
    BATCH,
    ARRAYS,  /* of particles besides the positions: a bit for each */
    LABELS,  /* names of species */
    LETTERS, /* of a name */
    EDGES,   /* of the box: one for all, or three; the last ones with tilts */
    SCALE,   /* a power of ten: how large the numbers are */
    STEP,    /* of the first frame: a power of ten */
    STRIDE,
    RULE, /* of a pattern */
    PACKED,
    MEMBERS
};

struct file_member {
    const char *name;
    uint32_t least, most;
};
extern const struct file_member file_members[MEMBERS];

struct file_draw {
    uint64_t number;
    uint32_t at[MEMBERS];
};

/* The document of a file. */
struct drawn_file {
    const struct file_draw *draw;
    struct io_document document;
    uint64_t frame;
    char names[16][16];
    const char *labels[16];
};

/* Draws file `number`, the same on every machine, of which a file of the format holds something. */
struct file_draw file_draw(const struct io_format *format, uint64_t number);

/* Makes the document of a draw, at its first frame. The document lives in *file. */
void file_document_make(const struct io_format *format, const struct file_draw *draw, struct drawn_file *file);

/* Moves the document back to its first frame. */
void file_document_rewind(struct drawn_file *file);

/* The arrays that a file of the format holds: a bit for each. */
uint32_t file_document_held(const struct io_format *format, const struct drawn_file *file);

#endif
