/* The buffers of a run: two for every state field, or one where the implementation works in place, one for every input
 * and output. Addresses stay fixed from state_open to state_close. */
#ifndef CORE_RUN_STATE_H
#define CORE_RUN_STATE_H

#include "run/ranks.h"

enum { STATE_PIECE = 1 << 20 }; /* bytes of the canonical array handled at a time */

struct state {
    struct plan *plan; /* its chosen implementation's layout */
    uint64_t step;
    uint32_t current; /* which buffer of the states holds step `step` */
    bool lost; /* an error has destroyed it, and nothing may read it until snapshot_restore has filled it again */
    void *memory[PLAN_FIELDS_MAX][2];
    struct engine_buffer views[PLAN_FIELDS_MAX]; /* as plugins see them */
    struct state **parts; /* of a divided run: plan->settings.parts of them, which have the memory; otherwise NULL */
    void *piece;          /* of a divided run: STATE_PIECE bytes, moves cells between the parts */
    struct ranks *ranks;  /* of a divided run that several processes share; otherwise NULL */
    bool own_only;        /* state_write drops the cells of other processes, because these make them themselves */
};

/* Allocates and clears the buffers of a plan for its chosen implementation. The plan must not choose another one while
 * the state is open. ENGINE_STATUS_DEVICE. */
int state_open(struct plan *plan, struct state **state, struct engine_error *error);
void state_close(struct state *state);

/* The geometry that a field has at the state's step. */
const struct geometry *state_geometry(const struct state *state, uint32_t field);

/* The buffer of a field that holds the state's step. */
void *state_buffer(const struct state *state, uint32_t field);

/* Binds the inputs of an analysis to the buffers that hold the run's present state, and takes over its step. Inputs
 * that are converted keep their own buffers. */
void state_bind(struct state *state, const struct state *run);

/* Moves elements [begin, begin + count) of a field's canonical array out of, or into, the current buffer. Those of a
 * divided run are in the buffers of the parts that own them, perhaps in other processes, or, where the parts share
 * their work, in those of all. In a run that several processes share, only one thread may call these functions, unless
 * own_only is set. */
int state_read(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *canonical,
               struct engine_error *error);
int state_write(struct state *state, uint32_t field, uint64_t begin, uint64_t count, const void *canonical,
                struct engine_error *error);

/* Does this process make any of these elements? False for those that state_write would drop. */
bool state_makes(const struct state *state, uint32_t field, uint64_t begin, uint64_t count);

/* Copies a field's current buffer in its layout, state_geometry(…)->bytes of it, to host memory, or back. */
int state_copy_out(const struct state *state, uint32_t field, void *host, struct engine_error *error);
int state_copy_in(struct state *state, uint32_t field, const void *host, struct engine_error *error);

/* Fills the ghosts of all fields' current buffers. Not for a divided run. */
int state_wrap(struct state *state, struct engine_error *error);

/* Waits for all enqueued work on the state, on all its devices, and reports its errors. */
int state_synchronise(const struct state *state, struct engine_error *error);

/* Sets the views that plugins see to the shapes and strides of the state's step. */
void state_update_views(struct state *state);

#endif
