/* A step of a pair of rows, with 128 to 512 cells in a vector (struct margolus_form). Blocks do not overlap, so the
 * step is in place. If blocks begin at odd columns, cells have neighbours in other words, which come from a copy of the
 * row. */
#include "cpu_kernel.h"

#include <life/cpu_vector.h>
#include <string.h>

typedef uint64_t loose __attribute__((vector_size(LANES / 8), may_alias, aligned(8)));

#define EVEN UINT64_C(0x5555555555555555)

/* x ^ (y & z) */
#if LANES == 512
#define XOR_AND(x, y, z) LUT3(0x78, x, y, z)
#else
#define XOR_AND(x, y, z) ((x) ^ ((y) & (z)))
#endif

INLINE vec constant(const uint64_t *words)
{
    return *(const vec *) words;
}

/* The next values of the cells `a` of a row, which have the neighbours n in the row, and b and d in the other one. */
INLINE vec next_of(const uint64_t c[4][4][MARGOLUS_VECTOR], vec a, vec n, vec b, vec d)
{
    const vec both = a & n;
    vec f[4];
    UNROLL for (int i = 0; i < 4; i++)
    {
        f[i] = XOR_AND(constant(c[i][0]), a, constant(c[i][1]));
        f[i] = XOR_AND(f[i], n, constant(c[i][2]));
        f[i] = XOR_AND(f[i], both, constant(c[i][3]));
    }
    return CHOOSE(d, CHOOSE(b, f[3], f[2]), CHOOSE(b, f[1], f[0]));
}

/* Of a vector of a row, the neighbours in the blocks. Words of the copy have neighbours on both sides. */
INLINE vec neighbours(const uint64_t *row, uint32_t first)
{
    const vec even = all_lanes(1) & EVEN, own = *(const loose *) row;
    if (!first)
        return CHOOSE(even, own >> 1, own << 1);
    const vec before = *(const loose *) (row - 1), after = *(const loose *) (row + 1);
    return CHOOSE(even, own << 1 | before >> 63, own >> 1 | after << 63);
}

INLINE void take(const struct margolus_grid *grid, const uint64_t *const from[2], uint64_t *const to[2], uint32_t first)
{
    const struct margolus_vectors *form = &grid->forms[first];
    for (int64_t i = 0; i < grid->words; i += VEC_WORDS) {
        const vec upper = *(const loose *) (from[0] + i), lower = *(const loose *) (from[1] + i);
        const vec beside = neighbours(from[0] + i, first), below = neighbours(from[1] + i, first);
        *(vec *) (to[0] + i) = next_of(form->c[0], upper, beside, lower, below);
        *(vec *) (to[1] + i) = next_of(form->c[1], lower, below, upper, beside);
    }
}

INLINE uint64_t cell(const uint64_t *row, int64_t x)
{
    return row[x / 64] >> (x % 64) & 1;
}

/* The cell beyond the edge next to the column `at`, the first or the last one, where `other` is at the other edge. */
INLINE uint64_t beyond_edge(const struct margolus_grid *grid, const uint64_t *row, int64_t at, int64_t other,
                            uint64_t beyond)
{
    return grid->edge == ENGINE_EDGE_TORUS    ? cell(row, other)
           : grid->edge == ENGINE_EDGE_MIRROR ? cell(row, at)
                                              : beyond;
}

INLINE void put_after(const struct margolus_grid *grid, uint64_t *row, uint64_t beyond)
{
    const int64_t width = grid->width, bit = width % 64;
    const uint64_t after = beyond_edge(grid, row, width - 1, 0, beyond);
    row[width / 64] = (row[width / 64] & ~(UINT64_C(1) << bit)) | after << bit;
}

static void take_pair(const struct margolus_grid *grid, uint64_t *const rows[2], const uint64_t beyond[2],
                      uint32_t first, uint64_t *spare)
{
    uint64_t *const copies[2] = {spare + MARGOLUS_VECTOR, spare + grid->words + 3 * MARGOLUS_VECTOR};
    for (int i = 0; i < 2; i++) {
        if (!first && grid->width % 2)
            put_after(grid, rows[i], beyond[i]);
        if (!first)
            continue;
        memcpy(copies[i], rows[i], (size_t) grid->words * sizeof *spare);
        copies[i][-1] = beyond_edge(grid, rows[i], 0, grid->width - 1, beyond[i]) << 63;
        put_after(grid, copies[i], beyond[i]);
    }
    if (first)
        take(grid, (const uint64_t *const[]){copies[0], copies[1]}, rows, 1);
    else
        take(grid, (const uint64_t *const[]){rows[0], rows[1]}, rows, 0);
}

const struct margolus_kernel JOIN(margolus_kernel_, KERNEL_ISA) = {ISA_KERNEL, take_pair};
