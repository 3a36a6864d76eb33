/* Generations on a GPU: the implementation `cuda`. cuda_kernels.cuh explains the kernels.
 *
 * Instructions of a step of 32 cells, compiled for sm_90 with the rule /2/3: 22.6 of logic and shifts, two shuffles.
 * Of these, 8 to 9 are the conversions between bytes and bit planes, shared by the 8 steps of a launch. */
#include "cuda_kernels.cuh"
#include "generations.h"

#include <life/cuda_rule.cuh>
#include <life/edges.h>
#include <life2d-bit/cuda_network.h>

/* The PTX of cuda_rule.ptx.cu and of cuda_dead_rule.ptx.cu, which the C files of these names hold. */
extern "C" const char generations_rule_ptx[], generations_dead_rule_ptx[];

namespace
{

using generations::job;

template <int STATES, int LEVELS, bool ALL, bool DEAD>
__global__ void __launch_bounds__(128) with_numbers(const __grid_constant__ job job)
{
    generations::march<STATES, LEVELS, ALL, DEAD, generations::rule_of_numbers>(job);
}

/* The kernels for up to so many states: [0] for launches of fewer steps than LEVELS, and [1] of LEVELS steps. */
struct form {
    uint32_t states;
    int levels;
    const void *torus[2], *dead[2]; /* take the rule as numbers; `dead`: for grids with dead edges */
    const char *compiled[2];        /* names in the PTX */
    double operations;              /* logic and shifts of a step of 32 cells, compiled */
};

#define FORM(STATES, LEVELS) \
    {STATES, \
     LEVELS, \
     {(const void *) with_numbers<STATES, LEVELS, false, false>, \
      (const void *) with_numbers<STATES, LEVELS, true, false>}, \
     {(const void *) with_numbers<STATES, LEVELS, false, true>, \
      (const void *) with_numbers<STATES, LEVELS, true, true>}, \
     {"generations_some_" #STATES, "generations_all_" #STATES}, \
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
const life_rule_supply dead_supply = {"", ~0u, ~0u, generations_dead_rule_ptx, life2d_find_network};

struct instance {
    const form *form;
    generations_rule rule;
    life_rule_source source;
    uint32_t dead;                /* LIFE_DEAD_X, LIFE_DEAD_Y */
    const void *kernel[2];        /* for launches of fewer steps than form->levels, and of all */
    int64_t resident[2];          /* blocks of them that run at the same time */
    unsigned long long *counters; /* of the metrics, in device memory */
};

/* The axes whose dead edges the kernels honour. Beside a fixed edge, the engine fills the ghosts of both axes, because
 * the cells beyond a corner have the fixed value too. */
uint32_t dead_axes(const engine_plan *plan)
{
    for (int axis = 0; axis < 2; axis++)
        if (engine_plan_edge(plan, axis) == ENGINE_EDGE_FIXED)
            return 0;
    return life_dead_axes(plan);
}

/* The steps of a launch: on a torus so few that no ghost is a copy of a copy of a cell. */
uint32_t steps_of(const engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, GENERATIONS_CELLS)->extent;
    uint64_t steps = (uint64_t) form_of(generations_plan_rule(plan))->levels;
    for (int axis = 0; axis < 2; axis++)
        if (!(dead_axes(plan) & 1u << axis))
            steps = extent[axis] < steps ? extent[axis] : steps;
    return (uint32_t) steps;
}

cudaError_t find_kernels(instance *own, int wanted)
{
    static const int kernels[] = {LIFE_ANY_KERNEL, LIFE_COMPILED, LIFE_NUMBERS};
    ENGINE_CUDA_TRY(life_find_rule_source(&own->source, kernels[wanted], own->dead ? &dead_supply : &supply,
                                          own->rule.birth, own->rule.survive));
    life_cuda_device device;
    ENGINE_CUDA_TRY(life_find_device(&device));
    for (int i = 0; i < 2; i++) {
        int each;
        own->kernel[i] = own->dead ? own->form->dead[i] : own->form->torus[i];
        if (own->source.library) {
            cudaKernel_t compiled;
            ENGINE_CUDA_TRY(cudaLibraryGetKernel(&compiled, own->source.library, own->form->compiled[i]));
            own->kernel[i] = (const void *) compiled;
        }
        ENGINE_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, own->kernel[i],
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

/* Takes steps, at most form->levels, from buffer `current` to the other one. */
int launch(const instance *own, const engine_call *call, uint32_t current, uint64_t steps)
{
    const engine_buffer *cells = engine_field_buffer(call, GENERATIONS_CELLS);
    const uint64_t width = cells->shape->extent[0], height = cells->shape->extent[1];
    const bool all = steps == (uint64_t) own->form->levels;
    const uint64_t strips = engine_divide_up(width, generations::STRIP);
    const uint64_t band =
        engine_divide_up(height, bands_of(height, strips, (uint64_t) own->form->levels, (uint64_t) own->resident[all]));
    const uint64_t rows = engine_divide_up(engine_divide_up(height, band), generations::WARPS);
    if (strips > ENGINE_CUDA_BLOCKS_X || rows > ENGINE_CUDA_BLOCKS_YZ)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED,
                           "the grid is too large for a GPU; choose a smaller one, or cpu");
    job job = {(const uint8_t *) cells->origin[current],
               (uint8_t *) cells->origin[!current],
               cells->row_stride,
               (int64_t) width,
               (int64_t) height,
               (int32_t) cells->layout->ghost[0],
               (int32_t) band,
               (int32_t) steps,
               own->rule.states - 1,
               own->rule.survive,
               own->rule.birth,
               own->dead};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned) strips, (unsigned) rows);
    config.blockDim = dim3(generations::LANES, generations::WARPS);
    config.stream = engine_cuda_stream(call);
    void *arguments[] = {&job};
    ENGINE_CUDA_CHECK(call->host, cudaLaunchKernelExC(&config, own->kernel[all], arguments));
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
    layout->wraps = dead_axes(plan);
    for (int axis = 0; axis < 2; axis++)
        layout->ghost[axis] = layout->wraps & 1u << axis ? 0 : steps_of(plan);
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
    own->dead = dead_axes(call->plan);
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

/* The ghosts of a torus allow one launch. If all edges are dead, a call may take any number of steps. The second launch
 * overwrites the state, so it is lost if a later one fails. */
int generations_cuda_advance(void *self, engine_call *call)
{
    const instance *own = (const instance *) self;
    const uint64_t most = (uint64_t) own->form->levels;
    uint32_t current = call->current;
    for (uint64_t done = 0, steps; done < call->steps; done += steps, current = !current) {
        steps = call->steps - done < most ? call->steps - done : most;
        const int code = launch(own, call, current, steps);
        if (code != 0)
            return done > most ? -code : code;
    }
    call->result = current;
    return 0;
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
