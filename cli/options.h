/* The command line: what all verbs share. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "option_table.h"
#include "plan/plan.h"

/* Reads a verb's command line. Sets host_verbosity. With --help everything else is left unread, and help_print was
 * called. ENGINE_STATUS_USAGE. */
int options_read(const struct verb *verb, int count, char **words, struct options *options, struct engine_error *error);

/* A configuration with its --set, and the registry of plugins. A path of one word that is no file is looked for among
 * the configurations that came with the engine. */
int options_config(const struct options *options, const char *path, struct config **config, struct engine_error *error);
int options_registry(const struct options *options, struct registry **registry, struct engine_error *error);

/* Prints "engine: text" on stderr; returns the error's status. */
int report(const struct engine_error *error);

/* Output meant for stdout was written and reached it, or status 6. */
int finish_stdout(int status);

#endif
