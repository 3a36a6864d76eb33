/* Where a state comes from, as notes for the files that it is written to. They depend on what decides the state and on
 * nothing else: whatever implementation, machine, folder or cadence of outputs a run has, a state's file is the same.
 */
#ifndef CORE_RUN_PROVENANCE_H
#define CORE_RUN_PROVENANCE_H

#include "run/state.h"

struct provenance {
    char engine[96], plugin[256], seed[32], hash[HASH_TEXT];
    char *config; /* sections and keys that decide the state, as in a file */
};

/* Hashes the state and prints its configuration. provenance_close after that, whatever it returns. */
int provenance_open(const struct state *state, struct provenance *provenance, struct engine_error *error);
void provenance_close(struct provenance *provenance);

/* Puts the notes into a header, which must not outlive them: Engine, Plugin, Seed, Hash, Config. */
void provenance_note(const struct provenance *provenance, struct io_header *header);

#endif
