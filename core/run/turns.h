/* The only caller of a plugin's create, advance, settle, measure, advise and destroy. A run has one turn, which takes
 * its whole state. A batch whose implementation does not state ENGINE_BATCH has a turn for each universe, with a plan
 * and views of its own. */
#ifndef CORE_RUN_TURNS_H
#define CORE_RUN_TURNS_H

#include "run/state.h"

struct turn {
    const struct engine_plan *plan;
    struct engine_buffer *views;
    void *self;
    bool created;
};

struct turns {
    struct state *state;
    struct host *host;
    uint64_t count;
    struct turn *list;
    struct engine_plan *plans;   /* of the universes that take turns; otherwise NULL */
    struct engine_buffer *views; /* for each of them, one for each field */
    bool unsettled;              /* turns_advance leaves the calls of settle to the caller: see turns_settle */
};

/* Allocates the turns. The state and the host must outlive them. turns_close may be called after an error too. */
int turns_open(struct turns *turns, struct state *state, struct host *host, struct engine_error *error);

/* Calls destroy for each turn for which create was called, and frees the turns. */
void turns_close(struct turns *turns);

/* Calls create for each turn. `fresh`: the state was changed from outside since the last advance. */
int turns_create(struct turns *turns, bool fresh, struct engine_error *error);

/* Calls advance for each turn. They all leave the result in the same buffer, *result. After an error *lost tells
 * whether the state is lost. */
int turns_advance(struct turns *turns, bool fresh, uint64_t steps, uint32_t *result, bool *lost,
                  struct engine_error *error);

/* Calls settle for the call of advance that took `steps` steps from step `first` on: there is one turn, and the calls
 * before have been settled. After an error the state is lost. */
int turns_settle(struct turns *turns, uint64_t first, uint64_t steps, struct engine_error *error);

/* Calls measure for each turn: all metrics of universe 0, then … */
int turns_measure(struct turns *turns, bool fresh, double *values, struct engine_error *error);

/* Calls advise, which the implementation has, for the first turn: would it pay to take `steps` steps at a time? `text`
 * has room for `size` bytes. Nothing but turns_close may follow. */
int turns_advise(struct turns *turns, uint64_t steps, char *text, uint64_t size, struct engine_error *error);

#endif
