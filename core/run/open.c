/* The kinds of stores and of steppers that libengine has: state_open and instance_open choose among them. A program that
 * links the kernel alone has another such file. */
#include "run/instance.h"
#include "run/stepper_parts.h"
#include "run/stepper_ranks.h"
#include "run/stepper_recorded.h"
#include "run/stepper_turns.h"

int state_open(struct plan *plan, struct state **state, struct engine_error *error)
{
    return state_open_in(plan, plan->parts ? &store_parts : &store_whole, state, error);
}

static int open_own(struct state *state, struct stepper **stepper, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    if (!plan->parts)
        return stepper_here_open(state, stepper, error);
    return (plan_shares_work(plan) ? stepper_team_open : stepper_cut_open)(state, stepper, error);
}

int instance_open(struct state *state, struct instance **instance, struct engine_error *error)
{
    struct stepper *stepper = NULL;
    int status = open_own(state, &stepper, error);
    if (status == 0 && stepper_recorded_wanted(state->plan))
        status = stepper_recorded_open(stepper, &stepper, error);
    if (status == 0 && state_ranks(state))
        status = stepper_ranks_open(stepper, &stepper, error);
    *instance = NULL;
    return status == 0 ? instance_open_on(stepper, instance, error) : status;
}
