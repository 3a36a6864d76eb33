/* Generations on a GPU: the implementation `cuda`. cuda_kernels.cuh explains the kernels.
 *
 * Instructions of a step of 32 cells, compiled for sm_90 with the rule /2/3: 22.6 of logic and shifts, two shuffles.
 * Of these, 8 to 9 are the conversions between bytes and bit planes, shared by the 8 steps of a launch. */
#include "cuda_kernels.cuh"
#include "generations.h"

#include <life/cuda_rule.cuh>
#include <life2d-bit/cuda_network.h>

/* The PTX of cuda_rule.ptx.cu, which cuda_rule.c holds. */
extern "C" const char generations_rule_ptx[];

namespace
{

using generations::job;

template <int STATES, int LEVELS, bool ALL>
__global__ void __launch_bounds__(128) with_numbers(const __grid_constant__ job job)
{
    generations::march<STATES, LEVELS, ALL, generations::rule_of_numbers>(job);
}

/* The kernels for up to so many states: for launches of LEVELS steps, and of fewer. */
struct form {
    uint32_t states;
    int levels;
    const void *all, *some;                   /* take the rule as numbers */
    const char *all_compiled, *some_compiled; /* names in the PTX */
    double operations;                        /* logic and shifts of a step of 32 cells, compiled */
};

#define FORM(STATES, LEVELS) \
    {STATES, \
     LEVELS, \
     (const void *) with_numbers<STATES, LEVELS, true>, \
     (const void *) with_numbers<STATES, LEVELS, false>, \
     "generations_all_" #STATES, \
     "generations_some_" #STATES, \
     (STATES) <= 4    ? 23.0 \
     : (STATES) <= 16 ? 43.0 \
                      : 70.0},
const form forms[] = {GENERATIONS_FOR_FORMS(FORM)};
#undef FORM

const form *form_of(const generations_rule &rule)
{
    const form *form = forms;
    while (form->states < rule.states)
        form++;
    return form;
}

/* No rule is built in. */
const life_rule_supply supply = {"", ~0u, ~0u, generations_rule_ptx, life2d_find_network};

struct instance {
    const form *form;
    generations_rule rule;
    life_rule_source source;
    const void *all, *some;
    int64_t resident[2];          /* blocks of `some` and of `all` that run at the same time */
    unsigned long long *counters; /* of the metrics, in device memory */
};

/* The steps of a launch: so few that no ghost is a copy of a copy of a cell. */
uint32_t steps_of(const engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, GENERATIONS_CELLS)->extent;
    uint64_t steps = (uint64_t) form_of(generations_plan_rule(plan))->levels;
    for (int axis = 0; axis < 2; axis++)
        steps = extent[axis] < steps ? extent[axis] : steps;
    return (uint32_t) steps;
}

cudaError_t find_kernels(instance *own, int wanted)
{
    static const int kernels[] = {LIFE_ANY_KERNEL, LIFE_COMPILED, LIFE_NUMBERS};
    ENGINE_CUDA_TRY(life_find_rule_source(&own->source, kernels[wanted], &supply, own->rule.birth, own->rule.survive));
    own->all = own->form->all, own->some = own->form->some;
    if (own->source.library) {
        cudaKernel_t all, some;
        ENGINE_CUDA_TRY(cudaLibraryGetKernel(&all, own->source.library, own->form->all_compiled));
        ENGINE_CUDA_TRY(cudaLibraryGetKernel(&some, own->source.library, own->form->some_compiled));
        own->all = (const void *) all, own->some = (const void *) some;
    }
    life_cuda_device device;
    ENGINE_CUDA_TRY(life_find_device(&device));
    for (int i = 0; i < 2; i++) {
        int each;
        ENGINE_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, i ? own->all : own->some,
                                                                      generations::LANES * generations::WARPS, 0));
        own->resident[i] = (int64_t) device.multiprocessors * (each > 0 ? each : 1);
    }
    return cudaSuccess;
}

/* Divides the rows into bands so that all blocks run at the same time, if that leaves bands of at least four times the
 * rows that a band computes in vain; a larger grid gets several rounds of blocks. */
uint64_t bands_of(uint64_t height, uint64_t strips, uint64_t levels, uint64_t resident)
{
    const uint64_t least = levels * 8, most = 512, slots = resident * generations::WARPS;
    const uint64_t rounds = engine_divide_up(engine_divide_up(height, most) * strips, slots);
    uint64_t bands = rounds * slots / strips;
    if (bands > height / least)
        bands = height / least;
    return bands > 0 ? bands : 1;
}

