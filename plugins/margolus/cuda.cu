/* margolus on a GPU: what the engine calls. The kernel is in cuda_kernels.cuh. */
#include "cuda_kernels.cuh"

#include <engine/bench.h>
#include <life/population.cuh>

using namespace margolus;

static constexpr int MOST = 16, FORMS = 5; /* steps of a launch: 16, 8, 4, 2, 1 */

static void (*const kernels[FORMS][2])(job) = {{take_steps<16, 0>, take_steps<16, 1>},
                                               {take_steps<8, 0>, take_steps<8, 1>},
                                               {take_steps<4, 0>, take_steps<4, 1>},
                                               {take_steps<2, 0>, take_steps<2, 1>},
                                               {take_steps<1, 0>, take_steps<1, 1>}};

struct cuda {
    margolus_form form;
    int64_t strips, pairs, each[FORMS]; /* pairs of rows of a warp, by the steps of a launch */
    uint64_t *counter;
};

/* A warp computes `levels` - 1 pairs of rows before the first that it writes, so strips should be long. All
 * multiprocessors should have the same number of blocks, and more than one, because a single block waits for half of
 * the time of a second one. Returns the pairs of a warp with which a launch takes least. */
static int64_t pairs_of_warp(int64_t strips, int64_t pairs, int64_t levels, int64_t multiprocessors)
{
    int64_t best = 0, least = INT64_MAX;
    for (int64_t rows = 1; rows <= 65535 && (rows == 1 || strips * rows <= 64 * multiprocessors); rows++) {
        const int64_t each = (pairs + WARPS * rows - 1) / (WARPS * rows);
        const int64_t turns = (strips * rows + multiprocessors - 1) / multiprocessors;
        const int64_t time = (2 * turns + 1) * (each + levels - 1);
        if (time < least)
            best = each, least = time;
    }
    return best;
}

int margolus_cuda_create(const engine_call *call, void **self)
{
    cuda *made = (cuda *) call->host->scratch(call->host, sizeof *made, ENGINE_HOST_MEMORY);
    life_cuda_device device = {};
    ENGINE_CUDA_CHECK(call->host, life_find_device(&device));
    if (!made)
        return ENGINE_NO_MEMORY;
    const margolus_rule rule = margolus_plan_rule(call->plan);
    const uint64_t *extent = engine_field_shape(call->plan, MARGOLUS_CELLS)->extent;
    made->form = margolus_form_of(&rule, EVEN);
    made->strips = (int64_t) divide_up(divide_up(extent[0], LANES), WRITTEN);
    made->pairs = (int64_t) extent[1] / 2;
    for (int form = 0; form < FORMS; form++)
        made->each[form] = pairs_of_warp(made->strips, made->pairs, MOST >> form, device.multiprocessors);
    made->counter = (uint64_t *) call->host->scratch(call->host, sizeof(uint64_t), ENGINE_CUDA_MEMORY);
    *self = made;
    return made->counter ? 0 : ENGINE_NO_MEMORY;
}

static void launch(const engine_call *call, const cuda *cuda, int form, uint64_t taken, uint32_t from)
{
    const auto now = engine_cuda_field<const uint32_t>(call, MARGOLUS_CELLS, from);
    const auto next = engine_cuda_field<uint32_t>(call, MARGOLUS_CELLS, 1 - from);
    const uint64_t *offset = call->plan->part.offset, step = call->first_step + taken, levels = MOST >> form;
    const job job = {now.origin,  next.origin,      now.pitch,
                     now.width,   now.height,       margolus_first(offset[1], step + levels - 1),
                     cuda->pairs, cuda->each[form], cuda->form};
    const dim3 blocks((unsigned) cuda->strips, (unsigned) divide_up((uint64_t) job.pairs, (uint64_t) job.each * WARPS));
    kernels[form][margolus_first(offset[0], step)]<<<blocks, WARPS * LANES, 0, engine_cuda_stream(call)>>>(job);
}

int margolus_cuda_advance(void *self, engine_call *call)
{
    uint32_t from = call->current;
    for (uint64_t taken = 0; taken < call->steps; from = 1 - from) {
        int form = 0;
        while ((uint64_t) MOST >> form > call->steps - taken)
            form++;
        launch(call, (const cuda *) self, form, taken, from);
        ENGINE_CUDA_CHECK_LAUNCH(call->host, take_steps);
        taken += MOST >> form;
    }
    call->result = from;
    return 0;
}

int margolus_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life_population_cuda(call, MARGOLUS_CELLS, ((const cuda *) self)->counter, values);
}

int margolus_cuda_cost(const engine_host *, const engine_plan *, engine_cost *cost)
{
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = 41. / 64;
    cost->bytes = 2. / 8 / MOST;
    return 0;
}
