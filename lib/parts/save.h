/* Snapshots that all processes of a run write into one file. Process 0 begins and ends the file, and tells the others
 * what to do; every process compresses and writes its own blocks (parts/save_share.h).
 *
 * For each field, all processes compress their blocks, in rounds, and tell process 0 their sizes. So process 0 knows
 * where each block belongs, and all write. */
#ifndef LIB_PARTS_SAVE_H
#define LIB_PARTS_SAVE_H

#include "files/folder.h"
#include "parts/ranks.h"
#include "parts/save_share.h"

struct saving; /* process 0: a snapshot */

/* Lets all processes open a file that process 0 has created, empty, in a folder. *saving is NULL after an error, and
 * where process 0 has to write this file alone, because the others do not reach it. A message says so for the first of
 * such files in a row. */
int save_open(struct state *state, const struct folder *folder, const char *name, bool compressed,
              struct saving **saving, struct engine_error *error);

/* The descriptor with which process 0 writes to the file. */
int save_file(const struct saving *saving);

/* Writes the blocks of a field, the first one at `offset`, and describes them. ENGINE_STATUS_OUTPUT, and the error of
 * another process. */
int save_field(struct saving *saving, uint32_t field, uint64_t offset, struct snapshot_block *blocks,
               struct engine_error *error);

/* Closes the file in all processes. If `status` is 0, each synchronises it to disk before. Returns the status. */
int save_close(struct saving *saving, int status, struct engine_error *error);

#endif
