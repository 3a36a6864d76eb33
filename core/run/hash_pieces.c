#include "run/hash_pieces.h"
#include "base/thread_pool.h"

#include <stdlib.h>

int hashing_open(struct hashing *hashing, const struct state *state, uint32_t threads, uint64_t room,
                 struct hash *chain, struct engine_error *error)
{
    *hashing = (struct hashing){.state = state, .chain = chain, .threads = threads, .room = room, .error = error};
    hashing->elements = malloc((uint64_t) threads * STATE_PIECE);
    hashing->reduced = malloc(room * HASH_REDUCED);
    hashing->errors = calloc(threads, sizeof *hashing->errors);
    error->status = 0;
    return hashing->elements && hashing->reduced && hashing->errors
               ? 0
               : error_memory(error, room * HASH_REDUCED, "hashing");
}

void hashing_close(struct hashing *hashing)
{
    free(hashing->elements);
    free(hashing->reduced);
    free(hashing->errors);
}

int hashing_fields(struct hashing *hashing, uint32_t roles, void (*take)(struct pieces *pieces, void *user), void *user)
{
    const struct plan *plan = hashing->state->plan;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &plan->fields[i];
        const struct engine_shape *shape = &state_geometry(hashing->state, i)->shape;
        if (!(roles & 1u << field->about->role) || (field->about->role == ENGINE_INPUT && field->buffers == 0))
            continue;
        struct pieces pieces = {
            .hashing = hashing, .field = i, .bytes = type_bytes(shape->type), .reduced = hashing->reduced};
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

static uint64_t elements_of(const struct pieces *pieces, uint64_t index)
{
    return begin_of(pieces, index + 1) - begin_of(pieces, index);
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
    return elements_of(pieces, index) * pieces->bytes;
}

void pieces_skip(struct pieces *pieces, uint64_t count)
{
    pieces->begin = begin_of(pieces, count);
}

static void reduce_piece(void *argument, uint64_t index)
{
    const struct pieces *pieces = argument;
    const struct hashing *hashing = pieces->hashing;
    uint8_t *elements = hashing->elements + index * STATE_PIECE;
    struct engine_error *error = &hashing->errors[index];
    error->status = 0;
    if (state_read_result(hashing->state, pieces->field, begin_of(pieces, index), elements_of(pieces, index), elements,
                          error) == 0)
        hash_reduce(pieces_place(pieces, index), elements, pieces_bytes(pieces, index),
                    pieces->reduced + index * HASH_REDUCED);
}

void pieces_reduce(struct pieces *pieces, uint64_t count)
{
    const struct hashing *hashing = pieces->hashing;
    thread_pool_run(hashing->state->plan->device->pool, hashing->threads, count, reduce_piece, pieces);
    for (uint64_t i = 0; i < count && hashing->error->status == 0; i++)
        if (hashing->errors[i].status != 0)
            *hashing->error = hashing->errors[i];
}

void pieces_add(const struct pieces *pieces, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        hash_add_reduced(pieces->hashing->chain, pieces->reduced + i * HASH_REDUCED, pieces_bytes(pieces, i));
}
