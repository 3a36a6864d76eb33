/* The messages by which process 0 gives the members of an ensemble to the processes of mpirun.
 *
 * Process 0 has the tables and the scheduler (ensemble/scheduler.h). Every process executes members, with
 * threads of its program; the others are workers (ensemble/worker.h). A worker sends a report four times a second, and
 * sooner if it has results or needs members. Process 0 answers each report with members, or with the word to stop or to
 * leave. So a process gets new members when it has ended others, however long they take, and a silent process is found.
 *
 * A process that is killed ends all others, as in every run of several processes. Its members have no rows, and so are
 * missing when the ensemble is resumed. */
#ifndef LIB_ENSEMBLE_SCHEDULE_H
#define LIB_ENSEMBLE_SCHEDULE_H

#include "ensemble/ensemble.h"

enum {
    SCHEDULE_MOST = 450, /* members of an answer, so that MPI sends it without a handshake, below 4 KiB */
    SCHEDULE_LOCK_TEXT = 128
};

/* From a worker. The bytes of the results follow. */
struct report {
    uint64_t bytes, results;
    uint64_t wanted;  /* members */
    uint64_t dropped; /* members that were given out and will not begin */
};

enum schedule_word { SCHEDULE_GO_ON, SCHEDULE_STOP, SCHEDULE_LEAVE };

/* The answer. */
struct schedule {
    uint64_t word, count;
    uint64_t members[SCHEDULE_MOST];
};

/* What identifies the ensemble's folder: the text in its lock, which names a process and its host. "": the folder has
 * none, or cannot be read. */
void schedule_lock_text(const struct folder *folder, char text[SCHEDULE_LOCK_TEXT]);

/* The checksums of the files of the plugin and of the plugin of the analysis, which is "" without one.
 * ENGINE_STATUS_PLUGIN. */
int schedule_checksums(const struct ensemble *ensemble, char text[2][40], struct engine_error *error);

#endif
