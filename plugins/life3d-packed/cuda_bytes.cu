/* life3d-packed on a GPU, a byte a cell, four cells in a word. */
#include "packed.h"

#include <life/cuda3d.cuh>
#include <life/ranges3d.h>

/* ---- The rule ------------------------------------------------------------------------------------------------
 *
 * Four counts a word, each the cell's own included and at most 27, so that adding up to 128 + 27 carries nowhere. A
 * count lies in a range if adding 128 - first sets its highest bit and adding 127 - last does not. Which range depends
 * on the cell: the difference of the two addends, times the cell, is added too. */
struct range_test {
    uint32_t first, last;            /* addends of dead cells, four times */
    int32_t first_alive, last_alive; /* what is different for live ones, once */
};

struct byte_rule {
    uint32_t count;
    range_test tests[LIFE3D_RANGES_MAX];
};

/* Bits 7 of the bytes whose count lies in the range. */
static __device__ __forceinline__ uint32_t in_range(const range_test &test, uint32_t counts, uint32_t cells)
{
    const uint32_t above = counts + test.first + cells * (uint32_t) test.first_alive;
    const uint32_t beyond = counts + test.last + cells * (uint32_t) test.last_alive;
    return above & ~beyond & 0x80808080;
}

template <bool ONE_RANGE>
static __device__ __forceinline__ uint32_t next_cells(const byte_rule &rule, uint32_t counts, uint32_t cells)
{
    uint32_t next = in_range(rule.tests[0], counts, cells);
    if (!ONE_RANGE)
        for (uint32_t i = 1; i < rule.count; i++)
            next |= in_range(rule.tests[i], counts, cells);
    return next >> 7;
}

/* ---- Where a lane is -----------------------------------------------------------------------------------------
 *
 * A row is units of WORDS words, one a lane. A warp takes as many whole rows as it has lanes for, or, of rows that are
 * longer (LONG), a segment; the lanes at a segment's ends then read the word beyond for themselves. In the direction of
 * z a warp marches along z_width planes. */
struct division {
    uint32_t units, rows, segments; /* units a row; rows a warp or segments a row */
    uint32_t strips, z_width, warps;
    uint32_t tail; /* cells in a row's last unit, 1 … 4 WORDS */
};

struct lane {
    int64_t y, z;
    uint32_t unit;
    int left, right;                   /* lanes with the units beside; in long rows, not for the lanes at the ends */
    bool has_cells, is_first, is_last; /* of its row or segment */
};

template <bool LONG> static __device__ lane find_lane(const life3d_step &step, const division &division, uint32_t warp)
{
    const uint32_t strip = warp % division.strips, part = warp / division.strips, here = threadIdx.x % 32;
    lane lane;
    if (LONG) {
        const uint32_t segment = part % division.segments;
        const uint32_t begin = (uint32_t) ((uint64_t) segment * division.units / division.segments);
        const uint32_t end = (uint32_t) ((uint64_t) (segment + 1) * division.units / division.segments);
        lane.has_cells = here < end - begin;
        lane.unit = lane.has_cells ? begin + here : begin;
        lane.y = strip;
        lane.left = (int) here - 1, lane.right = (int) here + 1;
        lane.is_first = here == 0, lane.is_last = begin + here + 1 == end;
    } else {
        const uint32_t row = here / division.units;
        lane.unit = here % division.units;
        lane.y = (int64_t) strip * division.rows + row;
        lane.has_cells = row < division.rows && lane.y < step.height;
        lane.y = lane.y < step.height ? lane.y : step.height - 1;
        lane.is_first = lane.unit == 0, lane.is_last = lane.unit + 1 == division.units;
        lane.left = (int) (lane.is_first ? here + division.units - 1 : here - 1);
        lane.right = (int) (lane.is_last ? here - lane.unit : here + 1);
    }
    lane.z = (int64_t) (part / division.segments) * division.z_width;
    return lane;
}

/* ---- Sums ------------------------------------------------------------------------------------------------------
 *
 * A byte each: of three cells along y, then of nine with z, then of 27 with x, by additions of whole words. Bytes
 * beyond a row's end hold anything; what they carry goes to higher bytes, which are beyond the end too. */

template <int WORDS> struct alignas(4 * WORDS) unit_of {
    uint32_t word[WORDS];
};

/* One plane of a lane's column: cells, sums along y, and in long rows the sum of the word beyond. */
template <int WORDS, bool LONG> struct plane {
    unit_of<WORDS> cells;
    uint32_t sums[WORDS + LONG];
};

/* Rows y - 1, y, y + 1 at a lane's unit in plane 0; `edge`: bytes from there to the word beyond the segment's end. */
struct column {
    const uint8_t *rows[3];
    int64_t edge;
    bool has_edge;
};

