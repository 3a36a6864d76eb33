/* Compresses blocks of a field whose elements come piece by piece, in order, several blocks at the same time. */
#ifndef LIB_FILES_SNAPSHOT_PACK_H
#define LIB_FILES_SNAPSHOT_PACK_H

#include "files/snapshot_member.h"
#include "files/snapshot_stream.h"

/* Blocks of a field that are not compressed yet. */
struct packing {
    const struct engine_file_array *field;
    const struct snapshot_cells *cells; /* `move` gives the elements */
    enum snapshot_compression compression;
    uint32_t threads;
    struct hash *hash;             /* of the elements; NULL: none */
    struct snapshot_stream stream; /* up to the last of these blocks */
    uint64_t next, last;           /* blocks [next, last) */
    uint64_t at;                   /* the place in the stream of the next window */
    uint8_t *bytes;                /* of the stream that were read and are not compressed yet */
    uint64_t held, room;
    void *elements;   /* of a window */
    uint8_t *members; /* one for each thread */
};

/* Begins with blocks [first, last) of a field. The field and the cells outlive the packing. packing_close follows, also
 * after an error. ENGINE_STATUS_OUTPUT, ENGINE_STATUS_DEVICE. */
int packing_open(struct packing *packing, const struct engine_file_array *field, const struct snapshot_cells *cells,
                 enum snapshot_compression compression, uint32_t threads, uint64_t first, uint64_t last,
                 struct engine_error *error);
void packing_close(struct packing *packing);

/* Compresses the next blocks, at most one for each thread, and gives their number. packing_member is valid until the
 * next call. */
int packing_next(struct packing *packing, struct snapshot_block *blocks, uint64_t *count, struct engine_error *error);
const uint8_t *packing_member(const struct packing *packing, uint64_t index);

#endif
