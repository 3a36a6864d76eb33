/* engine/format.h - the binary interface between the engine and a file format.
 *
 * This is the only file that a format needs, with engine/plugin.h, which it includes. It compiles alone as C11, C17 and
 * C++17. engine/format_text.h and engine/format_cell.h are optional helpers for formats of text and for cells of any
 * orientation.
 *
 * A format is a shared object NAME.format.so that exports one data symbol, `engine_file_format`, which is its
 * descriptor. It stands in a folder of plugins. There are no constructors and no registration calls. The engine checks
 * the first member of the descriptor before it calls any function of the format. Formats that are part of the engine
 * have the same descriptor.
 *
 * The engine pulls: it opens a file, asks what the file holds, and then asks for the elements that it needs, frame by
 * frame. In the same way, a writer pulls the elements of a frame from the engine. So nobody holds more of a file in
 * memory than is needed. docs/explain/why-the-engine-pulls.md explains this with three formats.
 *
 * Files. The engine opens, reads and writes the file; `struct engine_file` has the functions for it. So a format needs
 * no library. A format that uses a library which opens files itself takes `path`.
 *
 * Threads. One thread calls `open`, `create`, `write`, `finish` and `close` of a file, and no other function of that
 * file runs at the same time. Several threads may call `frame` and `read` of one file at the same time, so these two do
 * not change what `self` points to, except with ENGINE_FORMAT_RANGES. A format keeps no writable global variables.
 *
 * Pointers. A pointer that the engine passes is valid until the function returns. What a format stores in `struct
 * engine_file_content`, and the memory of `allocate`, is valid until `close` returns.
 *
 * Trust. A file may be damaged or malicious, but the format is trusted code. A format checks every size that a file
 * states against the size of the file before it allocates memory for it or reads with it.
 *
 * Versions are those of engine/plugin.h, with numbers of their own: structures only grow at their end, and each
 * addition raises ENGINE_FORMAT_MINOR. */
#ifndef ENGINE_FORMAT_H
#define ENGINE_FORMAT_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_FORMAT_MAJOR 1         /* an engine of another major version does not load the format */
#define ENGINE_FORMAT_MINOR 5         /* the newest minor version that this header knows */
#define ENGINE_FORMAT_MAGIC "ENGFORM" /* with its terminating zero */

/* A format that needs members or flags of a later minor version asks for it before the include, and then sees the
 * members under their names. An engine of an earlier version does not load such a format. No engine loads a format with
 * a flag of a later version than the one that the format asks for.
 *
 *     #define ENGINE_FORMAT_NEEDS 1
 */
#ifndef ENGINE_FORMAT_NEEDS
#define ENGINE_FORMAT_NEEDS 0
#endif
#if ENGINE_FORMAT_NEEDS > ENGINE_FORMAT_MINOR
#error "ENGINE_FORMAT_NEEDS is newer than this header: compile with the header of a newer engine"
#endif
#if ENGINE_FORMAT_NEEDS >= 1
#define ENGINE_FORMAT_1_1(member) member
#else
#define ENGINE_FORMAT_1_1(member) member##_since_1_1
#endif
#if ENGINE_FORMAT_NEEDS >= 2
#define ENGINE_FORMAT_1_2(member) member
#else
#define ENGINE_FORMAT_1_2(member) member##_since_1_2
#endif
#if ENGINE_FORMAT_NEEDS >= 3
#define ENGINE_FORMAT_1_3(member) member
#else
#define ENGINE_FORMAT_1_3(member) member##_since_1_3
#endif
#if ENGINE_FORMAT_NEEDS >= 4
#define ENGINE_FORMAT_1_4(member) member
#else
#define ENGINE_FORMAT_1_4(member) member##_since_1_4
#endif
#if ENGINE_FORMAT_NEEDS >= 5
#define ENGINE_FORMAT_1_5(member) member
#else
#define ENGINE_FORMAT_1_5(member) member##_since_1_5
#endif

/* ---- What a file holds ------------------------------------------------------------------------------------------ */

