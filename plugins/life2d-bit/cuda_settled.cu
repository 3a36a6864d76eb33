/* Settled regions on CUDA, host code: the launches of a call (cuda_settled.cuh). */
#include "cuda_stepper.h"

#include <stddef.h>

/* If nothing is known, the first pass computes all tiles, which fewer passes than these do not make up for. */
enum { LEAST_PASSES = 8 };

static const life_factors factors = {1, 0u - 2};

cudaError_t life2d_settled_clear(const settled_grid *grid, cudaStream_t stream)
{
    return cudaMemsetAsync(grid->memory, 0, grid->bytes, stream);
}

cudaError_t life2d_settled_forget(const settled_grid *grid, cudaStream_t stream)
{
    const uint64_t kept = offsetof(settled_state, on);
    return cudaMemsetAsync((char *) grid->memory + kept, 0, grid->bytes - kept, stream);
}

/* Steps that no pass took make what is known of the tiles wrong. */
static cudaError_t lose(const settled_grid *grid, cudaStream_t stream)
{
    return cudaMemsetAsync(&((settled_state *) grid->memory)->known, 0, sizeof(uint32_t), stream);
}

static const uint32_t *done_of(const settled_grid *grid)
{
    return &((const settled_state *) grid->memory)->done;
}

/* Enqueues passes, which follow the first `first` of the series and begin with cells[from]. `steps` count in the
 * account. */
static cudaError_t launch_passes(const struct life2d_cuda_job *job, int from, uint32_t first, uint32_t passes,
                                 uint32_t steps)
{
    const settled_grid *grid = job->settled;
    settled_job r = settled_job_of(grid, (uint32_t) (job->row_bytes / 16));
    r.cells[0] = (uint4 *) job->cells[from], r.cells[1] = (uint4 *) job->cells[1 - from];
    r.first = first, r.passes = passes, r.steps = steps;
    r.least = LEAST_PASSES;
    r.factors = factors;
    const struct life2d_kernel_form *kernel = &job->rule->settled;
    return life_launch_cooperative(kernel->function,
                                   {grid->blocks, (uint64_t) kernel->warps, (uint64_t) kernel->shared}, job->stream, &r,
                                   job->rule->numbers);
}

cudaError_t life2d_settled_account(const settled_grid *grid, settled_state *account, cudaStream_t stream)
{
    ENGINE_CUDA_TRY(cudaMemcpyAsync(account, grid->memory, sizeof *account, cudaMemcpyDeviceToHost, stream));
    return cudaStreamSynchronize(stream);
}

/* ---- Conditions ------------------------------------------------------------------------------ */

__global__ void life2d_settled_decide(cudaGraphConditionalHandle condition, const uint32_t *done, uint32_t steps)
{
    cudaGraphSetConditional(condition, *done < steps);
}

/* Adds a node to the recording of a stream: a graph that is executed if the condition holds, at first an empty one. */
static cudaError_t add_condition(cudaStream_t stream, cudaGraphConditionalHandle condition, cudaGraph_t *body)
{
    cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    const cudaGraphNode_t *before;
    const cudaGraphEdgeData *edges;
    size_t count;
    cudaGraphNodeParams node = {};
    cudaGraphNode_t added;
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = condition;
    node.conditional.type = cudaGraphCondTypeIf;
    node.conditional.size = 1;
    ENGINE_CUDA_TRY(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &before, &edges, &count));
    ENGINE_CUDA_TRY(cudaGraphAddNode(&added, graph, before, edges, count, &node));
    *body = node.conditional.phGraph_out[0];
    return cudaStreamUpdateCaptureDependencies(stream, &added, NULL, 1, cudaStreamSetCaptureDependencies);
}

/* Launches between begin_rest and end_rest, on *rest, have nothing to do if all `steps` of the series are done. If they
 * are recorded, the device then leaves them out; otherwise each looks for itself. */
