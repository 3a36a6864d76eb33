/* Soups as apgsearch makes them: the SHA-256 (FIPS 180-4) of a text gives 16 x 16 cells, from which each symmetry makes a
 * pattern. The source of the layouts is includes/soup/hashsoup.h of lifelib 2.5.6 (gitlab.com/apgoucher/lifelib). */
#ifndef CENSUS_SOUP_H
#define CENSUS_SOUP_H

#include <stddef.h>
#include <stdint.h>

enum { SOUP_SIDE = 32 }; /* a soup has at most so many rows and columns */

struct soup {
    uint32_t rows[SOUP_SIDE]; /* cell x of row y is bit x of rows[y] */
};

/* The symmetries, up to a NULL: "C1", "C2_1", … */
extern const char *const soup_symmetries[];

/* Makes the soup of a text with a symmetry, an index of soup_symmetries. */
void soup_make(const char *text, size_t length, uint32_t symmetry, struct soup *soup);

/* The SHA-256 of a text of any length. */
void soup_sha256(const char *text, size_t length, uint8_t digest[32]);

#endif
