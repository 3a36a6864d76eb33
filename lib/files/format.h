/* A file format: how its files are recognised, read and written, and what the rest of the engine has to know of it. */
#ifndef LIB_FILES_FORMAT_H
#define LIB_FILES_FORMAT_H

#include "base/context.h"
#include "files/colours.h"
#include "files/document.h"

#include <string.h>

/* How a picture shows a volume. */
enum io_view { IO_PROJECTION, IO_SLICE };
enum { IO_MIDDLE = -1 };

/* How a snapshot stores its blocks. A reader accepts both. */
enum snapshot_compression { SNAPSHOT_DEFLATE, SNAPSHOT_STORE };

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
    bool lines;              /* pictures of grids: between large cells */
    bool captions;           /* pictures: a strip with a bar of a known length, the step and the time */
    double time_step;        /* captions: the time of a step; 0: not known */
    bool deep;               /* pictures of volumes and particles: nearer ones are brighter, and hide others */
    bool slab;               /* deep: only coordinates of the range `depth` are shown */
    double depth[2];         /* deep: the range along the axis of view; equal: chosen */
    uint64_t universe;       /* pictures of batches: the universe that is shown, from 1; 0: all, as tiles */
    uint32_t component;      /* pictures of grids of several components: the one that is shown, from 1; 0: none */
};

struct io_format {
    const struct engine_file_format *about; /* the same for libraries and for the engine's own */
    const struct context *context; /* records the calls of a library's functions; NULL: a format of the engine */
};

static inline bool io_has(const struct io_format *format, uint32_t flag)
{
    return (format->about->flags & flag) != 0;
}

/* Is the format read? Is it written? */
static inline bool io_reads(const struct io_format *format)
{
    return format->about->open != NULL;
}

static inline bool io_is_written(const struct io_format *format)
{
    return format->about->create != NULL || format->about->encode != NULL;
}

/* Are frames added to its files during a run? */
static inline bool io_grows(const struct io_format *format)
{
    return io_has(format, ENGINE_FORMAT_GROWS);
}

static inline bool io_is_picture(const struct io_format *format)
{
    return io_has(format, ENGINE_FORMAT_PICTURE);
}

/* Does a file hold the whole state of a run? snapshot_start writes it during a run. */
extern const struct engine_file_format snapshot_file_format;
static inline bool io_is_whole(const struct io_format *format)
{
    return format->about == &snapshot_file_format;
}

/* Does a file state the unit of its lengths? */
static inline bool io_keeps_length(const struct io_format *format)
{
    return format->about->length != ENGINE_LENGTH_UNKNOWN || io_has(format, ENGINE_FORMAT_UNITS);
}

/* Can a file also hold other arrays of particles than the one that it needs? */
static inline bool io_is_together(const struct io_format *format)
{
    return io_is_whole(format) || (format->about->arrays != NULL && strchr(format->about->arrays, ' ') != NULL);
}

#endif
