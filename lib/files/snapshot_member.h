/* The gzip members (RFC 1952) that a snapshot is made of: one per block, the header, the index and the end. Each member
 * states its size in its extra field. */
#ifndef LIB_FILES_SNAPSHOT_MEMBER_H
#define LIB_FILES_SNAPSHOT_MEMBER_H

#include "files/snapshot_file.h"

#include <isa-l/igzip_lib.h>

enum { SNAPSHOT_EXPANSION = 1032 }; /* deflate makes at most so many bytes of one */

/* Returns the size of the largest member for so many bytes of content. */
size_t member_bound(size_t bytes);

/* Makes a member of one byte and more; returns its size. The same content gives the same bytes on a machine. `deflater`
 * is memory whose content does not matter. The content is stored uncompressed where `deflater` is NULL, or where it
 * would not become smaller. */
size_t member_make(struct isal_zstream *deflater, const void *content, size_t bytes, uint8_t *member);

/* Returns the size of the content that a member states; 0: it is not such a member. */
uint32_t member_content(const uint8_t *member, size_t bytes);

/* Unpacks the content. Returns false where this is not a member of so many bytes, with so many bytes of content.
 * `inflater` is memory whose content does not matter. */
bool member_unpack(struct inflate_state *inflater, const uint8_t *member, size_t bytes, void *content,
                   size_t content_bytes);

/* ---- The end: a member of fixed size, without content --------------------------------------------------------- */

enum { SNAPSHOT_END_BYTES = 82 };

struct snapshot_end {
    uint64_t header_bytes;              /* of the header's member, the first one */
    uint64_t index_begin, index_bytes;  /* of the index's member, the last but one */
    uint64_t header_check, index_check; /* XXH3-64 of these two members */
};

void end_make(const struct snapshot_end *end, uint8_t bytes[SNAPSHOT_END_BYTES]);

/* Returns false where the bytes are not an end. */
bool end_parse(const uint8_t bytes[SNAPSHOT_END_BYTES], struct snapshot_end *end);

/* ---- The text of the index: a line per block ------------------------------------------------------------------ */

struct snapshot_block {
    uint32_t bytes; /* of its member */
    uint64_t check; /* XXH3-64 of its member */
};

enum { INDEX_HASH = 38, INDEX_LINE = 28 }; /* bytes of the first line, and of the line of a block */

/* Writes INDEX_HASH + count * INDEX_LINE + 1 bytes to `text`. */
void index_print(const char *hash, const struct snapshot_block *blocks, uint64_t count, char *text);

/* Returns false where the text is not an index of so many blocks. */
bool index_parse(const char *text, char hash[HASH_TEXT], struct snapshot_block *blocks, uint64_t count);

#endif
