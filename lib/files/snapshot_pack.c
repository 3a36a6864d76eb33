#include "files/snapshot_pack.h"
#include "base/xxh.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

int packing_open(struct packing *packing, const struct engine_file_array *field, const struct snapshot_cells *cells,
                 enum snapshot_compression compression, uint32_t threads, uint64_t first, uint64_t last,
                 struct engine_error *error)
{
    *packing = (struct packing){.field = field,
                                .cells = cells,
                                .compression = compression,
                                .threads = threads > 0 ? threads : 1,
                                .next = first,
                                .last = last};
    if (!stream_of(field, &packing->stream))
        return error_set(error, ENGINE_STATUS_OUTPUT, "field %s is larger than an address space", field->name);
    const struct snapshot_window window = stream_window(&packing->stream, field, 0); /* none has more */
    packing->at = stream_window_begin(&packing->stream, field, first);
    if (last < packing->stream.blocks)
        packing->stream.bytes = last * packing->stream.block;
    const uint64_t elements = window.count * type_bytes(field->shape.type);
    packing->room = packing->threads * packing->stream.block + window.bytes;
    packing->bytes = malloc(packing->room);
    packing->elements = malloc(elements + 1);
    packing->members = malloc(packing->threads * member_bound(SNAPSHOT_BLOCK));
    return packing->bytes && packing->elements && packing->members
               ? 0
               : error_memory(error, packing->room + elements, "writing a snapshot");
}

void packing_close(struct packing *packing)
{
    free(packing->bytes);
    free(packing->elements);
    free(packing->members);
}

const uint8_t *packing_member(const struct packing *packing, uint64_t index)
{
    return packing->members + index * member_bound(SNAPSHOT_BLOCK);
}

/* Reads the next window behind the bytes that are held. The first one may begin before the first block. */
static int take_window(struct packing *packing, struct engine_error *error)
{
    const struct snapshot_cells *cells = packing->cells;
    const struct snapshot_window window = stream_window(&packing->stream, packing->field, packing->at);
    const uint64_t begin = packing->next * packing->stream.block;
    if (cells->move(cells->self, window.begin, window.count, packing->elements, NULL, error) != 0)
        return error->status;
    if (packing->hash)
        hash_add(packing->hash, packing->elements, window.count * type_bytes(packing->field->shape.type));
    if (stream_pack(packing->field, &window, packing->elements, packing->bytes + packing->held, error) != 0)
        return error->status;
    const uint64_t before = packing->at < begin ? begin - packing->at : 0;
    packing->held += window.bytes - before;
    memmove(packing->bytes, packing->bytes + before, before > 0 ? packing->held : 0);
    packing->at += window.bytes;
    return 0;
}

/* Compresses the first `count` blocks of the bytes that are held at the same time. */
static int compress(const struct packing *packing, struct snapshot_block *blocks, uint64_t count,
                    struct engine_error *error)
{
    const bool deflates = packing->compression == SNAPSHOT_DEFLATE;
    const uint64_t block = packing->stream.block;
    bool allocated = true;
#pragma omp parallel for num_threads((int) count) reduction(&& : allocated)
    for (int64_t i = 0; i < (int64_t) count; i++) {
        const uint64_t begin = (uint64_t) i * block, left = packing->held - begin;
        uint8_t *member = packing->members + (uint64_t) i * member_bound(SNAPSHOT_BLOCK);
        struct isal_zstream *deflater = deflates ? malloc(sizeof *deflater) : NULL;
        allocated = allocated && (deflater || !deflates);
        if (deflater || !deflates) {
            blocks[i].bytes =
                (uint32_t) member_make(deflater, packing->bytes + begin, left < block ? left : block, member);
            blocks[i].check = XXH3_64bits(member, blocks[i].bytes);
        }
        free(deflater);
    }
    return allocated ? 0 : error_memory(error, sizeof(struct isal_zstream), "compressing a snapshot");
}

int packing_next(struct packing *packing, struct snapshot_block *blocks, uint64_t *count, struct engine_error *error)
{
    const uint64_t block = packing->stream.block, left = packing->last - packing->next;
    *count = left < packing->threads ? left : packing->threads;
    while (packing->held < *count * block && packing->at < packing->stream.bytes)
        if (take_window(packing, error) != 0)
            return error->status;
    if (compress(packing, blocks, *count, error) != 0)
        return error->status;
    const uint64_t done = *count * block < packing->held ? *count * block : packing->held;
    packing->next += *count;
    packing->held -= done;
    memmove(packing->bytes, packing->bytes + done, packing->held);
    return 0;
}
