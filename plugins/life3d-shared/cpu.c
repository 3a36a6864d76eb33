/* life3d-shared on the CPU: all threads, which take tiles that march along z. */
#include "cpu_kernel.h"
#include "shared.h"

#include <common/isa_choice.h>
#include <common/param.h>
#include <omp.h>
#include <string.h>

static const struct isa_kernel *const kernels[] = ISA_KERNELS(shared_kernel);

/* The grid, cut into tiles that are numbered along x, then y, then z. */
struct tiles {
    int64_t extent[3], size[3], along[3];
};

static struct tiles tiles_of(const struct engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, SHARED_CELLS)->extent;
    const uint64_t size[3] = {SHARED_PANEL, param_or(plan, SHARED_TILE, 32), param_or(plan, SHARED_Z_ITER, 32)};
    struct tiles tiles;
    for (int axis = 0; axis < 3; axis++) {
        tiles.extent[axis] = (int64_t) extent[axis];
        tiles.size[axis] = (int64_t) size[axis];
        tiles.along[axis] = (int64_t) ((extent[axis] - 1) / size[axis] + 1);
    }
    return tiles;
}

static struct life3d_box tile_at(const struct tiles *tiles, int64_t index)
{
    struct life3d_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.begin[axis] = index % tiles->along[axis] * tiles->size[axis];
        box.end[axis] = box.begin[axis] + tiles->size[axis];
        box.end[axis] = box.end[axis] < tiles->extent[axis] ? box.end[axis] : tiles->extent[axis];
        index /= tiles->along[axis];
    }
    return box;
}

/* The instance is the threads' workspace, and behind it a row of dead cells. */
static uint64_t workspaces_bytes(const struct engine_plan *plan)
{
    return shared_workspace_bytes(param_or(plan, SHARED_TILE, 32)) * plan->threads;
}

int shared_cpu_create(const struct engine_call *call, void **self)
{
    const uint64_t bytes = workspaces_bytes(call->plan), row = engine_field_shape(call->plan, SHARED_CELLS)->extent[0];
    uint8_t *memory = (uint8_t *) call->host->scratch(call->host, bytes + row, ENGINE_HOST_MEMORY);
    if (!memory)
        return ENGINE_NO_MEMORY;
    memset(memory + bytes, 0, row);
    *self = memory;
    return 0;
}

static void take_step(const struct life3d_grid *grid, const struct tiles *tiles, const struct life3d_kernel *kernel,
                      uint8_t *workspaces, uint32_t threads)
{
    const uint64_t bytes = shared_workspace_bytes((uint64_t) tiles->size[1]);
    const int64_t count = tiles->along[0] * tiles->along[1] * tiles->along[2];
#pragma omp parallel for num_threads((int) threads) schedule(dynamic)
    for (int64_t i = 0; i < count; i++) {
        const struct life3d_box box = tile_at(tiles, i);
        kernel->take(grid, &box, workspaces + (uint64_t) omp_get_thread_num() * bytes);
    }
}

int shared_cpu_advance(void *self, struct engine_call *call)
{
    uint8_t *workspaces = (uint8_t *) self;
    struct life3d_grid grid =
        life3d_grid_of(call, life3d_plan_rule(call->plan), workspaces + workspaces_bytes(call->plan));
    const struct tiles tiles = tiles_of(call->plan);
    const struct life3d_kernel *kernel = (const struct life3d_kernel *) isa_find(kernels, "auto");
    for (uint64_t i = 0; i < call->steps; i++, life3d_swap(&grid))
        take_step(&grid, &tiles, kernel, workspaces, call->plan->threads);
    call->result = call->current ^ (uint32_t) (call->steps % 2);
    return 0;
}
