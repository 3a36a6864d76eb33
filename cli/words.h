/* What the messages of libengine speak of, in the words of this program. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* The hook `words` of struct engine_hooks. */
const char *words_of_program(uint32_t topic, const char *subject, char *text, size_t size);

#endif
