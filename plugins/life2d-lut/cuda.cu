/* life2d-lut on a GPU: one kernel for each table. docs/lab/life2d-lut.md has the rates.
 *
 *   table   for each cell                                                 limit
 *   6x3     1/4 lookup, 4.5 instructions: six cells are cut out of        instructions
 *           three rows
 *   4x4     1/4 lookup, 2.1 instructions: pairs of rows serve two         bank conflicts of the lookups; fewer after many
 *           squares                                                       steps, when few entries are in use
 *   sums    1/8 lookup, 2.0 instructions: a copy of the table for each    instructions and memory
 *           lane, no bank conflicts; PRMT looks up the rule
 *
 * The place of an entry is not its index: otherwise the entries for mostly dead cells, which are frequent, would lie in
 * few banks. Small grids are limited by the barrier between steps. */
#include "cuda_edges.cuh"
#include "cuda_tables.cuh"
#include "life2dlut.h"
#include "tables.h"

#include <cooperative_groups.h>
#include <life/edges.h>
#include <life/population.cuh>

/* Takes all steps of a call. Each block copies the table to shared memory once. All blocks synchronise after each step.
 */
template <class Table, class Grid>
__global__ void __launch_bounds__(Table::THREADS, Table::BLOCKS) take_steps(Grid grid, lut_table entries)
{
    extern __shared__ uint4 shared[];
    const Table table(shared, entries);
    __syncthreads();
    const uint64_t threads = (uint64_t) gridDim.x * blockDim.x, units = grid.columns * grid.segments;
    uint32_t *from = grid.cells[0], *to = grid.cells[1];
    for (uint64_t step = 0; step < grid.steps; step++) {
        if (step > 0)
            cooperative_groups::this_grid().sync();
        for (uint64_t unit = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; unit < units; unit += threads) {
            const typename Grid::template column_type<Table::WORDS> column(grid, unit % grid.columns);
            const uint64_t begin = unit / grid.columns * grid.segment_rows, end = begin + grid.segment_rows;
            table.segment(grid, from, to, column, begin, end < grid.height ? end : grid.height);
        }
        uint32_t *done = to;
        to = from, from = done;
    }
}

/* ---- The kernel of a table ---------------------------------------------------------------------------------- */

struct method {
    const char *name;
    const void *kernel;
    uint32_t words, threads, shared_bytes, rows_at_once;
    double cells_per_lookup;
};

template <class Table> static method method_of(const engine_plan *plan, const char *name, double cells_per_lookup)
{
    return {name,
            life_dead_axes(plan) ? (const void *) take_steps<Table, lut_dead_grid>
                                 : (const void *) take_steps<Table, lut_grid>,
            Table::WORDS,
            Table::THREADS,
            Table::SHARED_BYTES,
            Table::ROWS_AT_ONCE,
            cells_per_lookup};
}

/* Has the rule birth at 8, or survival at 7 or 8? */
static bool is_general(const life_rule &rule)
{
    return (rule.birth & 0x100) || (rule.survive & 0x180);
}

/* The most shared memory that a block may have on this device. */
static int shared_limit(const engine_host *host, const engine_plan *plan, int *bytes)
{
    const cudaError_t error = cudaDeviceGetAttribute(bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, plan->device);
    return error == cudaSuccess ? 0 : CUDA_FAIL(host, error, "reading the shared memory of device %d", plan->device);
}

template <int WORDS> static method sums_of(const engine_plan *plan)
{
    return is_general(life_plan_rule(plan)) ? method_of<lut_cuda_sums<WORDS, true>>(plan, "sums", 8)
                                            : method_of<lut_cuda_sums<WORDS, false>>(plan, "sums", 8);
}

/* Columns of four words, or of two if the grid is so small that four would leave threads idle. */
static method find_sums(const engine_plan *plan)
{
    const engine_shape *shape = engine_field_shape(plan, LUT_CELLS);
    const double many_cells = 1 << 27; /* measured on 132 multiprocessors */
    return (double) shape->extent[0] * (double) shape->extent[1] < many_cells ? sums_of<2>(plan) : sums_of<4>(plan);
}

static method find_method(const engine_plan *plan, int shared_bytes)
{
    const int64_t table = engine_param_integer(plan, LUT_TABLE);
    const method sums = find_sums(plan);
    if (table == LUT_TABLE_6X3)
        return method_of<lut_cuda_6x3>(plan, "6x3", 4);
    const bool summed = life_plan_rule(plan).counts && sums.shared_bytes <= (uint32_t) shared_bytes;
    if (table == LUT_TABLE_4X4 || (table == LUT_TABLE_AUTO && !summed))
        return method_of<lut_cuda_4x4>(plan, "4x4", 4);
    return sums;
}

