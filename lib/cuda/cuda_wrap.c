/* Filling the ghosts of a buffer on a CUDA device: x inside every row, then whole rows along y, then whole planes along
 * z, as geometry_wrap does on the host. */
#include "cuda/cuda_kernels.h"
#include "cuda/device_cuda.h"

#include <string.h>

static unsigned blocks_for(uint64_t threads)
{
    return (unsigned) ((threads + CUDA_BLOCK - 1) / CUDA_BLOCK);
}

static int wrap_row_ends(struct cuda *cuda, const struct geometry *geometry, uint8_t *buffer,
                         struct engine_error *error)
{
    const uint64_t *extent = geometry->shape.extent;
    const struct engine_layout *layout = &geometry->layout;
    struct wrap_x wrap = {
        .origin = buffer + geometry->origin,
        .row_stride = geometry->row_stride,
        .plane_stride = geometry->plane_stride,
        .pitch = (int64_t) (layout->planar ? 1 : layout->component_stride) * geometry->element_bytes,
        .width = extent[0],
        .height = extent[1],
        .rows = extent[1] * extent[2],
        .ghost = layout->ghost[0],
        .layout = *layout,
        .edges = geometry->edges,
    };
    const bool bits = layout->cell_bits == 1;
    const unsigned grid[3] = {blocks_for(bits ? wrap.rows : wrap.rows * 2 * wrap.ghost), 1, 1};
    void *arguments[] = {&wrap};
    return cuda_launch(cuda, bits ? cuda->wrap_x_bits : cuda->wrap_x_elements, grid, arguments, error);
}

static int wrap_slices(struct cuda *cuda, struct wrap_slices *wrap, struct engine_error *error)
{
    const bool wide =
        ((uintptr_t) wrap->base | (uint64_t) wrap->stride | (uint64_t) wrap->set_stride | wrap->bytes) % 16 == 0;
    const uint64_t words = wrap->bytes / (wide ? 16 : 1);
    const unsigned columns = blocks_for(words), sets = wrap->sets < 65535 ? (unsigned) wrap->sets : 65535;
    const unsigned grid[3] = {columns < 4096 ? columns : 4096, (unsigned) (2 * wrap->ghost), sets};
    void *arguments[] = {wrap};
    return cuda_launch(cuda, wide ? cuda->wrap_slices_16 : cuda->wrap_slices_1, grid, arguments, error);
}

static int wrap_component(struct cuda *cuda, const struct geometry *geometry, uint8_t *buffer,
                          struct engine_error *error)
{
    const uint64_t *extent = geometry->shape.extent;
    const uint32_t *ghost = geometry->layout.ghost;
    const uint64_t row = (uint64_t) geometry->row_stride, plane = (uint64_t) geometry->plane_stride;
    struct wrap_slices rows = {buffer + ghost[2] * plane + ghost[1] * row,
                               geometry->row_stride,
                               geometry->plane_stride,
                               row,
                               extent[1],
                               ghost[1],
                               extent[2],
                               geometry->edges.kind[1],
                               {0}};
    struct wrap_slices planes = {buffer + ghost[2] * plane,
                                 geometry->plane_stride,
                                 0,
                                 plane,
                                 extent[2],
                                 ghost[2],
                                 1,
                                 geometry->edges.kind[2],
                                 {0}};
    memcpy(rows.beyond, geometry->edges.beyond[1], EDGES_PATTERN);
    memcpy(planes.beyond, geometry->edges.beyond[2], EDGES_PATTERN);
    if (ghost[0] && wrap_row_ends(cuda, geometry, buffer, error) != 0)
        return error->status;
    if (ghost[1] && wrap_slices(cuda, &rows, error) != 0)
        return error->status;
    return ghost[2] ? wrap_slices(cuda, &planes, error) : 0;
}

int cuda_wrap(struct device *device, const struct geometry *geometry, void *buffer, uint32_t threads,
              struct engine_error *error)
{
    (void) threads;
    if (cuda_make_current(cuda_of(device), error) != 0)
        return error->status;
    const uint32_t components = geometry->layout.planar ? geometry->shape.components : 1;
    for (uint32_t c = 0; c < components; c++)
        if (wrap_component(cuda_of(device), geometry, (uint8_t *) buffer + c * (uint64_t) geometry->component_stride,
                           error) != 0)
            return error->status;
    return 0;
}
