#include "run/hash_pieces.h"
#include "base/thread_pool.h"

#include <sched.h>

enum {
    CHUNK = 1 << 15, /* bytes that a thread reads at a time */
    SPIN = 10000     /* looks at a counter, some 10 us */
};

int hashing_fields(struct hashing *hashing, uint32_t roles, void (*take)(struct pieces *pieces, void *user), void *user)
{
    const struct plan *plan = hashing->state->plan;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &plan->fields[i];
        const struct engine_shape *shape = &state_geometry(hashing->state, i)->shape;
        if (!(roles & 1u << field->about->role) || (field->about->role == ENGINE_INPUT && field->buffers == 0))
            continue;
        struct pieces pieces = {.hashing = hashing, .field = i, .bytes = type_bytes(shape->type)};
        shape_elements(shape, &pieces.end);
        const uint64_t bytes = pieces.end * pieces.bytes;
        take(&pieces, user);
        hashing->position += bytes;
    }
    return hashing->error->status;
}

/* ---- Pieces ----------------------------------------------------------------------------------------------------- */

/* Where piece `index` begins, or the last one ends. */
static uint64_t begin_of(const struct pieces *pieces, uint64_t index)
{
    const uint64_t begin = pieces->begin + index * (STATE_PIECE / pieces->bytes);
    return begin < pieces->end ? begin : pieces->end;
}

uint64_t pieces_count(const struct pieces *pieces)
{
    const uint64_t each = STATE_PIECE / pieces->bytes;
    return (pieces->end - pieces->begin + each - 1) / each;
}

uint64_t pieces_place(const struct pieces *pieces, uint64_t index)
{
    return pieces->hashing->position + begin_of(pieces, index) * pieces->bytes;
}

uint64_t pieces_bytes(const struct pieces *pieces, uint64_t index)
{
    return (begin_of(pieces, index + 1) - begin_of(pieces, index)) * pieces->bytes;
}

void pieces_reduce(const struct pieces *pieces, uint64_t index, void *elements, uint8_t *reduced,
                   struct engine_error *error)
{
    const struct hashing *hashing = pieces->hashing;
    const bool chunks = hashing->state->plan->device->pool && hashing->position % pieces->bytes == 0;
    const uint64_t end = begin_of(pieces, index + 1);
    error->status = 0;
    for (uint64_t at = begin_of(pieces, index), n; at < end; at += n) {
        const uint64_t place = hashing->position + at * pieces->bytes;
        n = chunks ? (CHUNK - place % CHUNK) / pieces->bytes : end - at;
        n = n < end - at ? n : end - at;
        if (state_read_result(hashing->state, pieces->field, at, n, elements, error) != 0)
            return;
        reduced += hash_reduce(place, elements, n * pieces->bytes, (end - at - n) * pieces->bytes, reduced);
    }
}

/* Reduces piece after piece, and adds each when its turn has come. That of the first one has always come. */
static void take_some(void *argument, uint64_t index)
{
    struct pieces *const pieces = argument;
    struct hashing *const hashing = pieces->hashing;
    struct hash_worker *const own = &hashing->workers[index];
    for (uint64_t i; (i = pieces->next++) < pieces_count(pieces); pieces->added++) {
        pieces_reduce(pieces, i, own->elements, own->reduced, &own->error);
        for (uint32_t tries = 0; pieces->added != i; tries++)
            if (tries > SPIN)
                sched_yield();
        if (own->error.status != 0 && hashing->error->status == 0)
            *hashing->error = own->error;
        hash_add_reduced(hashing->chain, own->reduced, pieces_bytes(pieces, i));
    }
}

void pieces_take(struct pieces *pieces)
{
    const struct hashing *hashing = pieces->hashing;
    thread_pool_run(hashing->state->plan->device->pool, hashing->threads, hashing->threads, take_some, pieces);
}
