/* The tables that a plugin gives by name: engine_plugin.extension. */
#ifndef CORE_PLUGIN_EXTENSION_H
#define CORE_PLUGIN_EXTENSION_H

#include "base/error.h"

/* Asks a plugin whose descriptor was checked for the tables that this engine knows, and writes what they hold into the
 * members that had this meaning before 1.12. ENGINE_STATUS_PLUGIN: a table is smaller than that of its version. */
int extension_read(struct engine_plugin *about, struct engine_error *error);

#endif
