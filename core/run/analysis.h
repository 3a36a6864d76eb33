/* A plugin that looks at a run: every so many steps it takes one step of its own, whose inputs are the run's fields in
 * their memory, and adds to its outputs. */
#ifndef CORE_RUN_ANALYSIS_H
#define CORE_RUN_ANALYSIS_H

#include "run/instance.h"

struct analysis {
    const struct state *run;
    struct state *state; /* its step is the run's */
    struct instance *instance;
    uint64_t frames; /* looked at */
    uint64_t last;   /* the step of the last one; UINT64_MAX: none yet */
    double seconds;  /* spent on them */
};

/* The plan of the analysis that the run's configuration asks for, its implementation chosen; *plan is NULL where it
 * asks for none. */
int analysis_plan(const struct plan *run, struct registry *registry, struct plan **plan, struct engine_error *error);

/* `plan` is one of analysis_plan, `run` the state of the plan that it is bound to,
 * at the first step. Both outlive the analysis. */
int analysis_open(struct plan *plan, const struct state *run, struct analysis **analysis, struct engine_error *error);
void analysis_close(struct analysis *analysis);

/* The next step after the run's that it looks at; UINT64_MAX: none. The same for no analysis, which is NULL. */
uint64_t analysis_next(const struct analysis *analysis);

/* Looks at the run's state, if that is due and was not looked at already. `final`: this is the last one. Does nothing
 * where the analysis is NULL. */
int analysis_take(struct analysis *analysis, bool final, struct engine_error *error);

/* Binds the analysis to what the run's buffers hold now. */
int analysis_follow(struct analysis *analysis, struct engine_error *error);

#endif