int lut_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    int shared = 0;
    const int status = shared_limit(host, plan, &shared);
    if (status)
        return status;
    if (engine_param_integer(plan, LUT_TABLE) == LUT_TABLE_SUMS && !life_plan_rule(plan).counts)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, LUT_SUMS_COUNT, engine_param_text(plan, LUT_RULE));
    const method method = find_method(plan, shared);
    if (method.shared_bytes <= (uint32_t) shared)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                       "table = %s takes %u KB of shared memory and this device has %d; 4x4 takes 64", method.name,
                       method.shared_bytes / 1024, shared / 1024);
}

/* Words of 32 cells; rows of whole vectors of four words. */
int lut_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = 4;
    layout->row_align = 16;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    return 0;
}

int lut_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    int shared = 0;
    const int status = shared_limit(host, plan, &shared);
    if (status)
        return status;
    cost->operation = ENGINE_OPS_LOOKUP;
    cost->operations = 1 / find_method(plan, shared).cells_per_lookup;
    cost->bytes = 2.0 / 8;
    return 0;
}

/* ---- Tables ------------------------------------------------------------------------------------------------- */

/* The functions write a table as the kernels read it, and return its size in bytes. The place of an entry is not its
 * index, because mostly dead cells would then crowd into few banks of shared memory: the lowest bits of the place are
 * the exclusive or of all rows (6x3) or of both pairs of rows (4x4). Two entries of 6x3 share a byte. */
static uint32_t fill_6x3(const life_rule *rule, uint8_t *bytes)
{
    memset(bytes, 0, LUT_6X3_ENTRIES / 2);
    for (uint32_t index = 0; index < LUT_6X3_ENTRIES; index++) {
        const uint32_t place = index ^ (index >> 6 & 63) ^ index >> 12;
        bytes[place % (LUT_6X3_ENTRIES / 2)] |= (uint8_t) (lut_6x3(rule, index) << (place >> 17) * 4);
    }
    return LUT_6X3_ENTRIES / 2;
}

static uint32_t fill_4x4(const life_rule *rule, uint8_t *bytes)
{
    for (uint32_t index = 0; index < LUT_4X4_ENTRIES; index++)
        bytes[index ^ index >> 8] = (uint8_t) lut_4x4(rule, index);
    return LUT_4X4_ENTRIES;
}

static uint32_t fill_sums(uint8_t *bytes)
{
    for (uint32_t i = 0; i < 1024; i++) {
        const uint32_t sums = lut_sums(i, 8, 4);
        memcpy(bytes + 4 * i, &sums, sizeof sums);
    }
    return 4096;
}

/* The next states by count for lut_cuda_sums: byte n is for n live cells, the cell itself included. Birth is bit 0,
 * survival bit 4; counts 8 and 9 are the top bits of bytes 0 and 1. One table holds both births and survivals, except
 * for a general rule, which needs a table for each. */
static void fill_outcomes(const life_rule &rule, lut_table *table)
{
    const bool general = is_general(rule);
    uint64_t born = 0, survives = 0;
    for (uint32_t count = 0; count < 10; count++) {
        const uint64_t birth = count < 9 ? lut_outcome(&rule, 0, count) : 0;
        const uint64_t survival = count > 0 ? lut_outcome(&rule, 1, count) : 0;
        const uint32_t place = count < 8 ? 8 * count : 8 * (count - 8) + 7;
        born |= birth << place;
        survives |= survival << (count < 8 ? place + 4 : place);
    }
    if (!general)
        born |= survives;
    table->born[0] = (uint32_t) born, table->born[1] = (uint32_t) (born >> 32);
    table->survives[0] = (uint32_t) survives, table->survives[1] = (uint32_t) (survives >> 32);
}

/* ---- Instances ---------------------------------------------------------------------------------------------- */

struct instance {
    struct method method;
    lut_table table;
    uint32_t blocks;
    uint64_t *population; /* a counter in CUDA memory */
    uint32_t *zeros;      /* dead edges: a row of dead cells in CUDA memory */
};

/* Fills the table on the host and copies it to the device. */
static int upload(const engine_call *call, instance *instance)
{
    const engine_host *host = call->host;
    const life_rule rule = life_plan_rule(call->plan);
    uint8_t *bytes = (uint8_t *) host->scratch(host, instance->method.shared_bytes, ENGINE_HOST_MEMORY);
    void *entries = host->scratch(host, instance->method.shared_bytes, ENGINE_CUDA_MEMORY);
    if (!bytes || !entries)
        return ENGINE_NO_MEMORY;
    const bool is_6x3 = instance->method.name[0] == '6', is_4x4 = instance->method.name[0] == '4';
    const uint32_t size = is_6x3 ? fill_6x3(&rule, bytes) : is_4x4 ? fill_4x4(&rule, bytes) : fill_sums(bytes);
    const cudaStream_t stream = engine_cuda_stream(call);
    ENGINE_CUDA_CHECK(host, cudaMemcpyAsync(entries, bytes, size, cudaMemcpyHostToDevice, stream));
    ENGINE_CUDA_CHECK(host, cudaStreamSynchronize(stream));
    fill_outcomes(rule, &instance->table);
    instance->table.entries = entries;
    return 0;
}

