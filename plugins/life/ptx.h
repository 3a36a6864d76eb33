/* Puts PTX text into a plugin. The Makefile compiles x.ptx.cu to PTX. Beside it is x.c with LIFE_PTX_TEXT(name), which
 * defines `const char name[]` with the text. The plugin writes a rule into it and gives it to the driver. Where the
 * plugin is built without CUDA, the macro defines nothing. */
#ifndef LIFE_PTX_H
#define LIFE_PTX_H

#ifdef LIFE_PTX_FILE
#define LIFE_PTX_TEXT(name) \
    __asm__(".section .rodata\n.globl " #name "\n.hidden " #name "\n" #name ":\n.incbin \"" LIFE_PTX_FILE \
            "\"\n.byte 0\n.previous\n")
#else
#define LIFE_PTX_TEXT(name) typedef int name##_is_not_here
#endif

#endif
