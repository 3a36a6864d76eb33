/* A small picture as text for a terminal of UTF-8 and 256 colours: ECMA-48 (ANSI) sequences, nothing else. */
#ifndef CLI_WATCH_TEXT_H
#define CLI_WATCH_TEXT_H

#include <engine/engine.h>
#include <stddef.h>

/* Sets how large a picture may be in a terminal of this size with a line below it: two pixels a character, one above the
 * other, or 2 x 4 dots. */
void text_fit(struct engine_picture *picture, uint32_t columns, uint32_t lines);

/* The picture as lines, each ended by "\r\n": of dots (Braille patterns, U+2800 …) where cells are shown one by one and
 * do not fit as pixels, else of half blocks (U+2580) in shades of grey. *lines: their number. The caller frees the text;
 * NULL: no memory. */
char *text_of_picture(const struct engine_picture *picture, size_t *length, uint32_t *lines);

#endif
