/* life2d-bit on a GPU, the implementation `cuda`: the plugin's parameters, and the limits of its kernels. What it
 * shares with life3d-packed is in life/cuda_bits.cuh. cuda_stepper.cu chooses among the kernels of cuda_kernels.cuh. */
#include "life2d.h"

#include "cuda_batch.h"

#include <life/cuda_bits.cuh>
#include <string.h>

struct life2d_cuda : life_bits_instance {
    life2d_cuda_rule rule;
    uint64_t *counts[2];    /* of a batch: the population of each universe, in device memory and in host memory */
    settled_grid settled;   /* its memory is NULL if all cells are computed */
    settled_state *account; /* host memory for life2d_settled_account */
};

/* Operations on a word of 32 cells: 8 and half a shift for B3/S23. A rule that the driver compiles takes about two
 * more, a rule as numbers nine more. */
static life_bits_plugin about()
{
    return {&life2d_rule_supply,
            LIFE2D_FORM,
            LIFE2D_RULE_KERNEL,
            ENGINE_AXIS_X | ENGINE_AXIS_Y,
            life2d_cuda_shared_bytes(),
            {8.5, 10.5, 17.5},
            8};
}

/* Where the universes of a batch are during a call. If a form is asked for, its kernels take them in turn. */
static life2d_batch_place place_of(const engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, LIFE2D_CELLS)->extent;
    return plan->universes == 1 || engine_param_integer(plan, LIFE2D_FORM) != LIFE_ANY_FORM ||
                   !life_plan_rule(plan).counts
               ? LIFE2D_BATCH_IN_TURN
               : life2d_batch_place_of(extent[0], extent[1], life_dead_axes(plan));
}

/* A job with the size of the grid and the parameters, but without cells. */
static life2d_cuda_job job_of(const engine_plan *plan)
{
    life2d_cuda_job job = {};
    life_size_job(&job, plan, about());
    job.bands = (uint32_t) engine_param_integer(plan, LIFE2D_BANDS);
    job.exchange_steps = (uint32_t) engine_param_integer(plan, LIFE2D_DEPTH);
    job.strip_rows = (uint32_t) engine_param_integer(plan, LIFE2D_STRIP_ROWS);
    return job;
}

int life2d_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    const life2d_cuda_job job = job_of(plan);
    life_cuda_device device;
    const life_rule rule = life_plan_rule(plan);
    const int wrong = life_bits_probe(host, plan, about(), rule, &device);
    if (wrong)
        return wrong;
    if (!rule.counts && engine_param_integer(plan, LIFE2D_RULE_KERNEL) == LIFE_NUMBERS)
        return ENGINE_FAIL(
            host, ENGINE_UNSUPPORTED,
            "rule_kernel = numbers counts neighbours, which does not give the rule %s; compiled takes any",
            engine_param_text(plan, LIFE2D_RULE));
    if (!rule.counts && job.form == LIFE_RESIDENT)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                           "form = resident counts neighbours, which does not give the rule %s; streaming takes any",
                           engine_param_text(plan, LIFE2D_RULE));
    if (life2d_cuda_scratch_bytes(&job, device.multiprocessors) == 0)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "it takes grids of fewer than 2^39 cells");
    if (job.form == LIFE_RESIDENT && !life2d_cuda_fits(&job, device.multiprocessors))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "form = resident: the grid does not fit on this device's chip%s",
                           job.exchange_steps || job.strip_rows ? " with this depth and strip_rows" : "");
    return 0;
}

int life2d_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host;
    const life2d_batch_place place = place_of(plan);
    if (place == LIFE2D_BATCH_IN_TURN)
        return life_bits_layout(layout, about());
    layout->cell_bits = 1;
    layout->word_bytes = 4;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    if (place == LIFE2D_BATCH_IN_SHARED)
        return 0;
    layout->order = ENGINE_ORDER_STRIPED;
    layout->group_words = (uint32_t) (engine_field_shape(plan, field)->extent[0] / 32);
    return 0;
}

/* Memory for the populations of a batch. */
static int take_counts(const engine_call *call, life2d_cuda *cuda)
{
    const uint64_t bytes = call->plan->universes * sizeof(uint64_t);
    if (call->plan->universes == 1)
        return 0;
    cuda->counts[0] = (uint64_t *) call->host->scratch(call->host, bytes, ENGINE_CUDA_MEMORY);
    cuda->counts[1] = (uint64_t *) call->host->scratch(call->host, bytes, ENGINE_HOST_MEMORY);
    return cuda->counts[0] && cuda->counts[1] ? 0 : ENGINE_NO_MEMORY;
}

/* Grids with fewer cells take a pass so fast that it does not pay to skip tiles. */
static const uint64_t LEAST_CELLS = UINT64_C(1) << 26;

