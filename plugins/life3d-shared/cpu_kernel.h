/* The kernels of life3d-shared on the CPU: cpu_kernel.c, compiled once for each instruction set. */
#ifndef LIFE3D_SHARED_CPU_KERNEL_H
#define LIFE3D_SHARED_CPU_KERNEL_H

#include <life/cpu3d.h>

enum { SHARED_PANEL = 1024 }; /* the most cells of a tile along x */

/* Bytes of workspace for a box of `rows` rows. */
static inline uint64_t shared_workspace_bytes(uint64_t rows)
{
    return 3 * rows * SHARED_PANEL;
}

/* One for each word of the Makefile's ISAS. The first two exist on x86-64 only. */
extern const struct life3d_kernel shared_kernel_avx512, shared_kernel_avx2, shared_kernel_plain;

#endif
