/* The choices of two parameters that `cuda` of life2d-bit and of life3d-packed both have: form and rule_kernel. */
#ifndef LIFE_CUDA_CHOICES_H
#define LIFE_CUDA_CHOICES_H

#include <stddef.h>

/* Parameter `form`: where the grid is between steps. */
enum {
    LIFE_ANY_FORM,
    LIFE_STREAMING, /* in global memory: every launch streams it through the chip */
    LIFE_RESIDENT   /* on the chip, for all steps of a call */
};

static const char *const life_forms[] = {"auto", "streaming", "resident", NULL};

/* Parameter `rule_kernel`: how the kernels get the rule. */
enum {
    LIFE_ANY_KERNEL,
    LIFE_BUILT_IN, /* the one rule that is compiled with the plugin */
    LIFE_COMPILED, /* the driver compiles the rule's kernels when the run starts: a second the first time */
    LIFE_NUMBERS   /* the rule is an argument of the kernels */
};

static const char *const life_rule_kernels[] = {"auto", "built-in", "compiled", "numbers", NULL};

/* `rule`: the rule that is built in. */
#define LIFE_RULE_KERNEL_PARAM(rule) \
    { \
        .name = "rule_kernel", \
        .help = "cuda: built-in: the kernel of " rule "; compiled: a kernel for the rule is compiled at the start; " \
                "numbers: a kernel that takes any rule as numbers", \
        .type = ENGINE_PARAM_CHOICE, .flags = ENGINE_PARAM_TUNING, .initial = "auto", .choices = life_rule_kernels \
    }

#endif
