/* A field of a snapshot as a stream of bytes, which is cut into blocks. A grid of two values is a stream of columns of
 * bits; every other field is a stream of the elements of its canonical array. */
#ifndef LIB_FILES_SNAPSHOT_STREAM_H
#define LIB_FILES_SNAPSHOT_STREAM_H

#include "files/snapshot_file.h"

enum {
    SNAPSHOT_BLOCK = 1 << 20, /* bytes of a block, at most */
    SNAPSHOT_PIECE = 1 << 22  /* cells of a block of columns that are moved at a time, at most */
};

struct snapshot_stream {
    uint64_t bytes;
    uint64_t block;  /* bytes of every block but the last */
    uint64_t blocks; /* how many there are */
};

/* Returns false where the stream has more than INT64_MAX bytes. */
bool stream_of(const struct engine_file_array *field, struct snapshot_stream *stream);

/* Returns the bytes of block `index`. */
uint64_t stream_block_bytes(const struct snapshot_stream *stream, uint64_t index);

/* Copies one block from cells to `out`, where that is not NULL, and else from `in` to cells. `piece` is memory for
 * SNAPSHOT_PIECE bytes, which only cells without memory need. Several threads may read from memory at the same time.
 * They may write to it at the same time where stream_blocks_are_disjoint returns true: then no two blocks share a byte
 * of the cells' memory. Returns the status of `move`; cells in memory give no error. */
int stream_move(const struct snapshot_stream *stream, const struct engine_file_array *field,
                const struct snapshot_cells *cells, uint64_t index, void *piece, uint8_t *out, const uint8_t *in,
                struct engine_error *error);
bool stream_blocks_are_disjoint(const struct snapshot_stream *stream, const struct engine_file_array *field,
                                const struct snapshot_cells *cells);

/* Finds the blocks [*first, *last) that hold elements [begin, end). */
void stream_blocks_of(const struct snapshot_stream *stream, const struct engine_file_array *field, uint64_t begin,
                      uint64_t end, uint64_t *first, uint64_t *last);

/* stream_block_from returns the first block that has no cell before an element. stream_elements_end returns the element
 * at which the cells of all blocks before block `index` end. The first band of a block may begin in the block
 * before. */
uint64_t stream_block_from(const struct snapshot_stream *stream, const struct engine_file_array *field,
                           uint64_t element);
uint64_t stream_elements_end(const struct snapshot_stream *stream, const struct engine_file_array *field,
                             uint64_t index);

#endif
