/* May a file be loaded as code? Not where somebody else may change it, or put another in its place. */
#ifndef CORE_PLUGIN_TRUST_H
#define CORE_PLUGIN_TRUST_H

#include "base/error.h"

/* Follows a path through all symlinks to the file, and refuses it where anyone may write to it, or may replace it, a
 * folder or a link on the way: where one of the folders passed is writable by others and has no sticky bit. *resolved,
 * without symlinks, is the caller's to free. ENGINE_STATUS_PLUGIN. */
int trust_resolve(const char *path, char **resolved, struct engine_error *error);

#endif
