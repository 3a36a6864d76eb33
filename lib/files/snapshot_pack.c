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
struct job {
    const struct packing *packing;
    struct snapshot_stream stream;
    uint64_t first, count;
    uint8_t *contents; /* of all; NULL: each thread reads those of its blocks from memory */
    struct snapshot_block *blocks;
    int (*put)(void *self, const void *member, uint64_t bytes, struct engine_error *error);
    void *self;
};

static void pack_block(const struct job *job, uint64_t index, struct packer *packer)
{
    const struct packing *packing = job->packing;
    struct snapshot_block *block = &job->blocks[index];
    const uint8_t *content = job->contents ? job->contents + index * job->stream.block : packer->content;
    if (!job->contents)
        stream_move(&job->stream, packing->field, packing->cells, job->first + index, NULL, packer->content, NULL,
                    NULL);
    struct isal_zstream *deflater = packing->compression == SNAPSHOT_DEFLATE ? packer->deflater : NULL;
    block->bytes =
        (uint32_t) member_make(deflater, content, stream_block_bytes(&job->stream, job->first + index), packer->member);
    block->check = XXH3_64bits(packer->member, block->bytes);
}

static int pack_job(const struct job *job, struct engine_error *error)
{
    int status = 0;
#pragma omp parallel num_threads((int) job->packing->threads)
    {
        struct packer packer;
        struct engine_error own;
        packer_open(&packer, &own);
#pragma omp for ordered schedule(dynamic, 1)
        for (int64_t i = 0; i < (int64_t) job->count; i++) {
            if (own.status == 0)
                pack_block(job, (uint64_t) i, &packer);
#pragma omp ordered
            if (status == 0 &&
                (own.status != 0 || job->put(job->self, packer.member, job->blocks[i].bytes, &own) != 0)) {
                *error = own;
                status = own.status;
            }
        }
        packer_close(&packer);
    }
    return status;
}

/* Only the thread that calls this function calls `move`. */
static int pack_moved(struct job *job, uint64_t count, struct engine_error *error)
{
    const struct packing *packing = job->packing;
    uint8_t *piece = malloc(SNAPSHOT_PIECE), *contents = malloc((uint64_t) packing->threads * SNAPSHOT_BLOCK);
    int status = piece && contents ? 0 : error_memory(error, SNAPSHOT_PIECE, "writing a snapshot");
    job->contents = contents;
    for (uint64_t done = 0; status == 0 && done < count; done += job->count) {
        job->count = count - done < packing->threads ? count - done : packing->threads;
        for (uint64_t i = 0; status == 0 && i < job->count; i++)
            status = stream_move(&job->stream, packing->field, packing->cells, job->first + i, piece,
                                 contents + i * job->stream.block, NULL, error);
        if (status == 0)
            status = pack_job(job, error);
        job->first += job->count;
        job->blocks += job->count;
    }
    free(piece);
    free(contents);
    return status;
}

int blocks_pack(const struct packing *packing, uint64_t first, uint64_t count, struct snapshot_block *blocks,
                int (*put)(void *self, const void *member, uint64_t bytes, struct engine_error *error), void *self,
                struct engine_error *error)
{
    struct job job = {.packing = packing, .first = first, .count = count, .blocks = blocks, .put = put, .self = self};
    stream_of(packing->field, &job.stream);
    return packing->cells->memory ? pack_job(&job, error) : pack_moved(&job, count, error);
}
