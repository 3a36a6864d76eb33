/* The command line: what all verbs share. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "option_table.h"

/* Reads a verb's command line. With --help the rest is left unread, and help_print was called. ENGINE_STATUS_USAGE. */
int options_read(const struct verb *verb, int count, char **words, struct options *options, struct engine_error *error);

/* Opens a context whose hooks print on the terminal of the options and find plugins in their folders. The options must
 * outlive it. */
int options_context(struct options *options, struct engine_context **context, struct engine_error *error);

/* Opens a configuration with the values of --set. A path that is not a file is looked for among the configurations that
 * came with the engine. */
int options_config(const struct options *options, struct engine_context *context, const char *path,
                   struct engine_config **config, struct engine_error *error);

#endif
