/* The buffers of a run: two for every state field, or one where the implementation works in place, one for every input
 * and output. Addresses stay fixed from state_open to state_close. */
#ifndef CORE_RUN_STATE_H
#define CORE_RUN_STATE_H

#include "run/store.h"

enum { STATE_PIECE = 1 << 20 }; /* bytes of the canonical array handled at a time */

struct state {
    const struct plan *plan;       /* its chosen implementation's layout */
    struct engine_plan for_plugin; /* that of the plan, with the box of the present frame */
    uint64_t step;
    uint64_t frame;   /* the last step whose frame was read from files */
    uint32_t current; /* which buffer of the states holds step `step` */
    bool lost;  /* an error has destroyed it, and nothing may read it until snapshot_restore has filled it again */
    bool fresh; /* it was changed from outside since the last advance */
    void *memory[PLAN_FIELDS_MAX][2];
    struct engine_buffer views[PLAN_FIELDS_MAX]; /* as plugins see them */
    const struct store *store;
    void *own;    /* what the store keeps */
    void *frames; /* what the source keeps of the next frames (plan/source.h) */
};

/* Allocates the buffers of a plan for its chosen implementation (memory/allocate.h). The plan must not choose another
 * one while the state is open. ENGINE_STATUS_DEVICE. */
int state_open(const struct plan *plan, struct state **state, struct engine_error *error);
/* The same in that store. state_open chooses one (run/open.c). */
int state_open_in(const struct plan *plan, const struct store *store, struct state **state, struct engine_error *error);
void state_close(struct state *state);

/* For stores that have states inside: a state without buffers. NULL: there is no memory. state_close closes it. */
struct state *state_new(const struct plan *plan, const struct store *store, struct engine_error *error);

/* Gives the plugin another periodic box, and lets it check one that differs. Returns the status of the check. */
int state_change_box(struct state *state, const double box[6], struct engine_error *error);

/* The geometry that a field has at the state's step. */
const struct geometry *state_geometry(const struct state *state, uint32_t field);

/* The buffer of a field that holds the state's step. */
void *state_buffer(const struct state *state, uint32_t field);

/* Moves elements [begin, begin + count) of a field's canonical array out of, or into, the current buffer, wherever the
 * store has them. A store may ask for calls from one thread only, unless it is inside state_initialise. */
int state_read(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *canonical,
               struct engine_error *error);
int state_write(struct state *state, uint32_t field, uint64_t begin, uint64_t count, const void *canonical,
                struct engine_error *error);

/* The same as state_read, for elements that go into a file or a hash. ENGINE_STATUS_PLUGIN: the plugin has computed one
 * that is not among the field's values. */
int state_read_result(const struct state *state, uint32_t field, uint64_t begin, uint64_t count, void *canonical,
                      struct engine_error *error);

/* Checks elements that were read and belong to what `array` describes: the field, or a region of it. */
int state_check(const struct state *state, uint32_t field, const struct engine_file_array *array, uint64_t begin,
                uint64_t count, const void *elements, struct engine_error *error);

/* Calls make(state), which makes an initial state with state_write. The store may let others make what they have of
 * it. */
int state_initialise(struct state *state, int (*make)(struct state *, struct engine_error *),
                     struct engine_error *error);

/* Would state_write keep any of these elements? */
bool state_makes(const struct state *state, uint32_t field, uint64_t begin, uint64_t count);

/* Copies a field's current buffer in its layout, state_geometry(…)->bytes of it, to host memory or, if `out` is NULL,
 * back. */
int state_copy(const struct state *state, uint32_t field, void *out, const void *in, struct engine_error *error);

/* Fills in all members of a view of the current buffer, for the caller of the library, but its size. ENGINE_STATUS_USAGE:
 * the field lies in several buffers. */
int state_view(const struct state *state, uint32_t field, struct engine_view *view, struct engine_error *error);

/* Fills the ghosts of all fields' current buffers, if the store leaves that to its callers. */
int state_wrap(struct state *state, struct engine_error *error);

/* Waits for all enqueued work on the state, and reports its errors. */
int state_synchronise(const struct state *state, struct engine_error *error);

/* Sets the views that plugins see to the shapes and strides of the state's step. */
void state_update_views(struct state *state);

#endif
