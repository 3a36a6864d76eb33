/* A plain serial implementation for the tests of the stencil headers. It shares no code with them: it reads and writes
 * one number at a time in the default layout. It reads no ghosts, but finds neighbours by the remainder of a division,
 * or as the edges of the grid say. Each rule of this folder defines `plain`, which computes one cell by hand. */
#ifndef TESTS_STENCIL_PLAIN_H
#define TESTS_STENCIL_PLAIN_H

#define ENGINE_MINOR 5
#include <engine/plugin.h>

/* A cell that is computed. */
struct place {
    const struct engine_call *call;
    int64_t x, y, z;
};

/* Moves a coordinate into the grid. Returns 0 where the edge has a value of its own. */
static inline int plain_come_in(uint32_t edge, int64_t extent, int64_t *at)
{
    const int64_t period = edge == ENGINE_EDGE_MIRROR ? 2 * extent : extent;
    if (*at >= 0 && *at < extent)
        return 1;
    *at = (*at % period + period) % period;
    if (*at >= extent)
        *at = period - 1 - *at;
    return edge != ENGINE_EDGE_DEAD && edge != ENGINE_EDGE_FIXED;
}

/* Finds a cell that is so far away. Returns -1, or the axis beyond whose dead or fixed edge it lies. The rules of
 * corners are those of the last axis first. */
static inline int plain_find(const struct place *place, const struct engine_shape *shape, int64_t at[3])
{
    int beyond = -1;
    for (int axis = 0; axis < 3; axis++)
        if (!plain_come_in(engine_plan_edge(place->call->plan, (uint32_t) axis), (int64_t) shape->extent[axis],
                           &at[axis]))
            beyond = axis;
    return beyond;
}

static inline void *plain_address(const struct place *place, uint32_t field, uint32_t component, uint32_t which,
                                  int64_t dx, int64_t dy, int64_t dz)
{
    static const int64_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    const struct engine_buffer *buffer = engine_field_buffer(place->call, field);
    int64_t at[3] = {place->x + dx, place->y + dy, place->z + dz};
    plain_find(place, buffer->shape, at);
    return (char *) engine_row(buffer, which, at[1], at[2]) +
           (at[0] * buffer->shape->components + component) * sizes[buffer->shape->type];
}

/* A number of a cell that is so far away. */
static inline double plain_read(const struct place *place, uint32_t field, uint32_t component, int64_t dx, int64_t dy,
                                int64_t dz)
{
    const struct engine_buffer *buffer = engine_field_buffer(place->call, field);
    const void *at = plain_address(place, field, component, place->call->current, dx, dy, dz);
    const struct engine_edges *edges = engine_plan_edges(place->call->plan);
    int64_t where[3] = {place->x + dx, place->y + dy, place->z + dz};
    const int beyond = plain_find(place, buffer->shape, where);
    if (beyond >= 0)
        return edges->kind[beyond] == ENGINE_EDGE_FIXED ? edges->value[field] : 0;
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