/* The unit of the lengths in a file. The engine converts between the known ones. */
enum {
    ENGINE_LENGTH_UNKNOWN = 0, /* the file does not state it, and neither does its format */
    ENGINE_NANOMETRE = 1,
    ENGINE_ANGSTROM = 2
};

/* A named array: one of the fields of a simulation. Its elements are those of the canonical array, see engine/plugin.h.
 * Formats of particles use these names: position, velocity, force (3 components), mass, charge, species (a whole number
 * from 0), id and residue (any whole number). */
struct engine_file_array {
    const char *name; /* at most 31 characters; "": the file gives no name */
    uint32_t kind;    /* ENGINE_GRID, ENGINE_PARTICLES or ENGINE_BINS */
    uint32_t values;  /* cells take 0 … values - 1; 0: every value of the type */
    int32_t lengths;  /* the power of the length in its unit: 1 for positions and velocities, -1 for forces, or 0 */
#if ENGINE_FORMAT_NEEDS >= 3
    uint32_t batch; /* 1: the last axis counts universes, which are separate grids; otherwise 0 */
#else
    uint32_t reserved; /* 0 */
#endif
    struct engine_shape shape; /* the same in all frames of a file */
    /* Writing a part of a grid: its first cell along x, y, z, and the cells from one to the next. */
    uint64_t ENGINE_FORMAT_1_1(first)[3], ENGINE_FORMAT_1_1(stride)[3];
};

struct engine_file_array_array {
    const struct engine_file_array *at;
    uint32_t count, item_size;
};

/* How pictures show an array. Since 1.3. */
struct engine_file_look {
    double range[2];             /* the values that are black and white; equal: not given */
    const uint8_t (*colours)[3]; /* of the values 0 … 255: red, green, blue; NULL: not given */
};

/* Where the cells of a pattern belong. Since 1.2. */
struct engine_file_pattern {
    uint64_t grid[3];  /* the size of the grid of which the array is a part, x y z; 0 0 0: the file does not state it */
    uint32_t edges[3]; /* of this grid: ENGINE_EDGE_… of plugin.h; ENGINE_EDGE_UNBOUNDED: it has no edges along the
                          axis, and `grid` is only the range of `at` */
    uint32_t placed;   /* 1: `at` is given */
    int64_t shift[2];  /* of the edges, as in struct engine_edges */
    int64_t at[3];     /* the array's first cell, x y z from the first cell of the grid; since 1.4, if the file states
                          no grid, from the origin of the plane */
};

/* A line about the origin of a state, such as "Seed", "42". The text is UTF-8 and may have several lines. */
struct engine_file_note {
    const char *key, *text;
};

/* What is the same in all frames of a file, unless it has ENGINE_FORMAT_VARIES. */
struct engine_file_content {
    uint32_t size;                         /* sizeof(struct engine_file_content) of the engine */
    uint32_t length;                       /* ENGINE_LENGTH_UNKNOWN … */
    struct engine_file_array_array arrays; /* 1 to 16. Particles need an array `position` */
    uint64_t frames;                       /* at least 1; since 1.2, 0: the file is no series of frames, and is read as
                                              frame 0 */
    const char *const *labels;             /* names of species 0, 1, …, of at most 15 characters; or NULL */
    uint32_t label_count;                  /* at most 256 */
    uint32_t reserved;                     /* 0 */
    const char *rule;                      /* of a pattern, or NULL */
    const char *skipped; /* reading: what the file has and the reader leaves out, such as "residue names", or NULL */
    const struct engine_file_pattern *ENGINE_FORMAT_1_2(pattern); /* of a grid; or NULL */
    const struct engine_file_note *ENGINE_FORMAT_1_2(notes);      /* writing, with ENGINE_FORMAT_NOTES; since 1.4 also
                                                                     reading: the words of the author, with the keys
                                                                     Name, Author and Comment */
    uint64_t ENGINE_FORMAT_1_2(note_count);
    const struct engine_file_look *ENGINE_FORMAT_1_3(looks); /* writing: one for each array */
    const char *ENGINE_FORMAT_1_4(remarks); /* reading: what is odd about the file, such as "the file ends without '!'",
                                               or NULL; printable ASCII, at most 511 characters */
};

