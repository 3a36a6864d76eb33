/* Decides whether a file may be loaded as code: not where other users can change or replace it. */
#ifndef CORE_PLUGIN_TRUST_H
#define CORE_PLUGIN_TRUST_H

#include "base/error.h"

/* Follows a path through all symlinks to the file. Refuses a file that everyone can write to, and a path with a folder
 * that everyone can write to and that has no sticky bit, because the file, a folder or a symlink on the way could be
 * replaced there. The caller frees *resolved, the path without symlinks. ENGINE_STATUS_PLUGIN. */
int trust_resolve(const char *path, char **resolved, struct engine_error *error);

#endif
