/* A batch of universes of 2D Life on CUDA, host code: the choice of the kernel, and its launches. */
#include "cuda_batch.h"

#include "cuda_forms.cuh"
#include "cuda_network.h"

/* The PTX of cuda_batch_rule.ptx.cu, which cuda_batch_rule.c holds, and the same for grids with dead edges. */
extern "C" const char life2d_batch_rule_ptx[];
extern "C" const char life2d_dead_x_batch_rule_ptx[];
extern "C" const char life2d_dead_y_batch_rule_ptx[];

const life_rule_supply life2d_batch_supply = {"B3/S23", 1u << 3, 1u << 2 | 1u << 3, life2d_batch_rule_ptx,
                                              life2d_find_network};
const life_rule_supply life2d_dead_x_batch_supply = {"B3/S23", 1u << 3, 1u << 2 | 1u << 3, life2d_dead_x_batch_rule_ptx,
                                                     life2d_find_network};
const life_rule_supply life2d_dead_y_batch_supply = {"B3/S23", 1u << 3, 1u << 2 | 1u << 3, life2d_dead_y_batch_rule_ptx,
                                                     life2d_find_network};

static const life_factors factors = {1, 0u - 2};

enum { MOST_STEPS = 1 << 30 }; /* of a launch */

static uint64_t words_of_row(uint64_t width)
{
    return divide_up(width, 32);
}

/* The universe as it is and as it becomes. With dead edges, each has one row of dead cells. */
static uint64_t shared_bytes(uint64_t width, uint64_t height, uint32_t dead)
{
    return 2 * sizeof(uint32_t) * words_of_row(width) * (height + (dead != 0));
}

static bool is_row_of_registers(uint64_t width)
{
#define IS_WIDTH(WORDS, WARPS, BLOCKS) || width == 32 * WORDS
    return false LIFE2D_FOR_BATCH_FORMS(IS_WIDTH);
#undef IS_WIDTH
}

enum life2d_batch_place life2d_batch_place_of(uint64_t width, uint64_t height, uint32_t dead)
{
    if (is_row_of_registers(width) && height % BATCH_ROWS == 0 && height / BATCH_ROWS <= 32)
        return LIFE2D_BATCH_IN_REGISTERS;
    const bool fits = width <= BATCH_MOST_SHARED && height <= BATCH_MOST_SHARED &&
                      shared_bytes(width, height, dead) <= BATCH_MOST_SHARED;
    return fits ? LIFE2D_BATCH_IN_SHARED : LIFE2D_BATCH_IN_TURN;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static cudaError_t launch_registers(const struct life2d_cuda_rule *rule, const struct life2d_batch_call *call,
                                    uint32_t steps)
{
    const struct life2d_kernel_form *form = rule->batch;
    while ((uint64_t) form->steps * 32 != call->width)
        form++;
    dead_batch_job<1> job; /* the kernels of a torus read its first part */
    job.dead = rule->dead;
    job.source = (const uint4 *) call->cells[0];
    job.result = (uint4 *) call->cells[1];
    job.universes = call->universes;
    job.lanes = (uint32_t) (call->height / BATCH_ROWS);
    job.steps = steps;
    job.factors = factors;
    const uint64_t warps = divide_up(call->universes, 32 / job.lanes), warps_of_block = (uint64_t) form->warps;
    return life_launch_kernel(form->function, {divide_up(warps, warps_of_block), warps_of_block, 0}, call->stream, NULL,
                              &job, rule->numbers);
}

/* A thread of a block takes one strip of rows or more. */
static cudaError_t launch_block(const struct life2d_cuda_rule *rule, const struct life2d_batch_call *call,
                                uint32_t steps)
{
    dead_batch_block_job<1> job; /* the kernels of a torus read its first part */
    job.dead = rule->dead;
    job.source = (const uint32_t *) call->cells[0];
    job.result = (uint32_t *) call->cells[1];
    job.words = (uint32_t) words_of_row(call->width), job.height = (uint32_t) call->height;
    job.tail = (uint32_t) (call->width - 32 * (uint64_t) (job.words - 1));
    job.steps = steps;
    const uint64_t strips = job.words * divide_up(call->height, (uint64_t) BATCH_ROWS), warps = divide_up(strips, 32);
    const uint64_t most = BATCH_BLOCK_THREADS / 32;
    return life_launch_kernel(
        rule->batch[LIFE2D_BATCH_FORMS - 1].function,
        {call->universes, warps < most ? warps : most, shared_bytes(call->width, call->height, rule->dead)},
        call->stream, NULL, &job, rule->numbers);
}

/* All launches but the first work on the result of the one before, in place: a universe is read before it is
 * written. */
cudaError_t life2d_batch_take_steps(const struct life2d_cuda_rule *rule, const struct life2d_batch_call *call)
{
    const bool registers = life2d_batch_place_of(call->width, call->height, rule->dead) == LIFE2D_BATCH_IN_REGISTERS;
    struct life2d_batch_call part = *call;
    for (uint64_t left = call->steps; left > 0;) {
        const uint32_t steps = (uint32_t) (left < MOST_STEPS ? left : (uint64_t) MOST_STEPS);
        ENGINE_CUDA_TRY((registers ? launch_registers : launch_block)(rule, &part, steps));
        part.cells[0] = call->cells[1];
        left -= steps;
    }
    return cudaSuccess;
}

/* ---- Population ------------------------------------------------------------------------------ */

/* A warp counts a universe. Bit b of word j of a row is a cell if b is below the number of cells that the word
 * holds. */
__global__ void life2d_batch_count_kernel(const __grid_constant__ life2d_batch_cells cells, uint64_t *counts)
{
    const uint64_t universe = (blockIdx.x * (uint64_t) blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const uint64_t words = (cells.width + 32 * cells.group - 1) / (32 * cells.group) * cells.group;
    if (universe >= cells.universes)
        return;
    const uint32_t *first = cells.at + universe * cells.universe_words;
    uint64_t found = 0;
    for (uint64_t i = lane; i < words * cells.height; i += 32) {
        const uint64_t j = i % words, before = j / cells.group * cells.group * 32 + j % cells.group;
        const uint64_t bits = cells.width > before ? (cells.width - before + cells.group - 1) / cells.group : 0;
        const uint32_t mask = bits >= 32 ? ~0u : (1u << bits) - 1;
        found += __popc(first[i / words * cells.row_words + j] & mask);
    }
    for (int lanes = 16; lanes > 0; lanes /= 2)
        found += __shfl_down_sync(~0u, found, lanes);
    if (lane == 0)
        counts[universe] = found;
}

cudaError_t life2d_batch_count(const struct life2d_batch_cells *cells, uint64_t *counts, cudaStream_t stream)
{
    life2d_batch_count_kernel<<<(unsigned) divide_up(cells->universes, 4), 128, 0, stream>>>(*cells, counts);
    return cudaGetLastError();
}

/* ---- Rules ----------------------------------------------------------------------------------- */

cudaError_t life2d_batch_set_forms(struct life2d_cuda_rule *rule)
{
    return rule->source.form == LIFE_BUILT_IN ? life2d_set_batch_forms<life2d_torus_jobs, rule_life>(rule)
                                              : life2d_set_batch_forms<life2d_torus_jobs, rule_numbers>(rule);
}
