/* A picture as text for a terminal with UTF-8 and 256 colours. The only escape sequences are those of ECMA-48
 * (ANSI). */
#ifndef CLI_WATCH_TEXT_H
#define CLI_WATCH_TEXT_H

#include <engine/engine.h>
#include <stddef.h>

/* Sets the largest size of a picture for a terminal of this size, with one line left below. A character shows two
 * pixels, one above the other, or 2 x 4 dots. */
void text_fit(struct engine_picture *picture, uint32_t columns, uint32_t lines);

/* Returns the picture as lines that end in "\r\n", and their number in *lines. Pixels are half blocks (U+2580) in
 * shades of grey. If each shade is one cell and the cells do not fit as pixels, they are dots (Braille patterns, U+2800
 * …). The caller frees the text. NULL: no memory. */
char *text_of_picture(const struct engine_picture *picture, size_t *length, uint32_t *lines);

#endif
