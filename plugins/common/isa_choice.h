/* Chooses among a plugin's kernels, one for each instruction set of the Makefile's ISAS. The parameter `instructions`
 * names the instruction set; its default `auto` means the widest that this processor has. */
#ifndef COMMON_ISA_CHOICE_H
#define COMMON_ISA_CHOICE_H

#include <common/isa.h>
#include <engine/plugin.h>
#include <string.h>

/* The plugin's kernels from the widest to the narrowest: prefix_avx512, prefix_avx2, prefix_plain. Each is a structure
 * whose first member is `struct isa_kernel isa`. */
#if defined(__x86_64__)
#define ISA_KERNELS(prefix) \
    { \
        &prefix##_avx512.isa, &prefix##_avx2.isa, &prefix##_plain.isa, NULL \
    }
#else
#define ISA_KERNELS(prefix) \
    { \
        &prefix##_plain.isa, NULL \
    }
#endif

static const char *const isa_choices[] = {"auto", "avx512", "avx2", "plain", NULL};

/* The parameter `instructions`. `bits` is ENGINE_PARAM_TUNING if every kernel computes the same bits, or 0 if they
 * round in different orders. */
#define ISA_INSTRUCTIONS_PARAM(bits) \
    { \
        .name = "instructions", .help = "cpu: instruction set; auto: the widest that this machine has", \
        .type = ENGINE_PARAM_CHOICE, .flags = (bits), .initial = "auto", .choices = isa_choices \
    }

/* Returns the first kernel that is usable and has the wanted name, or any name for "auto". NULL: there is none. The
 * caller casts the result to the structure that begins with the isa_kernel. */
static inline const void *isa_find(const struct isa_kernel *const *kernels, const char *wanted)
{
    for (; *kernels; kernels++)
        if ((strcmp(wanted, "auto") == 0 || strcmp(wanted, (*kernels)->name) == 0) && (*kernels)->usable())
            return *kernels;
    return NULL;
}

/* The same for a plan; `param` is the index of the parameter `instructions`. */
static inline const void *isa_choose(const struct isa_kernel *const *kernels, const struct engine_plan *plan,
                                     uint32_t param)
{
    return isa_find(kernels, engine_param_text(plan, param));
}

/* For an implementation's probe: 0, or ENGINE_UNSUPPORTED if the processor has no kernel of the wanted name. */
static inline int isa_probe(const struct isa_kernel *const *kernels, const struct engine_host *host,
                            const struct engine_plan *plan, uint32_t param)
{
    if (isa_choose(kernels, plan, param))
        return 0;
    return ENGINE_FAIL(
        host, ENGINE_UNSUPPORTED,
        "instructions = %s: this processor does not have this instruction set; auto chooses one that it has",
        engine_param_text(plan, param));
}

#endif
