/* life3d-shared on the CPU, compiled once for each instruction set: a tile marches along z, and keeps of the last three
 * planes the sums of nine cells. */
#include "cpu_kernel.h"

/* Sums of nine cells of one plane, a row of the tile after the other. */
static void add_plane(const struct life3d_grid *grid, const uint8_t *plane, uint8_t *sums, int64_t rows, int64_t count)
{
    uint8_t columns[SHARED_PANEL + 2];
    for (int64_t y = 0; y < rows; y++) {
        const uint8_t *row = plane + y * grid->row_stride - 1;
        life3d_add_rows(row - grid->row_stride, row, row + grid->row_stride, columns, count + 2);
        life3d_add_rows(columns, columns + 1, columns + 2, sums + y * SHARED_PANEL, count);
    }
}

static void take_plane(const struct life3d_grid *grid, int64_t at, uint8_t *const sums[3], int64_t rows, int64_t count)
{
    uint8_t counts[SHARED_PANEL];
    for (int64_t y = 0; y < rows; y++) {
        const int64_t row = at + y * grid->row_stride, sum = y * SHARED_PANEL;
        life3d_add_rows(sums[0] + sum, sums[1] + sum, sums[2] + sum, counts, count);
        life3d_next_row(&grid->rule, counts, grid->source + row, grid->result + row, count);
    }
}

/* The box is at most SHARED_PANEL cells wide. */
static void take(const struct life3d_grid *grid, const struct life3d_box *box, uint8_t *workspace)
{
    const int64_t count = box->end[0] - box->begin[0], rows = box->end[1] - box->begin[1];
    int64_t at = (box->begin[2] - 1) * grid->plane_stride + box->begin[1] * grid->row_stride + box->begin[0];
    uint8_t *sums[3];
    for (int64_t i = 0; i < 3; i++)
        sums[i] = workspace + i * rows * SHARED_PANEL;
    for (int64_t z = box->begin[2] - 1; z <= box->end[2]; z++, at += grid->plane_stride) {
        uint8_t *const oldest = sums[0];
        sums[0] = sums[1], sums[1] = sums[2], sums[2] = oldest;
        add_plane(grid, grid->source + at, sums[2], rows, count);
        if (z > box->begin[2])
            take_plane(grid, at - grid->plane_stride, sums, rows, count);
    }
}

const struct life3d_kernel SHARED_KERNEL(LIFE3D_ISA) = {life3d_usable, take};
