/* What one process does for a snapshot that all processes of a run write: it compresses and writes those blocks of a
 * field whose first cell it has. The last of these blocks may have cells of the processes after it, which send them. */
#ifndef LIB_PARTS_SAVE_SHARE_H
#define LIB_PARTS_SAVE_SHARE_H

#include "files/snapshot_portion.h"
#include "parts/shares.h"
#include "run/state.h"

struct save_share {
    struct state *state;
    int file; /* that of the snapshot, which all processes have open; -1: not open */
    uint32_t field;
    struct engine_file_array array; /* of the field */
    struct snapshot_cells cells;    /* gives its elements */
    struct share own;               /* the elements of this process */
    void *others;                   /* elements from own.end on, which other processes have sent */
    struct portion portion;
    bool open; /* the portion */
};

/* Opens the snapshot's file, which another process has created. ENGINE_STATUS_OUTPUT. */
int save_share_open(struct save_share *share, struct state *state, const char *path, bool compressed,
                    struct engine_error *error);

/* Closes the file. If `status` is 0, synchronises it to disk before. Returns the status. ENGINE_STATUS_OUTPUT. */
int save_share_close(struct save_share *share, int status, struct engine_error *error);

/* The blocks of a field that a process writes, [begin, end). */
struct share save_share_blocks(const struct state *state, uint32_t rank, uint32_t field);

/* Compresses a round of these blocks of a field, and describes them. All processes begin with round 0 at the same time,
 * because they exchange cells. */
int save_share_pack(struct save_share *share, uint32_t field, uint64_t round, struct snapshot_block *blocks,
                    struct engine_error *error);

/* Writes them at an offset of the file. */
int save_share_place(struct save_share *share, uint64_t round, uint64_t offset, struct engine_error *error);

#endif
