/* The choice among kernels that are compiled for each instruction set of the Makefile's ISAS: by parameter
 * `instructions`, or the widest. Each begins with a struct isa_kernel named `isa`. */
#ifndef ISA_CHOICE_H
#define ISA_CHOICE_H

#include <engine/plugin.h>
#include <isa/isa.h>
#include <string.h>

/* A plugin's kernels, prefix_avx512 and so on, widest first. */
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

/* `bits`: ENGINE_PARAM_TUNING where results are the same with any; 0 where they are rounded in another order. */
#define ISA_INSTRUCTIONS_PARAM(bits) \
    { \
        .name = "instructions", .help = "instruction set used by cpu; auto: the widest that this machine has", \
        .type = ENGINE_PARAM_CHOICE, .flags = (bits), .initial = "auto", .choices = isa_choices \
    }

/* The kernel that a choice of `instructions` means on this machine, to be taken for what it is the beginning of. NULL:
 * it has none such. */
static inline const void *isa_find(const struct isa_kernel *const *kernels, const char *wanted)
{
    for (; *kernels; kernels++)
        if ((strcmp(wanted, "auto") == 0 || strcmp(wanted, (*kernels)->name) == 0) && (*kernels)->usable())
            return *kernels;
    return NULL;
}

/* The same for a plan. `param`: number of the parameter. */
static inline const void *isa_choose(const struct isa_kernel *const *kernels, const struct engine_plan *plan,
                                     uint32_t param)
{
    return isa_find(kernels, engine_param_value(plan, param)->text);
}

/* An implementation's probe: is there such a kernel? */
static inline int isa_probe(const struct isa_kernel *const *kernels, const struct engine_host *host,
                            const struct engine_plan *plan, uint32_t param)
{
    if (isa_choose(kernels, plan, param))
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "this processor does not have instructions = %s",
                       engine_param_value(plan, param)->text);
}

#endif
