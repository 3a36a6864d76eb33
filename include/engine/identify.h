/* engine/identify.h - says what a pattern is: a still life, an oscillator, a spaceship, a gun, a puffer. engine/engine.h
 * includes it at its end, and explains statuses, objects, texts and structures. */
#ifndef ENGINE_IDENTIFY_H
#define ENGINE_IDENTIFY_H

#include <engine/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

struct engine_identity;

/* How engine_identify looks at a pattern. A member that is 0 has its default. */
struct engine_question {
    uint32_t size;                  /* the caller sets sizeof(struct engine_question) */
    uint32_t count;                 /* of the assignments */
    const char *const *assignments; /* "life2d-bit.rule=B36/S23": keys of the configuration of the pattern's run */
    uint64_t steps;                 /* the most steps; 0: 20000 */
    uint64_t cells;                 /* the most cells of a grid; 0: 2^26 */
};

/* Runs a pattern file until it is known what the pattern is, or until a limit is reached, which is a result and no error.
 * If the file states no bounded grid, the pattern lives in a plane: the function takes a larger grid before the pattern
 * meets an edge. `question` may be NULL. ENGINE_STATUS_INPUT: the file is not a pattern; ENGINE_STATUS_PLUGIN: no plugin
 * takes it; ENGINE_STATUS_USAGE: an assignment; ENGINE_STATUS_DEVICE: there is no memory. */
ENGINE_EXPORT int engine_identify(struct engine_context *context, const char *path,
                                  const struct engine_question *question, struct engine_identity **identity,
                                  struct engine_error *error);
ENGINE_EXPORT void engine_identity_close(struct engine_identity *identity);

/* Prints what the pattern is. form: ENGINE_TEXT, ENGINE_JSON. docs/reference/identify.md lists the members. */
ENGINE_EXPORT int engine_identity_print(const struct engine_identity *identity, int form, char **text,
                                        struct engine_error *error);

#ifdef __cplusplus
}
#endif

#endif
