/* Compresses blocks of a field, several at the same time. */
#ifndef LIB_FILES_SNAPSHOT_PACK_H
#define LIB_FILES_SNAPSHOT_PACK_H

#include "files/snapshot_member.h"

struct packing {
    const struct engine_file_array *field;
    const struct snapshot_cells *cells;
    enum snapshot_compression compression;
    uint32_t threads; /* at least 1 */
};

/* Compresses blocks [first, first + count) of a field that has a stream (stream_of), describes them, and gives the
 * member of each to `put`, in order. The threads call `put` one at a time. Its error ends the work, and so does one of
 * the cells. ENGINE_STATUS_DEVICE. */
int blocks_pack(const struct packing *packing, uint64_t first, uint64_t count, struct snapshot_block *blocks,
                int (*put)(void *self, const void *member, uint64_t bytes, struct engine_error *error), void *self,
                struct engine_error *error);

#endif
