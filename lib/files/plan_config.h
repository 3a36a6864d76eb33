/* The configuration that repeats a run. */
#ifndef LIB_FILES_PLAN_CONFIG_H
#define LIB_FILES_PLAN_CONFIG_H

#include "plan/plan.h"

/* Prints the configuration of a plan as an .ini file that repeats the run from any folder: it includes the values of
 * the command line, the sizes and parameters that input files give, and the defaults of all parameters. Its paths are
 * absolute. A run and its analysis have the same configuration, with the parameters of both. The caller frees *text.
 * ENGINE_STATUS_USAGE where a value cannot be written in a file. */
int plan_config(const struct plan *plan, char **text, struct engine_error *error);

/* The same as a configuration, which the caller closes. */
int plan_config_copy(const struct plan *plan, struct config **copy, struct engine_error *error);

/* Leaves the folders out of the names of the input files in such a copy. */
int plan_config_hide_folders(const struct plan *plan, struct config *copy, struct engine_error *error);

/* Prints any configuration as an .ini file. The caller frees *text. ENGINE_STATUS_USAGE as for plan_config. */
int plan_config_text(const struct config *config, char **text, struct engine_error *error);

/* Prints the line of a key, whose section the error names. ENGINE_STATUS_USAGE as for plan_config. */
int plan_config_key(FILE *out, const char *section, const char *key, const char *text, struct engine_error *error);

#endif
