/* Files of arrays, one file a format.
 *
 * What a file holds, and what a simulation has to write, is a document: named arrays, each a canonical dense array in C
 * order that is read by ranges of elements, and a header of what pattern files say besides. A reader turns a path into
 * a document, a writer a document into a path; `engine convert` is one after the other, and nothing in between grows
 * with the grid. */
#ifndef CORE_IO_IO_H
#define CORE_IO_IO_H

#include "base/error.h"
#include "base/type.h"
#include "io/colours.h"

#include <stdio.h>
#include <string.h>

enum { IO_ARRAYS_MAX = 16, IO_RULE_MAX = 512, IO_NOTES_MAX = 8 };

struct io_array {
    char name[32];   /* of the field; "" where the file does not say */
    uint32_t values; /* elements take 0 … values - 1; 0: every value of the type */
    struct engine_shape shape;
    bool bins;       /* a histogram or profile; extent[0] is the number of bins */
    double range[2]; /* values that pictures show as black and white; the same: it does not say */
};

/* What a file says of where it comes from: "Seed", "42". Text may have several lines, of UTF-8. */
struct io_note {
    const char *key, *text;
};

/* What a file says besides its arrays. */
struct io_header {
    char rule[IO_RULE_MAX]; /* without bounded-grid suffix; "" where there is none */
    uint64_t grid[3];       /* size of the torus it lives on, x y z; 0 0 0: it does not say */
    bool placed;            /* it says where on that torus its first cell lies: */
    int64_t at[3];          /* there, x y z from the torus's first cell */
    uint64_t step;          /* generation; written, and 0 where it is not known */
    double box[6];          /* of particles: Lx Ly Lz xy xz yz; 0: open along that axis, or it does not say */
    uint32_t notes;         /* written by formats with room for them, not read; they live as long as the document */
    struct io_note note[IO_NOTES_MAX];
};

/* The value of a header's key that a parameter of a plugin may name as its file_key: "rule". "" where the header does not
 * have it. */
static inline const char *io_header_value(const struct io_header *header, const char *key)
{
    return strcmp(key, "rule") == 0 ? header->rule : "";
}

struct io_document {
    uint32_t count; /* of arrays */
    struct io_array arrays[IO_ARRAYS_MAX];
    struct io_header header;

    /* Writes elements [begin, begin + count) of one array to `out`. Ranges of a grid come in order, without gaps, each
     * once: a file is read as it is parsed. Arrays of particles may be read in any order, and again. Errors name the
     * file and, for text, the line. */
    int (*read)(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                struct engine_error *error);
    void (*close)(struct io_document *document); /* frees the document too */
    void *context;

    /* A file of frames opened by io_open_frames: how many there are, of which it holds one at a time; 0 or 1 else.
     * `next` goes on by so many frames, as the caller knows that there are: header.box and what the arrays hold change,
     * names, types and shapes stay. ENGINE_STATUS_INPUT. */
    uint64_t frames;
    int (*next)(struct io_document *document, uint64_t by, struct engine_error *error);
};

/* How a picture shows a volume. */
enum io_view { IO_PROJECTION, IO_SLICE };
enum { IO_MIDDLE = -1 };

struct io_options {
    uint32_t
        scale; /* PNG: pixels a cell along each axis, 1 or more; 0: chosen so that the picture is easy to look at */
    uint32_t threads; /* that may work on a file; 0: one a core */
    enum io_view view;
    uint32_t axis;    /* PNG of volumes: looked along, as the canonical array counts axes, 0 … 2 for z, y, x */
    int64_t slice;    /* IO_SLICE: cell along that axis, or IO_MIDDLE */
    double bounds[4]; /* PNG of particles, looked along `axis`: what it shows, left right bottom top; 0: chosen */
    uint32_t pixels;  /* and its longer side; 0: chosen */
    uint32_t rate;    /* films: frames a second; 0: 10 */
    double range[2];  /* PNG of grids: values that are black and white; the same: as the array says */
    enum io_colours colours; /* PNG: of shades; pictures of two values are black and white */
};

/* One of a series of files: the state at a step. */
struct io_member {
    const char *file; /* name in the folder of the series */
    uint64_t step;
};

/* A file that lists those of a series, in the same folder, for programs that open it as one (io_index_open). */
struct io_index_text {
    const char *ending;      /* "pvd" */
    const char *head, *tail; /* what stands before the members, and behind them */
    void (*put)(FILE *file, const struct io_member *member);
};

