/*
 * The multi-threaded CPU kernel of three-dimensional Life: any rule of the 26 neighbours on a torus of any size.
 * cpu_kernel.c is compiled once per instruction set; each build leaves one `struct life3d_kernel`.
 */
#ifndef LIFE3D_PACKED_CPU_KERNEL_H
#define LIFE3D_PACKED_CPU_KERNEL_H

#include <common/isa.h>
#include <stdint.h>

/* Words of a row of `width` cells: cell x is bit x / words (lowest first) of word x % words. Rows that do not fill
 * their words have room for two cells more. */
static inline uint64_t life3d_row_words(uint64_t width)
{
    return width % 64 == 0 ? width / 64 : width / 64 + (width % 64 == 63 ? 2 : 1);
}

/* How a grid is cut; the same for every call on it. 0: what suits the size. The result never depends on it. */
struct life3d_cut {
    uint64_t width, height, depth; /* at least 1 */
    uint32_t threads;              /* at least 1; a small grid takes fewer */
    uint32_t steps_per_pass;       /* how many steps a pass over the grid makes at most */
    uint64_t strips, slabs;        /* parts of the height and of the depth */
};

/* One call of a kernel. The caller owns everything in it. */
struct life3d_job {
    struct life3d_cut cut; /* complete, see below */

    /* Two grids, 64-byte aligned: row (y, z) starts at cells + (z * height + y) * life3d_row_words(width). Bits beyond
     * the width are ignored on entry and hold anything on return. The state stands in the first. */
    uint64_t *cells[2];
    uint64_t steps;   /* at least 1 */
    uint32_t birth;   /* bit n: a dead cell with n live neighbours comes alive; 0 <= n <= 26 */
    uint32_t survive; /* bit n: a live cell with n live neighbours stays alive */
    void *workspace;  /* workspace_bytes(&cut) bytes, 64-byte aligned; any contents */
};

/* One compiled variant. */
struct life3d_kernel {
    struct isa_kernel isa;

    /* Fills in what is 0. */
    void (*complete)(struct life3d_cut *cut);

    /* Scratch memory that advance needs, in bytes. 0: the grid is too large to count its cells. */
    uint64_t (*workspace_bytes)(const struct life3d_cut *cut);

    /* Advances the grid; allocates nothing and cannot fail. Returns which of the grids holds the result; the other one
     * has been written, too, if there were several passes. */
    uint32_t (*advance)(const struct life3d_job *job);
};

/* One for each word of the Makefile's ISAS; but for the last, on x86-64 alone. */
extern const struct life3d_kernel life3d_kernel_avx512, life3d_kernel_avx2, life3d_kernel_plain;

#endif
