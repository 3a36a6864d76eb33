/* state_open and instance_open: which store and which stepper a run has. */
#include "base/context.h"
#include "base/modules.h"
#include "run/instance.h"
#include "run/stepper_whole.h"

static const struct modules *modules_of(const struct plan *plan)
{
    static const struct modules none = {.divider = NULL};
    return plan->context && plan->context->modules ? plan->context->modules : &none;
}

int state_open(const struct plan *plan, struct state **state, struct engine_error *error)
{
    return state_open_in(plan, modules_of(plan)->store ? modules_of(plan)->store(plan) : &store_whole, state, error);
}

/* A batch whose universes take their steps one after the other has a stepper of its own. */
static int open_whole(struct state *state, struct stepper **stepper, struct engine_error *error)
{
    return plan_takes_one_universe(state->plan)
               ? error_set(error, ENGINE_STATUS_USAGE, "batch: this program takes one universe")
               : stepper_whole_open(state, stepper, error);
}

int instance_open(struct state *state, struct instance **instance, struct engine_error *error)
{
    const struct modules *modules = modules_of(state->plan);
    struct stepper *stepper = NULL;
    *instance = NULL;
    if ((modules->open_stepper ? modules->open_stepper : open_whole)(state, &stepper, error) != 0)
        return error->status;
    return instance_open_on(stepper, instance, error);
}
