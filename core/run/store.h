/* A store holds the buffers of a state and gives access to their elements. Each kind of store has a table of functions,
 * which run/state.c calls. run/open.c chooses the kind. */
#ifndef CORE_RUN_STORE_H
#define CORE_RUN_STORE_H

#include "plan/plan.h"

struct state;
struct hash;

struct store {
    bool divided; /* state->own is a struct divided (parts/divided.h) */

    /* Makes the buffers of a new state, cleared. After an error the caller calls close. ENGINE_STATUS_DEVICE. */
    int (*open)(struct state *state, struct engine_error *error);

    /* Frees what open has made, also after an error of open. */
    void (*close)(struct state *state);

    /* Moves elements [begin, begin + count) of a field's canonical array out of the current buffer or, if `out` is
     * NULL, into it. The shapes are those of `step`. Several threads may move elements of the same state. */
    int (*move)(const struct state *state, uint64_t step, uint32_t field, uint64_t begin, uint64_t count, void *out,
                const void *in, struct engine_error *error);

    /* The same for the whole current buffer in its layout, state_geometry(…)->bytes of it. */
    int (*copy)(const struct state *state, uint32_t field, void *out, const void *in, struct engine_error *error);

    /* Makes a copy of the states and outputs, which `drop` frees. `back` copies it to a state of any run with the same
     * fields. NULL: the caller copies buffers, or elements. */
    int (*keep)(const struct state *state, void **kept, struct engine_error *error);
    int (*back)(struct state *state, const void *kept, struct engine_error *error);
    void (*drop)(void *kept);

    /* Makes rows [row, row + rows) of a region of a grid, reduced as the region says (memory/region.h), where the
     * cells are stored. */
    int (*rows)(const struct state *state, uint32_t field, const struct region *region, uint64_t row, uint64_t rows,
                void *out, struct engine_error *error);

    /* Fills in all members of a view of the current buffer but its size. ENGINE_STATUS_USAGE: the field lies in several
     * buffers. */
    int (*view)(const struct state *state, uint32_t field, struct engine_view *view, struct engine_error *error);

    /* Fills the ghosts of the current buffers. NULL: the stepper fills them. */
    int (*fill_edges)(struct state *state, struct engine_error *error);

    /* Adds the canonical arrays of all fields of these roles (bit 1 << ENGINE_STATE, …) to a hash, in the plugin's
     * order: inputs only if they have memory of their own. NULL: they are read with move, by several threads. */
    int (*hash)(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error);

    /* Waits for all enqueued work on the state, and reports its errors. */
    int (*synchronise)(const struct state *state, struct engine_error *error);

    /* Calls make(state), which makes the initial state with state_write. NULL: the caller calls make itself. */
    int (*initialise)(struct state *state, int (*make)(struct state *, struct engine_error *),
                      struct engine_error *error);

    /* Would state_write keep any of these elements? NULL: it keeps all. */
    bool (*makes)(const struct state *state, uint32_t field, uint64_t begin, uint64_t count);
};

/* All buffers lie in the memory of one device. */
extern const struct store store_whole;

#endif
