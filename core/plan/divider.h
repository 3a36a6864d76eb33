/* Divides runs among parts. A run with [run] parts > 1 has a plan for each part (plan->parts); the core makes these
 * plans and lays them out with the table below. */
#ifndef CORE_PLAN_DIVIDER_H
#define CORE_PLAN_DIVIDER_H

#include "plan/plan.h"

/* The functions return 0 or a status, with its error. */
struct divider {
    /* Checks that the fields can be divided. Their shapes are known. ENGINE_STATUS_USAGE. */
    int (*check)(struct plan *plan, struct engine_error *error);

    /* Does the run use [run] margin, and [run] transport? */
    bool (*has_margins)(const struct plan *plan);
    bool (*has_transport)(const struct plan *plan);

    /* Can this implementation run all parts? It can run the undivided run. */
    struct plan_verdict (*judge)(struct plan *plan, const struct engine_impl *impl);

    /* Makes the plans of the parts for the chosen implementation, and sets the bytes and the most steps of the whole.
     * After an error the caller calls close. */
    int (*lay_out)(struct plan *plan, struct engine_error *error);

    /* Closes the plans of the parts, if there are any. */
    void (*close)(struct plan *plan);
};

/* Functions of plan_choose.c for dividers: a verdict with this reason; plan_judge and the layout of all fields, for a plan
 * that is not divided. */
struct plan_verdict plan_refused(const char *reason);
struct plan_verdict plan_judge_undivided(struct plan *plan, const struct engine_impl *impl);
int plan_lay_out_undivided(struct plan *plan, struct engine_error *error);

/* The divider of the plan's context; NULL: it has none, or the run is not divided. */
const struct divider *plan_divider(const struct plan *plan);

#endif
