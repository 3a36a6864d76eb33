/* Divides runs among parts. A run with [run] parts > 1 has a plan for each part (plan->parts); the kernel asks the table
 * below to make these plans and to lay them out. */
#ifndef CORE_PLAN_DIVIDER_H
#define CORE_PLAN_DIVIDER_H

#include "plan/plan.h"

/* The functions are called for plans with settings.parts > 1 alone. They return 0 or a status, with its error. */
struct divider {
    /* Checks that the fields, whose shapes are known, can be divided. ENGINE_STATUS_USAGE. */
    int (*check)(struct plan *plan, struct engine_error *error);

    /* Does the run use [run] margin, and [run] transport? */
    bool (*has_margins)(const struct plan *plan);
    bool (*has_transport)(const struct plan *plan);

    /* Can this implementation, which could take the run undivided, run all parts? */
    struct plan_verdict (*judge)(struct plan *plan, const struct engine_impl *impl);

    /* Makes the plans of the parts for the chosen implementation, and sets the bytes and the most steps of the whole.
     * After an error the caller calls close. */
    int (*lay_out)(struct plan *plan, struct engine_error *error);

    /* Closes the plans of the parts, if there are any. */
    void (*close)(struct plan *plan);
};

/* What a divider uses of plan_choose.c: plan_judge and the layout of all fields, for a plan that is not divided. */
struct plan_verdict plan_judge_undivided(struct plan *plan, const struct engine_impl *impl);
int plan_lay_out_undivided(struct plan *plan, struct engine_error *error);

/* The divider of the plan's context; NULL: it has none, or the run is not divided. */
const struct divider *plan_divider(const struct plan *plan);

#endif
