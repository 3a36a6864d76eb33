/* life2d-bit on a GPU: the implementation `cuda`. The kernels are cuda_kernels.cuh's, cuda_stepper.cu chooses among
 * them; here they meet the engine.
 *
 *   B3/S23           is built in
 *   any other rule   is written into PTX text and compiled by the driver when the run starts, which takes a second the
 *                    first time; where the driver cannot, the kernels take it as numbers
 *
 * A call's steps are taken eight a launch, or, where the grid fits on the chip, all in one. */
#include "cuda_stepper.h"
#include "life2d.h"

#include <life/population.cuh>

struct life2d_cuda {
    life2d_cuda_rule rule;
    void *scratch;
    uint64_t *counter; /* of the population */
};

static int64_t integer(const engine_plan *plan, uint32_t param)
{
    return engine_param_value(plan, param)->integer;
}

/* A job with everything in it that the configuration says, and nothing to compute on yet. */
static life2d_cuda_job job_of(const engine_plan *plan)
{
    life2d_cuda_job job = {};
    job.width = engine_field_shape(plan, LIFE2D_CELLS)->extent[0];
    job.height = engine_field_shape(plan, LIFE2D_CELLS)->extent[1];
    job.form = (int) integer(plan, LIFE2D_FORM);
    job.bands = (uint32_t) integer(plan, LIFE2D_BANDS);
    job.depth = (uint32_t) integer(plan, LIFE2D_DEPTH);
    job.rows = (uint32_t) integer(plan, LIFE2D_STRIP_ROWS);
    return job;
}

static bool is_built_in(const engine_plan *plan)
{
    const life_rule rule = life2d_rule(plan);
    return life2d_cuda_is_built_in(rule.birth, rule.survive);
}

int life2d_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    const life2d_cuda_job job = job_of(plan);
    life_cuda_device device;
    const int wrong = life_probe_device(host, life2d_cuda_shared_bytes(), &device);
    if (wrong)
        return wrong;
    if (life2d_cuda_scratch_bytes(job.width, job.height, device.multiprocessors) == 0)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "takes grids of fewer than 2^39 cells");
    if (integer(plan, LIFE2D_RULE_KERNEL) == LIFE_BUILT_IN && !is_built_in(plan))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "rule_kernel = built-in is for B3/S23 alone");
    if (job.form == LIFE2D_RESIDENT && !life2d_cuda_fits(&job, device.multiprocessors))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "form = resident: the grid does not fit on this device's chip%s",
                           job.depth || job.rows ? " with this depth and strip_rows" : "");
    return 0;
}

int life2d_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = 4;
    layout->order = ENGINE_ORDER_STRIPED;
    layout->group_words = 4;
    layout->row_align = 16;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    return 0;
}

/* The memory that calls need besides the grid. */
static int take_memory(const engine_call *call, life2d_cuda *cuda)
{
    const life2d_cuda_job job = job_of(call->plan);
    life_cuda_device device;
    const cudaError_t error = life_find_device(&device);
    if (error != cudaSuccess)
        return CUDA_FAIL(call->host, error, "asking what the device has");
    const uint64_t bytes = life2d_cuda_scratch_bytes(job.width, job.height, device.multiprocessors);
    cuda->scratch = call->host->scratch(call->host, bytes, ENGINE_CUDA_MEMORY);
    cuda->counter = (uint64_t *) call->host->scratch(call->host, sizeof *cuda->counter, ENGINE_CUDA_MEMORY);
    return cuda->scratch && cuda->counter ? 0 : ENGINE_NO_MEMORY;
}

int life2d_cuda_create(const engine_call *call, void **self)
{
    const life_rule rule = life2d_rule(call->plan);
    life2d_cuda *cuda = (life2d_cuda *) call->host->scratch(call->host, sizeof *cuda, ENGINE_HOST_MEMORY);
    const int wrong = cuda ? take_memory(call, cuda) : ENGINE_NO_MEMORY;
    if (wrong)
        return wrong;
    const cudaError_t error =
        life2d_cuda_make_rule(&cuda->rule, rule.birth, rule.survive, (int) integer(call->plan, LIFE2D_RULE_KERNEL));
    if (error != cudaSuccess) {
        life2d_cuda_free_rule(&cuda->rule);
        return CUDA_FAIL(call->host, error, "making the kernels of the rule");
    }
    call->host->note(call->host, "rule kernel", "%s", life_rule_kernels[cuda->rule.source.form]);
    *self = cuda;
    return 0;
}

int life2d_cuda_advance(void *self, engine_call *call)
{
    life2d_cuda *cuda = (life2d_cuda *) self;
    const engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    life2d_cuda_job job = job_of(call->plan);
    int result = 0;
    for (uint32_t i = 0; i < 2; i++)
        job.cells[i] = cells->origin[i ^ call->current];
    job.row_bytes = cells->row_stride;
    job.steps = call->steps;
    job.rule = &cuda->rule;
    job.scratch = cuda->scratch;
    job.stream = (cudaStream_t) call->stream;
    const cudaError_t error = life2d_cuda_take_steps(&job, &result);
    call->result = call->current ^ (uint32_t) result;
    return error == cudaSuccess ? 0 : -CUDA_FAIL(call->host, error, "launch");
}

int life2d_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life_population_striped(call, LIFE2D_CELLS, ((life2d_cuda *) self)->counter, values);
}

void life2d_cuda_destroy(void *self)
{
    life2d_cuda_free_rule(&((life2d_cuda *) self)->rule);
}

/* Operations on a word of 32 cells: 8 and half a shift for B3/S23; a rule compiled in needs some two more, one as
 * numbers nine more. Eight steps read and write the grid once. */
int life2d_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host;
    const int64_t kernel = integer(plan, LIFE2D_RULE_KERNEL);
    const bool built_in = is_built_in(plan) && kernel <= LIFE_BUILT_IN;
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = (built_in ? 8.5 : kernel == LIFE_NUMBERS ? 17.5 : 10.5) / 32;
    cost->bytes = 2.0 / 8 / 8;
    return 0;
}
