/* The hashes of the states of a run, every [output] hash_every steps, in a file. lib/judge/audit.h compares them with
 * those of another computation. */
#ifndef LIB_RECORD_HASHES_H
#define LIB_RECORD_HASHES_H

#include "record/rows.h"
#include "run/state.h"

struct hashes {
    const struct state *state;
    struct rows table; /* not open: the run records no hashes */
};

/* Creates the file in the folder, if the run records hashes, or continues it after so many bytes, if it has recorded
 * some; bytes 0: none yet. With folder NULL no hash is recorded. hashes_close may be called after an error too.
 * ENGINE_STATUS_OUTPUT. */
int hashes_open(struct hashes *hashes, const struct state *state, const struct folder *folder, uint64_t bytes,
                struct engine_error *error);
void hashes_close(struct hashes *hashes);

/* The number of steps between two rows; 0: none are added. */
uint64_t hashes_every(const struct hashes *hashes);

/* Hashes the present state and adds its row. */
int hashes_write(struct hashes *hashes, struct engine_error *error);

#endif
