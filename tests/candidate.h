/* A run of a configuration on one implementation, with what is inside: for tests that look there. */
#ifndef TESTS_CANDIDATE_H
#define TESTS_CANDIDATE_H

#include "run/init.h"
#include "run/instance.h"

struct candidate {
    struct plan *plan;
    struct state *state;
    struct instance *instance;
};

static inline void candidate_close(struct candidate *candidate)
{
    instance_close(candidate->instance);
    state_close(candidate->state);
    plan_close(candidate->plan);
    *candidate = (struct candidate){0};
}

/* Plans, allocates, makes the initial state and calls create. After an error there is nothing to close. Configuration
 * and registry outlive the candidate. */
static inline int candidate_open(const struct config *config, struct registry *registry, const char *impl,
                                 struct candidate *candidate, struct engine_error *error)
{
    *candidate = (struct candidate){0};
    if (plan_open(config, registry, &candidate->plan, error) == 0 && plan_choose(candidate->plan, impl, error) == 0 &&
        state_open(candidate->plan, &candidate->state, error) == 0 && init_state(candidate->state, error) == 0 &&
        instance_open(candidate->state, &candidate->instance, error) == 0)
        return 0;
    candidate_close(candidate);
    return error->status;
}

/* Takes `steps` steps in calls of at most `most` steps, or of as many as the ghosts allow, and waits for the end. */
static inline int candidate_advance(struct candidate *candidate, uint64_t steps, uint64_t most,
                                    struct engine_error *error)
{
    most = most < candidate->plan->most_steps ? most : candidate->plan->most_steps;
    for (uint64_t taken = 0, now; taken < steps; taken += now) {
        now = steps - taken < most ? steps - taken : most;
        if (instance_advance(candidate->instance, now, NULL, error) != 0)
            return error->status;
    }
    return state_synchronise(candidate->state, error);
}

#endif
