/* The pattern file in a zip archive. */
#ifndef LIB_FILES_ZIP_H
#define LIB_FILES_ZIP_H

#include "base/error.h"

struct zip;

/* Opens the only pattern file of an archive. Refuses an archive with none or several, what this reader cannot unpack,
 * and what unpacks to far more than its size (files/gzip.h). *zip is NULL after an error. ENGINE_STATUS_INPUT. */
int zip_open(struct zip **zip, const char *path, struct engine_error *error);
void zip_close(struct zip *zip);

/* Returns the file's name in the archive, of printable ASCII. */
const char *zip_name(const struct zip *zip);

/* Unpacks up to that many bytes. Returns fewer at the end, and where the archive is damaged; zip_trouble then returns
 * the reason, otherwise NULL. */
int zip_read(struct zip *zip, void *out, unsigned bytes);
const char *zip_trouble(const struct zip *zip);

/* Returns to the first byte. */
void zip_rewind(struct zip *zip);

#endif
