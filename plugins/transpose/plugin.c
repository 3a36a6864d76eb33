/* transpose: rows become columns, at every step. */
#include "transpose.h"

#include <common/divide.h>

static const char *const tiles[] = {"8", "16", "32", NULL};

static const struct engine_param params[] = {
    [TRANSPOSE_TILE] = {ENGINE_CHOICE_PARAM(
                            "tile", "cuda-naive, cuda-tiled: side of the square that a block transposes", "16", tiles),
                        .unit = "elements", .flags = ENGINE_PARAM_TUNING},
};

static const struct engine_field fields[] = {
    [TRANSPOSE_MATRIX] = {ENGINE_MATRIX_FIELD("matrix", "rows and columns are exchanged at every step", ENGINE_STATE,
                                              ENGINE_CONFIGURED)},
};

/* Each part of a divided run has rows of the matrix, and the parts exchange blocks of them (ENGINE_OWN_ROWS, parts.c).
 * The steps of a call alternate between two buffers, without a copy. So all implementations but those in place leave
 * the source changed (ENGINE_OVERWRITES). */
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "two loops: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_OVERWRITES | ENGINE_SERIAL | ENGINE_OWN_ROWS),
     .create = transpose_serial_create, .advance = transpose_serial_advance, .cost = transpose_cost},
    {ENGINE_HOST_IMPL("cpu", "all threads; transposes a tile in a buffer, and writes it while it reads the next tile",
                      10, ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_OWN_ROWS),
     .layout = transpose_layout, .create = transpose_cpu_create, .advance = transpose_cpu_advance,
     .cost = transpose_cost},
    {ENGINE_HOST_IMPL("cpu-in-place", "square matrices in one buffer; exchanges each tile with its mirror image", 9,
                      ENGINE_EXACT | ENGINE_IN_PLACE),
     .probe = transpose_probe_square, .layout = transpose_layout, .create = transpose_cpu_create,
     .advance = transpose_cpu_in_place_advance, .cost = transpose_cost},
    {
        ENGINE_CUDA_IMPL("cuda-naive", "one thread per element; reads along rows, writes along columns", 12,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_OWN_ROWS),
#ifdef ENGINE_WITH_CUDA
        .create = transpose_cuda_basic_create,
        .advance = transpose_cuda_naive_advance,
        .cost = transpose_cost,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda-tiled",
                         "one thread per element, through a tile in shared memory; reads and writes along rows", 13,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_OWN_ROWS),
#ifdef ENGINE_WITH_CUDA
        .create = transpose_cuda_basic_create,
        .advance = transpose_cuda_tiled_advance,
        .cost = transpose_cost,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda-in-place", "square matrices in one buffer; exchanges each tile with its mirror image",
                         19, ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_ENQUEUES),
#ifdef ENGINE_WITH_CUDA
        .probe = transpose_probe_square,
        .layout = transpose_layout,
        .advance = transpose_cuda_in_place_advance,
        .cost = transpose_cost,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda", "larger tiles, 16 bytes per read and write, blocks in the order of their output", 20,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_OWN_ROWS),
#ifdef ENGINE_WITH_CUDA
        .layout = transpose_layout,
        .create = transpose_cuda_create,
        .advance = transpose_cuda_advance,
        .cost = transpose_cost,
#endif
    },
};

/* ---- Shapes and layouts ------------------------------------------------------------------------------------- */

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *out)
{
    (void) host, (void) plan, (void) field;
    const uint64_t columns = out->extent[0], rows = out->extent[1];
    if (step % 2)
        out->extent[0] = rows, out->extent[1] = columns;
    return 0;
}

uint32_t transpose_element(const struct engine_plan *plan)
{
    static const uint8_t bytes[] = {
        [ENGINE_U8] = 1,  [ENGINE_I8] = 1,  [ENGINE_U16] = 2, [ENGINE_I16] = 2, [ENGINE_U32] = 4, [ENGINE_I32] = 4,
        [ENGINE_U64] = 8, [ENGINE_I64] = 8, [ENGINE_F32] = 4, [ENGINE_F64] = 8, [ENGINE_C64] = 8, [ENGINE_C128] = 16,
    };
    return bytes[engine_field_shape(plan, TRANSPOSE_MATRIX)->type];
}

