/* Snapshots: the whole state of a run in a file, written beside the stepping and read back on any implementation,
 * backend and machine. core/io/snapshot_file.h is the file. */
#ifndef CORE_RUN_SNAPSHOT_H
#define CORE_RUN_SNAPSHOT_H

#include "io/snapshot_file.h"
#include "run/instance.h"

struct snapshot_writing; /* a snapshot being written by threads of its own */

/* Takes a copy of the state and returns. Threads of its own then write it, deflated or not, into a temporary file
 * beside path, flush that to its medium and rename it to path. `extra` is a text of the caller's that is kept in the
 * header, or NULL. The instance's plan must outlive the writing, the instance and its state need not. *writing is NULL
 * after an error: ENGINE_STATUS_DEVICE where there is no memory for the copy, ENGINE_STATUS_OUTPUT. */
int snapshot_start(struct instance *instance, const char *extra, const char *path, bool compressed,
                   struct snapshot_writing **writing, struct engine_error *error);

/* Has the file been written, or given up? */
bool snapshot_is_done(const struct snapshot_writing *writing);

/* Waits for the file, and frees `writing`. After an error, ENGINE_STATUS_OUTPUT, no temporary file is left, and what was at
 * path before still is. */
int snapshot_finish(struct snapshot_writing *writing, struct engine_error *error);

struct snapshot; /* open for reading */

/* Reads and checks a snapshot's header and index. *snapshot is NULL after an error. ENGINE_STATUS_INPUT. */
int snapshot_open(const char *path, struct snapshot **snapshot, struct engine_error *error);
void snapshot_close(struct snapshot *snapshot);

/* Lives until the snapshot is closed. */
const struct snapshot_header *snapshot_header(const struct snapshot *snapshot);

/* Reads all fields into the current buffers of a state with the same states and outputs, whatever its layout and
 * device, and sets its step; inputs that the snapshot has not are left as they are. Every block and the hash of the
 * whole are checked. Tell an instance on that state by instance_state_changed. After an error the state holds nothing
 * of use: ENGINE_STATUS_INPUT, ENGINE_STATUS_DEVICE. */
int snapshot_restore(struct snapshot *snapshot, struct state *state, struct engine_error *error);

#endif
