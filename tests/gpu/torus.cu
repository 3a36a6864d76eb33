/* torus: a plugin that tests the ghost cells that the device fills. The new state of a cell is the exclusive or of five
 * cells, up to two away on every axis and in corners. So a wrong ghost cell changes the next state, and the change
 * stays. One thread computes one row, on the host and on the device. Only the origin of the cells matters here. */
#include <cuda_runtime.h>
#include <engine/plugin.h>

#include "base/bits.h"

enum { CELLS };
enum { LAYOUT, GHOST };

static constexpr const char *layouts[] = {"bytes", "linear", "reversed", "striped", NULL};

struct view {
    const uint8_t *source;
    uint8_t *result;
    int64_t row_stride, plane_stride, width, height, rows;
    struct engine_layout layout;
};

static __host__ __device__ uint32_t cell(const struct view &view, const uint8_t *row, int64_t x)
{
    return view.layout.cell_bits == 1 ? (uint32_t) bits_get(&view.layout, row, x, 1) : row[x];
}

static __host__ __device__ void advance_row(const struct view &view, int64_t index)
{
    const int64_t y = index % view.height, z = index / view.height, up = view.row_stride, back = view.plane_stride;
    const uint8_t *row = view.source + y * up + z * back;
    uint8_t *result = view.result + y * up + z * back;
    for (int64_t x = 0; x < view.width; x++) {
        const uint32_t next = cell(view, row, x - 2) ^ cell(view, row - up, x + 1) ^
                              cell(view, row + 2 * up + 2 * back, x + 2) ^ cell(view, row + up - 2 * back, x) ^
                              cell(view, row - 2 * up + back, x - 1);
        if (view.layout.cell_bits == 1)
            bits_put(&view.layout, result, x, 1, next);
        else
            result[x] = (uint8_t) next;
    }
}

static __global__ void advance_rows(struct view view)
{
    const int64_t row = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
    if (row < view.rows)
        advance_row(view, row);
}

static struct view view_of(const struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const uint64_t *extent = cells->shape->extent;
    return view{(const uint8_t *) cells->origin[call->current],
                (uint8_t *) cells->origin[call->result],
                cells->row_stride,
                cells->plane_stride,
                (int64_t) extent[0],
                (int64_t) extent[1],
                (int64_t) (extent[1] * extent[2]),
                *cells->layout};
}

static int cpu_advance(void *, struct engine_call *call)
{
    const struct view view = view_of(call);
    for (int64_t row = 0; row < view.rows; row++)
        advance_row(view, row);
    return 0;
}

static int cuda_advance(void *, struct engine_call *call)
{
    const struct view view = view_of(call);
    advance_rows<<<(unsigned) ((view.rows + 63) / 64), 64, 0, (cudaStream_t) call->stream>>>(view);
    const cudaError_t launched = cudaGetLastError();
    if (launched != cudaSuccess)
        return ENGINE_FAIL(call->host, ENGINE_DEVICE, "%s: %s", cudaGetErrorName(launched),
                           cudaGetErrorString(launched));
    return 0;
}

/* The reference takes bytes; the others what the configuration says. */
static int cuda_layout(const struct engine_host *, const struct engine_plan *plan, uint32_t,
                       struct engine_layout *layout)
{
    const int64_t which = engine_param_value(plan, LAYOUT)->integer;
    for (int axis = 0; axis < 3; axis++)
        layout->ghost[axis] = (uint32_t) engine_param_value(plan, GHOST)->integer;
    if (which == 0)
        return 0;
    layout->cell_bits = 1;
    layout->word_bytes = which == 1 ? 8 : which == 2 ? 1 : 4;
    layout->order = which == 1 ? ENGINE_ORDER_LINEAR : which == 2 ? ENGINE_ORDER_REVERSED : ENGINE_ORDER_STRIPED;
    layout->group_words = which == 3 ? 4 : 0;
    return 0;
}

/* C++17 has no designated initialisers: members are set one by one, by the compiler. */
template <class Struct, class Set> static constexpr Struct make(Set set)
{
    Struct made = {};
    set(made);
    return made;
}

static constexpr struct engine_param params[] = {
    make<engine_param>([](engine_param &p) {
        p.name = "layout", p.help = "of the cells on the device", p.type = ENGINE_PARAM_CHOICE, p.initial = "striped";
        p.choices = layouts;
    }),
    make<engine_param>([](engine_param &p) {
        p.name = "ghost", p.help = "depth of the ghosts", p.initial = "2", p.min = 2, p.max = 3;
    }),
};

static constexpr struct engine_field fields[] = {
    make<engine_field>([](engine_field &f) {
        f.name = "cells", f.help = "", f.components = 1, f.rank = 3, f.values = 2;
        f.reach[0] = f.reach[1] = f.reach[2] = 2;
    }),
};

static constexpr struct engine_impl impls[] = {
    make<engine_impl>([](engine_impl &i) {
        i.name = "cpu", i.help = "", i.flags = ENGINE_EXACT | ENGINE_REFERENCE, i.advance = cpu_advance;
    }),
    make<engine_impl>([](engine_impl &i) {
        i.name = "cuda", i.help = "", i.memory = ENGINE_CUDA_MEMORY, i.rank = 1;
        i.flags = ENGINE_EXACT | ENGINE_ENQUEUES, i.layout = cuda_layout, i.advance = cuda_advance;
    }),
};

extern "C" ENGINE_EXPORT constexpr struct engine_plugin engine_plugin =
    make<struct engine_plugin>([](struct engine_plugin &p) {
        p.abi = ENGINE_ABI(0), p.name = "torus", p.version = "0.1.0", p.summary = "tries the ghosts of a device";
        p.params = ENGINE_ARRAY(params), p.fields = ENGINE_ARRAY(fields), p.impls = ENGINE_ARRAY(impls);
    });