static cudaError_t begin_rest(const settled_grid *grid, cudaStream_t stream, uint32_t steps, cudaStream_t *rest)
{
    cudaStreamCaptureStatus status;
    cudaGraphConditionalHandle condition;
    cudaGraph_t graph, body;
    *rest = stream;
    ENGINE_CUDA_TRY(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph));
    if (status != cudaStreamCaptureStatusActive)
        return cudaSuccess;
    ENGINE_CUDA_TRY(cudaGraphConditionalHandleCreate(&condition, graph));
    life2d_settled_decide<<<1, 1, 0, stream>>>(condition, done_of(grid), steps);
    ENGINE_CUDA_TRY(cudaGetLastError());
    ENGINE_CUDA_TRY(add_condition(stream, condition, &body));
    ENGINE_CUDA_TRY(
        cudaStreamBeginCaptureToGraph(grid->recorder, body, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
    *rest = grid->recorder;
    return cudaSuccess;
}

static cudaError_t end_rest(const settled_grid *grid, cudaStream_t rest)
{
    cudaGraph_t body;
    return rest == grid->recorder ? cudaStreamEndCapture(rest, &body) : cudaSuccess;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A call is a series of launches, or several if it has very many steps. Each round of a series begins with a kernel
 * that takes passes, up to the end of the series if they pay. The streaming form takes what this kernel leaves of its
 * round. The device decides after every fourth pass: both have then changed the buffer an even number of times, if the
 * launches before take eight, four, two or one step. */
enum { ROUND_PASSES = 40, MOST_PASSES = 1024 * ROUND_PASSES };

/* The launches of the streaming form for the steps of a round. They have the parity of the passes: if need be, the last
 * launch that can be is divided into two. */
static cudaError_t stream_round(const struct life2d_cuda_job *job, int at, uint32_t first, uint32_t passes)
{
    const uint32_t steps = passes * SETTLED_STEPS;
    const uint32_t *done = done_of(job->settled);
    const struct life2d_kernel_form *most = job->rule->stream, *kernel = most;
    uint32_t launches = 0;
    for (uint32_t left = steps; left > 0; left -= (uint32_t) kernel->steps, launches++)
        while (kernel->steps > (int) left)
            kernel++;
    bool divide = (launches + passes) % 2 != 0;
    kernel = most;
    for (uint32_t step = 0; step < steps; at = 1 - at) {
        const uint32_t left = steps - step;
        while (kernel->steps > (int) left)
            kernel++;
        if (divide && left < 2 * (uint32_t) most->steps && kernel->steps > 1)
            kernel++, divide = false;
        ENGINE_CUDA_TRY(life2d_cuda_stream_once(job, at, kernel, done, first * SETTLED_STEPS + step));
        step += (uint32_t) kernel->steps;
    }
    return cudaSuccess;
}

/* All rounds but the kernel that begins the first one. */
static cudaError_t rest_of_series(const struct life2d_cuda_job *job, int at, uint32_t passes)
{
    for (uint32_t first = 0; first < passes; first += ROUND_PASSES) {
        const uint32_t left = passes - first;
        if (first > 0)
            ENGINE_CUDA_TRY(launch_passes(job, at, first, left, 0));
        ENGINE_CUDA_TRY(stream_round(job, at, first, left < ROUND_PASSES ? left : (uint32_t) ROUND_PASSES));
    }
    return cudaSuccess;
}

static cudaError_t take_series(const struct life2d_cuda_job *job, int at, uint32_t passes, uint32_t steps)
{
    struct life2d_cuda_job rest = *job;
    ENGINE_CUDA_TRY(launch_passes(job, at, 0, passes, steps));
    ENGINE_CUDA_TRY(begin_rest(job->settled, job->stream, passes * SETTLED_STEPS, &rest.stream));
    const cudaError_t taken = rest_of_series(&rest, at, passes);
    const cudaError_t ended = end_rest(job->settled, rest.stream);
    return taken != cudaSuccess ? taken : ended;
}

/* Whole passes, and then the steps that are less than a pass. */
cudaError_t life2d_settled_steps(const struct life2d_cuda_job *job, int *at)
{
    struct life2d_cuda_job rest = *job;
    rest.steps = job->steps % SETTLED_STEPS;
    for (uint64_t passes = job->steps / SETTLED_STEPS; passes > 0;) {
        const uint32_t taken = (uint32_t) (passes < MOST_PASSES ? passes : (uint64_t) MOST_PASSES);
        passes -= taken;
        ENGINE_CUDA_TRY(take_series(job, *at, taken, taken * SETTLED_STEPS + (passes > 0 ? 0 : (uint32_t) rest.steps)));
        *at ^= (int) (taken & 1);
    }
    if (rest.steps == 0)
        return cudaSuccess;
    ENGINE_CUDA_TRY(lose(job->settled, job->stream));
    return life2d_cuda_stream_steps(&rest, at);
}
