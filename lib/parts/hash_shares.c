#include "parts/hash_shares.h"
#include "parts/available.h"
#include "parts/divided.h"
#include "parts/parts.h"
#include "parts/shares.h"
#include "run/hash_pieces.h"

enum {
    RECEIVED = 16,    /* pieces that process 0 receives at a time */
    MEMORY_SHARE = 64 /* this part of the free memory keeps the pieces that process 0 has not received yet */
};

struct sharing {
    struct hashing hashing;
    struct ranks *ranks; /* of a run whose processes have shares; otherwise NULL */
    uint64_t used;       /* pieces that are on their way to process 0 */
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

/* Sends pieces, also after an error: process 0 waits for so many bytes. */
static void send_pieces(struct sharing *sharing, const struct pieces *pieces, uint64_t count)
{
    struct link *link = sharing->ranks->link;
    struct engine_error own = {.status = 0};
    for (uint64_t i = 0; i < count && own.status == 0; i++)
        link_send(link, 0, pieces->reduced + i * HASH_REDUCED,
                  hash_reduced_size(pieces_place(pieces, i), pieces_bytes(pieces, i)), &own);
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
    if (sharing->used + count <= sharing->hashing.room)
        return;
    if (link_wait(sharing->ranks->link, 0, &own) != 0)
        keep_error(&sharing->hashing, &own);
    sharing->used = 0;
}

static void take_own(struct sharing *sharing, struct pieces *pieces)
{
    struct hashing *hashing = &sharing->hashing;
    while (pieces->begin < pieces->end && !link_is_broken(sharing->ranks ? sharing->ranks->link : NULL)) {
        const uint64_t left = pieces_count(pieces), count = left < hashing->threads ? left : hashing->threads;
        make_room(sharing, count);
        pieces->reduced = hashing->reduced + sharing->used * HASH_REDUCED;
        if (hashing->error->status == 0)
            pieces_reduce(pieces, count);
        if (serves(sharing))
            send_pieces(sharing, pieces, count);
        else
            pieces_add(pieces, count);
        pieces_skip(pieces, count);
    }
}

/* ---- What others have ------------------------------------------------------------------------------------------ */

static int receive_pieces(const struct sharing *sharing, const struct pieces *pieces, uint32_t rank, uint64_t count,
                          struct engine_error *error)
{
    struct ranks *ranks = sharing->ranks;
    for (uint64_t i = 0; i < count; i++)
        if (link_receive(ranks->link, rank, pieces->reduced + i * HASH_REDUCED,
                         hash_reduced_size(pieces_place(pieces, i), pieces_bytes(pieces, i)), error) != 0)
            return error->status;
    return link_wait(ranks->link, ranks->patience, error);
}

static void take_others(struct sharing *sharing, struct pieces *pieces, uint32_t rank)
{
    struct engine_error own = {.status = 0};
    pieces->reduced = sharing->hashing.reduced;
    while (pieces->begin < pieces->end && own.status == 0) {
        const uint64_t left = pieces_count(pieces), count = left < RECEIVED ? left : RECEIVED;
        if (receive_pieces(sharing, pieces, rank, count, &own) == 0)
            pieces_add(pieces, count);
        pieces_skip(pieces, count);
    }
    if (own.status != 0)
        keep_error(&sharing->hashing, &own);
}

/* ---- All ----------------------------------------------------------------------------------------------------------- */

static void take(struct pieces *pieces, void *user)
{
    struct sharing *sharing = user;
    const struct state *state = sharing->hashing.state;
    if (!sharing->ranks)
        take_own(sharing, pieces);
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

static int open_sharing(struct sharing *sharing, const struct state *state, struct hash *chain,
                        struct engine_error *error)
{
    const bool copies = plan_has_copies(state->plan); /* the first part has all */
    const uint32_t most = state->plan->for_plugin.threads;
    const uint32_t threads = state->plan->device->pool && !copies && most > 1 ? most : 1;
    *sharing = (struct sharing){.ranks = copies ? NULL : state_ranks(state)};
    uint64_t room = threads;
    if (serves(sharing))
        room = pieces_kept(sharing->ranks, state, threads);
    else if (sharing->ranks && room < RECEIVED)
        room = RECEIVED;
    return hashing_open(&sharing->hashing, state, threads, room, chain, error);
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
    return error->status; /* hashing_open has it */
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
    hashing_close(&fields.sharing.hashing);
    return status;
}
