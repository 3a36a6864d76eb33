#include "files/snapshot_pack.h"
#include "base/xxh.h"
#include "files/snapshot_stream.h"

#include <stdlib.h>

/* The memory of one thread. */
struct packer {
    struct isal_zstream *deflater;
    uint8_t *content, *member;
};

static void packer_open(struct packer *packer, struct engine_error *error)
{
    *packer =
        (struct packer){malloc(sizeof *packer->deflater), malloc(SNAPSHOT_BLOCK), malloc(member_bound(SNAPSHOT_BLOCK))};
    error->status = 0;
    if (!packer->deflater || !packer->content || !packer->member)
        error_memory(error, SNAPSHOT_BLOCK, "compressing a snapshot");
}

static void packer_close(struct packer *packer)
{
    free(packer->deflater);
    free(packer->content);
    free(packer->member);
}

/* Blocks that are compressed at the same time. */
struct batch {
    const struct packing *packing;
    struct snapshot_stream stream;
    uint64_t first, count;
    uint8_t *contents; /* of all; NULL: each thread reads those of its blocks from memory */
    struct snapshot_block *blocks;
    int (*put)(void *self, const void *member, uint64_t bytes, struct engine_error *error);
    void *self;
};

static void pack_block(const struct batch *batch, uint64_t index, struct packer *packer)
{
    const struct packing *packing = batch->packing;
    struct snapshot_block *block = &batch->blocks[index];
    const uint8_t *content = batch->contents ? batch->contents + index * batch->stream.block : packer->content;
    if (!batch->contents)
        stream_move(&batch->stream, packing->field, packing->cells, batch->first + index, NULL, packer->content, NULL,
                    NULL);
    struct isal_zstream *deflater = packing->compression == SNAPSHOT_DEFLATE ? packer->deflater : NULL;
    block->bytes = (uint32_t) member_make(deflater, content, stream_block_bytes(&batch->stream, batch->first + index),
                                          packer->member);
    block->check = XXH3_64bits(packer->member, block->bytes);
}

static int pack_batch(const struct batch *batch, struct engine_error *error)
{
    int status = 0;
#pragma omp parallel num_threads((int) batch->packing->threads)
    {
        struct packer packer;
        struct engine_error own;
        packer_open(&packer, &own);
#pragma omp for ordered schedule(dynamic, 1)
        for (int64_t i = 0; i < (int64_t) batch->count; i++) {
            if (own.status == 0)
                pack_block(batch, (uint64_t) i, &packer);
#pragma omp ordered
            if (status == 0 &&
                (own.status != 0 || batch->put(batch->self, packer.member, batch->blocks[i].bytes, &own) != 0)) {
                *error = own;
                status = own.status;
            }
        }
        packer_close(&packer);
    }
    return status;
}

/* Only the thread that calls this function calls `move`. */
static int pack_moved(struct batch *batch, uint64_t count, struct engine_error *error)
{
    const struct packing *packing = batch->packing;
    uint8_t *piece = malloc(SNAPSHOT_PIECE), *contents = malloc(packing->threads * SNAPSHOT_BLOCK);
    int status = piece && contents ? 0 : error_memory(error, SNAPSHOT_PIECE, "writing a snapshot");
    batch->contents = contents;
    for (uint64_t done = 0; status == 0 && done < count; done += batch->count) {
        batch->count = count - done < packing->threads ? count - done : packing->threads;
        for (uint64_t i = 0; status == 0 && i < batch->count; i++)
            status = stream_move(&batch->stream, packing->field, packing->cells, batch->first + i, piece,
                                 contents + i * batch->stream.block, NULL, error);
        if (status == 0)
            status = pack_batch(batch, error);
        batch->first += batch->count;
        batch->blocks += batch->count;
    }
    free(piece);
    free(contents);
    return status;
}

int blocks_pack(const struct packing *packing, uint64_t first, uint64_t count, struct snapshot_block *blocks,
                int (*put)(void *self, const void *member, uint64_t bytes, struct engine_error *error), void *self,
                struct engine_error *error)
{
    struct batch batch = {
        .packing = packing, .first = first, .count = count, .blocks = blocks, .put = put, .self = self};
    if (!stream_of(packing->field, &batch.stream))
        return error_set(error, ENGINE_STATUS_OUTPUT, "field %s is larger than an address space", packing->field->name);
    return packing->cells->memory ? pack_batch(&batch, error) : pack_moved(&batch, count, error);
}
