/* What implementations of three-dimensional Life share on a CPU that keep a byte a cell: the grid, rows of sums for the
 * compiler to make vectors of, and the choice among kernels compiled for several instruction sets. */
#ifndef LIFE_CPU3D_H
#define LIFE_CPU3D_H

#include <engine/plugin.h>
#include <life/ranges3d.h>

/* One step: rows along x of bytes, 0 or 1, with a ghost cell around. */
struct life3d_grid {
    const uint8_t *source; /* cell (0, 0, 0) */
    uint8_t *result;
    int64_t row_stride, plane_stride; /* bytes, of both */
    struct life3d_ranges rule;
};

/* Cells of a grid, x, y, z. */
struct life3d_box {
    int64_t begin[3], end[3];
};

/* A kernel compiled for one instruction set. */
struct life3d_kernel {
    int (*usable)(void); /* can this processor run it? */
    void (*take)(const struct life3d_grid *grid, const struct life3d_box *box, uint8_t *workspace);
};

/* Of kernels that begin with the widest and end with one for every machine. */
static inline const struct life3d_kernel *life3d_widest(const struct life3d_kernel *const *kernels)
{
    while (!(*kernels)->usable())
        kernels++;
    return *kernels;
}

static inline struct life3d_grid life3d_grid_of(const struct engine_call *call, struct life3d_rule rule)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    return (struct life3d_grid){
        .source = (const uint8_t *) cells->origin[call->current],
        .result = (uint8_t *) cells->origin[call->result],
        .row_stride = cells->row_stride,
        .plane_stride = cells->plane_stride,
        .rule = life3d_rule_ranges(rule),
    };
}

#ifdef LIFE3D_ISA /* in a kernel's source, which is compiled once for each instruction set */

static int life3d_usable(void)
{
#if defined(__AVX512BW__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
#elif defined(__AVX2__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    return 1;
#endif
}

static inline void life3d_add_rows(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *restrict sum,
                                   int64_t count)
{
#pragma omp simd
    for (int64_t x = 0; x < count; x++)
        sum[x] = (uint8_t) (a[x] + b[x] + c[x]);
}

/* Is `count` in a range? One comparison, since what is below the range becomes large. */
static inline uint8_t life3d_in_range(uint8_t count, struct life3d_range range)
{
    return (uint8_t) (count - range.first) < (uint8_t) (range.last + 1 - range.first);
}

/* The next cells of a row, of counts that include the cell itself. */
static inline void life3d_next_row(const struct life3d_ranges *rule, const uint8_t *counts, const uint8_t *cells,
                                   uint8_t *restrict next, int64_t count)
{
    for (uint32_t i = 0; i == 0 || i < rule->count; i++) {
        const struct life3d_range birth = rule->birth[i], survive = rule->survive[i];
        const uint8_t others = i > 0;
#pragma omp simd
        for (int64_t x = 0; x < count; x++) {
            const uint8_t born = life3d_in_range(counts[x], birth), stays = life3d_in_range(counts[x], survive);
            next[x] = (uint8_t) ((next[x] & others) | (cells[x] ? stays : born));
        }
    }
}

#endif
#endif
