/* life3d-packed on a GPU, `cuda-bytes`: a byte a cell, four cells in a word, so that an addition adds four cells. A
 * word takes three additions, two shifts and six operations for the rule.
 *
 * The ladder; docs/lab/life3d-packed.md has the rates:
 *
 *   v2 of the 3D Life blog post of tkob-vh: a word a thread, x neighbours through shared memory
 *   (docs/explain/source-texts.md)
 *   a word a lane, x neighbours by shuffles
 *   two words a lane
 *   four words a lane, one load of 16 bytes a row; chains across rows
 *
 * The limit is memory, two bytes a cell; small grids stay in the level-2 cache. A rule of one range of births and one of
 * survivals has the same rate as B6/S5..7; others take longer. */
#include "packed.h"

#include <life/cuda3d.cuh>
#include <life/ranges3d.h>

/* ---- The rule ------------------------------------------------------------------------------------------------
 *
 * A word has four counts, each at most 27 with the cell itself. A count plus at most 128 fits into its byte, so that
 * nothing carries into the next one.
 * A count lies in the range first … last if adding 128 - first sets the byte's bit 7 and adding 127 - last does not:
 *
 *     count                  first - 1    first    last    last + 1
 *     + 128 - first          127          128                           bit 7: at least `first`
 *     + 127 - last                                 127     128          bit 7: more than `last`
 *
 * Births and survivals have different ranges. So a live cell needs other addends: their difference, times the cell (0
 * or 1), is added too. */
struct range_test {
    uint32_t first, last;            /* the addends for dead cells, in each of the four bytes */
    int32_t first_alive, last_alive; /* the difference for live cells, of one byte */
};

struct byte_rule {
    uint32_t count;
    range_test tests[LIFE3D_RANGES_MAX];
};

/* Sets bit 7 of each byte whose count lies in the range. */
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

enum { WORDS = 4 }; /* of a lane, with four cells each: the most that one instruction loads */

/* ---- The place of a lane -------------------------------------------------------------------------------------
 *
 * A row consists of units of WORDS words, one a lane. There are three ways to give units to the lanes of a warp; the
 * host takes the one with the fewest idle lanes:
 *
 *   whole rows   | row 0 | row 1 | row 2 |-        as many as fit; shuffles wrap around the ends of a row
 *   segments     |  part of a row          |       of rows longer than a warp
 *   chains       =|... row 0 | row 1 ...|=         32 units that run on from row to row; the first and the last (=) are
 *                                                  there only for their sums
 *
 * For segments and chains (PARTS), a lane at the end of a segment or row loads the word beyond by itself. A warp
 * marches z_width planes along z. */
enum shape { WHOLE_ROWS, SEGMENTS, CHAINS };

struct division {
    int shape;
    uint32_t units;        /* of a row */
    uint32_t rows, pieces; /* WHOLE_ROWS: rows of a warp. SEGMENTS: segments of a row */
    uint32_t strips;       /* of a plane: rows of warps, or chains */
    uint32_t z_width, warps;
    uint32_t tail; /* cells in a row's last unit, 1 … 4 WORDS */
};

struct lane {
    int64_t y, z;
    uint32_t unit;
    int left, right;                   /* the lanes that hold the units beside it, except at the ends */
    bool has_cells, is_first, is_last; /* of its row or segment */
};

static __device__ void find_whole_row(const life3d_step &step, const division &division, uint32_t strip, lane &lane)
{
    const uint32_t here = threadIdx.x % 32, row = here / division.units;
    lane.unit = here % division.units;
    lane.y = (int64_t) strip * division.rows + row;
    lane.has_cells = row < division.rows && lane.y < step.height;
    lane.y = lane.y < step.height ? lane.y : step.height - 1;
    lane.is_first = lane.unit == 0, lane.is_last = lane.unit + 1 == division.units;
    lane.left = (int) (lane.is_first ? here + division.units - 1 : here - 1);
    lane.right = (int) (lane.is_last ? here - lane.unit : here + 1);
}

static __device__ void find_segment(const division &division, uint32_t strip, uint32_t piece, lane &lane)
{
    const uint32_t here = threadIdx.x % 32;
    const uint32_t begin = (uint32_t) ((uint64_t) piece * division.units / division.pieces);
    const uint32_t end = (uint32_t) ((uint64_t) (piece + 1) * division.units / division.pieces);
    lane.y = strip;
    lane.has_cells = here < end - begin;
    lane.unit = lane.has_cells ? begin + here : begin;
    lane.is_first = here == 0, lane.is_last = begin + here + 1 == end;
}

