/* The text of a haul, in the format of apgsearch (submitResults of includes/searcher.h of apgmera, on
 * gitlab.com/apgoucher/apgmera): a head, the table of objects, and the soups that have them. */
#ifndef CENSUS_HAUL_H
#define CENSUS_HAUL_H

#include "names.h"

/* The names under which soups are counted that are given up, and objects that have no line of their own. */
#define HAUL_GIVEN_UP "PATHOLOGICAL"
#define HAUL_OTHERS   "OTHERS"

enum {
    HAUL_ROOT = 55,   /* bytes of a root at most */
    HAUL_LEAST = 1024 /* room that any haul without objects of its own needs at most */
};

struct haul {
    const char *root, *rule, *symmetry;
    uint64_t soups;
    struct names names;
    uint32_t given_up, others; /* numbers of names */
    uint64_t room, used;       /* bytes of the text; those that the lines may need, however large the counts become */
};

/* All functions return 0, or -1 if there is no memory. Removes all objects from a haul. */
int haul_clear(struct haul *haul);

/* Adds what workers have counted, and sets their counts to 0. Objects get lines, and lines get soups, in the order of the
 * soups, as long as there is room. So the haul does not depend on how many soups are added at a time. */
int haul_add(struct haul *haul, struct names *const *counted, uint32_t count);

/* Writes the text and a zero to `text`. */
int haul_write(const struct haul *haul, char *text);

/* Removes all objects and takes those of a text. A text that is empty has none. Returns 1 if it is no haul. */
int haul_read(struct haul *haul, const char *text);

#endif
