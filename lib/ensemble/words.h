/* The words of the caller's program in messages. */
#ifndef LIB_ENSEMBLE_WORDS_H
#define LIB_ENSEMBLE_WORDS_H

#include <engine/engine.h>

enum { WORDS = 2048 }; /* bytes of them */

/* Returns the words for a topic, ENGINE_WORDS_…, and its subject, or the subject if the program has none. */
static inline const char *words_of(const struct engine_context *context, uint32_t topic, const char *subject,
                                   char text[WORDS])
{
    const char *said = engine_words(context, topic, subject, text, WORDS);
    return said ? said : subject;
}

#endif
