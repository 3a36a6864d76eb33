/* life3d-naive on the CPU, compiled once for each instruction set. Nine rows are added along x; each count is then a
 * sum of three neighbouring sums. Nothing is kept from one row to the next. */
#include "cpu_kernel.h"

#include <common/vector.h>

enum { PANEL = 1024 }; /* cells of a row: their sums stay in the first-level cache */

/* Adds cells begin … begin + count - 1 of nine rows. */
static void add_nine_rows(const uint8_t *const rows[9], int64_t begin, uint8_t *restrict sums, int64_t count)
{
    const uint8_t *a = rows[0] + begin, *b = rows[1] + begin, *c = rows[2] + begin;
    const uint8_t *d = rows[3] + begin, *e = rows[4] + begin, *f = rows[5] + begin;
    const uint8_t *g = rows[6] + begin, *h = rows[7] + begin, *i = rows[8] + begin;
#pragma omp simd
    for (int64_t x = 0; x < count; x++)
        sums[x] = (uint8_t) (a[x] + b[x] + c[x] + d[x] + e[x] + f[x] + g[x] + h[x] + i[x]);
}

/* Adds the nine cells at x, which may be one beyond an edge. */
static void add_nine_cells(const struct life3d_grid *grid, const uint8_t *const rows[9], int64_t x, uint8_t *sum)
{
    if (life3d_is_dead(grid, 0, x))
        *sum = 0;
    else
        add_nine_rows(rows, life3d_around(x, grid->extent[0]), sum, 1);
}

/* Makes one row. rows[4] is the row itself, the others are those around it. */
static void take_row(const struct life3d_grid *grid, const uint8_t *const rows[9], uint8_t *result)
{
    uint8_t sums[PANEL + 2];
    const int64_t width = grid->extent[0];
    for (int64_t x = 0; x < width; x += PANEL) {
        const int64_t count = width - x < PANEL ? width - x : PANEL;
        add_nine_cells(grid, rows, x - 1, sums);
        add_nine_rows(rows, x, sums + 1, count);
        add_nine_cells(grid, rows, x + count, sums + 1 + count);
        life3d_next_row(&grid->rule, sums, sums + 1, sums + 2, rows[4] + x, result + x, count);
    }
}

/* Takes a step of a box, which is as wide as the grid. */
static void take(const struct life3d_grid *grid, const struct life3d_box *box, uint8_t *workspace)
{
    (void) workspace;
    for (int64_t z = box->begin[2]; z < box->end[2]; z++)
        for (int64_t y = box->begin[1]; y < box->end[1]; y++) {
            const uint8_t *rows[9];
            for (int i = 0; i < 9; i++)
                rows[i] = life3d_row(grid, y + i % 3 - 1, z + i / 3 - 1);
            take_row(grid, rows, grid->result + z * grid->plane_stride + y * grid->row_stride);
        }
}

const struct life3d_kernel JOIN(naive_kernel_, KERNEL_ISA) = {ISA_KERNEL, take};
