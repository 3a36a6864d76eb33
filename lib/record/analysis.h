/* The analysis of a run by a second plugin. At the steps that are due it takes one step of its own: its inputs are the
 * run's fields in their memory, and it adds to its outputs. */
#ifndef LIB_RECORD_ANALYSIS_H
#define LIB_RECORD_ANALYSIS_H

#include "run/instance.h"
#include "run/observer.h"

struct analysis {
    const struct state *run;
    struct state *state; /* its step is the run's */
    struct instance *instance;
    uint64_t frames; /* the number of steps analysed */
    uint64_t last;   /* the step of the last one; UINT64_MAX: none yet */
    double seconds;  /* spent on them */
};

/* Plans the analysis of the run's configuration and chooses its implementation. *plan is NULL where there is none. */
int analysis_plan(const struct plan *run, struct plan **plan, struct engine_error *error);

/* Opens the analysis. `plan` comes from analysis_plan; `run` is the run's state at its first step. Both must outlive
 * the analysis. */
int analysis_open(struct plan *plan, const struct state *run, struct analysis **analysis, struct engine_error *error);
void analysis_close(struct analysis *analysis);

/* The next step after the run's that is to be analysed; UINT64_MAX: none, or the analysis is NULL. */
uint64_t analysis_next(const struct analysis *analysis);

/* Analyses the run's state, if it is due and was not analysed already. `final`: this is the last state. Does nothing
 * where the analysis is NULL. */
int analysis_take(struct analysis *analysis, bool final, struct engine_error *error);

/* Binds the analysis to the present contents of the run's buffers, and converts the inputs that have another type. */
int analysis_follow(struct analysis *analysis, struct engine_error *error);

struct observer analysis_observer(struct analysis *analysis);

#endif
