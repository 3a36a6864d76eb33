/* The engine's side of the implementations `cuda` of life2d-bit and life3d-packed.
 *
 * Both keep one bit a cell in groups of 128 cells, find the kernels of a rule when the run starts (life/cuda_rule.cuh),
 * and either stream the grid through the chip or keep it there for all steps of a call. Each plugin's cuda.cu adds its
 * parameters and its limits; its cuda_stepper.cu chooses among its kernels. */
#ifndef LIFE_CUDA_BITS_CUH
#define LIFE_CUDA_BITS_CUH

#include <life/cuda_job.cuh>
#include <life/edges.h>
#include <life/population.cuh>

/* What the code here needs to know of a plugin. */
struct life_bits_plugin {
    const life_rule_supply *supply;
    uint32_t form, rule_kernel; /* the indices of these parameters */
    uint32_t wraps;             /* ENGINE_AXIS_..., the axes that the kernels wrap themselves, or beyond which they know
                                   dead cells */
    int shared_bytes;           /* the most shared memory that a block of a kernel takes */
    double operations[3];       /* logic operations on a word: built-in, compiled, numbers */
    int steps;                  /* of a launch of the streaming form */
};

/* ---- Plan ------------------------------------------------------------------------------------ */

/* The job's size, edges and form. */
static inline void life_size_job(life_cuda_job *job, const engine_plan *plan, const life_bits_plugin &plugin)
{
    const uint64_t *extent = engine_field_shape(plan, 0)->extent;
    job->width = extent[0], job->height = extent[1], job->depth = extent[2];
    job->dead = life_dead_axes(plan);
    job->form = (int) engine_param_integer(plan, plugin.form);
}

/* Does the device have the shared memory, and does the rule have the kernels that `rule_kernel` wants? */
template <class Rule>
int life_bits_probe(const engine_host *host, const engine_plan *plan, const life_bits_plugin &plugin, const Rule &rule,
                    life_cuda_device *device)
{
    *device = {};
    if (life_find_device(device) != cudaSuccess || device->shared_bytes < plugin.shared_bytes)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "it needs %d KB of shared memory a block; this device has %d",
                           (plugin.shared_bytes + 1023) / 1024, device->shared_bytes / 1024);
    if (engine_param_integer(plan, plugin.rule_kernel) == LIFE_BUILT_IN &&
        !life_is_built_in(plugin.supply, rule.birth, rule.survive))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "rule_kernel = built-in is for %s alone", plugin.supply->rule);
    return 0;
}

static inline int life_bits_layout(engine_layout *layout, const life_bits_plugin &plugin)
{
    layout->cell_bits = 1;
    layout->word_bytes = 4;
    layout->order = ENGINE_ORDER_STRIPED;
    layout->group_words = 4;
    layout->row_align = 16;
    layout->wraps = plugin.wraps;
    return 0;
}

/* A launch of the streaming form reads and writes the grid once. */
template <class Rule>
int life_bits_cost(const engine_plan *plan, const life_bits_plugin &plugin, const Rule &rule, engine_cost *cost)
{
    const int64_t kernel = engine_param_integer(plan, plugin.rule_kernel);
    const bool built_in = life_is_built_in(plugin.supply, rule.birth, rule.survive) && kernel <= LIFE_BUILT_IN;
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = plugin.operations[built_in ? 0 : kernel == LIFE_NUMBERS ? 2 : 1] / 32;
    cost->bytes = 2.0 / 8 / plugin.steps;
    return 0;
}

/* ---- The instance ---------------------------------------------------------------------------- */

/* An instance derives from this and has a member `rule`: the kernels, with a life_rule_source `source`. */
struct life_bits_instance {
    life_cuda_device device;
    void *scratch;     /* the memory of life_cuda_job; NULL if it needs none */
    uint64_t *counter; /* of the population */
};

/* Takes memory for an instance and its counter, and reads the properties of the device. */
template <class Instance> int life_bits_open(const engine_call *call, Instance **instance)
{
    const engine_host *host = call->host;
    Instance *made = (Instance *) host->scratch(host, sizeof *made, ENGINE_HOST_MEMORY);
    uint64_t *counter = (uint64_t *) host->scratch(host, sizeof *counter, ENGINE_CUDA_MEMORY);
    if (!made || !counter)
        return ENGINE_NO_MEMORY;
    *made = {};
    made->counter = counter;
    *instance = made;
    ENGINE_CUDA_CHECK(host, life_find_device(&made->device));
    return 0;
}

/* Takes `bytes` of device memory for the calls; none for 0. */
static inline int life_bits_take_scratch(const engine_call *call, life_bits_instance *instance, uint64_t bytes)
{
    if (bytes == 0)
        return 0;
    instance->scratch = call->host->scratch(call->host, bytes, ENGINE_CUDA_MEMORY);
    return instance->scratch ? 0 : ENGINE_NO_MEMORY;
}

/* Ends a plugin's `create`: `error` is the outcome of making the rule's kernels. */
template <class Instance>
int life_bits_created(const engine_call *call, Instance *instance, cudaError_t error, void **self)
{
    if (error != cudaSuccess) {
        life_free_rule_source(&instance->rule.source);
        return ENGINE_CUDA_FAIL(call->host, ENGINE_DEVICE, error, "making the kernels of the rule");
    }
    call->host->note(call->host, "rule kernel", "%s", life_rule_kernels[instance->rule.source.form]);
    *self = instance;
    return 0;
}

/* ---- A call ---------------------------------------------------------------------------------- */

/* What the call adds to a job of the right size. */
static inline void life_fill_job(life_cuda_job *job, const engine_call *call, const life_bits_instance *instance)
{
    const engine_buffer *cells = engine_field_buffer(call, 0);
    for (uint32_t i = 0; i < 2; i++)
        job->cells[i] = cells->origin[i ^ call->current];
    job->row_bytes = cells->row_stride, job->plane_bytes = cells->plane_stride;
    job->steps = call->steps;
    job->scratch = instance->scratch;
    job->stream = engine_cuda_stream(call);
}

/* Ends a plugin's `advance`: cells[result] of the job hold the result, or `error` says why the state is lost. */
static inline int life_bits_advanced(engine_call *call, cudaError_t error, int result)
{
    call->result = call->current ^ (uint32_t) result;
    return error == cudaSuccess ? 0 : ENGINE_CUDA_FAIL(call->host, -ENGINE_DEVICE, error, "launch");
}

#endif
