/* Reading a command line: words and options, the context, the configuration. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "option_table.h"

/* Seconds of a call in a run of several processes, which mpirun of Open MPI 5 kills a quarter of a second after SIGTERM. */
#define RANKS_PACE 0.05

/* Reads a verb's command line. --help prints the help, and the words after it are not read. ENGINE_STATUS_USAGE. */
int options_read(const struct verb *verb, int count, char **words, struct options *options, struct engine_error *error);

/* Opens a context. Its hooks print messages to options->terminal, and it searches the folders of --plugins. The options
 * must outlive the context. */
int options_context(struct options *options, struct engine_context **context, struct engine_error *error);

/* The same with the functions of `hooks` for messages, progress and stopping, which get `user` and the
 * other processes that `hooks` names. */
int options_context_with(const struct options *options, const struct engine_hooks *hooks, void *user,
                         struct engine_context **context, struct engine_error *error);

/* Opens a configuration and applies the assignments of --set. If `path` is not a file, it may name a configuration that
 * comes with the engine. */
int options_config(const struct options *options, struct engine_context *context, const char *path,
                   struct engine_config **config, struct engine_error *error);

/* If a run cannot be planned, because its plugin does not take the rule of its pattern file, adds to the error which
 * plugin does. Returns the status of the error. */
int options_explain(const struct engine_config *config, struct engine_error *error);

#endif