static __device__ void find_link(const life3d_step &step, const division &division, uint32_t strip, lane &lane)
{
    const int64_t here = threadIdx.x % 32, units = step.height * division.units, link = (int64_t) strip * 30 + here - 1;
    const int64_t unit = link < 0 ? 0 : link < units ? link : units - 1;
    lane.y = unit / division.units;
    lane.unit = (uint32_t) (unit % division.units);
    lane.has_cells = here > 0 && here < 31 && link < units;
    lane.is_first = lane.unit == 0, lane.is_last = lane.unit + 1 == division.units;
}

template <bool PARTS> static __device__ lane find_lane(const life3d_step &step, const division &division, uint32_t warp)
{
    const uint32_t strip = warp % division.strips, part = warp / division.strips;
    lane lane;
    lane.left = (int) threadIdx.x % 32 - 1, lane.right = (int) threadIdx.x % 32 + 1;
    if (!PARTS)
        find_whole_row(step, division, strip, lane);
    else if (division.shape == SEGMENTS)
        find_segment(division, strip, part % division.pieces, lane);
    else
        find_link(step, division, strip, lane);
    lane.z = (int64_t) (part / division.pieces) * division.z_width;
    return lane;
}

/* ---- Sums ------------------------------------------------------------------------------------------------------
 *
 * Additions of whole words sum three cells along y, then nine with z, then 27 with x, a byte each. Bytes beyond a row's
 * end are undefined; a carry from them goes to higher bytes, which are beyond the end too. */

struct alignas(4 * WORDS) unit {
    uint32_t word[WORDS];
};

/* One plane of a lane: its cells, their sums along y, and (PARTS) the sum of the word beyond. */
template <bool PARTS> struct plane {
    unit cells;
    uint32_t sums[WORDS + PARTS];
};

/* The places of a lane's unit in rows y - 1, y and y + 1 of plane 0; `edge` is the distance in bytes from there to the
 * word beyond the end of the segment or row. */
struct column {
    const uint8_t *rows[3];
    int64_t edge;
    bool has_edge;
    /* Dead edges: 0 if the row or unit beside the lane's own lies beyond one, else 1. */
    uint32_t above, below, left, right;
};

/* The sum of three rows. With dead edges it has factors, which cost no more than additions. */
template <int DEAD>
static __device__ __forceinline__ uint32_t add_three(const column &column, uint32_t above, uint32_t here,
                                                     uint32_t below)
{
    return DEAD ? above * column.above + (below * column.below + here) : above + here + below;
}

template <bool PARTS, int DEAD> static __device__ __forceinline__ plane<PARTS> load(const column &column, int64_t at)
{
    unit rows[3];
    plane<PARTS> plane;
#pragma unroll
    for (int r = 0; r < 3; r++)
        rows[r] = *(const unit *) (column.rows[r] + at);
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        plane.sums[k] = add_three<DEAD>(column, rows[0].word[k], rows[1].word[k], rows[2].word[k]);
    plane.cells = rows[1];
    if (PARTS) {
        uint32_t edge[3] = {0, 0, 0};
        if (column.has_edge)
#pragma unroll
            for (int r = 0; r < 3; r++)
                edge[r] = *(const uint32_t *) (column.rows[r] + column.edge + at);
        plane.sums[WORDS] = add_three<DEAD>(column, edge[0], edge[1], edge[2]);
    }
    return plane;
}

/* How a lane wraps around the torus if a row's last unit is not full. The row's last cell has to come into the highest
 * byte of the word that the first unit gets from its left, and the row's first cell into the byte after the last cell.
 */
struct closing {
    int end_word, end_shift; /* the word with the row's last cell; the shift from there to the highest byte */
    int insert_word;         /* the word that takes the row's first cell, or -1 */
    uint32_t insert_permutation;
};

