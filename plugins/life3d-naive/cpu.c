/* life3d-naive on the CPU, on the engine's ghosts: strips of rows of a plane, on all threads. */
#include "cpu_kernel.h"
#include "naive.h"

enum { STRIP = 64 }; /* rows */

/* Widest first. */
static const struct life3d_kernel *const kernels[] = {
#if defined(__x86_64__)
    &naive_kernel_avx512,
    &naive_kernel_avx2,
#endif
    &naive_kernel_plain,
};

int naive_cpu_advance(void *self, struct engine_call *call)
{
    (void) self;
    const uint64_t *extent = engine_field_shape(call->plan, NAIVE_CELLS)->extent;
    const struct life3d_grid grid = life3d_grid_of(call, naive_rule(call->plan));
    const struct life3d_kernel *kernel = life3d_widest(kernels);
    const int64_t strips = (int64_t) (extent[1] / STRIP + (extent[1] % STRIP != 0));
    const int64_t height = (int64_t) extent[1], count = strips * (int64_t) extent[2];
#pragma omp parallel for num_threads((int) call->plan->threads)
    for (int64_t i = 0; i < count; i++) {
        const int64_t y = i % strips * STRIP, z = i / strips;
        const struct life3d_box box = {{0, y, z},
                                       {(int64_t) extent[0], y + STRIP < height ? y + STRIP : height, z + 1}};
        kernel->take(&grid, &box, NULL);
    }
    return 0;
}
