/* The configuration in an ensemble's folder, from which it is resumed. It does not depend on other places, because its
 * paths are absolute, and a line of comment identifies it, so that nobody continues with other values. */
#ifndef LIB_ENSEMBLE_FREEZE_H
#define LIB_ENSEMBLE_FREEZE_H

#include "ensemble/sweep.h"
#include "files/folder.h"

/* The attributes of "section.key" (config/keys.h). `about`: a plugin whose parameters are keys, too; or NULL. */
uint32_t freeze_flags(const struct engine_plugin *about, const char *name);

/* Copies a configuration and makes its paths absolute, also those among the swept values and the parameters of plugins,
 * whose defaults may be paths too. The caller closes *copy. */
int ensemble_freeze(const struct engine_config *config, const struct sweeps *sweeps, struct engine_config **copy,
                    struct engine_error *error);

/* Writes the configuration into the folder. `about` is the plugin of the members. ENGINE_STATUS_OUTPUT. */
int freeze_write(const struct engine_config *frozen, const struct engine_plugin *about, const struct folder *folder,
                 struct engine_error *error);

/* Finds out whether the configuration in the folder is that of an ensemble. */
int freeze_is_ensemble(const struct folder *folder, bool *found, struct engine_error *error);

/* Refuses assignments that may change results. `before` is the configuration of the folder, and
 * `after` the same with the assignments. ENGINE_STATUS_USAGE. */
int freeze_check_changes(const struct engine_config *before, const struct engine_config *after,
                         const char *const *assignments, uint32_t count, const char *folder,
                         struct engine_error *error);

/* Checks that the configuration, which was read from the folder, is the one that freeze_write wrote there, except for
 * the engine's keys that change no result. ENGINE_STATUS_USAGE. */
int freeze_check(const struct engine_config *config, const struct folder *folder, struct engine_error *error);

#endif
