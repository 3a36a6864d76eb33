/* The files of the page, which the program contains. */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

struct page_file {
    const char *path; /* in the address: "/view.js" */
    const char *type; /* of its content */
    const char *bytes, *end;
};

/* Returns the file of that path, or NULL. */
const struct page_file *page_find(const char *path);

#endif
