/* Texts cut into words. */
#ifndef CORE_WORDS_H
#define CORE_WORDS_H

#include <stdint.h>

/* Cuts a text in place at a character; spaces around the parts are dropped. Returns how many parts, or 0 where one is
 * empty or there are more than `most`. */
uint32_t split_at(char separator, char *text, char **parts, uint32_t most);

#endif
