/* Errors inside the library: one sentence and the status it ends in.
 *
 * A core function that can fail takes a `struct engine_error *` last. It returns 0, or the status that it recorded
 * there. */
#ifndef CORE_BASE_ERROR_H
#define CORE_BASE_ERROR_H

#include <engine/engine.h>

/* Records a sentence without a full stop: `file:line: what is wrong, what was expected, what to do`. Returns status. */
int error_set(struct engine_error *error, int status, const char *format, ...) ENGINE_PRINTF(3, 4);

/* Puts text in front of the sentence: where it happened. Returns the status recorded. */
int error_prefix(struct engine_error *error, const char *format, ...) ENGINE_PRINTF(2, 3);

/* Records ENGINE_STATUS_DEVICE with a sentence about an allocation that failed. */
int error_memory(struct engine_error *error, uint64_t bytes, const char *what);

#endif