enum {
    ENGINE_HAS_STEP = 1u << 0,
    ENGINE_HAS_TIME = 1u << 1,
    ENGINE_HAS_BOX = 1u << 2,
    ENGINE_HAS_CORNER = 1u << 3, /* of the box */
    ENGINE_HAS_LABELS = 1u << 4, /* names of species; only in `keeps` */
    ENGINE_HAS_RULE = 1u << 5,   /* only in `keeps` */
    ENGINE_HAS_PLACE = 1u << 6,  /* only in `keeps`, since 1.4: the place of a pattern */
    ENGINE_HAS_GRID = 1u << 7    /* only in `keeps`, since 1.4: the size and the edges of the grid of a pattern */
};

/* What belongs to one frame, besides its elements. */
struct engine_file_frame {
    uint32_t size;    /* sizeof(struct engine_file_frame) of the engine */
    uint32_t has;     /* ENGINE_HAS_…: which of the members that follow are set */
    uint64_t step;    /* at most 2^63 - 1 */
    double time;      /* in the unit of the file */
    double box[6];    /* Lx Ly Lz xy xz yz, in the file's unit of length; a length of 0: open along that axis. The
                         first edge lies along x, the second in the plane of x and y */
    double corner[3]; /* where the box begins */
    uint64_t end;     /* reading: the offset of the first byte after the frame; 0: such an offset does not exist */
    /* What this frame holds, valid until the next call for this file. Reading: with ENGINE_FORMAT_VARIES; NULL: as
     * `open` said; `frames` is not used. Writing: without this flag, what `create` got. */
    const struct engine_file_content *ENGINE_FORMAT_1_2(content);
};

/* ---- What the engine does for a format --------------------------------------------------------------------------- */

enum {
    /* The engine is about to add frames to the file, or reads the complete ones: `open` does not refuse a last frame that
     * is cut short, but leaves it out. It may end the series at a damaged frame, too. */
    ENGINE_FILE_UNFINISHED = 1u << 0,
    /* create: the file has frames already, and `write` adds others at its end. */
    ENGINE_FILE_APPEND = 1u << 1,
    /* Since 1.2. Reading: all frames are wanted, and not the last one alone. `open` takes an array whose last axis may
     * count frames for a series of frames. */
    ENGINE_FILE_SERIES = 1u << 2
};

/* The place of an error. */
enum {
    ENGINE_AT_FILE = 0, /* the whole file; the number is not used */
    ENGINE_AT_LINE = 1, /* a line, counted from 1 */
    ENGINE_AT_BYTE = 2  /* an offset in bytes */
};

/* Return from a function of a format with the reason of an error, which says what was found and what was expected. The
 * engine puts the name of the file and the place in front.
 *
 *     return ENGINE_FAIL_LINE(file, line, "'%s' is not a number of particles", word);
 */
#define ENGINE_FAIL_FILE(file, ...) ((file)->fail((file), ENGINE_INVALID, ENGINE_AT_FILE, 0, __VA_ARGS__))
#define ENGINE_FAIL_LINE(file, number, ...) \
    ((file)->fail((file), ENGINE_INVALID, ENGINE_AT_LINE, (number), __VA_ARGS__))
#define ENGINE_FAIL_BYTE(file, offset, ...) \
    ((file)->fail((file), ENGINE_INVALID, ENGINE_AT_BYTE, (offset), __VA_ARGS__))

/* An open file and the functions for it. Functions that return int return 0, or a code with the reason recorded, which
 * the format returns as it is. All of them may be called by the thread that the engine has called. */
struct engine_file {
    uint32_t size;
    uint16_t major, minor; /* of the engine */
    void *context;         /* the engine's own */
    const char *path;      /* for messages of libraries, and for libraries that open the file themselves. Writing, since
                              1.1: a name under which the open file can be opened; "" before */
    uint64_t bytes;        /* reading, and with ENGINE_FILE_APPEND since 1.1: the size of the file when it was opened */
    uint32_t flags;        /* ENGINE_FILE_… */
    uint32_t reserved;     /* 0 */

