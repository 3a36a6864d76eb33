/* cuda_rule.ptx.cu, compiled to PTX: text of this plugin, which the driver compiles once a rule is written into it. */
#include <stddef.h>

#ifdef LIFE2D_RULE_PTX
__asm__(
    ".section .rodata\n.globl life2d_rule_ptx\n.hidden life2d_rule_ptx\nlife2d_rule_ptx:\n.incbin \"" LIFE2D_RULE_PTX
    "\"\n.byte 0\n.previous\n");
#endif