/* Makes the row of dead cells. */
static int make_zeros(const engine_call *call, instance *instance)
{
    const uint64_t bytes = (uint64_t) engine_field_buffer(call, LUT_CELLS)->row_stride;
    if (life_dead_axes(call->plan) == 0)
        return 0;
    instance->zeros = (uint32_t *) call->host->scratch(call->host, bytes, ENGINE_CUDA_MEMORY);
    if (!instance->zeros)
        return ENGINE_NO_MEMORY;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(instance->zeros, 0, bytes, engine_cuda_stream(call)));
    return 0;
}

/* Counts the blocks that run at the same time, so that they can synchronise. */
static int count_blocks(const engine_call *call, instance *instance)
{
    const method &method = instance->method;
    int processors = 0, blocks = 0;
    ENGINE_CUDA_CHECK(call->host,
                      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, call->plan->device));
    ENGINE_CUDA_CHECK(call->host, cudaFuncSetAttribute(method.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                       (int) method.shared_bytes));
    ENGINE_CUDA_CHECK(call->host, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                      &blocks, method.kernel, (int) method.threads, method.shared_bytes));
    instance->blocks = (uint32_t) (blocks * processors);
    return instance->blocks
               ? 0
               : ENGINE_FAIL(call->host, ENGINE_DEVICE, "table = %s does not fit a multiprocessor", method.name);
}

int lut_cuda_create(const engine_call *call, void **self)
{
    const engine_host *host = call->host;
    int shared = 0;
    instance *made = (instance *) host->scratch(host, sizeof *made, ENGINE_HOST_MEMORY);
    uint64_t *population = (uint64_t *) host->scratch(host, sizeof *population, ENGINE_CUDA_MEMORY);
    if (!made || !population)
        return ENGINE_NO_MEMORY;
    int status = shared_limit(host, call->plan, &shared);
    if (status)
        return status;
    made->method = find_method(call->plan, shared);
    made->population = population;
    made->zeros = NULL;
    status = upload(call, made);
    if (!status)
        status = make_zeros(call, made);
    if (!status)
        status = count_blocks(call, made);
    host->note(host, "table", "%s", made->method.name);
    *self = made;
    return status;
}

/* Cuts the columns into segments: one a thread, but not so short that the rows above and below them cost much. */
static void divide(lut_grid *grid, const instance *instance)
{
    const uint64_t threads = (uint64_t) instance->blocks * instance->method.threads, least_rows = 4;
    grid->columns = divide_up(grid->width, 32 * instance->method.words);
    const uint64_t segments = grid->columns < threads ? threads / grid->columns : 1;
    uint64_t rows = divide_up(grid->height, segments);
    rows = rows < least_rows ? least_rows : rows;
    grid->segment_rows = rows + rows % instance->method.rows_at_once;
    grid->segments = divide_up(grid->height, grid->segment_rows);
}

int lut_cuda_advance(void *self, engine_call *call)
{
    instance *instance = (struct instance *) self;
    const engine_buffer *cells = engine_field_buffer(call, LUT_CELLS);
    lut_dead_grid grid = {}; /* the kernels of a torus read its first part */
    grid.dead = life_dead_axes(call->plan), grid.zeros = instance->zeros;
    grid.cells[0] = (uint32_t *) cells->origin[call->current];
    grid.cells[1] = (uint32_t *) cells->origin[call->current ^ 1];
    grid.row_words = (uint64_t) cells->row_stride / 4;
    grid.width = cells->shape->extent[0];
    grid.height = cells->shape->extent[1];
    grid.steps = call->steps;
    divide(&grid, instance);
    void *arguments[] = {&grid, &instance->table};
    const method &method = instance->method;
    const cudaError_t error = cudaLaunchCooperativeKernel(method.kernel, dim3(instance->blocks), dim3(method.threads),
                                                          arguments, method.shared_bytes, engine_cuda_stream(call));
    (void) cudaGetLastError();
    if (error != cudaSuccess)
        return CUDA_FAIL(call->host, error, "launch of table %s", method.name);
    call->result = call->current ^ (uint32_t) (call->steps % 2);
    return 0;
}

int lut_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life_population_cuda(call, LUT_CELLS, ((const instance *) self)->population, values);
}