    /* Records the reason of an error and its place, and returns `code`, one of the codes of engine/plugin.h. The first
     * reason counts. */
    int (*fail)(const struct engine_file *file, int code, uint32_t place, uint64_t number, const char *format, ...)
        ENGINE_PRINTF(5, 6);

    /* Returns memory that is not cleared, or NULL with the reason recorded. The engine frees it after `close`;
     * `release` frees it earlier. Memory of 0 bytes exists, too. */
    void *(*allocate)(const struct engine_file *file, uint64_t bytes);
    void (*release)(const struct engine_file *file, void *memory);

    /* Reads bytes [offset, offset + count). Bytes beyond the end of the file are an error. Since 1.1 `create`, `write`
     * and `finish` can also read what the file has. */
    int (*read)(const struct engine_file *file, uint64_t offset, uint64_t count, void *out);

    /* Writing: adds bytes at the end of the file. */
    int (*write)(const struct engine_file *file, const void *bytes, uint64_t count);

    /* Writing: copies elements [begin, begin + count) of array `array` of the present frame to `out`. Ranges of a grid
     * are asked for in order, each once; ranges of particles and bins in any order, and again. */
    int (*get)(const struct engine_file *file, uint32_t array, uint64_t begin, uint64_t count, void *out);

    /* Writing: replaces bytes [offset, offset + count), which the file has. */
    int (*ENGINE_FORMAT_1_1(write_at))(const struct engine_file *file, uint64_t offset, const void *bytes,
                                       uint64_t count);

    /* How many threads the format may use in one call, at least 1. Reading: 1, because the engine decodes several
     * frames at the same time. */
    uint64_t ENGINE_FORMAT_1_2(threads);

    /* Reading with ENGINE_FORMAT_PACKED: copies the next bytes of the file, unpacked, and returns their number, which
     * is less than `count` at the end of the file and where it cannot be read further. Then *trouble becomes the
     * reason, otherwise NULL. The format states the reason with its place by `fail`. Such a format does not call
     * `read`. */
    uint64_t (*ENGINE_FORMAT_1_2(next))(const struct engine_file *file, void *out, uint64_t count,
                                        const char **trouble);

    /* Moves to a byte of the unpacked file that `next` has copied before, or to the end of these. */
    int (*ENGINE_FORMAT_1_2(seek))(const struct engine_file *file, uint64_t offset);

    /* Writing: finds an element of an array of the present frame from `begin` on, such that all elements before it are
     * 0. *at is its number, or UINT64_MAX if all elements are 0. The format then calls `get` from there on. */
    int (*ENGINE_FORMAT_1_5(find))(const struct engine_file *file, uint32_t array, uint64_t begin, uint64_t *at);
};

/* ---- The descriptor ---------------------------------------------------------------------------------------------- */

enum {
    ENGINE_FORMAT_FRAMES = 1u << 0, /* a file can hold several frames */
    ENGINE_FORMAT_GROWS = 1u << 1,  /* frames can be added to a file later. Either a file is a series of frames without
                                       a head or an end, and `end` of struct engine_file_frame is set, or there is
                                       `cut` */
    ENGINE_FORMAT_RANGES = 1u << 2, /* reading: `read` takes any range of an array, see there */
    ENGINE_FORMAT_GRIDS = 1u << 3,  /* since 1.1. Writing: a file can hold a grid, which is then its only array */
    ENGINE_FORMAT_UNITS = 1u << 4,  /* since 1.1. Writing: a file states its unit of length, which `create` gets in
                                       `content`; `length` of the descriptor is then ENGINE_LENGTH_UNKNOWN */

