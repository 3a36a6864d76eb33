#include "files/snapshot_portion.h"
#include "files/bytes.h"
#include "files/snapshot_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The members of a round, one after the other. NULL: they were not kept. */
struct portion_kept {
    uint8_t *members;
    uint64_t bytes;
};

uint64_t portion_round(uint64_t count, uint64_t round)
{
    const uint64_t begin = round * PORTION_ROUND, left = begin < count ? count - begin : 0;
    return left < PORTION_ROUND ? left : PORTION_ROUND;
}

int portion_open(struct portion *portion, struct engine_error *error)
{
    const uint64_t rounds = portion->count / PORTION_ROUND + 1;
    portion->kept = calloc(rounds, sizeof *portion->kept);
    return portion->kept ? 0 : error_memory(error, rounds * sizeof *portion->kept, "writing a snapshot");
}

static void forget(struct portion_kept *kept)
{
    free(kept->members);
    kept->members = NULL;
}

void portion_close(struct portion *portion)
{
    for (uint64_t i = 0; portion->kept && i <= portion->count / PORTION_ROUND; i++)
        forget(&portion->kept[i]);
    free(portion->kept);
    portion->kept = NULL;
}

/* Adds a member to those of the round. */
static int keep(void *self, const void *member, uint64_t bytes, struct engine_error *error)
{
    struct portion_kept *kept = self;
    (void) error;
    memcpy(kept->members + kept->bytes, member, bytes);
    kept->bytes += bytes;
    return 0;
}

/* Makes all members of a round. */
static int make(const struct portion *portion, uint64_t round, struct snapshot_block *blocks, struct portion_kept *kept,
                struct engine_error *error)
{
    const uint64_t first = portion->first + round * PORTION_ROUND, count = portion_round(portion->count, round);
    *kept = (struct portion_kept){malloc(count * member_bound(SNAPSHOT_BLOCK)), 0};
    if (!kept->members)
        return error_memory(error, count * member_bound(SNAPSHOT_BLOCK), "compressing a snapshot");
    const int status = blocks_pack(&portion->packing, first, count, blocks, keep, kept, error);
    if (status != 0)
        forget(kept);
    return status;
}

int portion_pack(struct portion *portion, uint64_t round, struct snapshot_block *blocks, struct engine_error *error)
{
    if (portion_round(portion->count, round) == 0)
        return 0;
    struct portion_kept *kept = &portion->kept[round];
    if (make(portion, round, blocks, kept, error) != 0)
        return error->status;
    if (kept->bytes > portion->room) {
        forget(kept);
        return 0;
    }
    uint8_t *shorter = realloc(kept->members, kept->bytes);
    kept->members = shorter ? shorter : kept->members;
    portion->room -= kept->bytes;
    return 0;
}

int portion_place(struct portion *portion, uint64_t round, int file, uint64_t offset, struct engine_error *error)
{
    struct snapshot_block ignored[PORTION_ROUND];
    if (portion_round(portion->count, round) == 0)
        return 0;
    struct portion_kept *kept = &portion->kept[round];
    int status = kept->members ? 0 : make(portion, round, ignored, kept, error);
    if (status == 0 && !bytes_write_at(file, kept->members, kept->bytes, offset))
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    forget(kept);
    return status;
}
