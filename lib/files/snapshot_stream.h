/* A field of a snapshot as a stream of bytes, which is cut into blocks. A grid of two values is a stream of columns of
 * bits; every other field is a stream of the elements of its canonical array. */
#ifndef LIB_FILES_SNAPSHOT_STREAM_H
#define LIB_FILES_SNAPSHOT_STREAM_H

#include "files/snapshot_file.h"

enum { SNAPSHOT_BLOCK = 1 << 20 }; /* bytes of a block, at most */

struct snapshot_stream {
    uint64_t bytes;
    uint64_t block;  /* bytes of every block but the last */
    uint64_t blocks; /* how many there are */
};

/* Returns false where the stream has more than INT64_MAX bytes. */
bool stream_of(const struct engine_file_array *field, struct snapshot_stream *stream);

/* Returns the bytes of block `index`. */
uint64_t stream_block_bytes(const struct snapshot_stream *stream, uint64_t index);

/* Copy one block from cells to `out`, or from `in` to cells. Several threads may read at the same time. They may write
 * at the same time where stream_blocks_are_disjoint returns true: then no two blocks share a byte of the cells'
 * memory. */
void stream_read(const struct snapshot_stream *stream, const struct engine_file_array *field,
                 const struct snapshot_cells *cells, uint64_t index, uint8_t *out);
void stream_write(const struct snapshot_stream *stream, const struct engine_file_array *field,
                  const struct snapshot_cells *cells, uint64_t index, const uint8_t *in);
bool stream_blocks_are_disjoint(const struct snapshot_stream *stream, const struct engine_file_array *field,
                                const struct snapshot_cells *cells);

/* A range of a stream and the elements of the canonical array that it holds: whole bands of eight rows, or elements.
 * */
struct snapshot_window {
    uint64_t begin, count; /* elements */
    uint64_t bytes;        /* of the stream */
};

/* The window that begins at byte `at` of the stream, which is 0 or the end of another window. It has at most
 * SNAPSHOT_WINDOW elements, except where a band has more. It ends with the stream, or with the band in which
 * stream->bytes ends. */
enum { SNAPSHOT_WINDOW = 1 << 22 };
struct snapshot_window stream_window(const struct snapshot_stream *stream, const struct engine_file_array *field,
                                     uint64_t at);

/* The bytes of the stream that hold elements [begin, end): whole bands, or elements. */
void stream_bytes_of(const struct engine_file_array *field, uint64_t begin, uint64_t end, uint64_t *first,
                     uint64_t *last);

/* The windows that hold block `index` begin at this byte of the stream, and with this element. They hold all blocks
 * before block `index` if they end with element stream_elements_end. */
uint64_t stream_window_begin(const struct snapshot_stream *stream, const struct engine_file_array *field,
                             uint64_t index);
uint64_t stream_first_element(const struct snapshot_stream *stream, const struct engine_file_array *field,
                              uint64_t index);
uint64_t stream_elements_end(const struct snapshot_stream *stream, const struct engine_file_array *field,
                             uint64_t index);

/* Convert the elements of a window into its bytes, or back. ENGINE_STATUS_DEVICE. */
int stream_pack(const struct engine_file_array *field, const struct snapshot_window *window, const void *elements,
                uint8_t *out, struct engine_error *error);
int stream_unpack(const struct engine_file_array *field, const struct snapshot_window *window, const uint8_t *in,
                  void *elements, struct engine_error *error);

#endif
