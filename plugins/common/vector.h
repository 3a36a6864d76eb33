/* Macros of CPU kernels that are compiled once for each instruction set. */
#ifndef COMMON_VECTOR_H
#define COMMON_VECTOR_H

/* JOIN(LANES_, KERNEL_ISA) is LANES_avx2 where KERNEL_ISA is avx2: a constant or a name for each instruction set. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#define INLINE static inline __attribute__((always_inline))

/* In front of a short loop of constant length: the compiler unrolls it whole, so that an array that is indexed by the
 * loop's counter stays in registers. */
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#endif
