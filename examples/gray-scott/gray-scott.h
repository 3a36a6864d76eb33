/* What the files of gray-scott share: the indices of its tables, its functions, and the rule itself, which CPU and CUDA
 * compile from here. */
#ifndef GRAY_SCOTT_H
#define GRAY_SCOTT_H

#define ENGINE_MINOR 1 /* for engine_field.range */
#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { U, V };                                            /* fields */
enum { FEED, KILL, DIFFUSION_U, DIFFUSION_V, DT, NOISE }; /* parameters */

/* The numbers of a step, in the precision of the fields. */
struct rates {
    float feed, kill, diffusion_u, diffusion_v, dt;
};

struct rates rates_of(const struct engine_plan *plan);

int cpu_advance(void *self, struct engine_call *call);
int cpu_measure(void *self, const struct engine_call *call, double *values);
int cuda_create(const struct engine_call *call, void **self);
int cuda_advance(void *self, struct engine_call *call);
int cuda_measure(void *self, const struct engine_call *call, double *values);

/* Writes the mean of each field, added up row by row, so that both implementations give the same number. */
void means_of(const float *u, const float *v, uint64_t width, uint64_t height, int64_t row_stride, double *values);

#ifdef __cplusplus
}
#endif

/* The sum of the four neighbours minus four times the cell. `row` points to the cell; rows are `pitch` floats apart. In
 * this order of additions a mirror image gives the same bits. */
ENGINE_INLINE float laplacian(const float *row, int64_t pitch)
{
    return ((row[-1] + row[1]) + (row[-pitch] + row[pitch])) - 4 * row[0];
}

#define V_MIN 1e-30f

struct pair {
    float u, v;
};

/* One step of a cell, by Euler's rule:
 *
 *     du/dt = Du lap(u) - u v^2 + F (1 - u)
 *     dv/dt = Dv lap(v) + u v^2 - (F + k) v
 *
 * A v below V_MIN becomes 0. Far from all patterns v would otherwise become subnormal, and an operation on such a
 * number takes a processor about a hundred cycles. No compiler may fuse the multiplications and additions
 * (-ffp-contract=off, nvcc --fmad=false); then all of them give the same bits. */
ENGINE_INLINE struct pair react(struct rates r, const float *u, const float *v, int64_t pitch)
{
    const float reaction = *u * *v * *v;
    const float change_u = r.diffusion_u * laplacian(u, pitch) - reaction + r.feed * (1 - *u);
    const float change_v = r.diffusion_v * laplacian(v, pitch) + reaction - (r.feed + r.kill) * *v;
    const float next_v = *v + r.dt * change_v;
    const struct pair next = {*u + r.dt * change_u, next_v < V_MIN ? 0 : next_v};
    return next;
}

#endif
