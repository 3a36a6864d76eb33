/* Gzip members (RFC 1952) that state their size in the extra field, in the subfield IG as mgzip and pgzip do, and the
 * text of the index. */
#include "files/snapshot_member.h"
#include "base/xxh.h"

#include <inttypes.h>
#include <isa-l/crc.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");

enum { MEMBER_HEAD = 20, MEMBER_TAIL = 8 }; /* bytes of a member before its content and after it */

/* ---- Bytes -------------------------------------------------------------------------------------------------- */

/* Identification, method deflate, flag of the extra field; time, hint and system not given; the extra field's length,
 * and the subfield IG with four bytes. */
static const uint8_t member_begin[MEMBER_HEAD - 4] = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 8, 0, 'I', 'G', 4, 0};

static void put_16(uint8_t *at, uint16_t number)
{
    memcpy(at, &number, sizeof number);
}

static void put_32(uint8_t *at, uint32_t number)
{
    memcpy(at, &number, sizeof number);
}

static uint32_t get_32(const uint8_t *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

/* ---- Deflate ------------------------------------------------------------------------------------------------ */

enum { STORED_HEAD = 5, STORED_MAX = 65535 }; /* bytes before a stored block, and in it at most (RFC 1951, 3.2.4) */

static size_t stored_bytes(size_t bytes)
{
    return bytes + (bytes + STORED_MAX - 1) / STORED_MAX * STORED_HEAD;
}

static size_t store_body(const uint8_t *content, size_t bytes, uint8_t *body)
{
    uint8_t *const begin = body;
    for (size_t n; bytes > 0; content += n, bytes -= n, body += n) {
        n = bytes < STORED_MAX ? bytes : STORED_MAX;
        *body++ = n == bytes; /* is it the last block? */
        put_16(body, (uint16_t) n);
        put_16(body + 2, (uint16_t) ~n);
        body += 4;
        memcpy(body, content, n);
    }
    return (size_t) (body - begin);
}

/* Returns 0 where the compressed content would be no smaller than the stored one. Only level 0 of ISA-L gives the same
 * bytes for the same content; the output of the others depends on the address of their memory (2.30). The memory is
 * cleared because ISA-L reads some of it before writing. */
static size_t deflate_body(struct isal_zstream *deflater, const void *content, size_t bytes, uint8_t *body)
{
    memset(deflater, 0, sizeof *deflater);
    isal_deflate_stateless_init(deflater);
    deflater->end_of_stream = 1;
    deflater->next_in = (uint8_t *) (uintptr_t) content; /* only read */
    deflater->avail_in = (uint32_t) bytes;
    deflater->next_out = body;
    deflater->avail_out = (uint32_t) stored_bytes(bytes) - 1;
    return isal_deflate_stateless(deflater) == COMP_OK ? deflater->total_out : 0;
}

/* ---- Members ------------------------------------------------------------------------------------------------ */

size_t member_bound(size_t bytes)
{
    return MEMBER_HEAD + stored_bytes(bytes) + MEMBER_TAIL;
}

size_t member_make(struct isal_zstream *deflater, const void *content, size_t bytes, uint8_t *member)
{
    uint8_t *body = member + MEMBER_HEAD;
    size_t total = deflater ? deflate_body(deflater, content, bytes, body) : 0;
    total = MEMBER_HEAD + (total > 0 ? total : store_body(content, bytes, body)) + MEMBER_TAIL;
    memcpy(member, member_begin, sizeof member_begin);
    put_32(member + sizeof member_begin, (uint32_t) total);
    put_32(member + total - 8, crc32_gzip_refl(0, content, bytes));
    put_32(member + total - 4, (uint32_t) bytes);
    return total;
}

uint32_t member_content(const uint8_t *member, size_t bytes)
{
    const bool whole = bytes > MEMBER_HEAD + MEMBER_TAIL && memcmp(member, member_begin, sizeof member_begin) == 0 &&
                       get_32(member + sizeof member_begin) == bytes;
    return whole ? get_32(member + bytes - 4) : 0;
}

bool member_unpack(struct inflate_state *inflater, const uint8_t *member, size_t bytes, void *content,
                   size_t content_bytes)
{
    if (content_bytes == 0 || member_content(member, bytes) != content_bytes)
        return false;
    isal_inflate_init(inflater);
    inflater->next_in = (uint8_t *) (uintptr_t) (member + MEMBER_HEAD); /* only read */
    inflater->avail_in = (uint32_t) (bytes - MEMBER_HEAD - MEMBER_TAIL);
    inflater->next_out = content;
    inflater->avail_out = (uint32_t) content_bytes;
    return isal_inflate_stateless(inflater) == ISAL_DECOMP_OK && inflater->avail_in == 0 && inflater->avail_out == 0 &&
           crc32_gzip_refl(0, content, content_bytes) == get_32(member + bytes - 8);
}

/* ---- The end ------------------------------------------------------------------------------------------------ */

enum { END_HEAD = 24, END_NUMBERS = 5 };

/* The same beginning with a second subfield, ES, of six numbers; then an empty block of fixed codes. */
static const uint8_t end_head[END_HEAD] = {
    0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 60, 0, 'I', 'G', 4, 0, SNAPSHOT_END_BYTES, 0, 0, 0, 'E', 'S', 48, 0};
static const uint8_t end_body[2] = {3, 0};

_Static_assert(END_HEAD + 48 + sizeof end_body + MEMBER_TAIL == SNAPSHOT_END_BYTES, "the end's parts");

void end_make(const struct snapshot_end *end, uint8_t bytes[SNAPSHOT_END_BYTES])
{
    const uint64_t numbers[END_NUMBERS] = {end->header_bytes, end->index_begin, end->index_bytes, end->header_check,
                                           end->index_check};
    const uint64_t check = XXH3_64bits(numbers, sizeof numbers);
    memset(bytes, 0, SNAPSHOT_END_BYTES);
    memcpy(bytes, end_head, END_HEAD);
    memcpy(bytes + END_HEAD, numbers, sizeof numbers);
    memcpy(bytes + END_HEAD + sizeof numbers, &check, sizeof check);
    memcpy(bytes + END_HEAD + sizeof numbers + sizeof check, end_body, sizeof end_body);
}

bool end_parse(const uint8_t bytes[SNAPSHOT_END_BYTES], struct snapshot_end *end)
{
    uint64_t numbers[END_NUMBERS];
    uint8_t should[SNAPSHOT_END_BYTES];
    memcpy(numbers, bytes + END_HEAD, sizeof numbers);
    *end = (struct snapshot_end){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
    end_make(end, should);
    return memcmp(bytes, should, SNAPSHOT_END_BYTES) == 0;
}

/* ---- The index ---------------------------------------------------------------------------------------------- */

void index_print(const char *hash, const struct snapshot_block *blocks, uint64_t count, char *text)
{
    text += sprintf(text, "hash %s\n", hash);
    for (uint64_t i = 0; i < count; i++)
        text += sprintf(text, "%10" PRIu32 " %016" PRIx64 "\n", blocks[i].bytes, blocks[i].check);
}

bool index_parse(const char *text, char hash[HASH_TEXT], struct snapshot_block *blocks, uint64_t count)
{
    char line[INDEX_HASH + 1];
    if (sscanf(text, "hash %32[0-9a-f]", hash) != 1 || strlen(hash) + 1 != HASH_TEXT || text[INDEX_HASH - 1] != '\n')
        return false;
    text += INDEX_HASH;
    for (uint64_t i = 0; i < count; i++, text += INDEX_LINE) {
        snprintf(line, sizeof line, "%.*s", INDEX_LINE, text);
        if (sscanf(line, "%" SCNu32 "%" SCNx64, &blocks[i].bytes, &blocks[i].check) != 2)
            return false;
        snprintf(line, sizeof line, "%10" PRIu32 " %016" PRIx64 "\n", blocks[i].bytes, blocks[i].check);
        if (memcmp(line, text, INDEX_LINE) != 0)
            return false;
    }
    return true;
}
