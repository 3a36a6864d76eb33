/* A shared object with a descriptor: a plugin or a file format. */
#ifndef CORE_PLUGIN_OBJECT_H
#define CORE_PLUGIN_OBJECT_H

#include "base/error.h"

struct object {
    char *path; /* symlinks resolved; the caller frees it, also after an error */
    void *handle;
    const struct engine_abi *abi; /* the descriptor, which was not read yet */
    uint64_t bytes;               /* the size of its symbol */
};

/* Loads the file at the path and finds its descriptor, the data symbol of that name. `kind` says what the file should
 * be, for messages, which do not name the file. The file stays loaded. ENGINE_STATUS_PLUGIN. */
int object_open(const char *path, const char *symbol, const char *kind, struct object *object,
                struct engine_error *error);

#endif
