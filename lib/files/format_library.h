/* A loaded file format. Its descriptor is checked before any of its functions is called, and copied into this host's
 * version of the structure. */
#ifndef LIB_FILES_FORMAT_LIBRARY_H
#define LIB_FILES_FORMAT_LIBRARY_H

#include "base/error.h"
#include "plugin/registry.h"

#include <engine/format.h>

struct format_library {
    char *path;                      /* of the file, symlinks resolved */
    struct engine_file_format about; /* a copy, with zeros for members that an older format lacks */
};

/* Loads the file at the path. ENGINE_STATUS_PLUGIN; the message names the file, what it has and what this host
 * expects. */
int format_library_load(const char *path, struct format_library **library, struct engine_error *error);

/* Frees the copy. The file stays loaded. NULL is allowed. */
void format_library_free(struct format_library *library);

#endif
