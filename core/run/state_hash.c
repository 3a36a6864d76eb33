#include "run/state_hash.h"
#include "run/hash_pieces.h"

#include <stdlib.h>

/* Lets the device add a field where its cells are, or reads it. */
static void take(struct pieces *pieces, void *user)
{
    const struct hashing *hashing = pieces->hashing;
    const struct state *state = hashing->state;
    const uint32_t field = pieces->field, values = plan_array(state->plan, field).values;
    struct device *device = state->plan->device;
    (void) user;
    if (device->hash && state_buffer(state, field) && hashing->error->status == 0)
        device->hash(device, state_geometry(state, field), state_buffer(state, field), 0, pieces->end, values,
                     hashing->chain, hashing->error);
    if (hashing->error->status == 0 && hashing->chain->bytes == hashing->position)
        pieces_take(pieces);
}

int state_hash_here(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error)
{
    const uint32_t most = state->plan->for_plugin.threads, threads = state->plan->device->pool && most > 1 ? most : 1;
    struct hashing hashing = {.state = state, .chain = chain, .threads = threads, .error = error};
    hashing.workers = malloc(threads * sizeof *hashing.workers);
    error->status = 0;
    const int status = hashing.workers ? hashing_fields(&hashing, roles, take, NULL)
                                       : error_memory(error, threads * sizeof *hashing.workers, "hashing");
    free(hashing.workers);
    return status;
}

int state_hash(const struct state *state, uint32_t roles, char text[HASH_TEXT], struct engine_error *error)
{
    struct hash chain;
    hash_begin(&chain);
    if ((state->store->hash ? state->store->hash : state_hash_here)(state, roles, &chain, error) != 0)
        return error->status;
    hash_print(&chain, text);
    return 0;
}