int launch(const instance *own, const engine_call *call)
{
    const engine_buffer *cells = engine_field_buffer(call, GENERATIONS_CELLS);
    const uint64_t width = cells->shape->extent[0], height = cells->shape->extent[1];
    const bool all = call->steps == (uint64_t) own->form->levels;
    const uint64_t strips = engine_divide_up(width, generations::STRIP);
    const uint64_t band =
        engine_divide_up(height, bands_of(height, strips, (uint64_t) own->form->levels, (uint64_t) own->resident[all]));
    const uint64_t rows = engine_divide_up(engine_divide_up(height, band), generations::WARPS);
    if (strips > ENGINE_CUDA_BLOCKS_X || rows > ENGINE_CUDA_BLOCKS_YZ)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "the grid is too large for one launch");
    job job = {(const uint8_t *) cells->origin[call->current],
               (uint8_t *) cells->origin[call->result],
               cells->row_stride,
               (int64_t) width,
               (int64_t) height,
               (int32_t) cells->layout->ghost[0],
               (int32_t) band,
               (int32_t) call->steps,
               own->rule.states - 1,
               own->rule.survive,
               own->rule.birth};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned) strips, (unsigned) rows);
    config.blockDim = dim3(generations::LANES, generations::WARPS);
    config.stream = engine_cuda_stream(call);
    void *arguments[] = {&job};
    ENGINE_CUDA_CHECK(call->host, cudaLaunchKernelExC(&config, all ? own->all : own->some, arguments));
    return 0;
}

/* Counts the live and the dying cells of rows [first, first + rows). A block takes every gridDim.x-th row. */
__global__ void count(engine_cuda_view<const uint8_t> cells, int64_t first, int64_t rows, unsigned long long *counters)
{
    unsigned long long found[GENERATIONS_METRICS] = {};
    for (int64_t y = blockIdx.x; y < rows; y += gridDim.x)
        for (int64_t x = threadIdx.x; x < cells.width; x += blockDim.x) {
            const uint8_t state = cells.at(x, first + y);
            found[GENERATIONS_ALIVE] += state == 1;
            found[GENERATIONS_DYING] += state > 1;
        }
    for (int k = 0; k < GENERATIONS_METRICS; k++) {
        for (int lanes = 16; lanes > 0; lanes /= 2)
            found[k] += __shfl_down_sync(~0u, found[k], lanes);
        if (threadIdx.x % 32 == 0 && found[k])
            atomicAdd(&counters[k], found[k]);
    }
}

} // namespace

int generations_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) field;
    layout->row_align = 64;
    layout->ghost[0] = layout->ghost[1] = steps_of(plan);
    return 0;
}

int generations_cuda_create(const engine_call *call, void **self)
{
    instance *own = (instance *) call->host->scratch(call->host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    *own = {};
    own->rule = generations_plan_rule(call->plan);
    own->form = form_of(own->rule);
    own->counters = (unsigned long long *) call->host->scratch(call->host, GENERATIONS_METRICS * sizeof *own->counters,
                                                               ENGINE_CUDA_MEMORY);
    if (!own->counters)
        return ENGINE_NO_MEMORY;
    const cudaError_t error = find_kernels(own, (int) engine_param_integer(call->plan, GENERATIONS_KERNEL));
    if (error != cudaSuccess) {
        life_free_rule_source(&own->source);
        return CUDA_FAIL(call->host, error, "the kernels of rule %s", engine_param_text(call->plan, GENERATIONS_RULE));
    }
    call->host->note(call->host, "rule kernel", "%s", own->source.library ? "compiled" : "numbers");
    *self = own;
    return 0;
}

void generations_cuda_destroy(void *self)
{
    life_free_rule_source(&((instance *) self)->source);
}

int generations_cuda_advance(void *self, engine_call *call)
{
    return launch((const instance *) self, call);
}

int generations_cuda_measure(void *self, const engine_call *call, double *values)
{
    const instance *own = (const instance *) self;
    const cudaStream_t stream = engine_cuda_stream(call);
    const int64_t first = (int64_t) call->begin[1], rows = (int64_t) call->end[1] - first;
    unsigned long long found[GENERATIONS_METRICS];
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(own->counters, 0, sizeof found, stream));
    count<<<engine_cuda_blocks((uint64_t) rows, 1, 4096), 256, 0, stream>>>(
        engine_cuda_field<const uint8_t>(call, GENERATIONS_CELLS, call->current), first, rows, own->counters);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(found, own->counters, sizeof found, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    for (int k = 0; k < GENERATIONS_METRICS; k++)
        values[k] += (double) found[k];
    return 0;
}

int generations_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host;
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = form_of(generations_plan_rule(plan))->operations / 32;
    cost->bytes = 2.0 / steps_of(plan);
    return 0;
}
