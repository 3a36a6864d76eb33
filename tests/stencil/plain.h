/* A plain serial implementation for the tests of the stencil headers. It shares no code with them: it reads and writes
 * one number at a time in the default layout, and finds neighbours by the remainder of a division. Each rule of this
 * folder defines `plain`, which computes one cell by hand. */
#ifndef TESTS_STENCIL_PLAIN_H
#define TESTS_STENCIL_PLAIN_H

#define ENGINE_MINOR 5
#include <engine/plugin.h>

/* A cell that is computed. */
struct place {
    const struct engine_call *call;
    int64_t x, y, z;
};

static inline void *plain_address(const struct place *place, uint32_t field, uint32_t component, uint32_t which,
                                  int64_t dx, int64_t dy, int64_t dz)
{
    static const int64_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    const struct engine_buffer *buffer = engine_field_buffer(place->call, field);
    const int64_t width = (int64_t) buffer->shape->extent[0], height = (int64_t) buffer->shape->extent[1];
    const int64_t depth = (int64_t) buffer->shape->extent[2];
    const int64_t x = ((place->x + dx) % width + width) % width, y = ((place->y + dy) % height + height) % height;
    const int64_t z = ((place->z + dz) % depth + depth) % depth;
    return (char *) engine_row(buffer, which, y, z) +
           (x * buffer->shape->components + component) * sizes[buffer->shape->type];
}

/* A number of a cell that is so far away. */
static inline double plain_read(const struct place *place, uint32_t field, uint32_t component, int64_t dx, int64_t dy,
                                int64_t dz)
{
    const struct engine_buffer *buffer = engine_field_buffer(place->call, field);
    const void *at = plain_address(place, field, component, place->call->current, dx, dy, dz);
    switch (buffer->shape->type) {
    case ENGINE_U8:
        return *(const uint8_t *) at;
    case ENGINE_I16:
        return *(const int16_t *) at;
    case ENGINE_U16:
        return *(const uint16_t *) at;
    case ENGINE_U32:
        return *(const uint32_t *) at;
    case ENGINE_F32:
        return (double) *(const float *) at;
    default:
        return *(const double *) at;
    }
}

/* Writes a number of the cell itself. It must fit into the type. */
static inline void plain_write(const struct place *place, uint32_t field, uint32_t component, double value)
{
    const struct engine_buffer *buffer = engine_field_buffer(place->call, field);
    void *at = plain_address(place, field, component, place->call->result, 0, 0, 0);
    switch (buffer->shape->type) {
    case ENGINE_U8:
        *(uint8_t *) at = (uint8_t) value;
        break;
    case ENGINE_I16:
        *(int16_t *) at = (int16_t) value;
        break;
    case ENGINE_U16:
        *(uint16_t *) at = (uint16_t) value;
        break;
    case ENGINE_U32:
        *(uint32_t *) at = (uint32_t) value;
        break;
    case ENGINE_F32:
        *(float *) at = (float) value;
        break;
    default:
        *(double *) at = value;
    }
}

#endif