template <bool PARTS, bool RAGGED, int DEAD>
static __device__ __forceinline__ unit add_along_x(uint32_t (&sums)[WORDS + PARTS], const lane &lane,
                                                   const column &column, const closing &closing)
{
    uint32_t end = sums[WORDS - 1];
    if (RAGGED && !PARTS)
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            end = k == closing.end_word ? sums[k] << closing.end_shift : end;
    uint32_t left = __shfl_sync(~0u, end, lane.left), right = __shfl_sync(~0u, sums[0], lane.right);
    if (PARTS) {
        left = lane.is_first ? sums[WORDS] << (RAGGED ? closing.end_shift : 0) : left;
        right = lane.is_last ? sums[WORDS] : right;
    }
    if (DEAD)
        left *= column.left, right *= column.right;
    if (RAGGED)
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            sums[k] = k == closing.insert_word ? __byte_perm(sums[k], right, closing.insert_permutation) : sums[k];
    unit counts;
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

template <bool PARTS, class STEP>
static __device__ column find_column(const STEP &step, const division &division, const lane &lane)
{
    column column;
    const int64_t unit = (int64_t) lane.unit * 4 * WORDS, last_word = (step.width - 1) / 4 * 4;
#pragma unroll
    for (int r = 0; r < 3; r++)
        column.rows[r] = step.source + life3d_wrapped(lane.y + r - 1, step.height) * step.row_stride + unit;
    column.has_edge = PARTS && (lane.is_first || lane.is_last);
    column.edge = lane.is_first ? (unit > 0 ? -4 : last_word) : unit + 4 * WORDS > last_word ? -unit : 4 * WORDS;
    column.above = life3d_lives(step, LIFE_DEAD_Y, lane.y - 1, step.height);
    column.below = life3d_lives(step, LIFE_DEAD_Y, lane.y + 1, step.height);
    column.left = life3d_lives(step, LIFE_DEAD_X, (int64_t) lane.unit - 1, division.units);
    column.right = life3d_lives(step, LIFE_DEAD_X, (int64_t) lane.unit + 1, division.units);
    return column;
}

template <bool PARTS>
static __device__ closing find_closing(const life3d_step &step, const division &division, const lane &lane)
{
    const bool is_tail = lane.unit + 1 == division.units;
    const int shift = (int) (24 - (division.tail - 1) % 4 * 8), place = (int) (division.tail % 4 * 4);
    closing closing;
    closing.end_word = is_tail ? (int) (division.tail - 1) / 4 : -1;
    closing.end_shift = !PARTS || lane.unit == 0 ? shift : 0;
    closing.insert_word = is_tail && division.tail < 4 * WORDS ? (int) division.tail / 4 : -1;
    closing.insert_permutation = (0x3210u & ~(0xfu << place)) | 4u << place;
    return closing;
}

/* Adds the sums of plane z and of those below and above it. */
template <bool PARTS, class STEP>
static __device__ __forceinline__ void add_planes(uint32_t (&sums)[WORDS + PARTS], const STEP &step, int64_t z,
                                                  const plane<PARTS> &below, const plane<PARTS> &here,
                                                  const plane<PARTS> &above)
{
    const uint32_t has_below = life3d_lives(step, LIFE_DEAD_Z, z - 1, step.depth);
    const uint32_t has_above = life3d_lives(step, LIFE_DEAD_Z, z + 1, step.depth);
#pragma unroll
    for (int k = 0; k < WORDS + PARTS; k++)
        sums[k] = STEP::DEAD ? below.sums[k] * has_below + (above.sums[k] * has_above + here.sums[k])
                             : below.sums[k] + here.sums[k] + above.sums[k];
}

template <bool PARTS, bool RAGGED, bool ONE_RANGE, class STEP> static __global__ void take_step(STEP step, job job)
{
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (warp >= job.division.warps)
        return;
    const lane lane = find_lane<PARTS>(step, job.division, warp);
    const column column = find_column<PARTS>(step, job.division, lane);
    const closing closing = find_closing<PARTS>(step, job.division, lane);
    const int64_t most = lane.z + job.division.z_width, end = most < step.depth ? most : step.depth;
    uint8_t *result =
        step.result + lane.z * step.plane_stride + lane.y * step.row_stride + (int64_t) lane.unit * 4 * WORDS;
    life3d_wait();
    plane<PARTS> below = load<PARTS, STEP::DEAD>(column, life3d_wrapped(lane.z - 1, step.depth) * step.plane_stride);
    plane<PARTS> here = load<PARTS, STEP::DEAD>(column, lane.z * step.plane_stride);
#pragma unroll 3
    for (int64_t z = lane.z; z < end; z++) {
        const plane<PARTS> above =
            load<PARTS, STEP::DEAD>(column, life3d_wrapped(z + 1, step.depth) * step.plane_stride);
        uint32_t sums[WORDS + PARTS];
        add_planes(sums, step, z, below, here, above);
        unit next = add_along_x<PARTS, RAGGED, STEP::DEAD>(sums, lane, column, closing);
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            next.word[k] = next_cells<ONE_RANGE>(job.rule, next.word[k], here.cells.word[k]);
        if (lane.has_cells)
            *(unit *) result = next;
        result += step.plane_stride;
        below = here, here = above;
    }
    life3d_release();
}

/* ---- What the engine calls ---------------------------------------------------------------------------------- */

static uint32_t four_times(uint32_t byte)
{
    return byte * 0x01010101u;
}

static byte_rule rule_of(const engine_plan *plan)
{
    const life3d_ranges ranges = life3d_rule_ranges(life3d_plan_rule(plan));
    byte_rule rule = {};
    rule.count = ranges.count;
    for (uint32_t i = 0; i < LIFE3D_RANGES_MAX; i++) {
        const life3d_range dead = ranges.birth[i], alive = ranges.survive[i];
        rule.tests[i] = {four_times(128u - dead.first), four_times(127u - dead.last), dead.first - alive.first,
                         dead.last - alive.last};
    }
    return rule;
}

/* Chooses the shape with the fewest idle lanes. */
static void choose_shape(division *division)
{
    const uint32_t units = division->units, whole = units <= 32 ? 32 / units : 0, pieces = (units - 1) / 32 + 1;
    const double chains = 30.0 / 32, rows = whole * units / 32.0, segments = units > 32 ? units / (32.0 * pieces) : 0;
    division->shape = rows >= chains || units == 1 ? WHOLE_ROWS : segments >= chains ? SEGMENTS : CHAINS;
    division->rows = division->shape == WHOLE_ROWS ? whole : 1;
    division->pieces = division->shape == SEGMENTS ? pieces : 1;
}

/* False: there are too many warps for 32-bit numbers of threads. */
static bool divide(const engine_plan *plan, division *division)
{
    const uint64_t *extent = engine_field_shape(plan, PACKED_CELLS)->extent;
    const uint64_t units = divide_up(extent[0], 4 * WORDS), most = INT32_MAX / 32;
    if (units > most || extent[1] > UINT64_MAX / units)
        return false;
    division->units = (uint32_t) units;
    division->tail = (uint32_t) (extent[0] - (units - 1) * 4 * WORDS);
    division->z_width = (uint32_t) engine_param_integer(plan, PACKED_Z_WIDTH);
    choose_shape(division);
    const uint64_t strips =
        division->shape == CHAINS ? divide_up(units * extent[1], 30) : divide_up(extent[1], division->rows);
    const uint64_t slabs = divide_up(extent[2], division->z_width);
    if (strips > most / division->pieces || slabs > most / division->pieces / strips)
        return false;
    division->strips = (uint32_t) strips;
    division->warps = (uint32_t) (strips * division->pieces * slabs);
    return true;
}

template <class STEP> static void (*find_kernel(const job &job))(STEP, struct job)
{
    static void (*const kernels[2][2][2])(STEP, struct job) = {
        {{take_step<0, 0, 0>, take_step<0, 0, 1>}, {take_step<0, 1, 0>, take_step<0, 1, 1>}},
        {{take_step<1, 0, 0>, take_step<1, 0, 1>}, {take_step<1, 1, 0>, take_step<1, 1, 1>}}};
    return kernels[job.division.shape != WHOLE_ROWS][job.division.tail < 4 * WORDS][job.rule.count <= 1];
}

static uint32_t threads_of(const engine_plan *plan)
{
    return (uint32_t) engine_param_integer(plan, PACKED_BLOCK_SIZE);
}

int packed_cuda_bytes_probe(const engine_host *host, const engine_plan *plan)
{
    division division;
    if (divide(plan, &division))
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                       "it takes grids of fewer than 2^26 warps; a larger z_width gives each warp more cells");
}

