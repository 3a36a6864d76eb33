/* The hash of a divided state. The processes of a run each reduce what they have; process 0 joins it in order. */
#ifndef LIB_PARTS_HASH_SHARES_H
#define LIB_PARTS_HASH_SHARES_H

#include "base/hash.h"
#include "run/state.h"

/* Adds the fields of these roles to the chain. All processes that share the run call it; those that serve process 0
 * reduce their shares of the fields, and send them. They have no chain. */
int hash_shares(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error);

#endif
