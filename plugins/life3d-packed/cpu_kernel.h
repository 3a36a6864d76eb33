/* The CPU kernel of three-dimensional Life, for several threads: any rule of the 26 neighbours on a grid of any size.
 * Along each axis the grid is a torus, or the cells beyond its edges are dead. The Makefile compiles cpu_kernel.c once
 * for each instruction set; each build defines one struct life3d_kernel. */
#ifndef LIFE3D_PACKED_CPU_KERNEL_H
#define LIFE3D_PACKED_CPU_KERNEL_H

#include <common/isa.h>
#include <stdint.h>

/* Words of a row of `width` cells: cell x is bit x / words (lowest first) of word x % words. A row that does not
 * fill its words has room for two more cells. */
static inline uint64_t life3d_row_words(uint64_t width)
{
    return width % 64 == 0 ? width / 64 : width / 64 + (width % 64 == 63 ? 2 : 1);
}

/* How a grid is cut, for all calls on it. The kernel chooses what is 0. The result does not depend on it. */
struct life3d_cut {
    uint64_t width, height, depth; /* at least 1 */
    int dead[3];                   /* along x, y, z: are the cells beyond the edges dead, at all times? Else a torus */
    uint32_t threads;              /* at least 1; a small grid takes fewer */
    uint32_t steps_per_pass;       /* the most steps of a pass over the grid */
    uint64_t strips, slabs;        /* parts of the height and of the depth */
};

/* One call of a kernel. The caller owns all memory. */
struct life3d_job {
    struct life3d_cut cut; /* after life3d_kernel.complete */

    /* Two grids, 64-byte aligned: row (y, z) starts at cells + (z * height + y) * life3d_row_words(width). Bits beyond
     * the width are ignored on entry and undefined on return. The first grid holds the state. */
    uint64_t *cells[2];
    uint64_t steps;   /* at least 1 */
    uint32_t birth;   /* bit n: a dead cell with n live neighbours comes alive; 0 <= n <= 26 */
    uint32_t survive; /* bit n: a live cell with n live neighbours stays alive */
    void *workspace;  /* workspace_bytes(&cut) bytes, 64-byte aligned; its contents do not matter */
};

/* One build. */
struct life3d_kernel {
    struct isa_kernel isa;

    /* Chooses the members of a cut that are 0. */
    void (*complete)(struct life3d_cut *cut);

    /* The bytes of workspace that advance needs. 0: the grid has 2^56 cells or more. */
    uint64_t (*workspace_bytes)(const struct life3d_cut *cut);

    /* Advances the grid. It allocates nothing and cannot fail. Returns the number of the grid that holds the result. If
     * there are several passes, it writes to both grids. */
    uint32_t (*advance)(const struct life3d_job *job);
};

/* One for each word of the Makefile's ISAS. The first two exist on x86-64 only. */
extern const struct life3d_kernel life3d_kernel_avx512, life3d_kernel_avx2, life3d_kernel_plain;

#endif
