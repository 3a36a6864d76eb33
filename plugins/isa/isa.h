/* For the source of a kernel that is compiled once for each instruction set of the Makefile's ISAS: what it asks of the
 * processor, and its name. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

/* Can this processor run what the compiler was allowed to use here? Asks for all that the Makefile's <isa>_flags name.
 */
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

/* A word of ISAS, given as a macro, as text. */
#define ISA_TEXT_(word) #word
#define ISA_TEXT(word)  ISA_TEXT_(word)

/* What a kernel begins with, for isa/choice.h to choose by. */
struct isa_kernel {
    const char *name;    /* a word of ISAS */
    int (*usable)(void); /* nonzero if this processor and operating system can run it */
};

/* Of the kernel in this source. */
#define ISA_KERNEL(word) \
    { \
        ISA_TEXT(word), isa_usable \
    }

#endif
