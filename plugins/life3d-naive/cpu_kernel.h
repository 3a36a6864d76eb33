/* The kernels of life3d-naive on the CPU: cpu_kernel.c, compiled once for each instruction set. */
#ifndef LIFE3D_NAIVE_CPU_KERNEL_H
#define LIFE3D_NAIVE_CPU_KERNEL_H

#include <life/cpu3d.h>

/* One for each word of the Makefile's ISAS. The first two exist on x86-64 only. */
extern const struct life3d_kernel naive_kernel_avx512, naive_kernel_avx2, naive_kernel_plain;

#endif
