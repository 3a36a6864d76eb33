/* The structures behind the handles of engine/engine.h. */
#ifndef CORE_API_HANDLES_H
#define CORE_API_HANDLES_H

#include "base/context.h"
#include "base/numeric.h"
#include "plugin/registry.h"
#include "run/run.h"

struct engine_context {
    struct context context;
    struct running running;
    struct registry *registry;
    char **folders, *path; /* copies of the texts in the hooks; the list of folders ends with NULL */
    uint64_t runs;         /* that were made from the context */
    double opened;         /* when the context was opened, on the clock of machine_clock */
};

/* engine_open, with the modules that contexts get. */
int api_open(const struct engine_hooks *hooks, const struct modules *modules, struct engine_context **context,
             struct engine_error *error);

/* These functions call the hooks `allocate` and `release` of a context. */
extern const struct memory_hooks api_memory;

/* Describes a plugin for the public interface. */
void plugin_fill_info(const struct plugin *plugin, struct engine_plugin_info *info);

struct engine_config {
    struct engine_context *context;
    struct config *config;
};

struct engine_run {
    struct engine_context *context;
    struct run *run;
    uint64_t number; /* of the run, among those of the context */
    bool prepared;   /* it has a state from engine_run_prepare, and engine_run_start was not called yet */
};

/* Makes a run that is empty, which engine_run_close closes; NULL: there is no memory. */
struct engine_run *api_new_run(struct engine_context *context, struct engine_error *error);

/* Checks that an implementation was chosen. ENGINE_STATUS_USAGE. */
int api_check_chosen(const struct engine_run *run, struct engine_error *error);

#endif
