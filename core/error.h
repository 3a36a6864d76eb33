/* What went wrong, in one sentence, and the exit status it ends in.
 *
 * A core function that can fail takes a `struct error *` last and returns 0 or the exit status it recorded there. */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include <engine/plugin.h>

/* Exit statuses of the engine; 128 + N for a run stopped by signal N. */
enum {
    STATUS_DONE = 0,
    STATUS_UNVERIFIED = 1, /* a verification did not hold */
    STATUS_USAGE = 2,      /* command line or configuration */
    STATUS_INPUT = 3,      /* an input file */
    STATUS_PLUGIN = 4,
    STATUS_DEVICE = 5, /* device or memory */
    STATUS_OUTPUT = 6  /* writing output */
};

struct error {
    int status;
    char text[2048];
};

/* Records a sentence without a full stop: `file:line: what is wrong, what was expected, what to do`. Returns status. */
int error_set(struct error *error, int status, const char *format, ...) ENGINE_PRINTF(3, 4);

/* Puts more in front of the text: where it happened. Returns the status recorded. */
int error_prefix(struct error *error, const char *format, ...) ENGINE_PRINTF(2, 3);

/* STATUS_DEVICE with the text for an allocation that failed. */
int error_memory(struct error *error, uint64_t bytes, const char *what);

#endif
