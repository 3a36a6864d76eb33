/* Decides whether a file may be loaded as code: a file that other users can change or replace is refused. */
#ifndef CORE_PLUGIN_TRUST_H
#define CORE_PLUGIN_TRUST_H

#include "base/error.h"

/* Follows a path through all symlinks to the file and opens it. Refuses what others could have put or replaced there:
 *
 * - a file that everyone can write to, and a path with a folder that everyone can write to and that has no sticky bit;
 * - in a folder with a sticky bit, a file, folder or symlink of another user;
 * - if the user is root, any file, folder or symlink of another user.
 *
 * Root, the owner of the root folder and the owner of the program's file do not count as other users, because they can
 * replace the program. Each folder is checked before anything in it, so after the check nobody else can exchange the
 * file (Kupsch and Miller, "How to open a file and not get hacked", ARES 2008).
 *
 * The caller frees *resolved, the path without symlinks, and closes *file. ENGINE_STATUS_PLUGIN. */
int trust_open(const char *path, char **resolved, int *file, struct engine_error *error);

#endif
