#include "run/state_hash.h"
#include "run/hash_pieces.h"

enum { INPUTS = 1 << ENGINE_INPUT, STATES = 1 << ENGINE_STATE, RESULTS = STATES | 1 << ENGINE_OUTPUT };

static void take(struct pieces *pieces, void *user)
{
    (void) user;
    while (pieces->begin < pieces->end) {
        const uint64_t left = pieces_count(pieces), threads = pieces->hashing->threads;
        const uint64_t count = left < threads ? left : threads;
        if (pieces->hashing->error->status == 0)
            pieces_reduce(pieces, count);
        pieces_add(pieces, count);
        pieces_skip(pieces, count);
    }
}

/* Reads all elements, several threads at a time where the device has a thread pool. */
static int hash_here(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error)
{
    const uint32_t most = state->plan->for_plugin.threads, threads = state->plan->device->pool && most > 1 ? most : 1;
    struct hashing hashing;
    int status = hashing_open(&hashing, state, threads, threads, chain, error);
    if (status == 0)
        status = hashing_fields(&hashing, roles, take, NULL);
    hashing_close(&hashing);
    return status;
}

static int hash_roles(const struct state *state, uint32_t roles, char text[HASH_TEXT], struct engine_error *error)
{
    struct hash chain;
    hash_begin(&chain);
    if ((state->store->hash ? state->store->hash : hash_here)(state, roles, &chain, error) != 0)
        return error->status;
    hash_print(&chain, text);
    return 0;
}

int state_hash(const struct state *state, char text[HASH_TEXT], struct engine_error *error)
{
    return hash_roles(state, RESULTS, text, error);
}

int state_hash_states(const struct state *state, char text[HASH_TEXT], struct engine_error *error)
{
    return hash_roles(state, STATES, text, error);
}

int state_hash_inputs(const struct state *state, char text[HASH_TEXT], struct engine_error *error)
{
    return hash_roles(state, INPUTS, text, error);
}
