/* A run and all that it holds, begun from its configuration or resumed from a checkpoint. */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include "checkpoint.h"
#include "lock.h"
#include "loop.h"
#include "options.h"

/* Released from the last to the first. What is not there is NULL. */
struct run {
    struct config *config;
    struct registry *registry;
    struct plan *plan;
    struct plan *analysis_plan;
    struct state *state;
    struct instance *instance;
    struct analysis *analysis; /* NULL: none is asked for */
    struct output *output;
    struct checkpoints *checkpoints;
    uint64_t first; /* the step that it began, or was resumed at */
};

/* Opens what comes before the state: of a run of the configuration at `path` whose output is `folder`, or, where that
 * is NULL, as the configuration says. What was opened is released whatever this and the next two return. */
int run_plan(struct run *run, const struct options *options, const char *path, const char *folder, struct error *error);

/* Opens a run at its beginning. Its folder is made, and locked by *lock, which the caller releases last; where `folder`
 * is not NULL, that one is, and has been. */
int run_begin(struct run *run, const struct options *options, const char *path, const char *folder, struct lock **lock,
              struct error *error);

/* After run_plan: opens the run at the checkpoint of that step in its folder, which is locked. *damaged: what is wrong
 * is wrong with the checkpoint's files, and another may do. */
int run_restore(struct run *run, const struct options *options, uint64_t step, bool *damaged, struct error *error);

/* Refuses a configuration of fewer steps than the run has taken. */
int run_refuse_steps(const struct run *run, uint64_t step, struct error *error);

/* Takes the steps and prints the summary. Returns the exit status; errors are reported. */
int run_go(struct run *run, const struct options *options);

void run_release(struct run *run);

#endif
