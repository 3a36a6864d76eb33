#include "parts/hash_shares.h"
#include "parts/available.h"
#include "parts/divided.h"
#include "parts/parts.h"
#include "parts/shares.h"
#include "run/hash_pieces.h"

#include <stdlib.h>

enum {
    RECEIVED = 16,    /* pieces that process 0 receives at a time */
    MEMORY_SHARE = 64 /* this part of the free memory keeps the pieces that process 0 has not received yet */
};

struct sharing {
    struct hashing hashing;
    struct ranks *ranks; /* of a run whose processes have shares; otherwise NULL */
    uint8_t *reduced;    /* `room` pieces, at least one for each thread */
    uint64_t room, used; /* used: pieces that are on their way to process 0 */
};

static bool serves(const struct sharing *sharing)
{
    return sharing->ranks && sharing->ranks->serves;
}

static void keep_error(struct hashing *hashing, const struct engine_error *error)
{
    if (hashing->error->status == 0)
        *hashing->error = *error;
}

/* ---- What this process has ------------------------------------------------------------------------------------- */

/* Pieces that threads reduce at the same time. */
struct round {
    const struct sharing *sharing;
    const struct pieces *pieces;
    uint64_t first;
    uint8_t *reduced;
};

static uint64_t reduced_size(const struct round *round, uint64_t i)
{
    return hash_reduced_size(pieces_place(round->pieces, round->first + i),
                             pieces_bytes(round->pieces, round->first + i));
}

static void reduce_one(void *argument, uint64_t index)
{
    const struct round *round = argument;
    pieces_reduce(round->pieces, round->first + index, round->sharing->hashing.workers[index].elements,
                  round->reduced + index * HASH_REDUCED, &round->sharing->hashing.workers[index].error);
}

static void reduce(struct sharing *sharing, struct round *round, uint64_t count)
{
    const struct hashing *hashing = &sharing->hashing;
    thread_pool_run(hashing->state->plan->device->pool, hashing->threads, count, reduce_one, round);
    for (uint64_t i = 0; i < count; i++)
        if (hashing->workers[i].error.status != 0)
            keep_error(&sharing->hashing, &hashing->workers[i].error);
}

static void add(const struct round *round, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        hash_add_reduced(round->sharing->hashing.chain, round->reduced + i * HASH_REDUCED,
                         pieces_bytes(round->pieces, round->first + i));
}

/* Sends pieces, also after an error: process 0 waits for so many bytes. */
static void send_pieces(struct sharing *sharing, const struct round *round, uint64_t count)
{
    struct link *link = sharing->ranks->link;
    struct engine_error own = {.status = 0};
    for (uint64_t i = 0; i < count && own.status == 0; i++)
        link_send(link, 0, round->reduced + i * HASH_REDUCED, reduced_size(round, i), &own);
    sharing->used += count;
    if (own.status == 0)
        link_poll(link, &own);
    if (own.status != 0)
        keep_error(&sharing->hashing, &own);
}

/* Waits until process 0 has received all pieces, where there is no room for `count` more. */
static void make_room(struct sharing *sharing, uint64_t count)
{
    struct engine_error own;
    if (sharing->used + count <= sharing->room)
        return;
    if (link_wait(sharing->ranks->link, 0, &own) != 0)
        keep_error(&sharing->hashing, &own);
    sharing->used = 0;
}

static void take_own(struct sharing *sharing, const struct pieces *pieces)
{
    const struct hashing *hashing = &sharing->hashing;
    struct round round = {.sharing = sharing, .pieces = pieces};
    for (uint64_t n; round.first < pieces_count(pieces) && !link_is_broken(sharing->ranks->link); round.first += n) {
        const uint64_t left = pieces_count(pieces) - round.first;
        n = left < hashing->threads ? left : hashing->threads;
        make_room(sharing, n);
        round.reduced = sharing->reduced + sharing->used * HASH_REDUCED;
        if (hashing->error->status == 0)
            reduce(sharing, &round, n);
        if (serves(sharing))
            send_pieces(sharing, &round, n);
        else
            add(&round, n);
    }
}

/* ---- What others have ------------------------------------------------------------------------------------------ */

static int receive_pieces(const struct sharing *sharing, const struct round *round, uint32_t rank, uint64_t count,
                          struct engine_error *error)
{
    struct ranks *ranks = sharing->ranks;
    for (uint64_t i = 0; i < count; i++)
        if (link_receive(ranks->link, rank, round->reduced + i * HASH_REDUCED, reduced_size(round, i), error) != 0)
            return error->status;
    return link_wait(ranks->link, ranks->patience, error);
}

static void take_others(struct sharing *sharing, const struct pieces *pieces, uint32_t rank)
{
    struct round round = {.sharing = sharing, .pieces = pieces, .reduced = sharing->reduced};
    struct engine_error own = {.status = 0};
    for (uint64_t n; round.first < pieces_count(pieces) && own.status == 0; round.first += n) {
        const uint64_t left = pieces_count(pieces) - round.first;
        n = left < RECEIVED ? left : RECEIVED;
        if (receive_pieces(sharing, &round, rank, n, &own) == 0)
            add(&round, n);
    }
    if (own.status != 0)
        keep_error(&sharing->hashing, &own);
}