/* The shares of tiles, in percent, up to which it pays to skip: tiles that are needed, and tiles of a sample that
 * change, which are fewer. A needed tile takes several times as long as its cells do when all are computed, and longer
 * still where the grid does not fit into the second-level cache (docs/lab/life2d-bit.md). */
static const struct {
    uint32_t needed, moving;
} LIMITS[2] = {{22, 17}, {17, 13}};

static cudaError_t set_limits(settled_grid *grid, uint64_t bytes)
{
    int device, cache;
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
    const int large = bytes > (uint64_t) cache;
    grid->most_needed = LIMITS[large].needed, grid->most_moving = LIMITS[large].moving;
    return cudaSuccess;
}

/* Prepares to skip settled regions, if the parameter allows it. The parts of a divided run do not skip: their margins
 * change from outside with each call. Nor do the universes of a batch, and grids with dead edges. */
static int open_settled(const engine_call *call, life2d_cuda *cuda, const life2d_cuda_job *job)
{
    const char *when = engine_param_text(call->plan, LIFE2D_SETTLED);
    const bool always = strcmp(when, "yes") == 0;
    settled_grid *grid = &cuda->settled;
    if (strcmp(when, "no") == 0 || job->dead || call->plan->part.count > 1 || call->plan->universes > 1 ||
        job->form == LIFE_RESIDENT || !settled_make(grid, job->width, job->height, cuda->device.multiprocessors))
        return 0;
    if (!always && (job->width * job->height < LEAST_CELLS ||
                    (job->form == LIFE_ANY_FORM && life2d_cuda_fits(job, cuda->device.multiprocessors))))
        return 0;
    grid->always = always;
    ENGINE_CUDA_CHECK(call->host, set_limits(grid, job->width * job->height / 8));
    grid->memory = call->host->scratch(call->host, grid->bytes, ENGINE_CUDA_MEMORY);
    cuda->account = (settled_state *) call->host->scratch(call->host, sizeof *cuda->account, ENGINE_HOST_MEMORY);
    if (!grid->memory || !cuda->account)
        return ENGINE_NO_MEMORY;
    ENGINE_CUDA_CHECK(call->host, cudaStreamCreateWithFlags(&grid->recorder, cudaStreamNonBlocking));
    ENGINE_CUDA_CHECK(call->host, life2d_settled_clear(grid, engine_cuda_stream(call)));
    return 0;
}

static void close_settled(const life2d_cuda *cuda)
{
    if (cuda->settled.recorder)
        (void) cudaStreamDestroy(cuda->settled.recorder);
}

/* The tables of life2d-lut take the time of a network of so many operations, see docs/lab/life2d-lut.md. */
enum { OPERATIONS_OF_TABLES = 58 };

/* Finds or makes the kernels of the rule. */
static cudaError_t make_rule(const engine_call *call, life2d_cuda_rule *made, uint32_t dead, bool batch)
{
    const life_rule rule = life_plan_rule(call->plan);
    if (rule.counts)
        return life2d_cuda_make_rule(made, rule.birth, rule.survive,
                                     (int) engine_param_integer(call->plan, LIFE2D_RULE_KERNEL), dead, batch);
    const life2d_square_network net = life2d_find_square_network(&rule);
    const int operations = life2d_square_operations(&net);
    call->host->note(call->host, "operations of the rule",
                     operations > OPERATIONS_OF_TABLES ? "%d; the plugin life2d-lut is faster for more than %d" : "%d",
                     operations, OPERATIONS_OF_TABLES);
    return life2d_cuda_make_squares(made, &net, rule.table[0] & 1, dead);
}

int life2d_cuda_create(const engine_call *call, void **self)
{
    const life2d_cuda_job job = job_of(call->plan);
    const bool batch = place_of(call->plan) != LIFE2D_BATCH_IN_TURN;
    life2d_cuda *cuda = NULL;
    int wrong = life_bits_open(call, &cuda);
    if (wrong == 0 && !batch)
        wrong = life_bits_take_scratch(call, cuda, life2d_cuda_scratch_bytes(&job, cuda->device.multiprocessors));
    if (wrong == 0)
        wrong = take_counts(call, cuda);
    if (wrong == 0)
        wrong = open_settled(call, cuda, &job);
    if (wrong == 0)
        wrong = life_bits_created(call, cuda, make_rule(call, &cuda->rule, job.dead, batch), self);
    if (wrong != 0 && cuda)
        close_settled(cuda);
    return wrong;
}

static int advance_batch(const life2d_cuda *cuda, engine_call *call)
{
    const engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    const uint64_t *extent = cells->shape->extent;
    const life2d_batch_call job = {{cells->origin[call->current], cells->origin[1 - call->current]},
                                   extent[0],
                                   extent[1],
                                   call->plan->universes,
                                   call->steps,
                                   engine_cuda_stream(call)};
    return life_bits_advanced(call, life2d_batch_take_steps(&cuda->rule, &job), 1);
}

