/* Errors inside the library: a sentence and an exit status.
 *
 * A core function that can fail takes a `struct engine_error *` last. It returns 0, or the status that it recorded
 * there. */
#ifndef CORE_BASE_ERROR_H
#define CORE_BASE_ERROR_H

#include <engine/engine.h>

/* Records a sentence without a full stop: `file:line: what is wrong; expected what; what to do`. Returns status. Names
 * and texts from files may be among the arguments: '?' replaces their control characters (text_make_printable). */
int error_set(struct engine_error *error, int status, const char *format, ...) ENGINE_PRINTF(3, 4);

/* Puts a text in front of the recorded sentence: the place of the error. Returns the recorded status. */
int error_prefix(struct engine_error *error, const char *format, ...) ENGINE_PRINTF(2, 3);

/* Records that an allocation failed, and returns ENGINE_STATUS_DEVICE. `what` is what the memory was for. */
int error_memory(struct engine_error *error, uint64_t bytes, const char *what);

#endif
