/* A divided state, whose store is store_parts (parts/store_parts.c): each part has a state of its own, perhaps in another
 * process. */
#ifndef LIB_PARTS_DIVIDED_H
#define LIB_PARTS_DIVIDED_H

#include "parts/ranks.h"
#include "run/state.h"

struct divided {
    struct state **parts; /* plan->settings.parts of them, which have the memory */
    void *piece;          /* STATE_PIECE bytes, moves cells between the parts */
    struct ranks *ranks;  /* of a run that several processes share; otherwise NULL */
    bool own_only;        /* writing drops the cells of other processes, because these make them themselves */
};

extern const struct store store_parts;

/* The function `rows` of store_parts. */
int store_parts_rows(const struct state *state, uint32_t field, const struct region *region, uint64_t row,
                     uint64_t rows, void *out, struct engine_error *error);

/* What store_parts keeps of a state, or NULL: it has another store. */
static inline struct divided *state_divided(const struct state *state)
{
    return state->store->divided ? state->own : NULL;
}

/* The states of the parts; NULL: the state is not divided. */
static inline struct state **state_parts(const struct state *state)
{
    const struct divided *divided = state_divided(state);
    return divided ? divided->parts : NULL;
}

/* The processes that share the state; NULL: this one alone has it. */
static inline struct ranks *state_ranks(const struct state *state)
{
    const struct divided *divided = state_divided(state);
    return divided ? divided->ranks : NULL;
}

#endif
