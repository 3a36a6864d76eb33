/* The blocks of a field that one of several processes writes. Their place in the file is known when all blocks before
 * them are compressed. So a process first compresses its blocks, and writes them later. It keeps the members
 * meanwhile, as long as there is room. Those that it could not keep it makes again, which gives the same bytes. Both
 * go in rounds of so many blocks that a process is never silent for long. */
#ifndef LIB_FILES_SNAPSHOT_PORTION_H
#define LIB_FILES_SNAPSHOT_PORTION_H

#include "files/snapshot_pack.h"

enum { PORTION_ROUND = 64 }; /* blocks of a round */

/* Blocks [first, first + count). */
struct portion {
    struct packing packing; /* the field and the cells outlive the portion */
    uint64_t first, count;
    uint64_t room;             /* bytes of members that may still be kept */
    struct portion_kept *kept; /* of each round */
};

/* portion_close follows, also after an error. ENGINE_STATUS_DEVICE. */
int portion_open(struct portion *portion, struct engine_error *error);
void portion_close(struct portion *portion);

/* The number of blocks that a round has, of `count`. */
uint64_t portion_round(uint64_t count, uint64_t round);

/* Compresses the blocks of a round, and describes them. */
int portion_pack(struct portion *portion, uint64_t round, struct snapshot_block *blocks, struct engine_error *error);

/* Writes the blocks of a round that was packed at an offset of the file. ENGINE_STATUS_OUTPUT. */
int portion_place(struct portion *portion, uint64_t round, int file, uint64_t offset, struct engine_error *error);

#endif
