#include "page.h"

#include <stddef.h>
#include <string.h>

/* The assembler copies the files into this program. */
#define FILE_BYTES(symbol, file) \
    __asm__(".section .rodata\n" #symbol ":\n.incbin \"view/page/" file "\"\n" #symbol "_end:\n.byte 0\n.previous\n"); \
    extern const char symbol[], symbol##_end[]

FILE_BYTES(page_index, "index.html");
FILE_BYTES(page_style, "view.css");
FILE_BYTES(page_actions, "actions.js");
FILE_BYTES(page_charts, "charts.js");
FILE_BYTES(page_connection, "connection.js");
FILE_BYTES(page_controls, "controls.js");
FILE_BYTES(page_dom, "dom.js");
FILE_BYTES(page_edit, "edit.js");
FILE_BYTES(page_film, "film.js");
FILE_BYTES(page_grid, "grid.js");
FILE_BYTES(page_main, "main.js");
FILE_BYTES(page_particles, "particles.js");
FILE_BYTES(page_view, "view.js");

#define SCRIPT(name) {"/" #name ".js", "text/javascript; charset=utf-8", page_##name, page_##name##_end}

static const struct page_file files[] = {
    {"/", "text/html; charset=utf-8", page_index, page_index_end},
    {"/view.css", "text/css; charset=utf-8", page_style, page_style_end},
    SCRIPT(actions),
    SCRIPT(charts),
    SCRIPT(connection),
    SCRIPT(controls),
    SCRIPT(dom),
    SCRIPT(edit),
    SCRIPT(film),
    SCRIPT(grid),
    SCRIPT(main),
    SCRIPT(particles),
    SCRIPT(view),
};

const struct page_file *page_find(const char *path)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(files[i].path, path) == 0)
            return &files[i];
    return NULL;
}
