/* Three-dimensional Life by its definition, one byte a cell: the reference of all plugins for it. It wraps around no
 * edge, because the default layout has ghosts, which the engine fills. */
#ifndef LIFE_SERIAL3D_H
#define LIFE_SERIAL3D_H

#include <common/cost.h>
#include <life/plugin3d.h>

static inline uint32_t life3d_serial_neighbours(const uint8_t *cell, int64_t row_stride, int64_t plane_stride)
{
    uint32_t alive = 0;
    for (int64_t z = -1; z <= 1; z++)
        for (int64_t y = -1; y <= 1; y++)
            for (int64_t x = -1; x <= 1; x++)
                alive += cell[z * plane_stride + y * row_stride + x];
    return alive - *cell;
}

static inline int life3d_serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const uint64_t *extent = cells->shape->extent;
    struct life3d_rule rule = {0, 0};
    life3d_rule_parse(engine_param_text(call->plan, 0), &rule);
    for (uint64_t z = 0; z < extent[2]; z++)
        for (uint64_t y = 0; y < extent[1]; y++) {
            const int64_t row = (int64_t) z * cells->plane_stride + (int64_t) y * cells->row_stride;
            const uint8_t *source = (const uint8_t *) cells->origin[call->current] + row;
            uint8_t *result = (uint8_t *) cells->origin[call->result] + row;
            for (uint64_t x = 0; x < extent[0]; x++) {
                const uint32_t alive = life3d_serial_neighbours(source + x, cells->row_stride, cells->plane_stride);
                result[x] = (source[x] ? rule.survive : rule.birth) >> alive & 1;
            }
        }
    return 0;
}

/* The entry for a plugin's table. */
#define LIFE3D_SERIAL_IMPL \
    { \
        .name = "cpu-serial", .help = "one thread, one byte per cell, 26 reads per cell: the reference", \
        .flags = ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_DIVISIBLE | ENGINE_UNIFORM, .rank = 1, \
        .advance = life3d_serial_advance, .measure = life_measure, .cost = cost_of_bytes \
    }

#endif
