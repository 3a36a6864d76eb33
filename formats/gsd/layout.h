/* GSD, the trajectories of HOOMD-blue. A file is a set of named arrays, called chunks, for each frame
 * (https://gsd.readthedocs.io/en/stable/file-layer.html). All numbers are little-endian:
 *
 *     header   256 bytes, at the beginning
 *     names    of chunks, one behind the other, each with its terminating zero; in version 1 each takes 64 bytes
 *     index    entries of 32 bytes in the order of the frames, up to an entry without a place
 *     chunks   anywhere
 *
 * The schema `hoomd` (https://gsd.readthedocs.io/en/stable/schema-hoomd.html) says which chunks there are. A chunk that
 * a frame lacks is that of frame 0, and otherwise has a default. */
#ifndef FORMATS_GSD_LAYOUT_H
#define FORMATS_GSD_LAYOUT_H

#define ENGINE_FORMAT_NEEDS 1 /* for write_at and cut */
#include <engine/format.h>

#include <stdbool.h>
#include <string.h>

#ifdef __BYTE_ORDER__
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are read as they lie in memory");
#endif

enum { GSD_NAME = 64, GSD_PIECE = 128 }; /* bytes of a place for names; entries that are read at once */
static const uint64_t gsd_magic = 0x65DF65DF65DF65DF;

struct gsd_header {
    uint64_t magic, index, index_entries, names, names_places;
    uint32_t schema_version, version; /* major << 16 | minor */
    char application[64], schema[64], reserved[80];
};
_Static_assert(sizeof(struct gsd_header) == 256, "as in the file");

struct gsd_entry {
    uint64_t frame, rows;
    int64_t place; /* of the chunk in the file; 0: the index ends */
    uint32_t columns;
    uint16_t name; /* its number */
    uint8_t type, flags;
};
_Static_assert(sizeof(struct gsd_entry) == 32, "as in the file");

enum { GSD_U8 = 1, GSD_U32 = 3, GSD_U64 = 4, GSD_I8 = 5, GSD_I64 = 8, GSD_F32 = 9, GSD_F64 = 10, GSD_CHARACTER = 11 };

/* The chunks that the engine uses, in the order in which a file that it writes has their names. */
enum gsd_chunk {
    GSD_STEP,
    GSD_DIMENSIONS,
    GSD_BOX,
    GSD_COUNT,
    GSD_TYPES,
    GSD_TYPE,
    GSD_MASS,
    GSD_CHARGE,
    GSD_POSITION,
    GSD_VELOCITY,
    GSD_CHUNKS
};

struct gsd_about {
    const char *name;
    uint8_t type; /* that is written. The reader accepts all types of whole numbers in the place of one, and both
                     precisions: HOOMD-blue writes names as GSD_U8 and the Python package as GSD_I8, and since version 2
                     of the schema real numbers may have double precision */
    uint32_t columns, bytes; /* of a row; 0: any number */
};
/* The engine writes version 1.4 of the schema, which all readers know. */

static const struct gsd_about gsd_about[GSD_CHUNKS] = {
    [GSD_STEP] = {"configuration/step", GSD_U64, 1, 8},
    [GSD_DIMENSIONS] = {"configuration/dimensions", GSD_U8, 1, 1},
    [GSD_BOX] = {"configuration/box", GSD_F32, 1, 4},
    [GSD_COUNT] = {"particles/N", GSD_U32, 1, 4},
    [GSD_TYPES] = {"particles/types", GSD_I8, 0, 1},
    [GSD_TYPE] = {"particles/typeid", GSD_U32, 1, 4},
    [GSD_MASS] = {"particles/mass", GSD_F32, 1, 4},
    [GSD_CHARGE] = {"particles/charge", GSD_F32, 1, 4},
    [GSD_POSITION] = {"particles/position", GSD_F32, 3, 12},
    [GSD_VELOCITY] = {"particles/velocity", GSD_F32, 3, 12},
};

/* Reads and checks the header. */
int gsd_read_header(const struct engine_file *file, struct gsd_header *header);

/* Calls `visit` for the entries of the index in order, up to its end or to a visit that does not return 0. Returns what
 * that visit returned, or the code of an error. `at` is the offset of the entry. Checks the order of the frames. */
int gsd_each_entry(const struct engine_file *file, const struct gsd_header *header, void *context,
                   int (*visit)(const struct engine_file *file, void *context, const struct gsd_entry *entry,
                                uint64_t at));

/* Functions of the descriptor, which write. */
int gsd_create(const struct engine_file *file, const struct engine_file_content *content, void **self);
int gsd_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);
int gsd_cut(const struct engine_file *file, uint64_t frames, uint64_t *end);

#endif
