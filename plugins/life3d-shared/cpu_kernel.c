/* life3d-shared on the CPU, compiled once for each instruction set: a tile marches along z and keeps the sums of nine
 * cells of the last three planes. */
#include "cpu_kernel.h"

#include <common/vector.h>

/* Makes the sums of nine cells of plane z for a box, row by row. */
static void add_plane(const struct life3d_grid *grid, const struct life3d_box *box, int64_t z, uint8_t *sums)
{
    uint8_t columns[SHARED_PANEL + 2];
    const int64_t x = box->begin[0], count = box->end[0] - x;
    const int64_t left = life3d_around(x - 1, grid->extent[0]), right = life3d_around(x + count, grid->extent[0]);
    const int no_left = life3d_is_dead(grid, 0, x - 1), no_right = life3d_is_dead(grid, 0, x + count);
    for (int64_t y = box->begin[1]; y < box->end[1]; y++, sums += SHARED_PANEL) {
        const uint8_t *a = life3d_row(grid, y - 1, z), *b = life3d_row(grid, y, z), *c = life3d_row(grid, y + 1, z);
        columns[0] = no_left ? 0 : (uint8_t) (a[left] + b[left] + c[left]);
        life3d_add_rows(a + x, b + x, c + x, columns + 1, count);
        columns[1 + count] = no_right ? 0 : (uint8_t) (a[right] + b[right] + c[right]);
        life3d_add_rows(columns, columns + 1, columns + 2, sums, count);
    }
}

static void take_plane(const struct life3d_grid *grid, const struct life3d_box *box, int64_t z, uint8_t *const sums[3])
{
    const int64_t count = box->end[0] - box->begin[0], rows = box->end[1] - box->begin[1];
    for (int64_t i = 0; i < rows; i++) {
        const int64_t row = z * grid->plane_stride + (box->begin[1] + i) * grid->row_stride + box->begin[0];
        const int64_t sum = i * SHARED_PANEL;
        life3d_next_row(&grid->rule, sums[0] + sum, sums[1] + sum, sums[2] + sum, grid->source + row,
                        grid->result + row, count);
    }
}

/* Takes a step of a box, which is at most SHARED_PANEL cells wide. */
static void take(const struct life3d_grid *grid, const struct life3d_box *box, uint8_t *workspace)
{
    const int64_t plane_bytes = (box->end[1] - box->begin[1]) * SHARED_PANEL;
    uint8_t *sums[3] = {workspace, workspace + plane_bytes, workspace + 2 * plane_bytes};
    for (int64_t z = box->begin[2] - 1; z <= box->end[2]; z++) {
        uint8_t *const oldest = sums[0];
        sums[0] = sums[1], sums[1] = sums[2], sums[2] = oldest;
        add_plane(grid, box, z, sums[2]);
        if (z > box->begin[2])
            take_plane(grid, box, z - 1, sums);
    }
}

const struct life3d_kernel JOIN(shared_kernel_, KERNEL_ISA) = {ISA_KERNEL, take};
