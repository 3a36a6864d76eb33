#include "run/init_field.h"

#include <stdlib.h>
#include <string.h>

const struct engine_field *init_field(const struct state *state, uint32_t index)
{
    return state->plan->fields[index].about;
}

uint32_t init_fields(const struct state *state)
{
    return state->plan->plugin->about.fields.count;
}

uint64_t init_element_count(const struct state *state, uint32_t field)
{
    uint64_t count;
    shape_elements(&state_geometry(state, field)->shape, &count);
    return count;
}

uint64_t init_universe_count(const struct state *state, uint32_t field)
{
    return init_element_count(state, field) / state->plan->settings.universes;
}

struct init_range init_range_at(const struct state *state, uint32_t field, uint64_t at, uint64_t most)
{
    const uint64_t each = init_universe_count(state, field), begin = at % each;
    return (struct init_range){at / each, begin, each - begin < most ? each - begin : most};
}

/* Writes elements [begin, begin + count) of universe 0 to all others. A piece that holds whole universes is written as
 * many of them, because each transfer to a device has a fixed cost. */
static int repeat_piece(struct state *state, uint32_t field, uint64_t begin, uint64_t count, char *piece,
                        struct engine_error *error)
{
    const uint64_t each = init_universe_count(state, field), all = init_element_count(state, field);
    const uint64_t bytes = count * type_bytes(state_geometry(state, field)->shape.type);
    const uint64_t copies = count == each ? INIT_PIECE / each : 1;
    for (uint64_t i = 1; i < copies; i++)
        memcpy(piece + i * bytes, piece, bytes);
    for (uint64_t at = begin + each; at < all; at += copies * each) {
        const uint64_t left = all - at, n = copies * count;
        if (state_write(state, field, at, n < left ? n : left, piece, error) != 0)
            return error->status;
    }
    return 0;
}

int init_repeat_universe(struct state *state, uint32_t field, struct engine_error *error)
{
    const uint64_t each = init_universe_count(state, field);
    char *piece = malloc((uint64_t) INIT_PIECE * type_bytes(state_geometry(state, field)->shape.type));
    int status = piece ? 0 : error_memory(error, INIT_PIECE, "the initial state");
    for (uint64_t begin = 0; status == 0 && begin < each; begin += INIT_PIECE) {
        const uint64_t n = each - begin < INIT_PIECE ? each - begin : INIT_PIECE;
        status = state_read(state, field, begin, n, piece, error);
        if (status == 0)
            status = repeat_piece(state, field, begin, n, piece, error);
    }
    free(piece);
    return status;
}

void init_elements(void *elements, uint32_t type, uint64_t count, double value)
{
    for (uint64_t i = 0; i < count; i++)
        switch (type) {
#define SET(id, ctype) \
    case id: \
        ((ctype *) elements)[i] = (ctype) value; \
        break;
            SET(ENGINE_U8, uint8_t)
            SET(ENGINE_I8, int8_t)
            SET(ENGINE_U16, uint16_t)
            SET(ENGINE_I16, int16_t)
            SET(ENGINE_U32, uint32_t)
            SET(ENGINE_I32, int32_t)
            SET(ENGINE_U64, uint64_t)
            SET(ENGINE_I64, int64_t)
            SET(ENGINE_F32, float)
            SET(ENGINE_F64, double)
#undef SET
        default: /* complex */
            if (type == ENGINE_C64)
                ((float *) elements)[2 * i] = (float) value;
            else
                ((double *) elements)[2 * i] = value;
        }
}

/* Buffers come cleared, and tiles with this value. So only values other than 0 are written, and only to buffers that
 * the field owns. */
int init_default(struct state *state, uint32_t index, struct engine_error *error)
{
    const struct engine_field *field = init_field(state, index);
    const double initial = field->role == ENGINE_OUTPUT ? 0 : field->initial;
    if ((initial == 0 && !context_memory(state->plan->context)) || state->plan->fields[index].buffers == 0 ||
        state->plan->tiling)
        return 0;
    const uint32_t type = state_geometry(state, index)->shape.type;
    void *piece = calloc(INIT_PIECE, type_bytes(type));
    if (!piece)
        return error_memory(error, INIT_PIECE, "the initial state");
    const uint64_t count = init_element_count(state, index);
    init_elements(piece, type, count < INIT_PIECE ? count : INIT_PIECE, initial);
    int status = 0;
    for (uint64_t begin = 0; status == 0 && begin < count; begin += INIT_PIECE)
        status =
            state_write(state, index, begin, count - begin < INIT_PIECE ? count - begin : INIT_PIECE, piece, error);
    free(piece);
    return status;
}

int init_defaults(struct state *state, struct engine_error *error)
{
    for (uint32_t i = 0; i < init_fields(state); i++)
        if (init_default(state, i, error) != 0)
            return error->status;
    return 0;
}
