/* Taking steps of a run again: a look at the state may take steps from the present state, or from that of the start, and
 * goes back to the present one. */
#ifndef LIB_RECORD_RERUN_H
#define LIB_RECORD_RERUN_H

#include "files/folder.h"
#include "run/pace.h"

/* The state at the start of the run, which is in the folder while a run waits for a condition that needs it. */
#define FOLDER_START "start.snapshot"

/* The state at the start of a run. */
struct rerun_start {
    const struct folder *folder; /* NULL: the run has none, and `copies` holds what FOLDER_START would */
    uint64_t step;
    void *copies[PLAN_FIELDS_MAX];
};

/* Keeps the present state as that of the start, and waits for the file: checkpoints rely on it. */
int rerun_keep_start(struct instance *instance, struct rerun_start *start, struct engine_error *error);
void rerun_drop_start(const struct instance *instance, struct rerun_start *start);

struct rerun {
    struct instance *instance;
    const struct rerun_start *start;
    struct pace *pace;
    bool (*stopped)(void *context); /* asked between two calls; if it says so, the rerun is abandoned */
    void *context;
    uint64_t step; /* the present step */
    bool abandoned;
    void *copies[PLAN_FIELDS_MAX]; /* of the present state */
    bool has_low;
    uint64_t low_step;          /* before what rerun_find_first looks for */
    void *low[PLAN_FIELDS_MAX]; /* of its state */
};

/* rerun_begin copies the present state. rerun_end goes back to it, also after an error of the functions between them. */
int rerun_begin(struct rerun *rerun, struct engine_error *error);
int rerun_end(struct rerun *rerun, struct engine_error *error);

/* Goes to the present state. */
int rerun_present(struct rerun *rerun, struct engine_error *error);

/* Takes the steps up to `target`. */
int rerun_to(struct rerun *rerun, uint64_t target, struct engine_error *error);

enum { RERUN_POINTS = 256 }; /* steps of one pass of rerun_find_first, at most */

/* Returns in *found the index of the first of the steps low, low + stride, … below `high`, at most RERUN_POINTS, for whose
 * state something holds, or the number of them. The state is that of step `low`. */
typedef int rerun_pass(void *self, uint64_t low, uint64_t high, uint64_t stride, uint64_t *found,
                       struct engine_error *error);

/* Finds the first step from `low` on for whose state something holds. It holds for all later states, and for that of
 * step `high`. So passes over ever narrower ranges of steps find it. */
int rerun_find_first(struct rerun *rerun, uint64_t low, uint64_t high, rerun_pass *pass, void *self, uint64_t *first,
                     struct engine_error *error);

#endif
