#include "page.h"

#include <stddef.h>
#include <string.h>

/* The assembler copies the files into this program. */
#define FILE_BYTES(symbol, file) \
    __asm__(".section .rodata\n" #symbol ":\n.incbin \"view/page/" file "\"\n" #symbol "_end:\n.byte 0\n.previous\n"); \
    extern const char symbol[], symbol##_end[]

FILE_BYTES(page_index, "index.html");
FILE_BYTES(page_style, "view.css");

#define SCRIPT "text/javascript; charset=utf-8"

static const struct page_file files[] = {
    {"/", "text/html; charset=utf-8", page_index, page_index_end},
    {"/view.css", "text/css; charset=utf-8", page_style, page_style_end},
};

const struct page_file *page_find(const char *path)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(files[i].path, path) == 0)
            return &files[i];
    return NULL;
}
