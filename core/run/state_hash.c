#include "run/state_hash.h"
#include "base/team.h"
#include "memory/devices.h"
#include "run/shares.h"

#include <stdlib.h>

/* Inputs count if they have memory of their own. */
enum { INPUTS = 1 << ENGINE_INPUT, STATES = 1 << ENGINE_STATE, RESULTS = STATES | 1 << ENGINE_OUTPUT };

enum {
    REDUCED = STATE_PIECE / (HASH_BLOCK / HASH_STRIPE) + HASH_MARGIN, /* bytes of a reduced piece, at most */
    RECEIVED = 16,                                                    /* pieces that process 0 receives at a time */
    MEMORY_SHARE = 64 /* this part of the free memory keeps the pieces that process 0 has not received yet */
};

struct hashing {
    const struct state *state;
    struct ranks *ranks; /* of a run whose processes have shares; otherwise NULL */
    struct hash chain;   /* of a process that does not serve */
    uint64_t position;   /* in all hashed bytes: where the present field begins */
    uint32_t threads;
    uint8_t *elements; /* a piece for each thread */
    uint8_t *reduced;  /* `room` pieces, of which `used` are on their way to process 0 */
    uint64_t room, used;
    struct engine_error *errors; /* of each thread */
    struct engine_error *error;  /* the first one */
};

/* Elements of a field, in pieces of STATE_PIECE bytes. */
struct pieces {
    struct hashing *hashing;
    uint32_t field, bytes; /* of an element */
    uint64_t begin, end;   /* elements */
    uint8_t *reduced;      /* the pieces that are reduced at the same time, and their errors */
    struct engine_error *errors;
};

static bool serves(const struct hashing *hashing)
{
    return hashing->ranks && hashing->ranks->serves;
}

static uint64_t count_of(const struct pieces *pieces)
{
    const uint64_t each = STATE_PIECE / pieces->bytes;
    return (pieces->end - pieces->begin + each - 1) / each;
}

/* The elements of piece `index`. */
static struct share piece_at(const struct pieces *pieces, uint64_t index)
{
    const uint64_t each = STATE_PIECE / pieces->bytes, begin = pieces->begin + index * each;
    return (struct share){begin, pieces->end - begin < each ? pieces->end : begin + each};
}

static uint64_t place_of(const struct pieces *pieces, struct share piece)
{
    return pieces->hashing->position + piece.begin * pieces->bytes;
}

static uint64_t bytes_of(const struct pieces *pieces, struct share piece)
{
    return (piece.end - piece.begin) * pieces->bytes;
}

static void skip_pieces(struct pieces *pieces, uint64_t count)
{
    pieces->begin = piece_at(pieces, count - 1).end;
}

/* ---- What this process has ------------------------------------------------------------------------------------- */

static void reduce_piece(void *argument, uint64_t index)
{
    struct pieces *pieces = argument;
    const struct share piece = piece_at(pieces, index);
    uint8_t *elements = pieces->hashing->elements + index * STATE_PIECE;
    pieces->errors[index].status = 0;
    if (state_read(pieces->hashing->state, pieces->field, piece.begin, piece.end - piece.begin, elements,
                   &pieces->errors[index]) == 0)
        hash_reduce(place_of(pieces, piece), elements, bytes_of(pieces, piece), pieces->reduced + index * REDUCED);
}

/* Reduces the next pieces at the same time. */
static void reduce_pieces(struct pieces *pieces, uint64_t count)
{
    struct hashing *hashing = pieces->hashing;
    team_run(hashing->state->plan->device->team, hashing->threads, count, reduce_piece, pieces);
    for (uint64_t i = 0; i < count && hashing->error->status == 0; i++)
        if (pieces->errors[i].status != 0)
            *hashing->error = pieces->errors[i];
}

