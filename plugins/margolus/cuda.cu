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
    int64_t warps; /* that fill the device */
    uint64_t *counter;
};

int margolus_cuda_create(const engine_call *call, void **self)
{
    cuda *made = (cuda *) call->host->scratch(call->host, sizeof *made, ENGINE_HOST_MEMORY);
    life_cuda_device device = {};
    ENGINE_CUDA_CHECK(call->host, life_find_device(&device));
    if (!made)
        return ENGINE_NO_MEMORY;
    const margolus_rule rule = margolus_plan_rule(call->plan);
    *made = {margolus_form_of(&rule, EVEN), (int64_t) device.multiprocessors * 16,
             (uint64_t *) call->host->scratch(call->host, sizeof(uint64_t), ENGINE_CUDA_MEMORY)};
    *self = made;
    return made->counter ? 0 : ENGINE_NO_MEMORY;
}

/* Long strips, because a warp computes `levels` - 1 pairs of rows before the first that it writes, but enough warps. */
static int64_t pairs_of_warp(const cuda *cuda, int64_t strips, int64_t pairs, int64_t levels)
{
    const int64_t fair = (int64_t) divide_up((uint64_t) (strips * pairs), (uint64_t) cuda->warps);
    const int64_t least =
        2 * levels > (pairs + 65534 * WARPS) / (65535 * WARPS) ? 2 * levels : (pairs + 65534 * WARPS) / (65535 * WARPS);
    return fair < least ? least : fair < 512 || least > 512 ? fair : 512;
}

static void launch(const engine_call *call, const cuda *cuda, int form, uint64_t taken, uint32_t from)
{
    const auto now = engine_cuda_field<const uint32_t>(call, MARGOLUS_CELLS, from);
    const auto next = engine_cuda_field<uint32_t>(call, MARGOLUS_CELLS, 1 - from);
    const uint64_t *offset = call->plan->part.offset, step = call->first_step + taken, levels = MOST >> form;
    const int64_t strips = (int64_t) divide_up(divide_up((uint64_t) now.width, LANES), WRITTEN);
    const int64_t pairs = now.height / 2;
    const job job = {now.origin, next.origin,
                     now.pitch,  now.width,
                     now.height, margolus_first(offset[1], step + levels - 1),
                     pairs,      pairs_of_warp(cuda, strips, pairs, (int64_t) levels),
                     cuda->form};
    const dim3 blocks((unsigned) strips, (unsigned) divide_up((uint64_t) pairs, (uint64_t) job.each * WARPS));
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