    /* Since 1.2. Files may be compressed with gzip, or be in a zip archive. The engine unpacks what `probe` and `next`
     * see, and compresses what `write` adds to a file NAME.gz. */
    ENGINE_FORMAT_PACKED = 1u << 5,
    /* Since 1.2. Frames may differ in their arrays, sizes and labels, and in what is skipped: see `content` of struct
     * engine_file_frame. To read such frames, ENGINE_FORMAT_RANGES is needed, too. */
    ENGINE_FORMAT_VARIES = 1u << 6,
    /* Since 1.2. Writing: a file can hold notes. */
    ENGINE_FORMAT_NOTES = 1u << 7,
    /* Since 1.2. Writing: a file holds the steps of the first two frames, and the others follow at the same
     * distance. */
    ENGINE_FORMAT_EVEN = 1u << 8,
    /* Since 1.2. Writing: a file can hold a batch of grids. */
    ENGINE_FORMAT_BATCHES = 1u << 9,
    /* Since 1.2. Writing: a file holds arrays of bins, all those with as many bins as the first. */
    ENGINE_FORMAT_TABLES = 1u << 10,
    /* Since 1.2. Reading: `open` heeds ENGINE_FILE_SERIES. */
    ENGINE_FORMAT_AXIS = 1u << 11,
    /* Since 1.3. Writing: a file is a picture or a film of its first array, for which the engine calls `holds`.
     * `arrays` names the arrays of particles that come with positions. If a grid has several components, the file gets
     * one. */
    ENGINE_FORMAT_PICTURE = 1u << 12,
    /* Since 1.5. Writing: the format calls `find`, so it writes a sparse pattern without reading its dead cells. */
    ENGINE_FORMAT_SPARSE = 1u << 13
};

/* How large files become; `engine check` estimates with it. Since 1.2. */
enum {
    ENGINE_SIZE_TEXT = 0,       /* a decimal number for each element */
    ENGINE_SIZE_EXACT = 1,      /* the bytes of the array and a header of at most 128 */
    ENGINE_SIZE_COMPRESSED = 2, /* at most the bytes of the array and 4 KiB */
    ENGINE_SIZE_FLOATS = 3,     /* four bytes for each element and at most 512 */
    ENGINE_SIZE_TREE = 4,       /* at most eight bytes for each element and 4 KiB */
    ENGINE_SIZE_PICTURE = 5     /* at most a byte for each pixel */
};

/* What `probe` returns. */
enum { ENGINE_PROBE_NO = 0, ENGINE_PROBE_YES = 1 };

/* A list of the files of a series, in the same folder, for programs that open the whole series. A run writes it beside
 * the files. Since 1.2. */
struct engine_file_index {
    const char *ending;      /* of its name: "pvd" */
    const char *head, *tail; /* the text before the files and after them */
    const char *part[3];     /* the text of a file: before its step, before its name, and after that */
};

struct engine_file_format {
    struct engine_abi abi; /* ENGINE_FORMAT_ABI */
    uint32_t flags;        /* ENGINE_FORMAT_… */
    const char *name;      /* lower-case letters and digits. The file is NAME.format.so, and [output] formats = NAME */
    const char *version;   /* of the format library */
    const char *summary;   /* one line */
    const char *endings;   /* of file names, separated by spaces: ".xtc" */
    uint32_t length;       /* the unit of the lengths in a file that is written; the engine converts to it */
    uint32_t keeps;        /* ENGINE_HAS_…: what a written file holds of a frame */
    const char *arrays; /* the names of the arrays of particles that a written file can hold, separated by spaces, the
                              one that it needs first; since 1.2, "*": all others. NULL: the format is only read, or
                              written without particles */

    /* Are these the first bytes of a file of this format? `name` is the name of the file, `count` at least 1 and at
     * most 4096, and `bytes` the size of the file. The engine calls it for files whose name has an ending of the
     * format, and for files whose content it does not know. NULL: the format is only written. Any thread. */
    int (*probe)(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes);

    /* Opens a file and fills in *content, which is zero but for `size`. It reads no more than is needed to know what
     * the file holds: the heads of the frames, where frames differ in size. *self is passed to the functions below. If
     * it fails, the engine does not call close. Needed if there is probe. */
    int (*open)(const struct engine_file *file, struct engine_file_content *content, void **self);

    /* Fills in *frame, which is zero but for `size`, for a frame from 0 on. Needed if there is open. Any thread. */
    int (*frame)(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame);