/* With rows that start at whole lines, no vector access straddles two. Rows a power of two apart collide in the same
 * channels of a GPU's memory and in the same sets of a CPU's caches; an odd number of pairs of lines was best on a GPU
 * (docs/lab/transpose.md). Short rows stay dense: padding would take a multiple of their memory. */
int transpose_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                     struct engine_layout *layout)
{
    (void) host;
    (void) field;
    const uint64_t *extent = plan->part.whole; /* all parts have the same layout */
    const uint64_t shorter = extent[0] < extent[1] ? extent[0] : extent[1];
    const uint64_t bytes = shorter * transpose_element(plan);
    if (bytes >= TRANSPOSE_LONG)
        layout->row_align = TRANSPOSE_LINE;
    if (bytes >= TRANSPOSE_SPREAD)
        layout->row_align = 2 * TRANSPOSE_LINE, layout->row_odd = 1;
    return 0;
}

int transpose_probe_square(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, TRANSPOSE_MATRIX)->extent;
    return extent[0] == extent[1]
               ? 0
               : ENGINE_FAIL(
                     host, ENGINE_UNSUPPORTED,
                     "it works in place, which needs a square matrix; this matrix has %llu rows and %llu columns",
                     (unsigned long long) extent[1], (unsigned long long) extent[0]);
}

/* ---- Passes ------------------------------------------------------------------------------------------------- */

struct transpose_pass transpose_first(const struct engine_call *call)
{
    const struct engine_buffer *matrix = engine_field_buffer(call, TRANSPOSE_MATRIX);
    const uint64_t *extent = matrix->shape->extent, element = transpose_element(call->plan);
    const uint64_t rows =
        transpose_has_parts(call->plan) ? call->plan->part.whole[1 - call->first_step % 2] : extent[1];
    const uint64_t align = matrix->layout->row_align;
    const uint64_t to_row = (divide_up(rows * element, align) | matrix->layout->row_odd) * align;
    return (struct transpose_pass){
        .from = (const uint8_t *) matrix->origin[call->current],
        .to = (uint8_t *) matrix->origin[1 - call->current],
        .rows = rows,
        .columns = extent[0],
        .batch = extent[2],
        .from_row = (uint64_t) matrix->row_stride,
        .to_row = to_row,
        .from_plane = (uint64_t) matrix->plane_stride,
        .to_plane = to_row * extent[0],
        .element = (uint32_t) element,
        .lines = align >= TRANSPOSE_LINE,
    };
}

void transpose_next(struct transpose_pass *pass)
{
    const struct transpose_pass done = *pass;
    pass->from = done.to;
    pass->to = (uint8_t *) (uintptr_t) done.from; /* a buffer of the same state */
    pass->rows = done.columns, pass->columns = done.rows;
    pass->from_row = done.to_row, pass->to_row = done.from_row;
    pass->from_plane = done.to_plane, pass->to_plane = done.from_plane;
}

/* ---- Work --------------------------------------------------------------------------------------------------- */

/* Every byte is read and written. */
static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *out)
{
    (void) host;
    const uint64_t *extent = engine_field_shape(plan, TRANSPOSE_MATRIX)->extent;
    out->unit = "B";
    out->per_step = 2.0 * (double) extent[0] * (double) extent[1] * (double) extent[2] * transpose_element(plan);
    return 0;
}

int transpose_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host, (void) plan;
    cost->operation = ENGINE_OPS_NONE;
    cost->bytes = 1; /* the unit of work is a byte */
    return 0;
}

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("transpose", "0.1.0", "matrix transpose, from the naive kernel to the speed of a copy"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
    .work = work,
};
