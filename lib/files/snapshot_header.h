/* The text of a snapshot's header: a line that names the format, and a JSON object. */
#ifndef LIB_FILES_SNAPSHOT_HEADER_H
#define LIB_FILES_SNAPSHOT_HEADER_H

#include "files/snapshot_file.h"

#include <json-c/json.h>

/* The version of the format, and the bytes of the text. A header has some KiB. Its largest part is the configuration,
 * whose 4096 keys could fill 4 MiB. */
enum { SNAPSHOT_VERSION = 1, SNAPSHOT_HEADER_MAX = 4 << 20 };

/* Returns the text, which the caller frees. NULL, with an error recorded, where there is no memory. */
char *snapshot_header_print(const struct snapshot_header *header, struct engine_error *error);

/* Reads the text. The texts of `header` live in *json, which the caller releases with json_object_put, and in *config,
 * which the caller frees. Errors come without the file's name. ENGINE_STATUS_INPUT. */
int snapshot_header_parse(const char *text, size_t length, struct snapshot_header *header, struct json_object **json,
                          char **config, struct engine_error *error);

#endif
