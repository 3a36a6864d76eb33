/* The processes of a run that mpirun has started together: which of them this one is, and the module that joins
 * them. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "installed.h"
#include "options.h"

#include <engine/engine.h>
#include <stdbool.h>

/* The name of the module's file. */
#define RANKS_MODULE "team-mpi.so"

/* Finds the module: beside the program, or where `make install` puts it. Returns false if it is not there. */
bool ranks_module(char path[INSTALLED_PATH]);

/* Writes what carries margins between GPUs of several processes on this machine: "peer (CUDA IPC), nccl 2.28.3". */
void ranks_transports(char text[128]);

/* The number that mpirun gave to this process; -1: no mpirun has started the program. */
int ranks_number(void);

/* Loads the module and joins the processes. options->transport stays NULL if no mpirun has started the program, or one
 * process alone. If MPI waits for another process longer than [run] patience, the program ends with
 * ENGINE_STATUS_DEVICE. ENGINE_STATUS_PLUGIN. */
int ranks_join(struct options *options, struct engine_error *error);

/* Serves process 0 until it ends. Signals that mpirun sends to all processes are for process 0, so this function
 * ignores them. Returns the exit status. */
int ranks_serve(struct engine_context *context);

/* Opens the context of a process that serves: without progress, with errors alone as messages, and without the folders
 * of --plugins that this host lacks. The plugin that is missing then is reported by process 0. */
int ranks_context(struct options *options, struct engine_context **context, struct engine_error *error);

/* Leaves the processes, after the context was closed; no longer than [run] patience. The transport may be NULL. */
void ranks_leave(const struct options *options);

#endif
