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

/* What this engine expects of a descriptor. */
struct object_interface {
    const char *symbol, *kind; /* "engine_plugin", "plugin" */
    const char *question;      /* "is this a plugin?" */
    const char *magic;         /* 8 bytes with the terminating zero */
    uint16_t major, minor;
    uint32_t first_size; /* of the descriptor in the first minor version */
};

/* Checks magic, versions and sizes, the only members that may be read before the sizes are known to fit. `readable` is
 * the size of the symbol. ENGINE_STATUS_PLUGIN; the message does not name the file. */
int object_check_abi(const struct object_interface *interface, const struct engine_abi *abi, uint64_t readable,
                     struct engine_error *error);

/* Loads the file at the path and finds its descriptor, the data symbol of that name. `kind` says what the file should
 * be, for messages, which do not name the file. The file stays loaded. ENGINE_STATUS_PLUGIN. */
int object_open(const char *path, const char *symbol, const char *kind, struct object *object,
                struct engine_error *error);

#endif
