/* A run of a configuration on one implementation, with what is inside: for tests that look there. */
#ifndef TESTS_CONTENDER_H
#define TESTS_CONTENDER_H

#include "run/init.h"
#include "run/instance.h"

struct contender {
    struct plan *plan;
    struct state *state;
    struct instance *instance;
};

static inline void contender_close(struct contender *contender)
{
    instance_close(contender->instance);
    state_close(contender->state);
    plan_close(contender->plan);
    *contender = (struct contender){0};
}

/* Plans, allocates, makes the initial state and calls create. After an error there is nothing to close. Configuration and
 * registry outlive the contender. */
static inline int contender_open(const struct config *config, struct registry *registry, const char *impl,
                                 struct contender *contender, struct engine_error *error)
{
    *contender = (struct contender){0};
    if (plan_open(config, registry, &contender->plan, error) == 0 && plan_choose(contender->plan, impl, error) == 0 &&
        state_open(contender->plan, &contender->state, error) == 0 && init_state(contender->state, error) == 0 &&
        instance_open(contender->state, &contender->instance, error) == 0)
        return 0;
    contender_close(contender);
    return error->status;
}

/* Takes `steps` steps in calls of at most `most` steps, or of as many as the ghosts allow, and waits for the end. */
static inline int contender_advance(struct contender *contender, uint64_t steps, uint64_t most,
                                    struct engine_error *error)
{
    most = most < contender->plan->most_steps ? most : contender->plan->most_steps;
    for (uint64_t taken = 0, now; taken < steps; taken += now) {
        now = steps - taken < most ? steps - taken : most;
        if (instance_advance(contender->instance, now, NULL, error) != 0)
            return error->status;
    }
    return state_synchronise(contender->state, error);
}

#endif
