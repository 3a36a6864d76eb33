/* Checks the descriptor of a plugin: whether it is for this host, whether it is complete, and whether it makes sense.
 *
 * No function of the plugin is called here. Messages do not name the file; plugin_load puts it in front.
 * ENGINE_STATUS_PLUGIN. */
#ifndef CORE_PLUGIN_DESCRIPTOR_H
#define CORE_PLUGIN_DESCRIPTOR_H

#include "base/error.h"
#include <stdbool.h>

/* Checks magic, versions and sizes, the only members that may be read before the sizes are known to fit. `readable` is
 * the size of the symbol. */
int descriptor_check_abi(const struct engine_abi *abi, uint64_t readable, struct engine_error *error);

/* Copies a descriptor that passed this check into this host's structures, array by array and element by element.
 * Members that the plugin's version lacks are zero; members that this version lacks are dropped. Flags that an older
 * version combines become the flag of this version. Strings stay the plugin's. */
int descriptor_copy(const struct engine_abi *from, struct engine_plugin *to, struct engine_error *error);
void descriptor_release(struct engine_plugin *about); /* frees the arrays */

/* Is it a name for a plugin: 1 to CONFIG_NAME_MAX letters, digits, '-' and '_', never a path? */
bool descriptor_is_plugin_name(const char *name);

/* Checks names, tables, defaults and combinations. `stem` is the file's name without ".so". */
int descriptor_check(const struct engine_plugin *about, const char *stem, struct engine_error *error);

#endif