/* Sends pieces, also after an error: process 0 waits for so many bytes. */
static void send_pieces(const struct pieces *pieces, uint64_t count)
{
    struct hashing *hashing = pieces->hashing;
    struct link *link = hashing->ranks->link;
    struct engine_error own = {.status = 0};
    for (uint64_t i = 0; i < count && own.status == 0; i++) {
        const struct share piece = piece_at(pieces, i);
        link_send(link, 0, pieces->reduced + i * REDUCED,
                  hash_reduced_size(place_of(pieces, piece), bytes_of(pieces, piece)), &own);
    }
    hashing->used += count;
    if (own.status == 0)
        link_poll(link, &own);
    if (own.status != 0 && hashing->error->status == 0)
        *hashing->error = own;
}

static void add_pieces(const struct pieces *pieces, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        hash_add_reduced(&pieces->hashing->chain, pieces->reduced + i * REDUCED, bytes_of(pieces, piece_at(pieces, i)));
}

/* Waits until process 0 has received all pieces, where there is no room for `count` more. */
static void make_room(struct hashing *hashing, uint64_t count)
{
    struct engine_error own;
    if (hashing->used + count <= hashing->room)
        return;
    if (link_wait(hashing->ranks->link, 0, &own) != 0 && hashing->error->status == 0)
        *hashing->error = own;
    hashing->used = 0;
}

static void take_own(struct pieces *pieces)
{
    struct hashing *hashing = pieces->hashing;
    while (pieces->begin < pieces->end && !link_is_broken(hashing->ranks ? hashing->ranks->link : NULL)) {
        const uint64_t left = count_of(pieces), count = left < hashing->threads ? left : hashing->threads;
        make_room(hashing, count);
        pieces->reduced = hashing->reduced + hashing->used * REDUCED;
        if (hashing->error->status == 0)
            reduce_pieces(pieces, count);
        if (serves(hashing))
            send_pieces(pieces, count);
        else
            add_pieces(pieces, count);
        skip_pieces(pieces, count);
    }
}

/* ---- What others have ------------------------------------------------------------------------------------------ */

static int receive_pieces(const struct pieces *pieces, uint32_t rank, uint64_t count, struct engine_error *error)
{
    struct ranks *ranks = pieces->hashing->ranks;
    for (uint64_t i = 0; i < count; i++) {
        const struct share piece = piece_at(pieces, i);
        if (link_receive(ranks->link, rank, pieces->reduced + i * REDUCED,
                         hash_reduced_size(place_of(pieces, piece), bytes_of(pieces, piece)), error) != 0)
            return error->status;
    }
    return link_wait(ranks->link, ranks->patience, error);
}

static void take_others(struct pieces *pieces, uint32_t rank)
{
    struct hashing *hashing = pieces->hashing;
    struct engine_error own = {.status = 0};
    pieces->reduced = hashing->reduced;
    while (pieces->begin < pieces->end && own.status == 0) {
        const uint64_t left = count_of(pieces), count = left < RECEIVED ? left : RECEIVED;
        if (receive_pieces(pieces, rank, count, &own) == 0)
            add_pieces(pieces, count);
        skip_pieces(pieces, count);
    }
    if (own.status != 0 && hashing->error->status == 0)
        *hashing->error = own;
}

/* ---- Fields ---------------------------------------------------------------------------------------------------- */

static void hash_field(struct hashing *hashing, uint32_t field, struct engine_error *errors)
{
    const struct plan *plan = hashing->state->plan;
    const struct engine_shape *shape = &state_geometry(hashing->state, field)->shape;
    struct pieces pieces = {.hashing = hashing, .field = field, .bytes = type_bytes(shape->type), .errors = errors};
    uint64_t count;
    shape_elements(shape, &count);
    if (!hashing->ranks) {
        pieces.end = count;
        take_own(&pieces);
    }
    for (uint32_t rank = 0; hashing->ranks && rank < hashing->ranks->count; rank++) {
        const struct share share = share_of(plan, rank, field, hashing->state->step);
        pieces.begin = share.begin, pieces.end = share.end;
        if (rank == link_rank(hashing->ranks->link))
            take_own(&pieces);
        else if (!serves(hashing))
            take_others(&pieces, rank);
    }
    hashing->position += count * pieces.bytes;
}

