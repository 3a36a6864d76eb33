/* life3d-naive on a GPU: what the engine calls. The kernel is in cuda_kernels.cuh. */
#include "naive.h"

#include "cuda_edges.cuh"

int naive_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    return life3d_check_block(host, (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_X),
                              (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_Y),
                              (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_Z));
}

int naive_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life3d_cuda_count(self, call, values);
}

static unsigned blocks_along(uint64_t cells, uint32_t threads, uint64_t most)
{
    const uint64_t blocks = divide_up(cells, threads);
    return (unsigned) (blocks < most ? blocks : most);
}

struct form {
    uint32_t cells;
    void (*torus)(life3d_step, rule_masks);
    void (*dead)(life3d_dead_step, rule_masks);
};

template <int CELLS> constexpr form form_of()
{
    return {CELLS, take_step<CELLS>, take_step<CELLS>};
}

/* In the order of the choices of cells_per_thread. */
static const form forms[] = {form_of<1>(), form_of<2>(), form_of<4>()};

static form chosen_form(const engine_plan *plan)
{
    return forms[(uint32_t) engine_param_integer(plan, NAIVE_CELLS_A_THREAD)];
}

static dim3 threads_of(const engine_plan *plan)
{
    return dim3((uint32_t) engine_param_integer(plan, NAIVE_BLOCK_X),
                (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_Y),
                (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_Z));
}

int naive_cuda_create(const engine_call *call, void **self)
{
    const form form = chosen_form(call->plan);
    const dim3 threads = threads_of(call->plan);
    const void *kernel = life_dead_axes(call->plan) ? (const void *) form.dead : (const void *) form.torus;
    const int status = cuda_check_threads(call->host, kernel, (uint64_t) threads.x * threads.y * threads.z);
    return status ? status : life3d_cuda_open(call, (uint32_t) engine_param_integer(call->plan, NAIVE_OVERLAP), self);
}

int naive_cuda_advance(void *self, engine_call *call)
{
    const life3d_cuda *cuda = (const life3d_cuda *) self;
    const uint64_t *extent = engine_field_shape(call->plan, NAIVE_CELLS)->extent;
    const life3d_rule rule = life3d_plan_rule(call->plan);
    const form form = chosen_form(call->plan);
    const dim3 threads = threads_of(call->plan);
    const dim3 blocks(blocks_along(extent[0], threads.x, INT32_MAX), blocks_along(extent[1], threads.y, 65535),
                      blocks_along(extent[2], threads.z * form.cells, 65535));
    const life3d_launch launch = {blocks, threads, 0, cuda->overlap};
    return life3d_take_steps(call, launch, form.torus, form.dead, rule_masks{rule.birth, rule.survive});
}
