/* Settled regions on CUDA, host code: the tiles of a grid, and the launches of rounds. */
#include "cuda_stepper.h"

#include <stddef.h>
#include <stdlib.h>

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

cudaError_t life2d_settled_lose(const settled_grid *grid, cudaStream_t stream)
{
    return cudaMemsetAsync(&((settled_state *) grid->memory)->known, 0, sizeof(uint32_t), stream);
}

const uint32_t *life2d_settled_done(const settled_grid *grid)
{
    return &((const settled_state *) grid->memory)->done;
}

cudaError_t life2d_settled_take(const settled_grid *grid, const struct life2d_cuda_job *job, int from, uint32_t first,
                                uint32_t passes, uint32_t steps)
{
    settled_job r = settled_job_of(grid, (uint32_t) (job->row_bytes / 16));
    r.cells[0] = (uint4 *) job->cells[from], r.cells[1] = (uint4 *) job->cells[1 - from];
    r.first = first, r.passes = passes, r.steps = steps;
    r.least = LEAST_PASSES;
    r.factors = factors;
    r.flags = getenv("SETTLED_FLAGS") ? (uint32_t) atoi(getenv("SETTLED_FLAGS")) : 0;
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

/* ---- The rest of a round --------------------------------------------------------------------- */

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

cudaError_t life2d_settled_begin_rest(const settled_grid *grid, cudaStream_t stream, uint32_t steps, cudaStream_t *rest)
{
    cudaStreamCaptureStatus status;
    cudaGraphConditionalHandle condition;
    cudaGraph_t graph, body;
    *rest = stream;
    ENGINE_CUDA_TRY(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph));
    if (status != cudaStreamCaptureStatusActive || !getenv("SETTLED_IF"))
        return cudaSuccess;
    ENGINE_CUDA_TRY(cudaGraphConditionalHandleCreate(&condition, graph));
    life2d_settled_decide<<<1, 1, 0, stream>>>(condition, life2d_settled_done(grid), steps);
    ENGINE_CUDA_TRY(cudaGetLastError());
    ENGINE_CUDA_TRY(add_condition(stream, condition, &body));
    ENGINE_CUDA_TRY(
        cudaStreamBeginCaptureToGraph(grid->recorder, body, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
    *rest = grid->recorder;
    return cudaSuccess;
}

cudaError_t life2d_settled_end_rest(const settled_grid *grid, cudaStream_t rest)
{
    cudaGraph_t body;
    return rest == grid->recorder ? cudaStreamEndCapture(rest, &body) : cudaSuccess;
}
