/* How a GPU's kernels get a rule, for plugins of which one rule is compiled into the kernels: parameter `rule_kernel`.
 */
#ifndef LIFE_RULE_KERNEL_H
#define LIFE_RULE_KERNEL_H

#include <stddef.h>

/* The choices, and their words. */
enum {
    LIFE_ANY_KERNEL,
    LIFE_BUILT_IN, /* the one rule alone */
    LIFE_COMPILED, /* by the driver, at once: takes a second the first time */
    LIFE_NUMBERS   /* the rule is an argument */
};

static const char *const life_rule_kernels[] = {"auto", "built-in", "compiled", "numbers", NULL};

/* `rule`: the one that is built in. */
#define LIFE_RULE_KERNEL_PARAM(rule) \
    { \
        .name = "rule_kernel", \
        .help = "how cuda gets the rule: built in (" rule "), compiled when it starts, or as numbers", \
        .type = ENGINE_PARAM_CHOICE, .flags = ENGINE_PARAM_TUNING, .initial = "auto", .choices = life_rule_kernels \
    }

#endif
