/* The kernels of a rule that is known when the run starts. The Makefile compiles them to PTX, cuda_rule.c puts the text
 * into the plugin, and life/network_ptx.h writes the rule into it. */
#include "cuda_kernels.cuh"

#ifndef GENERATIONS_DEAD /* cuda_dead_rule.ptx.cu defines it */
#define GENERATIONS_DEAD false
#endif

#define FORM(STATES, LEVELS) \
    extern "C" __global__ void __launch_bounds__(128) \
        generations_all_##STATES(const __grid_constant__ generations::job job) \
    { \
        generations::march<STATES, LEVELS, true, GENERATIONS_DEAD, generations::rule_written_later>(job); \
    } \
    extern "C" __global__ void __launch_bounds__(128) \
        generations_some_##STATES(const __grid_constant__ generations::job job) \
    { \
        generations::march<STATES, LEVELS, false, GENERATIONS_DEAD, generations::rule_written_later>(job); \
    }

GENERATIONS_FOR_FORMS(FORM)
