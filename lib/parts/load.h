/* Reading a snapshot in all processes of a run: each opens the file, and reads the blocks that hold its own cells. */
#ifndef LIB_PARTS_LOAD_H
#define LIB_PARTS_LOAD_H

#include "files/snapshot_file.h"
#include "parts/divided.h"

/* Process 0: fills the saved fields of a state from a snapshot that it has open; `path` is for the others. After an
 * error the caller may fill the state alone, as long as the link is not broken. */
int load_fields(struct state *state, struct snapshot_file *file, const char *path, struct engine_error *error);

/* In another process: carries out a command, which `texts` follow. *file is NULL as long as no snapshot is open. */
int load_serve(struct snapshot_file **file, struct state *state, const struct ranks_command *command, const char *texts,
               struct engine_error *error);

#endif