template <int WORDS, bool LONG>
static __device__ __forceinline__ plane<WORDS, LONG> load(const column &column, int64_t at)
{
    unit_of<WORDS> rows[3];
    plane<WORDS, LONG> plane;
#pragma unroll
    for (int r = 0; r < 3; r++)
        rows[r] = *(const unit_of<WORDS> *) (column.rows[r] + at);
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        plane.sums[k] = rows[0].word[k] + rows[1].word[k] + rows[2].word[k];
    plane.cells = rows[1];
    if (LONG) {
        uint32_t sum = 0;
        if (column.has_edge)
#pragma unroll
            for (int r = 0; r < 3; r++)
                sum += *(const uint32_t *) (column.rows[r] + column.edge + at);
        plane.sums[WORDS] = sum;
    }
    return plane;
}

/* How a lane closes the torus where a row's last unit is not full: the unit's last cell has to come into the highest
 * byte of what goes to the first unit, and the row's first cell into the byte after it. */
struct closing {
    int end_word, end_shift; /* where the row's last cell is; bits to the highest byte */
    int insert_word;         /* word that takes the first cell, or -1 */
    uint32_t insert_permutation;
};

template <int WORDS, bool LONG, bool RAGGED>
static __device__ __forceinline__ unit_of<WORDS> add_along_x(uint32_t (&sums)[WORDS + LONG], const lane &lane,
                                                             const closing &closing)
{
    uint32_t end = sums[WORDS - 1];
    if (RAGGED && !LONG)
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            end = k == closing.end_word ? sums[k] << closing.end_shift : end;
    uint32_t left = __shfl_sync(~0u, end, lane.left), right = __shfl_sync(~0u, sums[0], lane.right);
    if (LONG) {
        left = lane.is_first ? sums[WORDS] << (RAGGED ? closing.end_shift : 0) : left;
        right = lane.is_last ? sums[WORDS] : right;
    }
    if (RAGGED)
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            sums[k] = k == closing.insert_word ? __byte_perm(sums[k], right, closing.insert_permutation) : sums[k];
    unit_of<WORDS> counts;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        counts.word[k] = sums[k] + __funnelshift_l(k > 0 ? sums[k - 1] : left, sums[k], 8) +
                         __funnelshift_r(sums[k], k + 1 < WORDS ? sums[k + 1] : right, 8);
    return counts;
}

/* ---- A step -------------------------------------------------------------------------------------------------- */

struct job {
    division division;
    byte_rule rule;
};

template <int WORDS, bool LONG> static __device__ column find_column(const life3d_step &step, const lane &lane)
{
    column column;
    const int64_t unit = (int64_t) lane.unit * 4 * WORDS, last_word = (step.width - 1) / 4 * 4;
#pragma unroll
    for (int r = 0; r < 3; r++)
        column.rows[r] = step.source + life3d_wrapped(lane.y + r - 1, step.height) * step.row_stride + unit;
    column.has_edge = LONG && (lane.is_first || lane.is_last);
    column.edge = lane.is_first ? (unit > 0 ? -4 : last_word) : unit + 4 * WORDS > last_word ? -unit : 4 * WORDS;
    return column;
}

template <int WORDS, bool LONG>
static __device__ closing find_closing(const life3d_step &step, const division &division, const lane &lane)
{
    const bool is_tail = lane.unit + 1 == division.units;
    const int shift = (int) (24 - (division.tail - 1) % 4 * 8), place = (int) (division.tail % 4 * 4);
    closing closing;
    closing.end_word = is_tail ? (int) (division.tail - 1) / 4 : -1;
    closing.end_shift = !LONG || lane.unit == 0 ? shift : 0;
    closing.insert_word = is_tail && division.tail < 4 * WORDS ? (int) division.tail / 4 : -1;
    closing.insert_permutation = (0x3210u & ~(0xfu << place)) | 4u << place;
    return closing;
}

template <int WORDS, bool LONG, bool RAGGED, bool ONE_RANGE> static __global__ void take_step(life3d_step step, job job)
{
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (warp >= job.division.warps)
        return;
    const lane lane = find_lane<LONG>(step, job.division, warp);
    const column column = find_column<WORDS, LONG>(step, lane);
    const closing closing = find_closing<WORDS, LONG>(step, job.division, lane);
    const int64_t most = lane.z + job.division.z_width, end = most < step.depth ? most : step.depth;
    uint8_t *result = step.result + lane.z * step.plane_stride + lane.y * step.row_stride + lane.unit * 4 * WORDS;
    life3d_wait();
    plane<WORDS, LONG> below = load<WORDS, LONG>(column, life3d_wrapped(lane.z - 1, step.depth) * step.plane_stride);
    plane<WORDS, LONG> here = load<WORDS, LONG>(column, lane.z * step.plane_stride);
#pragma unroll 3
    for (int64_t z = lane.z; z < end; z++) {
        const plane<WORDS, LONG> above =
            load<WORDS, LONG>(column, life3d_wrapped(z + 1, step.depth) * step.plane_stride);
        uint32_t sums[WORDS + LONG];
#pragma unroll
        for (int k = 0; k < WORDS + LONG; k++)
            sums[k] = below.sums[k] + here.sums[k] + above.sums[k];
        unit_of<WORDS> next = add_along_x<WORDS, LONG, RAGGED>(sums, lane, closing);
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            next.word[k] = next_cells<ONE_RANGE>(job.rule, next.word[k], here.cells.word[k]);
        if (lane.has_cells)
            *(unit_of<WORDS> *) result = next;
        result += step.plane_stride;
        below = here, here = above;
    }
}

