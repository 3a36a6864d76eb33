/* Regions of a field in the memory of a CUDA device: kernels make the results where the cells are, and write them to
 * the pinned memory of the host. */
#include "cuda/device_cuda.h"
#include "memory/region_kernel.h"

enum {
    WARP = 32,
    FEW_RESULTS = 1 << 17, /* fewer threads than these leave a GPU idle, so a warp works on each result */
    BLOCKS_MAX = 1 << 20
};

/* Describes rows [row, row + rows) of a region to the kernels. */
static struct region_task task_of(const struct geometry *geometry, const void *buffer, const struct region *region,
                                  uint64_t row, uint64_t rows, void *out)
{
    const struct engine_shape made = region_shape(region, &geometry->shape);
    const struct engine_layout *layout = &geometry->layout;
    struct region_task task = {
        .origin = (const uint8_t *) buffer + geometry->origin,
        .row_stride = geometry->row_stride,
        .plane_stride = geometry->plane_stride,
        .cell_pitch = (int64_t) geometry_cell_pitch(geometry),
        .component_stride = geometry->component_stride,
        .layout = *layout,
        .columns = made.extent[0],
        .height = made.extent[1],
        .row = row,
        .count = rows * made.extent[0] * made.components,
        .components = made.components,
        .type = geometry->shape.type,
        .made_type = made.type,
        .element_bytes = geometry->element_bytes,
        .bits = layout->cell_bits == 1,
        .reduce = (uint32_t) region->reduce,
        .out = out,
    };
    memcpy(task.begin, region->begin, sizeof task.begin);
    memcpy(task.end, region->end, sizeof task.end);
    memcpy(task.block, region->block, sizeof task.block);
    return task;
}

static int launch(struct cuda *cuda, struct region_task *task, const struct region *region, struct engine_error *error)
{
    const bool warps =
        task->count < FEW_RESULTS && region->reduce != REGION_FIRST && region->block[1] * region->block[2] > 1;
    const uint64_t threads = task->count * (warps ? WARP : 1), blocks = (threads + CUDA_BLOCK - 1) / CUDA_BLOCK;
    const unsigned grid[3] = {blocks < BLOCKS_MAX ? (unsigned) blocks : BLOCKS_MAX, 1, 1};
    void *arguments[] = {task};
    return cuda_launch(cuda, warps ? cuda->region_warps : cuda->region_threads, grid, arguments, error);
}

int cuda_make_rows(struct cuda *cuda, const struct geometry *geometry, const void *buffer, const struct region *region,
                   uint64_t row, uint64_t rows, uint64_t most, void *out, struct engine_error *error)
{
    const struct engine_shape made = region_shape(region, &geometry->shape);
    const uint64_t bytes = made.extent[0] * made.components * type_bytes(made.type), at_once = most / bytes;
    char *to = out;
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    for (uint64_t done = 0, n; done < rows; done += n, to += n * bytes) {
        n = rows - done < at_once ? rows - done : at_once;
        struct region_task task = task_of(geometry, buffer, region, row + done, n, cuda->window);
        if (launch(cuda, &task, region, error) != 0 || cuda->device.synchronise(&cuda->device, error) != 0)
            return error->status;
        memcpy(to, cuda->window, n * bytes);
    }
    return 0;
}
