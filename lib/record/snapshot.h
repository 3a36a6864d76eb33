/* Snapshots: the whole state of a run in a file. It is written while the run takes further steps, and read back on any
 * implementation, device and machine. files/snapshot_file.h is about the file. */
#ifndef LIB_RECORD_SNAPSHOT_H
#define LIB_RECORD_SNAPSHOT_H

#include "files/folder.h"
#include "files/snapshot_file.h"
#include "run/instance.h"

struct snapshot_writing; /* a snapshot that other threads are writing */

/* Copies the state and returns. Other threads then write the copy, compressed or not, to the file of that name in the
 * folder, which they replace (files/replace.h) and synchronise to disk. Where host memory has no room for the copy, this
 * function itself writes the file, piece by piece; where several processes share the run, it writes the file with all
 * of them (parts/save.h). snapshot_finish gives the error all the same. `extra` is a text of the caller's for the
 * header, or NULL. The folder and the instance's plan must outlive the writing; the instance and its state need not.
 * *writing is NULL after an error: ENGINE_STATUS_DEVICE where there is no memory for the copy, ENGINE_STATUS_OUTPUT. */
int snapshot_start(struct instance *instance, const char *extra, const struct folder *folder, const char *name,
                   bool compressed, struct snapshot_writing **writing, struct engine_error *error);

/* Is there no host memory for the fields that a snapshot saves? Process 0 of several never takes memory for all. */
bool snapshot_goes_by_pieces(const struct state *state);

/* Has the writing ended, with success or with an error? */
bool snapshot_is_done(const struct snapshot_writing *writing);

/* Waits for the file and frees `writing`. After an error, ENGINE_STATUS_OUTPUT, the temporary file is gone and an older
 * file of that name is unchanged. */
int snapshot_finish(struct snapshot_writing *writing, struct engine_error *error);

struct snapshot; /* open for reading */

/* Reads and checks a snapshot's header and index. *snapshot is NULL after an error. ENGINE_STATUS_INPUT. */
int snapshot_open(const char *path, struct snapshot **snapshot, struct engine_error *error);

/* The same for a file of a folder. *damaged: the error is that the bytes of the file are wrong. A file that cannot be
 * opened or read is not damaged; ENGINE_STATUS_OUTPUT, if it cannot be opened. */
int snapshot_open_in(const struct folder *folder, const char *name, struct snapshot **snapshot, bool *damaged,
                     struct engine_error *error);
void snapshot_close(struct snapshot *snapshot);

/* The header lives until the snapshot is closed. */
const struct snapshot_header *snapshot_header(const struct snapshot *snapshot);

/* Reads all fields into the current buffers of a state, and sets its step. The state has the same states and outputs,
 * on any layout and device; inputs that the snapshot does not hold are not changed. Every block and the hash of the
 * whole are checked. The caller calls instance_state_changed for an instance on that state. If a field
 * of the snapshot has another shape or type, or is missing, the state stays as it was; after another error it is lost.
 * ENGINE_STATUS_INPUT, ENGINE_STATUS_DEVICE. *damaged, which may be NULL, as for snapshot_open_in. */
int snapshot_restore(struct snapshot *snapshot, struct state *state, bool *damaged, struct engine_error *error);

/* A list of numbers in memory, beside the strips of tiles. snapshot_array_move copies numbers [begin, begin + count) to
 * `out`, or from `in` if `out` is NULL. `self` is a struct snapshot_array. */
struct snapshot_array {
    void *memory;
    uint64_t bytes; /* of a number */
};
int snapshot_array_move(void *self, uint64_t begin, uint64_t count, void *out, const void *in,
                        struct engine_error *error);

#endif
