/* The kernels of life3d-naive on the CPU: cpu_kernel.c, compiled for several instruction sets. */
#ifndef LIFE3D_NAIVE_CPU_KERNEL_H
#define LIFE3D_NAIVE_CPU_KERNEL_H

#include <life/cpu3d.h>

#define NAIVE_KERNEL_(isa) naive_kernel_##isa
#define NAIVE_KERNEL(isa)  NAIVE_KERNEL_(isa)

/* One for each word of the Makefile's ISAS; but for the last, on x86-64 alone. */
extern const struct life3d_kernel naive_kernel_avx512, naive_kernel_avx2, naive_kernel_plain;

#endif
