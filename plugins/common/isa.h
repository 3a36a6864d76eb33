/* For a kernel's source, whose name ends in _kernel.c, so it is compiled once for each instruction set KERNEL_ISA of
 * the Makefile's ISAS: does this processor have the instructions, and which of the builds is this one? */
#ifndef COMMON_ISA_H
#define COMMON_ISA_H

/* Nonzero if this processor has every instruction that the compiler was allowed to use here. The tests are those for
 * the flags that the Makefile names in <isa>_flags. */
static inline int isa_usable(void)
{
#if defined(__AVX2__)
    int usable = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                 __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#if defined(__AVX512BW__)
    usable = usable && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return usable;
#else
    return 1;
#endif
}

/* The text of a macro that expands to a word of ISAS. */
#define ISA_TEXT_(word) #word
#define ISA_TEXT(word)  ISA_TEXT_(word)

/* A kernel's description begins with this; common/isa_choice.h chooses by it. */
struct isa_kernel {
    const char *name;    /* a word of ISAS */
    int (*usable)(void); /* nonzero if this processor and operating system can run the kernel */
};

/* The initialiser for the kernel in this source. */
#define ISA_KERNEL \
    { \
        ISA_TEXT(KERNEL_ISA), isa_usable \
    }

#endif