/* Takes the steps of one universe after the other; of a run that is no batch there is one. All leave their result in
 * the same buffer, because it depends on the size and the steps alone. */
static int advance_in_turn(const life2d_cuda *cuda, engine_call *call)
{
    const engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    cudaError_t error = cudaSuccess;
    int result = 0;
    for (uint64_t u = 0; u < call->plan->universes && error == cudaSuccess; u++) {
        life2d_cuda_job job = job_of(call->plan);
        life_fill_job(&job, call, cuda);
        for (void *&buffer : job.cells)
            buffer = (char *) buffer + (int64_t) u * cells->plane_stride;
        job.rule = &cuda->rule;
        job.settled = cuda->settled.memory ? &cuda->settled : NULL;
        if (job.settled && call->flags & ENGINE_CALL_FRESH)
            error = life2d_settled_forget(job.settled, job.stream);
        if (error == cudaSuccess)
            error = life2d_cuda_take_steps(&job, &result);
    }
    return life_bits_advanced(call, error, result);
}

int life2d_cuda_advance(void *self, engine_call *call)
{
    const life2d_cuda *cuda = (const life2d_cuda *) self;
    return (place_of(call->plan) == LIFE2D_BATCH_IN_TURN ? advance_in_turn : advance_batch)(cuda, call);
}

/* Counts each universe of a batch. */
static int measure_batch(const life2d_cuda *cuda, const engine_call *call, double *values)
{
    const engine_buffer *cells = engine_field_buffer(call, LIFE2D_CELLS);
    const uint64_t *extent = cells->shape->extent, universes = call->plan->universes;
    const uint32_t group = cells->layout->order == ENGINE_ORDER_STRIPED ? cells->layout->group_words : 1;
    const life2d_batch_cells counted = {(const uint32_t *) cells->origin[call->current],
                                        extent[0],
                                        extent[1],
                                        universes,
                                        (uint64_t) cells->row_stride / 4,
                                        (uint64_t) cells->plane_stride / 4,
                                        group};
    const cudaStream_t stream = engine_cuda_stream(call);
    ENGINE_CUDA_CHECK(call->host, life2d_batch_count(&counted, cuda->counts[0], stream));
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(cuda->counts[1], cuda->counts[0], universes * sizeof(uint64_t),
                                                  cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    for (uint64_t u = 0; u < universes; u++)
        values[u] = (double) cuda->counts[1][u];
    return 0;
}

/* Notes the share of the cells' steps that were skipped. */
static int note_settled(const life2d_cuda *cuda, const engine_call *call)
{
    if (!cuda->settled.memory)
        return 0;
    ENGINE_CUDA_CHECK(call->host, life2d_settled_account(&cuda->settled, cuda->account, engine_cuda_stream(call)));
    const settled_state *s = cuda->account;
    if (s->passed > s->computed)
        call->host->note(call->host, "settled", "%.3f %% of the work was skipped",
                         100.0 * SETTLED_STEPS * (double) (s->passed - s->computed) / (double) s->taken);
    return 0;
}

int life2d_cuda_measure(void *self, const engine_call *call, double *values)
{
    const life2d_cuda *cuda = (const life2d_cuda *) self;
    const int wrong = note_settled(cuda, call);
    if (wrong)
        return wrong;
    if (call->plan->universes > 1)
        return measure_batch(cuda, call, values);
    return life_population_striped(call, LIFE2D_CELLS, cuda->counter, values);
}

void life2d_cuda_destroy(void *self)
{
    life2d_cuda *cuda = (life2d_cuda *) self;
    close_settled(cuda);
    life_free_rule_source(&cuda->rule.source);
}

int life2d_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host;
    const life2d_batch_place place = place_of(plan);
    const life_rule rule = life_plan_rule(plan);
    life_bits_plugin plugin = about();
    const double words = (double) engine_field_shape(plan, LIFE2D_CELLS)->extent[0] / 32;
    for (double &operations : plugin.operations)
        if (place == LIFE2D_BATCH_IN_REGISTERS)
            operations += 2 / words - 0.5; /* a row has two rotations */
        else if (place == LIFE2D_BATCH_IN_SHARED)
            operations += 6; /* shifts and bits at the borders of each word */
    if (!rule.counts) {
        const life2d_square_network net = life2d_find_square_network(&rule);
        const int operations = life2d_square_operations(&net);
        plugin.operations[1] = 1.5 + operations; /* and shifts at the ends of a group */
        plugin.steps = life2d_cuda_square_steps(operations);
    }
    life_bits_cost(plan, plugin, rule, cost);
    cost->bytes = place == LIFE2D_BATCH_IN_TURN ? cost->bytes : 0;
    return 0;
}