/* Reduced pieces that this process keeps until process 0 has received them: all, if there is memory. Another process
 * adds its pieces to the chain at once. */
static uint64_t pieces_kept(const struct hashing *hashing)
{
    const struct plan *plan = hashing->state->plan;
    struct device *host = devices_host(plan->context);
    const uint64_t most = host->available(host) / MEMORY_SHARE / REDUCED;
    uint64_t kept = 0;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct share share = share_of(plan, link_rank(hashing->ranks->link), i, hashing->state->step);
        kept += (share.end - share.begin) / (STATE_PIECE / type_bytes(plan->shapes[i].type)) + 1;
    }
    kept = kept < most ? kept : most;
    return kept > hashing->threads ? kept : hashing->threads;
}

static int open_hashing(struct hashing *hashing, const struct state *state, struct engine_error *error)
{
    const bool copies = state->parts && plan_has_copies(state->plan); /* the first part has all */
    const bool threads = state->plan->device->team && !copies;
    *hashing = (struct hashing){.state = state, .ranks = copies ? NULL : state->ranks, .error = error};
    hashing->threads = threads && state->plan->for_plugin.threads > 1 ? state->plan->for_plugin.threads : 1;
    hashing->room = hashing->threads;
    if (serves(hashing))
        hashing->room = pieces_kept(hashing);
    else if (hashing->ranks && hashing->room < RECEIVED)
        hashing->room = RECEIVED;
    hash_begin(&hashing->chain);
    hashing->elements = malloc((uint64_t) hashing->threads * STATE_PIECE);
    hashing->reduced = malloc(hashing->room * REDUCED);
    hashing->errors = calloc(hashing->threads, sizeof *hashing->errors);
    error->status = 0;
    return hashing->elements && hashing->reduced && hashing->errors
               ? 0
               : error_memory(error, hashing->room * REDUCED, "hashing");
}

/* The share of a process is sent before the function returns. */
static int hash_fields(struct hashing *hashing, uint32_t roles)
{
    const struct plan *plan = hashing->state->plan;
    struct engine_error own;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &plan->fields[i];
        if (roles & 1u << field->about->role && (field->about->role != ENGINE_INPUT || field->buffers > 0))
            hash_field(hashing, i, hashing->errors);
    }
    if (serves(hashing) && link_wait(hashing->ranks->link, 0, &own) != 0 && hashing->error->status == 0)
        *hashing->error = own;
    return hashing->error->status;
}

static void close_hashing(struct hashing *hashing)
{
    free(hashing->elements);
    free(hashing->reduced);
    free(hashing->errors);
}

static int hash_roles(const struct state *state, uint32_t roles, char text[HASH_TEXT], struct engine_error *error)
{
    struct hashing hashing;
    int status = open_hashing(&hashing, state, error);
    if (status == 0)
        status = ranks_tell(hashing.ranks,
                            (struct ranks_command){.kind = RANKS_HASH, .step = state->step, .count = roles}, error);
    if (status == 0) {
        status = hash_fields(&hashing, roles);
        status = ranks_finish(hashing.ranks, status, NULL, error);
    }
    if (status == 0)
        hash_print(&hashing.chain, text);
    close_hashing(&hashing);
    return status;
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

int state_hash_share(const struct state *state, uint32_t roles, struct engine_error *error)
{
    struct hashing hashing;
    int status = open_hashing(&hashing, state, error);
    if (status == 0)
        status = hash_fields(&hashing, roles);
    else
        link_break(state->ranks->link); /* process 0 waits for pieces */
    close_hashing(&hashing);
    return status;
}
