/* A file format: how its files are recognised, read and written, and what the rest of the engine has to know of it. */
#ifndef CORE_IO_FORMAT_H
#define CORE_IO_FORMAT_H

#include "io/colours.h"
#include "io/document.h"

#include <stdio.h>

/* How a picture shows a volume. */
enum io_view { IO_PROJECTION, IO_SLICE };
enum { IO_MIDDLE = -1 };

/* How a snapshot stores its blocks. A reader accepts both. */
enum snapshot_compression { SNAPSHOT_DEFLATE, SNAPSHOT_STORE };

struct io_format;

/* How a file is written. Zeros are the defaults. */
struct io_options {
    uint32_t scale;   /* pictures of grids: pixels per cell along each axis; 0: chosen by the size of the grid */
    uint32_t threads; /* that may work on a file; 0: one per processor */
    enum io_view view;
    uint32_t axis; /* pictures of volumes: the line of sight, as the canonical array counts axes, 0 … 2 for z, y, x */
    int64_t slice; /* IO_SLICE: the cell along that axis, or IO_MIDDLE */
    double bounds[4];        /* pictures of particles: left right bottom top; 0: chosen */
    uint32_t pixels;         /* pictures of particles: the longer side; 0: chosen */
    double white;            /* pictures of particles: how many behind a pixel are brightest; 0: chosen */
    bool weigh;              /* pictures of particles: show their mass, in units of its mean, and not their number */
    bool size_by_mass;       /* pictures of particles: a heavier particle is a larger disc */
    uint32_t rate;           /* films: frames per second; 0: 10 */
    double range[2];         /* pictures of grids: values that are black and white; equal: as the array says */
    enum io_colours colours; /* of shades; without colours of their own, pictures of two values are black and white */
    bool gzip;               /* text: compressed; io_write decides by the file's name */
    uint64_t universe;       /* pictures of batches: the universe that is shown, from 1; 0: all, as tiles */
    uint32_t component;      /* pictures of grids of several components: the one that is shown, from 1; 0: none */
    const struct io_format *format; /* that is written; io.c sets it */
};

/* One file of a series: the state at a step. */
struct io_member {
    const char *file; /* its name in the folder of the series */
    uint64_t step;
};

/* The text of an index: a file that lists the files of a series, in the same folder, for programs that open the whole
 * series. io/index.h writes it. */
struct io_index_text {
    const char *ending;      /* "pvd" */
    const char *head, *tail; /* the text before the members and after them */
    void (*put)(FILE *file, const struct io_member *member);
};

/* How many bytes a file takes. The estimate of a run's disk space uses it. */
enum io_size {
    IO_SIZE_COMPRESSED, /* at most the bytes of the array and 4 KiB */
    IO_SIZE_EXACT,      /* the bytes of the array and a header of at most 128 */
    IO_SIZE_PICTURE,    /* at most a byte per pixel */
    IO_SIZE_FLOATS,     /* four bytes per element and at most 512 */
    IO_SIZE_TEXT,       /* a decimal number per element */
    IO_SIZE_TREE        /* at most eight bytes per element and 4 KiB */
};

/* Parts of a header. Snapshots and patterns keep the rule. */
enum {
    IO_KEEPS_STEP = 1u << 0,
    IO_KEEPS_TIME = 1u << 1,
    IO_KEEPS_BOX = 1u << 2,
    IO_KEEPS_SYMBOLS = 1u << 3, /* of species */
    IO_KEEPS_RULE = 1u << 4,
    IO_KEEPS_CORNER = 1u << 5, /* of the box */
    IO_KEEPS_LENGTH = 1u << 6  /* the unit of lengths */
};

struct loaded;

struct io_format {
    const char *name;    /* "rle": its name in [output] formats, and the ending of its files */
    const char *help;    /* one line */
    const char *endings; /* of file names, separated by spaces: ".rle .rle.gz" */
    enum io_size size;
    bool together; /* a file also holds the other arrays that `takes` accepts and that have as many rows */
    bool (*takes)(const struct io_array *array); /* see `together` */
    bool frames;                                 /* `write` writes all frames of a document that has several */
    bool even;                                   /* its frames have evenly spaced steps */
    uint32_t keeps;                              /* IO_KEEPS_…: what a file holds of a header */
    bool picture;                                /* particles are shown within the bounds of the options */
    bool notes;                                  /* a file can hold the notes of a header */
    bool whole; /* a file holds the whole state of a run; snapshot_start writes it during a run */
    bool batch; /* a file can hold a batch of grids */
    bool table; /* a file holds all arrays with as many bins as the first one, for which it is written */

    /* Do the bytes [at, end) begin a file of this format? NULL: io.c knows the first bytes. */
    bool (*begins)(const unsigned char *at, const unsigned char *end);
    /* Can this array be written? NULL: the format is only read. */
    bool (*writes)(const struct io_array *array);
    /* Opens a file. NULL: the format is only written. *document is NULL after an error. ENGINE_STATUS_INPUT. */
    int (*open)(const char *path, struct io_document **document, struct engine_error *error);
    /* Opens a file of frames at its first frame. NULL: files of this format have one frame. */
    int (*open_frames)(const char *path, struct io_document **document, struct engine_error *error);
    /* Writes an empty file, which is open for reading and writing and stays open: the document's frame, and with
     * `frames` those that follow. ENGINE_STATUS_OUTPUT, without the file's name: the caller puts it in front. Errors of
     * document->read are returned as they are. */
    int (*write)(int file, struct io_document *document, const struct io_options *options, struct engine_error *error);

    /* Adds the document as the last frame to a film, which is open for reading and writing and stays open. After an
     * error the film is as before. NULL: a file holds one frame. */
    int (*append)(int film, struct io_document *document, const struct io_options *options, struct engine_error *error);
    /* Removes the frames after a step, and a frame that was cut short, so that frames can be added again. `frames` is
     * the number of frames up to that step. ENGINE_STATUS_OUTPUT, without the file's name. NULL where append is
     * NULL. */
    int (*cut)(int film, uint64_t step, uint64_t frames, struct engine_error *error);

    /* The format of the films of which `encode` makes a file of this format, when a run ends; NULL: outputs are written
     * in this format when they are due. Both files are open and stay open. ENGINE_STATUS_OUTPUT, without the file's
     * name. */
    const struct io_format *film;
    int (*encode)(int film, int file, const struct io_options *options, struct engine_error *error);
    /* Checks that this machine has what the format needs. NULL: it needs nothing. ENGINE_STATUS_OUTPUT. */
    int (*check)(struct engine_error *error);

    const struct io_index_text *index; /* NULL: a series of these files has no index */

    /* A format with the descriptor of engine/format.h: io.c calls the functions of io/loaded.h instead of open,
     * open_frames, begins, writes, takes and cut, which are NULL. NULL: all other formats. */
    const struct loaded *loaded;
};

/* The formats, for io.c. The rest of the core finds them by io_format_named. */
extern const struct io_format io_rle, io_rle3, io_npy, io_vti, io_png, io_apng, io_mp4, io_cells, io_life106,
    io_life105, io_mcl, io_mc;
extern const struct io_format io_xyz, io_lammpstrj, io_tipsy, io_dcd;
extern const struct io_format io_csv, io_svg, io_snapshot;

#endif
