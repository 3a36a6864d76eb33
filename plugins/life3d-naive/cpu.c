/* life3d-naive on the CPU: all threads, which take strips of rows of a plane. */
#include "cpu_kernel.h"
#include "naive.h"

#include <common/isa_choice.h>
#include <string.h>

enum { STRIP = 64 }; /* rows of a strip */

static const struct isa_kernel *const kernels[] = ISA_KERNELS(naive_kernel);

static void take_step(const struct life3d_grid *grid, const struct life3d_kernel *kernel, uint32_t threads)
{
    const int64_t *extent = grid->extent, strips = (extent[1] - 1) / STRIP + 1;
#pragma omp parallel for num_threads((int) threads)
    for (int64_t i = 0; i < strips * extent[2]; i++) {
        const int64_t y = i % strips * STRIP, z = i / strips;
        const struct life3d_box box = {{0, y, z}, {extent[0], y + STRIP < extent[1] ? y + STRIP : extent[1], z + 1}};
        kernel->take(grid, &box, NULL);
    }
}

/* The instance is a row of dead cells. */
int naive_cpu_create(const struct engine_call *call, void **self)
{
    const uint64_t bytes = engine_field_shape(call->plan, NAIVE_CELLS)->extent[0];
    *self = call->host->scratch(call->host, bytes, ENGINE_HOST_MEMORY);
    return *self ? (memset(*self, 0, bytes), 0) : ENGINE_NO_MEMORY;
}

int naive_cpu_advance(void *self, struct engine_call *call)
{
    struct life3d_grid grid = life3d_grid_of(call, life3d_plan_rule(call->plan), (const uint8_t *) self);
    const struct life3d_kernel *kernel = (const struct life3d_kernel *) isa_find(kernels, "auto");
    for (uint64_t i = 0; i < call->steps; i++, life3d_swap(&grid))
        take_step(&grid, kernel, call->plan->threads);
    call->result = call->current ^ (uint32_t) (call->steps % 2);
    return 0;
}
