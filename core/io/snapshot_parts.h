/* What the writer and the reader of snapshots share: the parts that a file is made of. */
#ifndef CORE_IO_SNAPSHOT_PARTS_H
#define CORE_IO_SNAPSHOT_PARTS_H

#include "io/snapshot_file.h"

#include <isa-l/igzip_lib.h>
#include <json-c/json.h>

enum {
    SNAPSHOT_VERSION = 1,
    SNAPSHOT_BLOCK = 1 << 20,       /* bytes of a field in a block, about */
    SNAPSHOT_HEADER_MAX = 16 << 20, /* bytes of a header's text */
    SNAPSHOT_EXPANSION = 1032       /* deflate makes at most so many bytes of one */
};

/* ---- Gzip members ------------------------------------------------------------------------------------------- */

enum { MEMBER_HEAD = 20, MEMBER_TAIL = 8 };

/* Room that a member of so many bytes of content may need. */
size_t member_bound(size_t bytes);

/* Makes a member of one byte and more; returns its bytes. The same content gives the same bytes on a machine;
 * `deflater` is memory, whatever it holds. Content is stored as it is where `deflater` is NULL, or where it shrinks to
 * no less than that. */
size_t member_make(struct isal_zstream *deflater, const void *content, size_t bytes, uint8_t *member);

/* The bytes of content that a member promises; 0: it is none. */
uint32_t member_content(const uint8_t *member, size_t bytes);

/* Takes out the content; false: this is no such member of so many bytes, with so many bytes of content. `inflater` is
 * memory, whatever it holds. */
bool member_take(struct inflate_state *inflater, const uint8_t *member, size_t bytes, void *content,
                 size_t content_bytes);

/* ---- The end: a member without content, of fixed size -------------------------------------------------------- */

enum { END_BYTES = 82 };

struct end {
    uint64_t header_bytes;              /* of the member, the file's first */
    uint64_t index_begin, index_bytes;  /* of the member, the last but this one */
    uint64_t header_check, index_check; /* XXH3-64 of the two members */
};

void end_make(const struct end *end, uint8_t bytes[END_BYTES]);
bool end_take(const uint8_t bytes[END_BYTES], struct end *end);

/* ---- The index: a line a block ------------------------------------------------------------------------------ */

struct block {
    uint32_t bytes; /* of its member */
    uint64_t check; /* XXH3-64 of its member */
};

enum { INDEX_HASH = 38, INDEX_LINE = 28 };

/* `text` has room for INDEX_HASH + count * INDEX_LINE + 1 bytes. */
void index_print(const char *hash, const struct block *blocks, uint64_t count, char *text);
bool index_parse(const char *text, char hash[SNAPSHOT_HASH_TEXT], struct block *blocks, uint64_t count);

/* ---- Fields as streams of bytes ----------------------------------------------------------------------------- */

/* Grids of two values are columns of bits, all else elements as they are in the canonical array. */
struct stream {
    uint64_t bytes;
    uint64_t block;  /* bytes of every block but the last */
    uint64_t blocks; /* how many there are */
};

/* false: more than INT64_MAX bytes. */
bool stream_of(const struct io_array *field, struct stream *stream);

/* Bytes of block `index`. */
uint64_t stream_block(const struct stream *stream, uint64_t index);

/* Moves one block out of, or into, cells. Blocks may be read at the same time; written, where stream_apart says so. */
void stream_read(const struct stream *stream, const struct io_array *field, const struct snapshot_cells *cells,
                 uint64_t index, uint8_t *out);
void stream_write(const struct stream *stream, const struct io_array *field, const struct snapshot_cells *cells,
                  uint64_t index, const uint8_t *in);
bool stream_apart(const struct stream *stream, const struct io_array *field, const struct snapshot_cells *cells);

/* ---- The header's text -------------------------------------------------------------------------------------- */

/* The text, which the caller frees; NULL: no memory, which is recorded. */
char *header_print(const struct snapshot_header *header, struct engine_error *error);

/* Reads the text. What `header` points to then lives in *json and *config, which the caller puts and frees. Errors come
 * without the file's name. ENGINE_STATUS_INPUT. */
int header_parse(const char *text, size_t length, struct snapshot_header *header, struct json_object **json,
                 char **config, struct engine_error *error);

#endif
