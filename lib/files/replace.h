/* Replacing a file: the new one is written under a temporary name and then renamed, so that a file with a final name is
 * always whole. Nobody can guess the temporary name or put a file or a link there first. Errors come without the file's
 * name and have ENGINE_STATUS_OUTPUT. */
#ifndef LIB_FILES_REPLACE_H
#define LIB_FILES_REPLACE_H

#include "files/folder.h"

enum { REPLACE_NAME = 24 };

struct replacement {
    const struct folder *folder;
    int file;                     /* the new file, open for reading and writing */
    char temporary[REPLACE_NAME]; /* its name: .tmp. and 16 hexadecimal digits */
};

/* Creates the new file of that name, empty, under its temporary name. Refuses a name that cannot be replaced, because
 * it is not that of a regular file. replace_finish must follow. */
int replace_begin(const struct folder *folder, const char *name, struct replacement *new, struct engine_error *error);

/* Closes the new file. If `status` is 0, renames it to its final name; if `synced` is set, also synchronises it and
 * the folder to disk. If `status` is not 0, or after an error, removes it. Returns the status. */
int replace_finish(struct replacement *new, const char *name, bool synced, int status, struct engine_error *error);

/* Replaces a file by one with that text, and synchronises it to disk. The error has the file's name. */
int replace_text(const struct folder *folder, const char *name, const char *text, struct engine_error *error);

/* Is this the name of a temporary file, of this or of earlier versions of the engine? */
bool replace_is_temporary(const char *name);

#endif