/* ---- Parts that are all here ----------------------------------------------------------------------------------- */

/* Lets the device of a part add what the part owns of the pieces, or reads it. */
static void take_part(struct pieces *pieces, uint32_t index)
{
    const struct hashing *hashing = pieces->hashing;
    const struct state *state = hashing->state, *part = state_parts(state)[index];
    const uint64_t step = state->step, slab = parts_slab_elements(state->plan, pieces->field, step);
    const struct plan_slab own = parts_slab(state->plan, index, pieces->field, step);
    const uint64_t before = hashing->chain->bytes;
    struct device *device = part->plan->device;
    if (device->hash && hashing->error->status == 0)
        device->hash(device, &part->plan->fields[pieces->field].geometry[step % 2], state_buffer(part, pieces->field),
                     own.before * slab, own.count * slab, plan_array(state->plan, pieces->field).values, hashing->chain,
                     hashing->error);
    struct pieces owned = *pieces;
    owned.begin = own.first * slab, owned.end = (own.first + own.count) * slab;
    if (hashing->error->status == 0 && hashing->chain->bytes == before)
        pieces_take(&owned);
}

/* ---- All ----------------------------------------------------------------------------------------------------------- */

static void take(struct pieces *pieces, void *user)
{
    struct sharing *sharing = user;
    const struct state *state = sharing->hashing.state;
    const bool copies = plan_has_copies(state->plan); /* the first part has all */
    if (copies)
        pieces_take(pieces);
    for (uint32_t i = 0; !copies && !sharing->ranks && i < state->plan->settings.parts; i++)
        take_part(pieces, i);
    for (uint32_t rank = 0; sharing->ranks && rank < sharing->ranks->count; rank++) {
        const struct share share = share_of(state->plan, rank, pieces->field, state->step);
        pieces->begin = share.begin, pieces->end = share.end;
        if (rank == link_rank(sharing->ranks->link))
            take_own(sharing, pieces);
        else if (!serves(sharing))
            take_others(sharing, pieces, rank);
    }
}

/* Reduced pieces that this process keeps until process 0 has received them: all, if there is memory. Another process
 * adds its pieces to the chain at once. */
static uint64_t pieces_kept(const struct ranks *ranks, const struct state *state, uint64_t threads)
{
    const struct plan *plan = state->plan;
    const uint64_t most = available_memory() / MEMORY_SHARE / HASH_REDUCED;
    uint64_t kept = 0;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct share share = share_of(plan, link_rank(ranks->link), i, state->step);
        kept += (share.end - share.begin) / (STATE_PIECE / type_bytes(plan->shapes[i].type)) + 1;
    }
    kept = kept < most ? kept : most;
    return kept > threads ? kept : threads;
}

/* The caller calls close_sharing, also after an error. */
static int open_sharing(struct sharing *sharing, const struct state *state, struct hash *chain,
                        struct engine_error *error)
{
    const bool copies = plan_has_copies(state->plan); /* the first part has all */
    const uint32_t most = state->plan->for_plugin.threads;
    const uint32_t threads = state->plan->device->pool && !copies && most > 1 ? most : 1;
    *sharing = (struct sharing){.ranks = copies ? NULL : state_ranks(state), .room = threads};
    sharing->hashing = (struct hashing){.state = state, .chain = chain, .threads = threads, .error = error};
    if (serves(sharing))
        sharing->room = pieces_kept(sharing->ranks, state, threads);
    else if (sharing->ranks && sharing->room < RECEIVED)
        sharing->room = RECEIVED;
    sharing->hashing.workers = malloc(threads * sizeof *sharing->hashing.workers);
    sharing->reduced = malloc(sharing->room * HASH_REDUCED);
    error->status = 0;
    return sharing->hashing.workers && sharing->reduced ? 0
                                                        : error_memory(error, sharing->room * HASH_REDUCED, "hashing");
}

static void close_sharing(struct sharing *sharing)
{
    free(sharing->hashing.workers);
    free(sharing->reduced);
}

struct hash_fields {
    struct sharing sharing;
    uint32_t roles;
};

/* What another process sends has arrived before the function returns. */
static int hash_own(void *argument, struct engine_error *error)
{
    struct hash_fields *fields = argument;
    struct sharing *sharing = &fields->sharing;
    struct engine_error own;
    hashing_fields(&sharing->hashing, fields->roles, take, sharing);
    if (serves(sharing) && link_wait(sharing->ranks->link, 0, &own) != 0)
        keep_error(&sharing->hashing, &own);
    return error->status; /* open_sharing has it */
}

int hash_shares(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error)
{
    struct hash_fields fields = {.roles = roles};
    const struct ranks_command command = {.kind = RANKS_HASH, .step = state->step, .count = roles};
    int status = open_sharing(&fields.sharing, state, chain, error);
    if (status == 0)
        status = ranks_do(fields.sharing.ranks, command, NULL, 0, hash_own, &fields, error);
    else if (serves(&fields.sharing))
        link_break(fields.sharing.ranks->link); /* process 0 waits for pieces */
    close_sharing(&fields.sharing);
    return status;
}