int packed_cuda_bytes_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->row_align = 4 * WORDS;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z;
    return 0;
}

int packed_cuda_bytes_create(const engine_call *call, void **self)
{
    job job = {};
    job.rule = rule_of(call->plan);
    (void) divide(call->plan, &job.division);
    const void *kernel = life_dead_axes(call->plan) ? (const void *) find_kernel<life3d_dead_step>(job)
                                                    : (const void *) find_kernel<life3d_step>(job);
    const int status = cuda_check_threads(call->host, kernel, threads_of(call->plan));
    if (status)
        return status;
    return life3d_cuda_open(call, (uint32_t) engine_param_integer(call->plan, PACKED_OVERLAP), self);
}

int packed_cuda_bytes_measure(void *self, const engine_call *call, double *values)
{
    return life3d_cuda_count(self, call, values);
}

int packed_cuda_bytes_advance(void *self, engine_call *call)
{
    const life3d_cuda *cuda = (const life3d_cuda *) self;
    const uint32_t threads = threads_of(call->plan);
    job job = {};
    job.rule = rule_of(call->plan);
    (void) divide(call->plan, &job.division);
    const unsigned blocks = (unsigned) divide_up((uint64_t) job.division.warps * 32, threads);
    const life3d_launch launch = {dim3(blocks), dim3(threads), 0, cuda->overlap};
    return life3d_take_steps(call, launch, find_kernel<life3d_step>(job), find_kernel<life3d_dead_step>(job), job);
}
