/* The text of a haul, in the format of apgsearch (submitResults of includes/searcher.h of apgmera, on
 * gitlab.com/apgoucher/apgmera): a head, the table of objects, and the soups that have them. */
#ifndef CENSUS_HAUL_H
#define CENSUS_HAUL_H

#include "names.h"

/* The name under which soups are counted that are given up. */
#define HAUL_GIVEN_UP "PATHOLOGICAL"

enum { HAUL_ROOT = 55 }; /* bytes of a root at most */

struct haul {
    const char *root, *rule, *symmetry;
    uint64_t soups;
    struct names *names;
};

/* Writes the text and a zero to `text`. Returns 0, 1 if it has no `room`, or -1 if there is no memory. */
int haul_write(const struct haul *haul, char *text, uint64_t room);

/* Adds the objects of a text to haul->names. A text that is empty has none. Returns 0, 1 if it is no haul, or -1 if there
 * is no memory. */
int haul_read(struct haul *haul, const char *text);

#endif
