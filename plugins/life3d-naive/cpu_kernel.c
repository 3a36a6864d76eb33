/* life3d-naive on the CPU, compiled once for each instruction set: every count is made of all its cells. */
#include "cpu_kernel.h"

enum { PANEL = 1024 }; /* cells of a row whose sums stay in the first-level cache */

/* Sums over the nine rows around one, each of `count` cells. */
static void add_nine_rows(const struct life3d_grid *grid, const uint8_t *row, uint8_t *restrict sums, int64_t count)
{
    const int64_t y = grid->row_stride, z = grid->plane_stride;
#pragma omp simd
    for (int64_t x = 0; x < count; x++)
        sums[x] = (uint8_t) (row[x - z - y] + row[x - z] + row[x - z + y] + row[x - y] + row[x] + row[x + y] +
                             row[x + z - y] + row[x + z] + row[x + z + y]);
}

static void take_panel(const struct life3d_grid *grid, int64_t at, int64_t count)
{
    uint8_t sums[PANEL + 2], counts[PANEL];
    add_nine_rows(grid, grid->source + at - 1, sums, count + 2);
    life3d_add_rows(sums, sums + 1, sums + 2, counts, count);
    life3d_next_row(&grid->rule, counts, grid->source + at, grid->result + at, count);
}

static void take(const struct life3d_grid *grid, const struct life3d_box *box, uint8_t *workspace)
{
    (void) workspace;
    for (int64_t z = box->begin[2]; z < box->end[2]; z++)
        for (int64_t y = box->begin[1]; y < box->end[1]; y++)
            for (int64_t x = box->begin[0]; x < box->end[0]; x += PANEL) {
                const int64_t count = box->end[0] - x < PANEL ? box->end[0] - x : PANEL;
                take_panel(grid, z * grid->plane_stride + y * grid->row_stride + x, count);
            }
}

const struct life3d_kernel NAIVE_KERNEL(LIFE3D_ISA) = {life3d_usable, take};
