/* The kernel of the implementation `hashlife`: 32 x 32 cells become the 16 x 16 cells in their middle some steps later.
 * The Makefile compiles hashlife_kernel.c once for each instruction set. */
#ifndef LIFE2D_HASHLIFE_KERNEL_H
#define LIFE2D_HASHLIFE_KERNEL_H

#include "square_code.h"

#include <common/isa.h>
#include <hashlife/hashlife.h>

enum {
    HASHLIFE_RULE_BYTES = 1024, /* room for a kernel's form of a rule */
    HASHLIFE_RULE_ALIGN = 64
};

struct life2d_kernel {
    struct isa_kernel isa;

    /* Writes the kernel's form of a rule to HASHLIFE_RULE_BYTES bytes, aligned to HASHLIFE_RULE_ALIGN. A rule that does
     * not count neighbours has a network, and may have code for it. */
    void (*prepare)(struct life_rule rule, const struct life2d_square_network *network, life2d_row_code *code,
                    void *form);

    struct hashlife_kernel squares; /* whose form of the rule is also scratch memory */
};

/* One for each word of the Makefile's ISAS. The first two exist on x86-64 only. */
extern const struct life2d_kernel hashlife_kernel_avx512, hashlife_kernel_avx2, hashlife_kernel_plain;

#endif
