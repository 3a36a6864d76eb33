/* A small picture as text for a terminal of UTF-8 and 256 colours: ECMA-48 (ANSI) sequences, nothing else. */
#ifndef CLI_WATCH_TEXT_H
#define CLI_WATCH_TEXT_H

#include "watch_view.h"
#include <stddef.h>

/* The room that a terminal of this size has for a picture and a line below it: two pixels a character, one above the
 * other, or 2 x 4 dots. */
struct view_room text_room(uint32_t columns, uint32_t lines);

/* The picture as lines, each ended by "\r\n": of dots (Braille patterns, U+2800 …) where cells are shown one by one and
 * do not fit as pixels, else of half blocks (U+2580) in shades of grey. *lines: how many. The caller frees the text;
 * NULL: no memory. */
char *text_of_view(const struct view *view, const struct view_room *room, size_t *length, uint32_t *lines);

#endif
