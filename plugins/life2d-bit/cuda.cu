/* life2d-bit on a GPU, the implementation `cuda`: the plugin's parameters, and the limits of its kernels. What it
 * shares with life3d-packed is in life/cuda_bits.cuh. cuda_stepper.cu chooses among the kernels of cuda_kernels.cuh. */
#include "cuda_stepper.h"
#include "life2d.h"

#include <life/cuda_bits.cuh>

struct life2d_cuda : life_bits_instance {
    life2d_cuda_rule rule;
};

/* Operations on a word of 32 cells: 8 and half a shift for B3/S23. A rule that the driver compiles takes about two
 * more, a rule as numbers nine more. */
static life_bits_plugin about()
{
    return {&life2d_rule_supply,
            LIFE2D_FORM,
            LIFE2D_RULE_KERNEL,
            ENGINE_AXIS_X | ENGINE_AXIS_Y,
            life2d_cuda_shared_bytes(),
            {8.5, 10.5, 17.5},
            8};
}

/* A job with the size of the grid and the parameters, but without cells. */
static life2d_cuda_job job_of(const engine_plan *plan)
{
    life2d_cuda_job job = {};
    life_size_job(&job, plan, about());
    job.bands = (uint32_t) engine_param_integer(plan, LIFE2D_BANDS);
    job.exchange_steps = (uint32_t) engine_param_integer(plan, LIFE2D_DEPTH);
    job.strip_rows = (uint32_t) engine_param_integer(plan, LIFE2D_STRIP_ROWS);
    return job;
}

int life2d_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    const life2d_cuda_job job = job_of(plan);
    life_cuda_device device;
    const int wrong = life_bits_probe(host, plan, about(), life_plan_rule(plan), &device);
    if (wrong)
        return wrong;
    if (life2d_cuda_scratch_bytes(job.width, job.height, device.multiprocessors) == 0)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "takes grids of fewer than 2^39 cells");
    if (job.form == LIFE_RESIDENT && !life2d_cuda_fits(&job, device.multiprocessors))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "form = resident: the grid does not fit on this device's chip%s",
                           job.exchange_steps || job.strip_rows ? " with this depth and strip_rows" : "");
    return 0;
}

int life2d_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    return life_bits_layout(layout, about());
}

int life2d_cuda_create(const engine_call *call, void **self)
{
    const life2d_cuda_job job = job_of(call->plan);
    const life_rule rule = life_plan_rule(call->plan);
    life2d_cuda *cuda;
    int wrong = life_bits_open(call, &cuda);
    if (wrong == 0)
        wrong = life_bits_take_scratch(call, cuda,
                                       life2d_cuda_scratch_bytes(job.width, job.height, cuda->device.multiprocessors));
    if (wrong)
        return wrong;
    const int kernel = (int) engine_param_integer(call->plan, LIFE2D_RULE_KERNEL);
    return life_bits_created(call, cuda, life2d_cuda_make_rule(&cuda->rule, rule.birth, rule.survive, kernel), self);
}

int life2d_cuda_advance(void *self, engine_call *call)
{
    life2d_cuda *cuda = (life2d_cuda *) self;
    life2d_cuda_job job = job_of(call->plan);
    int result = 0;
    life_fill_job(&job, call, cuda);
    job.rule = &cuda->rule;
    const cudaError_t error = life2d_cuda_take_steps(&job, &result);
    return life_bits_advanced(call, error, result);
}

int life2d_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life_population_striped(call, LIFE2D_CELLS, ((life2d_cuda *) self)->counter, values);
}

void life2d_cuda_destroy(void *self)
{
    life_free_rule_source(&((life2d_cuda *) self)->rule.source);
}

int life2d_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host;
    return life_bits_cost(plan, about(), life_plan_rule(plan), cost);
}
