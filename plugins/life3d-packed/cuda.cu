/* life3d-packed on a GPU, the implementation `cuda`: the plugin's parameters, and the limits of its kernels. What it
 * shares with life2d-bit is in life/cuda_bits.cuh. cuda_stepper.cu chooses among the kernels of cuda_kernels.cuh. */
#include "cuda_stepper.h"
#include "packed.h"

#include <life/cuda_bits.cuh>

struct packed_cuda : life_bits_instance {
    packed_cuda_rule rule;
    packed_resident resident;
};

/* Operations on a word of 32 cells: 21 and a shift for B6/S5..7. A rule that the driver compiles takes about two more,
 * a rule as numbers about thirty more. */
static life_bits_plugin about()
{
    return {&packed_rule_supply,
            PACKED_FORM,
            PACKED_RULE_KERNEL,
            ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z,
            packed_cuda_shared_bytes(),
            {22, 24, 52},
            2};
}

/* A job with the size of the grid and the parameters, but without cells. */
static packed_cuda_job job_of(const engine_plan *plan)
{
    packed_cuda_job job = {};
    life_size_job(&job, plan, about());
    job.tile = (uint32_t) engine_param_integer(plan, PACKED_TILE);
    job.warps = (uint32_t) engine_param_integer(plan, PACKED_WARPS);
    job.blocks = (uint32_t) engine_param_integer(plan, PACKED_BLOCKS);
    job.march = (uint32_t) engine_param_integer(plan, PACKED_MARCH);
    return job;
}

int packed_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    const packed_cuda_job job = job_of(plan);
    life_cuda_device device;
    const int wrong = life_bits_probe(host, plan, about(), life3d_plan_rule(plan), &device);
    if (wrong)
        return wrong;
    if (!packed_cuda_takes(job.width, job.height, job.depth))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                           "it takes grids of fewer than 2^39 cells, and 2^30 rows and planes");
    if (job.form == LIFE_RESIDENT && packed_cuda_find_resident(&job, &device).warps == 0)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "form = resident: the grid does not fit on this device's chip%s",
                           job.march || job.blocks ? " with this march and so many blocks" : "");
    return 0;
}

int packed_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    return life_bits_layout(layout, about());
}

/* Decides whether the grid stays on the chip. */
static void choose_form(const engine_call *call, packed_cuda *cuda)
{
    const packed_cuda_job job = job_of(call->plan);
    const packed_resident r = cuda->resident = packed_cuda_find_resident(&job, &cuda->device);
    if (r.warps)
        call->host->note(call->host, "resident", "tiles of %u x %u rows, marches of %u and %u, %u warps", r.rows,
                         r.planes, r.march, r.border_march, r.warps);
}

int packed_cuda_create(const engine_call *call, void **self)
{
    const life3d_rule rule = life3d_plan_rule(call->plan);
    packed_cuda *cuda;
    int wrong = life_bits_open(call, &cuda);
    if (wrong)
        return wrong;
    choose_form(call, cuda);
    wrong = life_bits_take_scratch(call, cuda, cuda->resident.halo_bytes);
    if (wrong)
        return wrong;
    const int kernel = (int) engine_param_integer(call->plan, PACKED_RULE_KERNEL);
    return life_bits_created(
        call, cuda, packed_cuda_make_rule(&cuda->rule, rule.birth, rule.survive, kernel, life_dead_axes(call->plan)),
        self);
}

int packed_cuda_advance(void *self, engine_call *call)
{
    packed_cuda *cuda = (packed_cuda *) self;
    packed_cuda_job job = job_of(call->plan);
    int result = 0;
    life_fill_job(&job, call, cuda);
    job.rule = &cuda->rule;
    job.resident = cuda->resident;
    const cudaError_t error = packed_cuda_take_steps(&job, &result);
    return life_bits_advanced(call, error, result);
}

int packed_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life_population_striped(call, PACKED_CELLS, ((packed_cuda *) self)->counter, values);
}

void packed_cuda_destroy(void *self)
{
    life_free_rule_source(&((packed_cuda *) self)->rule.source);
}

int packed_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host;
    return life_bits_cost(plan, about(), life3d_plan_rule(plan), cost);
}