    /* Copies elements [begin, begin + count) of array `array` of a frame to `out`. Needed if there is open.
     *
     * Without ENGINE_FORMAT_RANGES, the engine asks for all elements of the array, and several threads may ask for
     * different frames or arrays at the same time. With this flag, one thread asks for ranges of an array in order,
     * each once, so that a file is parsed while it is read; of arrays of particles it may ask again from the
     * beginning. */
    int (*read)(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                uint64_t count, void *out);

    /* Begins to write a file. `content` holds the arrays that the file gets, with types that the engine has, and is
     * valid until close, with ENGINE_FORMAT_VARIES until the next write. If create fails, the engine does not call
     * close. NULL: the format is only read. */
    int (*create)(const struct engine_file *file, const struct engine_file_content *content, void **self);

    /* Writes the next frame. file->get gives its elements. Needed if there is create. */
    int (*write)(const struct engine_file *file, void *self, const struct engine_file_frame *frame);

    /* Writes what follows the last frame. Optional. */
    int (*finish)(const struct engine_file *file, void *self);

    /* Ends reading or writing. Optional. */
    void (*close)(const struct engine_file *file, void *self);

    /* Removes all frames from number `frames` on, at least 1, from a file that has that many, and a last frame that was
     * cut short. It uses the functions of `file` for reading and for writing, and sets *end to the size that the file
     * gets. NULL: the file ends at `end` of the last frame that stays. */
    int (*ENGINE_FORMAT_1_1(cut))(const struct engine_file *file, uint64_t frames, uint64_t *end);

    /* Writing: returns 1 if a file can hold the array, and otherwise 0. NULL: `arrays` and ENGINE_FORMAT_GRIDS say
     * it. Any thread. */
    int (*ENGINE_FORMAT_1_2(holds))(const struct engine_file_array *array);

    uint64_t ENGINE_FORMAT_1_2(bytes); /* ENGINE_SIZE_… of a file that is written */

    /* The index of a series, or NULL. */
    const struct engine_file_index *ENGINE_FORMAT_1_2(index);

    /* Writing: the name of the format of a film, or NULL. This format is part of the engine, and its files grow, such
     * as those of apng. During a run, the engine writes a film in that format, which also decides what the film can
     * hold. When the film has all frames, `encode` converts it to a file of this format. The functions of `film` are
     * those for reading, and `film->path` is its name. A format that has a film has no `create`. */
    const char *ENGINE_FORMAT_1_3(film);
    int (*ENGINE_FORMAT_1_3(encode))(const struct engine_file *film, const struct engine_file *file);

    /* Writing: returns 0 if this machine has what the format needs. NULL: it needs nothing. The engine calls it before
     * a run begins. */
    int (*ENGINE_FORMAT_1_3(check))(const struct engine_file *file);

    /* Reading, with ENGINE_FORMAT_RANGES: finds the first element of an array from `begin` on that is not 0. *at is its
     * number, or UINT64_MAX if there is none. The engine then asks `read` for no element before it. So it reads a sparse
     * pattern fast. NULL: the engine reads all elements. */
    int (*ENGINE_FORMAT_1_5(seek))(const struct engine_file *file, void *self, uint64_t number, uint32_t array,
                                   uint64_t begin, uint64_t *at);
};

/* The first member of the descriptor, and the members that every format has:
 *
 *     ENGINE_EXPORT const struct engine_file_format engine_file_format = {
 *         ENGINE_FILE_FORMAT("xyz", "0.1.0", "positions of particles in text", ".xyz"),
 *         .probe = probe, .open = open_file, .frame = frame, .read = read_array,
 *     };
 */
#define ENGINE_FORMAT_ABI \
    { \
        ENGINE_FORMAT_MAGIC, ENGINE_FORMAT_MAJOR, ENGINE_FORMAT_NEEDS, (uint32_t) sizeof(struct engine_file_format), \
            (uint32_t) sizeof(void *) \
    }
#define ENGINE_FILE_FORMAT(name_, version_, summary_, endings_) \
    .abi = ENGINE_FORMAT_ABI, .name = (name_), .version = (version_), .summary = (summary_), .endings = (endings_)

/* The one symbol that a format exports. */
extern ENGINE_EXPORT const struct engine_file_format engine_file_format;

#ifdef __cplusplus
}
#endif

#endif
