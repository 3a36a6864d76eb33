/* Soups as apgsearch makes them: the SHA-256 (FIPS 180-4) of a text gives 16 x 16 cells, from which each symmetry makes a
 * pattern. The source of the layouts is includes/soup/hashsoup.h of lifelib 2.5.6 (gitlab.com/apgoucher/lifelib). */
#ifndef CENSUS_SOUP_H
#define CENSUS_SOUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOUP_SIDE = 32 }; /* a soup has at most so many rows and columns */

struct soup {
    uint32_t rows[SOUP_SIDE]; /* cell x of row y is bit x of rows[y] */
};

/* How a symmetry puts a soup together. `down` and `right` are the distances of the reflections along y and x from the
 * square itself, in which 16 leaves no common row or column, and 0 means that there is none. */
struct soup_layout {
    const char *name;
    int down, right;
    bool rotation;   /* the square turned by half is there */
    bool diagonal;   /* the square is symmetric to its diagonal first */
    bool quarter;    /* the two other squares come from the transposed square */
    bool half;       /* there are no two other squares */
    bool transposed; /* seeds that do not begin with l_ are transposed */
};

/* The symmetries, up to a NULL: "C1", "C2_1", … A number of a symmetry is an index. */
extern const char *const soup_symmetries[];
const struct soup_layout *soup_layout_of(uint32_t symmetry);

/* Makes the soup of a text with a symmetry. */
void soup_make(const char *text, size_t length, uint32_t symmetry, struct soup *soup);

/* The SHA-256 of a text of any length. */
void soup_sha256(const char *text, size_t length, uint8_t digest[32]);

#endif
