/* Settled regions on CUDA, host code: the tiles of a grid, and the launches of rounds. */
#include "cuda_stepper.h"

#include "cuda_settled.h"

#include <common/divide.h>

/* The time of a needed tile is that of about COST times its cells when all are computed. So it pays to skip if at most
 * MOST_NEEDED percent of the tiles are needed. More are needed than change: of those that a trial looks at, at most
 * MOST_MOVING percent may change. */
enum { MOST_NEEDED = 45, MOST_MOVING = 34 };

/* If nothing is known, the first pass computes all tiles, which fewer passes than these do not make up for. */
enum { LEAST_PASSES = 8 };

static const life_factors factors = {1, 0u - 2};

static settled_axis make_axis(uint64_t units, uint64_t most)
{
    const uint64_t tiles = divide_up(units, most);
    return {(uint32_t) tiles, (uint32_t) (units / tiles), (uint32_t) (units % tiles)};
}

/* The numbers of tiles in a column differ by a stride that lets them belong to different blocks. */
static uint32_t choose_stride(uint32_t tiles, uint32_t blocks)
{
    const uint32_t wanted = blocks * 3 / 8, over = tiles % blocks;
    return tiles + (wanted >= over ? wanted - over : wanted + blocks - over);
}

bool life2d_settled_make(struct life2d_settled_grid *grid, uint64_t width, uint64_t height, int multiprocessors)
{
    *grid = {};
    if (width < SETTLED_LEAST || height < SETTLED_LEAST || width >> 30 || height >> 30)
        return false;
    grid->x = make_axis(divide_up(width, 32), SETTLED_BYTES);
    grid->y = make_axis(height, SETTLED_LINES);
    grid->blocks = (uint32_t) multiprocessors;
    grid->stride = choose_stride(grid->x.tiles, grid->blocks);
    const uint64_t numbers = (uint64_t) grid->stride * grid->y.tiles;
    if (numbers >> 31)
        return false;
    grid->words = (uint32_t) divide_up(divide_up(numbers, grid->blocks), 32);
    grid->bytes = sizeof(settled_state) + 2ull * grid->blocks * grid->words * sizeof(uint32_t);
    return true;
}

cudaError_t life2d_settled_clear(const struct life2d_settled_grid *grid, cudaStream_t stream)
{
    return cudaMemsetAsync(grid->memory, 0, grid->bytes, stream);
}

cudaError_t life2d_settled_forget(const struct life2d_settled_grid *grid, cudaStream_t stream)
{
    const uint64_t kept = offsetof(settled_state, on);
    return cudaMemsetAsync((char *) grid->memory + kept, 0, grid->bytes - kept, stream);
}

cudaError_t life2d_settled_lose(const struct life2d_settled_grid *grid, cudaStream_t stream)
{
    return cudaMemsetAsync(&((settled_state *) grid->memory)->known, 0, sizeof(uint32_t), stream);
}

const uint32_t *life2d_settled_done(const struct life2d_settled_grid *grid)
{
    return &((const settled_state *) grid->memory)->done;
}

cudaError_t life2d_settled_take(const struct life2d_settled_grid *grid, const struct life2d_cuda_job *job, int from,
                                uint32_t passes, uint32_t steps)
{
    settled_job r = {};
    r.state = (settled_state *) grid->memory;
    r.needed[0] = (uint32_t *) (r.state + 1);
    r.needed[1] = r.needed[0] + (uint64_t) grid->blocks * grid->words;
    r.cells[0] = (uint4 *) job->cells[from], r.cells[1] = (uint4 *) job->cells[1 - from];
    r.width = (uint32_t) job->width, r.height = (uint32_t) job->height;
    r.groups = (uint32_t) divide_up(job->width, 128), r.pitch = (uint32_t) (job->row_bytes / 16);
    r.x = grid->x, r.y = grid->y, r.stride = grid->stride, r.words = grid->words;
    r.passes = passes, r.steps = steps;
    r.always = grid->always, r.least = LEAST_PASSES;
    r.most_moving = MOST_MOVING;
    r.most_needed = (uint32_t) ((uint64_t) r.x.tiles * r.y.tiles * MOST_NEEDED / 100);
    r.factors = factors;
    const struct life2d_kernel_form *kernel = &job->rule->settled;
    return life_launch_cooperative(kernel->function,
                                   {grid->blocks, (uint64_t) kernel->warps, (uint64_t) kernel->shared}, job->stream, &r,
                                   job->rule->numbers);
}

cudaError_t life2d_settled_account(const struct life2d_settled_grid *grid, uint64_t account[2], cudaStream_t stream)
{
    ENGINE_CUDA_TRY(cudaMemcpyAsync(account, grid->memory, 2 * sizeof *account, cudaMemcpyDeviceToHost, stream));
    return cudaStreamSynchronize(stream);
}
