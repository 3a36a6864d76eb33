/* The origin of a state, as notes for the files that it is written to. The notes depend only on settings that
 * determine the state. So a state's file is the same for every implementation, machine, folder and interval of
 * outputs. */
#ifndef LIB_RECORD_PROVENANCE_H
#define LIB_RECORD_PROVENANCE_H

#include "base/hash.h"
#include "files/document.h"
#include "run/state.h"

enum { PROVENANCE_AUTHOR = 3 };

struct provenance {
    char engine[96], plugin[256], hash[HASH_TEXT];
    char seed[32]; /* "": the run uses none */
    char *config;  /* the sections and keys that determine the state, as in a file, without the folders of files */
    struct engine_file_note author[PROVENANCE_AUTHOR]; /* of the file from which the run starts */
    uint32_t author_notes;
};

/* Hashes the state and prints its configuration. The caller calls provenance_close, also after an error. */
int provenance_open(const struct state *state, struct provenance *provenance, struct engine_error *error);
void provenance_close(struct provenance *provenance);

/* Puts the author's notes, and Engine, Plugin, Seed, Hash, Config into a header, which must not outlive them. */
void provenance_note(const struct provenance *provenance, struct io_header *header);

#endif
