/* The bytes of a file that may be compressed with gzip, or be the only pattern in a zip archive. */
#ifndef LIB_FILES_UNPACKED_H
#define LIB_FILES_UNPACKED_H

#include "base/error.h"

#include <stdbool.h>

struct unpacked;

/* Opens a file at its first byte. *unpacked is NULL after an error. ENGINE_STATUS_INPUT. */
int unpacked_open(struct unpacked **unpacked, const char *path, struct engine_error *error);
void unpacked_close(struct unpacked *unpacked); /* NULL is allowed */

/* The path; in an archive, that of the archive, '/', and the file's name in it. It lives as long as the file is
 * open. */
const char *unpacked_path(const struct unpacked *unpacked);

bool unpacked_is_gzip(const struct unpacked *unpacked);
bool unpacked_is_zip(const struct unpacked *unpacked);

/* Copies the next bytes and returns their number. It is less than `count` at the end of the file, and where the file
 * cannot be read further; then *trouble becomes the reason, otherwise NULL. */
uint64_t unpacked_next(struct unpacked *unpacked, void *out, uint64_t count, const char **trouble);

/* Moves to a byte that was copied before. Returns false where the file cannot be read twice. */
bool unpacked_seek(struct unpacked *unpacked, uint64_t offset);

#endif
