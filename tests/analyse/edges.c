/* An analysis of a grid: counts the live cells whose right neighbour is alive, and those whose lower neighbour is
 * alive, on the torus. It reads one cell beyond the grid, in the ghost cells. */
#include <engine/plugin.h>

enum { CELLS, EDGES };
static const struct engine_field fields[] = {
    [CELLS] = {.name = "cells",
               .help = "0 or 1",
               .kind = ENGINE_GRID,
               .role = ENGINE_INPUT,
               .type = ENGINE_U8,
               .components = 1,
               .rank = 2,
               .values = 2,
               .reach = {1, 1, 0}},
    [EDGES] = {.name = "edges",
               .help = "to the right, below",
               .kind = ENGINE_BINS,
               .role = ENGINE_OUTPUT,
               .type = ENGINE_U64,
               .components = 1,
               .reduction = ENGINE_REDUCE_SUM},
};

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *out)
{
    (void) host, (void) plan, (void) step;
    if (field == EDGES)
        out->extent[0] = 2;
    return ENGINE_OK;
}

static int layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *out)
{
    (void) plan;
    if (field == CELLS && (out->cell_bits || out->ghost[0] < 1 || out->ghost[1] < 1))
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "cells with ghosts around them are wanted, a byte each");
    return ENGINE_OK;
}

static int advance(void *self, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    uint64_t *edges = (uint64_t *) engine_field_buffer(call, EDGES)->origin[0];
    (void) self;
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++) {
        const uint8_t *row = (const uint8_t *) cells->origin[0] + (int64_t) y * cells->row_stride;
        for (uint64_t x = 0; x < cells->shape->extent[0]; x++) {
            edges[0] += row[x] && row[x + 1];
            edges[1] += row[x] && row[(int64_t) x + cells->row_stride];
        }
    }
    return ENGINE_OK;
}

static const struct engine_impl impls[] = {
    {.name = "cpu", .help = "one loop", .flags = ENGINE_EXACT | ENGINE_REFERENCE, .layout = layout, .advance = advance},
};

const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "edges",
    .version = "1.0",
    .summary = "live cells side by side",
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
};
