/* Filling the ghosts of a host buffer. */
#include "base/bits.h"
#include "memory/ghost_rows.h"
#include "memory/layout.h"

#include <string.h>

/* One component in a buffer. */
struct wrapping {
    const struct geometry *geometry;
    uint8_t *buffer;
};

static uint8_t *row_at(const struct wrapping *wrapping, int64_t y, int64_t z)
{
    const struct geometry *geometry = wrapping->geometry;
    return wrapping->buffer + geometry->origin + y * geometry->row_stride + z * geometry->plane_stride;
}

static bool is_bits(const struct geometry *geometry)
{
    return geometry->layout.cell_bits == 1;
}

/* Returns the bytes from one cell to the next in a row of elements. */
static int64_t cell_pitch(const struct geometry *geometry)
{
    return (int64_t) (geometry->layout.planar ? 1 : geometry->layout.component_stride) * geometry->element_bytes;
}

void geometry_set_edges(struct geometry *geometry, const struct edges *edges)
{
    geometry->edges = *edges;
    if (is_bits(geometry))
        for (int axis = 0; axis < 3; axis++)
            memset(geometry->edges.beyond[axis], edges->beyond[axis][0] ? 0xff : 0, EDGES_PATTERN);
}

/* Writes the element beyond the edges of an axis again and again. `bytes` is a multiple of its size. */
static void fill(const struct geometry *geometry, int axis, uint8_t *at, uint64_t bytes)
{
    for (; bytes >= EDGES_PATTERN; at += EDGES_PATTERN, bytes -= EDGES_PATTERN)
        memcpy(at, geometry->edges.beyond[axis], EDGES_PATTERN);
    memcpy(at, geometry->edges.beyond[axis], bytes);
}

/* ---- Edges that are separate: x inside every row, then whole rows along y, then whole planes along z ------------- */

/* Sets cells [to, to + count) of a row to the value beyond the edges of an axis. */
static void row_fill(const struct geometry *geometry, int axis, uint8_t *row, int64_t to, uint64_t count)
{
    const int64_t pitch = cell_pitch(geometry);
    if (!is_bits(geometry))
        fill(geometry, axis, row + to * pitch, count * (uint64_t) pitch);
    for (uint64_t n; is_bits(geometry) && count > 0; to += (int64_t) n, count -= n) {
        n = count < 64 ? count : 64;
        bits_put(&geometry->layout, row, to, (uint32_t) n,
                 bits_low_bits((uint32_t) n) & (geometry->edges.beyond[axis][0] ? ~UINT64_C(0) : 0));
    }
}

/* Copies `count` elements of `pitch` bytes in reverse order. */
static void copy_reversed(uint8_t *to, const uint8_t *from, uint64_t count, uint64_t pitch)
{
    for (uint64_t i = 0; pitch == 1 && i < count; i++)
        to[i] = from[count - 1 - i];
    for (uint64_t i = 0; pitch > 1 && i < count; i++)
        memcpy(to + i * pitch, from + (count - 1 - i) * pitch, pitch);
}

/* Sets ghosts [to, to + count) of a row. */
static void fill_row(const struct geometry *geometry, uint8_t *row, int64_t to, uint64_t count)
{
    const struct edges *edges = &geometry->edges;
    const uint64_t width = geometry->shape.extent[0], pitch = (uint64_t) cell_pitch(geometry);
    if (is_bits(geometry)) {
        ghost_bits_fill(&geometry->layout, edges, width, row, to, count);
        return;
    }
    for (struct ghost_run run; count > 0; to += (int64_t) run.count, count -= run.count) {
        run = ghost_run_at(edges->kind[0], width, to, count);
        uint8_t *ghosts = row + to * (int64_t) pitch;
        const uint8_t *cells = row + run.from * (int64_t) pitch;
        if (run.count == 0) {
            fill(geometry, 0, ghosts, count * pitch);
            return;
        }
        if (run.reversed)
            copy_reversed(ghosts, cells, run.count, pitch);
        else
            memcpy(ghosts, cells, run.count * pitch);
    }
}

static void wrap_row(const struct geometry *geometry, uint8_t *row)
{
    const uint64_t width = geometry->shape.extent[0], ghost = geometry->layout.ghost[0];
    fill_row(geometry, row, (int64_t) width, ghost);
    fill_row(geometry, row, -(int64_t) ghost, ghost);
}

