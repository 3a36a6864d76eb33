/* The table of a batch: universes.csv, with the seed, the hash and the metrics of each universe. */
#ifndef LIB_RECORD_UNIVERSES_H
#define LIB_RECORD_UNIVERSES_H

#include "files/folder.h"
#include "run/instance.h"

#define UNIVERSES_FILE "universes.csv"

/* Replaces the table in the folder. The hash of a universe is that of its run alone, as state_hash makes it. The
 * metrics are left out where the implementation does not measure. ENGINE_STATUS_OUTPUT. */
int universes_write(struct instance *instance, const struct folder *folder, struct engine_error *error);

#endif
