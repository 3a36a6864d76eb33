#include "record/advice.h"
#include "record/section_analyse.h"
#include "record/section_checkpoint.h"
#include "record/section_output.h"
#include "run/init.h"
#include "run/instance.h"

#include <stdio.h>
#include <stdlib.h>

/* Bytes of the buffers: to try larger ones would take longer than a user waits for a check. A pattern fills a part of the
 * grid alone, and no large grid of random cells has an implementation that would pay. */
enum { MOST_BYTES = 24 << 20, MOST_BYTES_OF_PATTERN = 768 << 20, MOST_BYTES_OF_SOUP = 192 << 10 };

static uint64_t sooner(uint64_t steps, uint64_t every)
{
    return every > 0 && every < steps ? every : steps;
}

/* The number of steps after which the run first writes, looks at or saves the state. */
static uint64_t steps_at_a_time(const struct plan *plan)
{
    const struct settings *settings = &plan->settings;
    uint64_t steps = sooner(settings->steps > 0 ? settings->steps : 1, output_settings(plan)->every);
    steps = sooner(steps, output_settings(plan)->metrics_every);
    steps = sooner(steps, output_settings(plan)->until.count > 0 ? output_until_every(plan) : 0);
    steps = sooner(steps, *analyse_settings(plan)->plugin ? analyse_settings(plan)->every : 0);
    return sooner(steps, checkpoint_settings(plan)->every);
}

/* Makes the initial state and asks. */
static int ask_state(struct state *state, char text[PLAN_ADVICE], struct engine_error *error)
{
    struct instance *instance;
    if (init_state(state, error) != 0 || instance_open(state, &instance, error) != 0)
        return error->status;
    const int status = instance_advise(instance, steps_at_a_time(state->plan), text, PLAN_ADVICE, error);
    instance_close(instance);
    return status;
}

/* The same for a plan with the implementation chosen. */
static int ask_plan(struct plan *plan, char text[PLAN_ADVICE], struct engine_error *error)
{
    const enum init_source source = plan->settings.source;
    struct state *state;
    if (plan->bytes > (source == INIT_FILE     ? MOST_BYTES_OF_PATTERN
                       : source == INIT_RANDOM ? MOST_BYTES_OF_SOUP
                                               : MOST_BYTES)) {
        snprintf(text, PLAN_ADVICE, "not tried, because the grid is large; a smaller grid can tell");
        return 0;
    }
    if (state_open(plan, &state, error) != 0)
        return error->status;
    const int status = ask_state(state, text, error);
    state_close(state);
    return status;
}

static void ask(const struct plan *plan, struct registry *registry, const struct engine_impl *impl,
                char text[PLAN_ADVICE])
{
    struct plan *own;
    struct engine_error error;
    if (plan_open(plan->config, registry, &own, &error) != 0 || plan_choose(own, impl->name, &error) != 0 ||
        ask_plan(own, text, &error) != 0)
        snprintf(text, PLAN_ADVICE, "not tried: %.180s", error.text);
    plan_close(own);
}

int advice_ask(struct plan *plan, struct registry *registry, struct engine_error *error)
{
    const struct engine_impl_array *impls = &plan->plugin->about.impls;
    if (!plan->advice && !(plan->advice = calloc(impls->count, sizeof *plan->advice)))
        return error_memory(error, impls->count * sizeof *plan->advice, "the advice of implementations");
    for (uint32_t i = 0; i < impls->count; i++)
        if (impls->at[i].advise && plan_judge(plan, &impls->at[i]).usable)
            ask(plan, registry, &impls->at[i], plan->advice[i]);
    return 0;
}