/* Fills all ghost slices of an axis. A slice has `bytes` bytes; slices are `stride` apart from `base` on. */
static void wrap_slices(const struct geometry *geometry, int axis, uint8_t *base, int64_t stride, uint64_t bytes)
{
    const uint64_t ghost = geometry->layout.ghost[axis], extent = geometry->shape.extent[axis];
    for (uint64_t i = 0; i < 2 * ghost; i++) {
        const int64_t to = edges_ghost(i, ghost, extent);
        const int64_t from = edges_source(geometry->edges.kind[axis], to, extent);
        if (from >= 0)
            memcpy(base + to * stride, base + from * stride, bytes);
        else
            fill(geometry, axis, base + to * stride, bytes);
    }
}

static void wrap_row_task(void *argument, uint64_t row)
{
    const struct wrapping *wrapping = argument;
    const uint64_t rows = wrapping->geometry->shape.extent[1];
    wrap_row(wrapping->geometry, row_at(wrapping, (int64_t) (row % rows), (int64_t) (row / rows)));
}

static void wrap_plane_task(void *argument, uint64_t z)
{
    const struct wrapping *wrapping = argument;
    const struct geometry *geometry = wrapping->geometry;
    const uint32_t *ghost = geometry->layout.ghost;
    const uint64_t row = (uint64_t) geometry->row_stride;
    const uint64_t left = geometry->origin - ghost[2] * (uint64_t) geometry->plane_stride - ghost[1] * row;
    wrap_slices(geometry, 1, row_at(wrapping, 0, (int64_t) z) - left, geometry->row_stride, row);
}

/* Few rows or planes take less time than it takes other threads to begin. */
enum { ROWS_FOR_THREADS = 4096, PLANES_FOR_THREADS = 64 };

static void wrap_separate(struct wrapping *wrapping, struct thread_pool *pool, uint32_t threads)
{
    const struct geometry *geometry = wrapping->geometry;
    const uint64_t rows = geometry->shape.extent[1] * geometry->shape.extent[2], planes = geometry->shape.extent[2];
    const uint64_t plane = (uint64_t) geometry->plane_stride;
    const uint32_t *ghost = geometry->layout.ghost;
    if (ghost[0])
        thread_pool_run(pool, rows > ROWS_FOR_THREADS ? threads : 1, rows, wrap_row_task, wrapping);
    if (ghost[1])
        thread_pool_run(pool, planes > PLANES_FOR_THREADS ? threads : 1, planes, wrap_plane_task, wrapping);
    if (ghost[2])
        wrap_slices(geometry, 2, wrapping->buffer + ghost[2] * plane, geometry->plane_stride, plane);
}

/* ---- Other edges: cell by cell --------------------------------------------------------------------------------- */

static void copy_cell(const struct wrapping *wrapping, const int64_t from[2], const int64_t to[2], int64_t z)
{
    const struct geometry *geometry = wrapping->geometry;
    const uint8_t *source = row_at(wrapping, from[1], z);
    uint8_t *target = row_at(wrapping, to[1], z);
    const int64_t pitch = cell_pitch(geometry);
    if (is_bits(geometry))
        bits_put(&geometry->layout, target, to[0], 1, bits_get(&geometry->layout, source, from[0], 1));
    else
        memcpy(target + to[0] * pitch, source + from[0] * pitch, (uint64_t) pitch);
}

static void wrap_joined(struct wrapping *wrapping)
{
    const struct geometry *geometry = wrapping->geometry;
    const uint64_t *extent = geometry->shape.extent;
    const int64_t beside = geometry->layout.ghost[0], above = geometry->layout.ghost[1];
    const int64_t width = (int64_t) extent[0], height = (int64_t) extent[1];
    for (int64_t z = 0; z < (int64_t) extent[2]; z++) /* the universes of a batch */
        for (int64_t y = -above; y < height + above; y++)
            for (int64_t x = -beside; x < width + beside; x++) {
                if (x == 0 && y >= 0 && y < height)
                    x = width;
                int64_t to[2] = {x, y}, from[2] = {x, y};
                if (x == width + beside)
                    break;
                const int beyond = edges_find(&geometry->edges, extent, from);
                if (beyond < 0)
                    copy_cell(wrapping, from, to, z);
                else
                    row_fill(geometry, beyond, row_at(wrapping, y, z), x, 1);
            }
}

void geometry_wrap(const struct geometry *geometry, void *buffer, struct thread_pool *pool, uint32_t threads)
{
    const uint32_t components = geometry->layout.planar ? geometry->shape.components : 1;
    for (uint32_t c = 0; c < components; c++) {
        struct wrapping wrapping = {geometry, (uint8_t *) buffer + c * (uint64_t) geometry->component_stride};
        if (edges_are_separate(&geometry->edges))
            wrap_separate(&wrapping, pool, threads);
        else
            wrap_joined(&wrapping);
    }
}
