/* Replacing a file: the new one is written under a temporary name and then renamed, so that a file with a final name is
 * always whole. */
#ifndef CORE_IO_REPLACE_H
#define CORE_IO_REPLACE_H

#include "base/error.h"

/* Returns `folder/.tmp.<pid>.<name>` for `folder/name`: in the same folder, because rename works within one file
 * system, and with the same ending, which decides how some formats are written. The caller frees it. Returns NULL, with
 * an error recorded, where there is no memory. */
char *io_temporary_path(const char *path, struct engine_error *error);

/* Refuses to replace anything but a regular file. A missing file is no error. ENGINE_STATUS_OUTPUT. */
int io_check_can_replace(const char *path, struct engine_error *error);

#endif
