/* Fields of particles in memory, for C and for CUDA's host code. */
#ifndef COMMON_PARTICLES_H
#define COMMON_PARTICLES_H

#include <engine/plugin.h>

/* Elements from one particle of a field to the next. Component c of a particle is c * buffer->component_stride bytes
 * behind its first. */
static inline int64_t particle_stride(const struct engine_buffer *buffer)
{
    const int64_t stride = buffer->layout->component_stride;
    return buffer->layout->planar ? 1 : stride > 0 ? stride : buffer->shape->components;
}

#endif
