/* Snapshots. Random bytes would never pass the checksums, so the input is the content of the parts: the text of the
 * header, a NUL, and bytes that fill the blocks again and again. Input that begins like a gzip file is a whole
 * snapshot. */
#include "fuzz.h"

#include "files/snapshot_header.h"
#include "files/snapshot_member.h"
#include "files/snapshot_stream.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FILE_MAX = 1 << 18, CONTENT_MAX = 1 << 14, BLOCKS_MAX = 64 };

struct parts {
    const uint8_t *text, *content;
    size_t text_bytes, content_bytes;
};

struct making {
    struct isal_zstream deflater;
    uint8_t bytes[FILE_MAX];
    size_t used;
    struct snapshot_block blocks[BLOCKS_MAX];
    uint64_t count;
};

static struct parts split(const uint8_t *bytes, size_t size)
{
    const uint8_t *nul = memchr(bytes, '\0', size);
    const size_t text = nul ? (size_t) (nul - bytes) : size;
    return (struct parts){bytes, nul ? nul + 1 : bytes + size, text, size - text - (nul != NULL)};
}

/* Appends a member, and returns its length and checksum. */
static struct snapshot_block append(struct making *making, const void *content, size_t bytes)
{
    uint8_t *member = making->bytes + making->used;
    fuzz_expect(FILE_MAX - making->used >= member_bound(bytes), "no room");
    const size_t used = member_make(&making->deflater, content, bytes, member);
    making->used += used;
    return (struct snapshot_block){(uint32_t) used, XXH3_64bits(member, used)};
}

/* Appends the streams of the fields, where the header can be read and they are small. Otherwise the index is short. */
static void append_fields(struct making *making, const struct snapshot_header *header, const struct parts *parts)
{
    static uint8_t block[CONTENT_MAX];
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = parts->content_bytes ? parts->content[i % parts->content_bytes] : 0;
    for (uint32_t i = 0; i < header->count; i++) {
        struct snapshot_stream stream;
        if (!stream_of(&header->fields[i], &stream) || stream.bytes > CONTENT_MAX)
            return;
        making->blocks[making->count++] = append(making, block, stream.bytes);
    }
}

static void append_blocks(struct making *making, const struct parts *parts)
{
    struct snapshot_header header = {.step = 0};
    struct json_object *json = NULL;
    char *config = NULL, *text = calloc(1, parts->text_bytes + 1);
    struct engine_error error = {0};
    fuzz_expect(text != NULL, "no memory");
    memcpy(text, parts->text, parts->text_bytes);
    if (snapshot_header_parse(text, parts->text_bytes, &header, &json, &config, &error) == 0)
        append_fields(making, &header, parts);
    json_object_put(json);
    free(config);
    free(text);
}

static void append_index(struct making *making, struct snapshot_end *end)
{
    static const char hash[] = "0123456789abcdef0123456789abcdef";
    char text[INDEX_HASH + BLOCKS_MAX * INDEX_LINE + 1];
    index_print(hash, making->blocks, making->count, text);
    end->index_begin = making->used;
    const struct snapshot_block index = append(making, text, strlen(text));
    end->index_bytes = index.bytes;
    end->index_check = index.check;
}

static void make_file(struct making *making, const struct parts *parts)
{
    struct snapshot_end end = {0};
    const struct snapshot_block header = append(making, parts->text, parts->text_bytes);
    end.header_bytes = header.bytes;
    end.header_check = header.check;
    append_blocks(making, parts);
    append_index(making, &end);
    end_make(&end, making->bytes + making->used);
    making->used += SNAPSHOT_END_BYTES;
}

bool fuzz_snapshot(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    static struct making making;
    const struct parts parts = split(bytes, size);
    if (size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
        return fuzz_document(target, bytes, size);
    if (parts.text_bytes == 0)
        return false;
    making.used = making.count = 0;
    make_file(&making, &parts);
    return fuzz_document(target, making.bytes, making.used);
}
