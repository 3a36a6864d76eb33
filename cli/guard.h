/* A plugin that calls exit would end the program with its own status, which may be 0, before the work is done. */
#ifndef CLI_GUARD_H
#define CLI_GUARD_H

#include <engine/engine.h>

/* From guard_begin to guard_end, only the guard may end the program by exit: it names the plugin that called exit, and
 * changes the status. Call guard_begin once. */
void guard_begin(void);
void guard_end(void);

/* Tells the guard which context knows the plugin that runs. NULL before the context is closed. */
void guard_watch(const struct engine_context *context);

#endif