/* ---- What the engine calls ---------------------------------------------------------------------------------- */

static uint32_t integer(const engine_plan *plan, uint32_t param)
{
    return (uint32_t) engine_param_value(plan, param)->integer;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static uint32_t four_times(uint32_t byte)
{
    return byte * 0x01010101u;
}

static byte_rule rule_of(const engine_plan *plan)
{
    const life3d_ranges ranges = life3d_rule_ranges(packed_rule(plan));
    byte_rule rule = {};
    rule.count = ranges.count;
    for (uint32_t i = 0; i < LIFE3D_RANGES_MAX; i++) {
        const life3d_range dead = ranges.birth[i], alive = ranges.survive[i];
        rule.tests[i] = {four_times(128u - dead.first), four_times(127u - dead.last), dead.first - alive.first,
                         dead.last - alive.last};
    }
    return rule;
}

/* False: more warps than are counted. */
static bool divide(const engine_plan *plan, uint32_t words, division *division)
{
    const uint64_t *extent = engine_field_shape(plan, PACKED_CELLS)->extent;
    const uint64_t units = divide_up(extent[0], 4 * words), segments = divide_up(units, 32);
    const uint64_t rows = units < 32 ? 32 / units : 1, strips = divide_up(extent[1], rows);
    const uint64_t z_width = integer(plan, PACKED_Z_WIDTH), slabs = divide_up(extent[2], z_width);
    const uint64_t most = UINT32_MAX / 32;
    if (segments > most || strips > most / segments || slabs > most / segments / strips)
        return false;
    *division = {(uint32_t) units,
                 (uint32_t) rows,
                 (uint32_t) segments,
                 (uint32_t) strips,
                 (uint32_t) z_width,
                 (uint32_t) (strips * segments * slabs),
                 (uint32_t) (extent[0] - (units - 1) * 4 * words)};
    return true;
}

template <int WORDS> static void (*find_kernel(const job &job))(life3d_step, struct job)
{
    static void (*const kernels[2][2][2])(life3d_step,
                                          struct job) = {{{take_step<WORDS, 0, 0, 0>, take_step<WORDS, 0, 0, 1>},
                                                          {take_step<WORDS, 0, 1, 0>, take_step<WORDS, 0, 1, 1>}},
                                                         {{take_step<WORDS, 1, 0, 0>, take_step<WORDS, 1, 0, 1>},
                                                          {take_step<WORDS, 1, 1, 0>, take_step<WORDS, 1, 1, 1>}}};
    return kernels[job.division.segments > 1][job.division.tail < 4 * WORDS][job.rule.count <= 1];
}

#ifndef WORDS_A_LANE
#define WORDS_A_LANE 4
#endif

int packed_cuda_bytes_probe(const engine_host *host, const engine_plan *plan)
{
    division division;
    return divide(plan, WORDS_A_LANE, &division) ? 0 : ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "grid too large");
}

int packed_cuda_bytes_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->row_align = 4 * WORDS_A_LANE;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z;
    return 0;
}

int packed_cuda_bytes_create(const engine_call *call, void **self)
{
    return life3d_cuda_open(call, integer(call->plan, PACKED_OVERLAP), self);
}

int packed_cuda_bytes_measure(void *self, const engine_call *call, double *values)
{
    return life3d_cuda_count(self, call, values);
}

int packed_cuda_bytes_advance(void *self, engine_call *call)
{
    const life3d_cuda *cuda = (const life3d_cuda *) self;
    const uint32_t threads = integer(call->plan, PACKED_BLOCK_SIZE);
    job job = {};
    job.rule = rule_of(call->plan);
    (void) divide(call->plan, WORDS_A_LANE, &job.division);
    const unsigned blocks = (unsigned) divide_up((uint64_t) job.division.warps * 32, threads);
    const life3d_launch launch = {dim3(blocks), dim3(threads), 0, cuda->overlap};
    return life3d_take_steps(call, launch, find_kernel<WORDS_A_LANE>(job), job);
}

int packed_cuda_bytes_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host, (void) plan;
    cost->operation = ENGINE_OPS_NONE;
    cost->bytes = 2;
    return 0;
}
