/* The hash of a divided state. The processes of a run each reduce what they have; process 0 joins it in order. */
#ifndef CORE_RUN_HASH_SHARES_H
#define CORE_RUN_HASH_SHARES_H

#include "base/hash.h"
#include "run/state.h"

/* Adds the fields of these roles to the chain. In a run that several processes share, process 0 calls it. */
int hash_shares(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error);

/* In a process that serves process 0: reduces its share of the fields of these roles, and sends it. */
int hash_shares_serve(const struct state *state, uint32_t roles, struct engine_error *error);

#endif