/* What the size of a file follows from. */
enum io_size {
    IO_SIZE_COMPRESSED, /* at most the bytes of the elements and a header */
    IO_SIZE_STORED,     /* the bytes of the elements and a header */
    IO_SIZE_PIXELS,     /* compressed pixels, scale x scale for each element */
    IO_SIZE_TEXT        /* numbers written out */
};

struct io_format {
    const char *name;    /* "rle": its word in [output] formats and its file name's ending */
    const char *help;    /* one line */
    const char *endings; /* file names it is known by: ".rle .rle.gz" */
    bool together;       /* a file holds all arrays that go with the one that it is written for */
    bool picture;        /* what it shows of particles lies within the options' bounds */
    bool notes;          /* it has room for a header's notes */
    bool whole;          /* a file holds all there is of a run, which snapshot_start writes where there is one */
    enum io_size size;   /* for the estimate of disk space */
    bool table;          /* a file holds all arrays of as many bins, the first of which it is written for */
    /* Can this array be written so? NULL: a format that is only read. */
    bool (*writes)(const struct io_array *array);
    /* Opens a file. NULL: a format that is only written. *document is NULL after an error. ENGINE_STATUS_INPUT. */
    int (*open)(const char *path, struct io_document **document, struct engine_error *error);
    /* The same, of a file of frames: at the first one. NULL: files of this format have one. */
    int (*open_frames)(const char *path, struct io_document **document, struct engine_error *error);
    /* Writes a new file at path, whole or not at all as far as one process can (the caller gives a temporary name and
     * renames). ENGINE_STATUS_OUTPUT. */
    int (*write)(const char *path, struct io_document *document, const struct io_options *options,
                 struct engine_error *error);

    /* Adds the document to the file at path as its next frame; `temporary` is a name beside it that may be used and is
     * free again. After an error the file is as before, as far as one process can. NULL: files are written once. */
    int (*append)(const char *path, const char *temporary, struct io_document *document,
                  const struct io_options *options, struct engine_error *error);

    const struct io_index_text *index; /* NULL: files of this format are not listed */
};

/* The format of that name, or NULL; formats in order, NULL at the end. */
const struct io_format *io_format_named(const char *name);
const struct io_format *io_format_at(uint32_t index);

/* Names of the formats that are written, for nearest_hint; `list` is not used. */
const char *io_written_at(const void *list, uint32_t index);

/* The format that a file name's ending means, or NULL. */
const struct io_format *io_format_of_path(const char *path);

/* Opens a file of any format that is read, known by its first bytes (also gzip-ed), and where those do not tell, by its
 * ending. Of several frames it holds the last. Refuses what is no regular file. */
int io_open(const char *path, struct io_document **document, struct engine_error *error);

/* The same, at the first frame, with those behind it to come. */
int io_open_frames(const char *path, struct io_document **document, struct engine_error *error);

/* Writes to a temporary name beside path and renames it there; the first array that the format writes is written. */
int io_write(const struct io_format *format, const char *path, struct io_document *document,
             const struct io_options *options, struct engine_error *error);

/* Adds the document to a file that io_write wrote in this format, which has `append`. */
int io_append(const struct io_format *format, const char *path, struct io_document *document,
              const struct io_options *options, struct engine_error *error);

/* Takes from a film what came after a step, or what was cut short, so that frames can be added again. ENGINE_STATUS_OUTPUT,
 * where there is no such film, too. */
int io_film_cut(const char *path, uint64_t step, struct engine_error *error);

/* Chooses the bounds for pictures of particles by what the document holds, where there are none yet: so that later ones
 * of a series show the same. */
int io_fix_bounds(struct io_document *document, struct io_options *options, struct engine_error *error);

/* The index of a series that grows. The file at its path is whole at any time, and one more member costs the same after
 * a million as after one. */
struct io_index;

/* For a format that has an index; nothing is written yet. NULL: no memory, which is recorded. */
struct io_index *io_index_open(const struct io_format *format, const char *path, struct engine_error *error);

/* Adds a member, whose name the index does not copy, to what the next io_index_write writes. ENGINE_STATUS_DEVICE. */
int io_index_add(struct io_index *index, const struct io_member *member, struct engine_error *error);

/* Has all members listed in the file. `last`: no more are to come, and nothing is kept for them. ENGINE_STATUS_OUTPUT: the
 * file is as before. */
int io_index_write(struct io_index *index, bool last, struct engine_error *error);

const char *io_index_path(const struct io_index *index);

/* The file stays; NULL is passed over. */
void io_index_close(struct io_index *index);

#endif
