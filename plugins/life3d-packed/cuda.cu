/* life3d-packed on a GPU: the implementation `cuda`, one bit a cell. The kernels are cuda_kernels.cuh's,
 * cuda_stepper.cu chooses among them; here they meet the engine.
 *
 *   B6/S5..7         is built in
 *   any other rule   is written into PTX text and compiled by the driver when the run starts, which takes a second the
 *                    first time; where the driver cannot, the kernels take it as numbers
 *
 * A call's steps are taken two a launch, or, where the grid fits on the chip, all in one. */
#include "cuda_stepper.h"
#include "packed.h"

#include <life/population.cuh>

struct packed_cuda {
    packed_cuda_rule rule;
    packed_resident resident;
    void *mail;        /* of the resident form; NULL where that is not used */
    uint64_t *counter; /* of the population */
};

static int64_t integer(const engine_plan *plan, uint32_t param)
{
    return engine_param_value(plan, param)->integer;
}

/* A job with everything in it that the configuration says, and nothing to compute on yet. */
static packed_cuda_job job_of(const engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, PACKED_CELLS)->extent;
    packed_cuda_job job = {};
    job.width = extent[0], job.height = extent[1], job.depth = extent[2];
    job.form = (int) integer(plan, PACKED_FORM);
    job.tile = (uint32_t) integer(plan, PACKED_TILE);
    job.warps = (uint32_t) integer(plan, PACKED_WARPS);
    job.blocks = (uint32_t) integer(plan, PACKED_BLOCKS);
    job.march = (uint32_t) integer(plan, PACKED_MARCH);
    return job;
}

static bool is_built_in(const engine_plan *plan)
{
    const life3d_rule rule = packed_rule(plan);
    return packed_cuda_is_built_in(rule.birth, rule.survive);
}

int packed_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    const packed_cuda_job job = job_of(plan);
    life_cuda_device device;
    const int wrong = life_probe_device(host, packed_cuda_shared_bytes(), &device);
    if (wrong)
        return wrong;
    if (!packed_cuda_takes(job.width, job.height, job.depth))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "takes grids of fewer than 2^39 cells, and 2^30 rows and planes");
    if (integer(plan, PACKED_RULE_KERNEL) == LIFE_BUILT_IN && !is_built_in(plan))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "rule_kernel = built-in is for B6/S5..7 alone");
    if (job.form == PACKED_RESIDENT && packed_cuda_find_resident(&job, &device).warps == 0)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "form = resident: the grid does not fit on this device's chip%s",
                           job.march || job.blocks ? " with this march and so many blocks" : "");
    return 0;
}

int packed_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = 4;
    layout->order = ENGINE_ORDER_STRIPED;
    layout->group_words = 4;
    layout->row_align = 16;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z;
    return 0;
}

/* Decides whether the grid is to stay on the chip, and takes the memory that needs. */
static int create_resident(const engine_call *call, packed_cuda *cuda)
{
    const packed_cuda_job job = job_of(call->plan);
    life_cuda_device device;
    const cudaError_t error = life_find_device(&device);
    if (error != cudaSuccess)
        return CUDA_FAIL(call->host, error, "asking what the device has");
    cuda->resident = packed_cuda_find_resident(&job, &device);
    const packed_resident *r = &cuda->resident;
    if (r->warps == 0)
        return 0;
    call->host->note(call->host, "resident", "tiles of %u x %u rows, marches of %u and %u, %u warps", r->rows,
                     r->planes, r->march, r->rim_march, r->warps);
    cuda->mail = call->host->scratch(call->host, r->mail, ENGINE_CUDA_MEMORY);
    return cuda->mail ? 0 : ENGINE_NO_MEMORY;
}

int packed_cuda_create(const engine_call *call, void **self)
{
    const life3d_rule rule = packed_rule(call->plan);
    packed_cuda *cuda = (packed_cuda *) call->host->scratch(call->host, sizeof *cuda, ENGINE_HOST_MEMORY);
    if (!cuda)
        return ENGINE_NO_MEMORY;
    cuda->counter = (uint64_t *) call->host->scratch(call->host, sizeof *cuda->counter, ENGINE_CUDA_MEMORY);
    if (!cuda->counter)
        return ENGINE_NO_MEMORY;
    const int wrong = create_resident(call, cuda);
    if (wrong)
        return wrong;
    const cudaError_t error =
        packed_cuda_make_rule(&cuda->rule, rule.birth, rule.survive, (int) integer(call->plan, PACKED_RULE_KERNEL));
    if (error != cudaSuccess) {
        packed_cuda_free_rule(&cuda->rule);
        return CUDA_FAIL(call->host, error, "making the kernels of the rule");
    }
    call->host->note(call->host, "rule kernel", "%s", life_rule_kernels[cuda->rule.source.form]);
    *self = cuda;
    return 0;
}

int packed_cuda_advance(void *self, engine_call *call)
{
    const packed_cuda *cuda = (const packed_cuda *) self;
    const engine_buffer *cells = engine_field_buffer(call, PACKED_CELLS);
    packed_cuda_job job = job_of(call->plan);
    int result = 0;
    for (uint32_t i = 0; i < 2; i++)
        job.cells[i] = cells->origin[i ^ call->current];
    job.row_bytes = cells->row_stride, job.plane_bytes = cells->plane_stride;
    job.steps = call->steps;
    job.rule = &cuda->rule;
    job.resident = cuda->resident;
    job.scratch = cuda->mail;
    job.stream = (cudaStream_t) call->stream;
    const cudaError_t error = packed_cuda_take_steps(&job, &result);
    call->result = call->current ^ (uint32_t) result;
    return error == cudaSuccess ? 0 : -CUDA_FAIL(call->host, error, "launch");
}

int packed_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life_population_striped(call, PACKED_CELLS, ((packed_cuda *) self)->counter, values);
}

void packed_cuda_destroy(void *self)
{
    packed_cuda_free_rule(&((packed_cuda *) self)->rule);
}

/* Operations on a word of 32 cells: 21 and a shift for B6/S5..7; a rule compiled in needs some two more, one as
 * numbers some thirty. Two steps read and write the grid once. */
int packed_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host;
    const int64_t kernel = integer(plan, PACKED_RULE_KERNEL);
    const bool built_in = is_built_in(plan) && kernel <= LIFE_BUILT_IN;
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = (built_in ? 22.0 : kernel == LIFE_NUMBERS ? 52.0 : 24.0) / 32;
    cost->bytes = 2.0 / 8 / 2;
    return 0;
}
