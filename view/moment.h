/* Files of a moment. The engine reads and writes files by their names, so what a viewer brings or takes home lies for a
 * moment in a folder of its own in $TMPDIR, which only its user can read. */
#ifndef VIEW_MOMENT_H
#define VIEW_MOMENT_H

#include <engine/engine.h>

#include <stddef.h>
#include <stdint.h>

enum { MOMENT_PATH = 4096 }; /* bytes */

/* Makes a folder. ENGINE_STATUS_OUTPUT. */
int moment_make(char folder[MOMENT_PATH], struct engine_error *error);

/* Removes a folder and its files; "" names none. */
void moment_remove(const char *folder);

/* Writes bytes to a file in a new folder. The file gets the name without what a shell could misread. A configuration
 * and a library are refused: ENGINE_STATUS_USAGE. ENGINE_STATUS_OUTPUT. */
int moment_keep(const char *name, const uint8_t *bytes, size_t count, char folder[MOMENT_PATH], char path[MOMENT_PATH],
                struct engine_error *error);

/* Takes the folder out of the sentence, since it means nothing to the viewer. Returns the status of the error. */
int moment_leave_out(const char *folder, struct engine_error *error);

#endif
