#include "judge/verify.h"
#include "base/context.h"
#include "files/plan_use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One, an even number, an odd one. The fourth number is the most steps. */
static const uint64_t usual_counts[VERIFY_COUNTS - 1] = {1, 2, 7};

/* The inputs, and the two runs that others are compared with: the reference and, where that is not exact, the first
 * exact implementation. Both advance from one number of steps to the next. */
struct verifier {
    const struct config *config;
    struct config *undivided; /* the same undivided, in which the reference and other oracles run */
    struct registry *registry;
    struct verification *verification;
    const struct engine_impl *first_exact; /* that can run; NULL: none */
    struct contender reference, exact;     /* the second is open only where the reference is not exact */
};

/* ---- Implementations and oracles --------------------------------------------------------------------------- */

static void judge(const struct verifier *verifier, struct verify_result *result, uint64_t steps)
{
    struct plan *plan = verifier->verification->plan;
    const struct plan_verdict verdict = plan_judge(plan, result->impl);
    struct engine_error error;
    result->promise = promise_of(plugin_reference(plan->plugin), result->impl, verifier->first_exact);
    if (!result->promise.oracle && plan->settings.parts > 1)
        result->promise.oracle = result->impl; /* the parts of the reference are compared with the whole */
    result->usable = verdict.usable && plan_choose(plan, result->impl->name, &error) == 0;
    if (!result->usable) {
        snprintf(result->text, sizeof result->text, "%s", verdict.usable ? error.text : verdict.reason);
        return;
    }
    /* The last number: the most steps of one call, but at least 7, and no more than asked for. */
    uint64_t most = plan->most_steps < usual_counts[2] ? usual_counts[2] : plan->most_steps;
    most = most < steps ? most : steps;
    for (int i = 0; i < VERIFY_COUNTS - 1 && usual_counts[i] < most; i++)
        result->counts[result->count_count++] = usual_counts[i];
    result->counts[result->count_count++] = most;
}

static int find_oracles(struct verifier *verifier, struct engine_error *error)
{
    const struct plugin *plugin = verifier->verification->plan->plugin;
    const struct engine_impl_array *impls = &plugin->about.impls;
    struct plan *plan;
    verifier->verification->reference = plugin_reference(plugin);
    if (config_clone(verifier->config, &verifier->undivided, error) != 0 ||
        config_set(verifier->undivided, "run.devices=1", error) != 0 ||
        config_set(verifier->undivided, "run.parts=1", error) != 0 ||
        plan_open(verifier->undivided, verifier->registry, &plan, error) != 0)
        return error->status;
    int status = plan_choose(plan, plugin_reference(plugin)->name, error);
    if (status != 0)
        error_prefix(error, "the reference: ");
    for (uint32_t i = 0; status == 0 && i < impls->count && !verifier->first_exact; i++)
        if (impls->at[i].flags & ENGINE_EXACT && plan_judge(plan, &impls->at[i]).usable)
            verifier->first_exact = &impls->at[i];
    plan_close(plan);
    return status;
}

/* Finds an implementation by its name, even if it cannot run. Returns NULL and an error where there is none. */
static const struct engine_impl *named(struct plan *plan, const char *name, struct engine_error *error)
{
    const struct engine_impl *impl = plugin_impl(plan->plugin, name);
    return impl ? impl : plan_choose(plan, name, error) == 0 ? plan->impl : NULL;
}

static int list_results(const struct verifier *verifier, char *const *names, uint32_t count, uint64_t steps,
                        struct engine_error *error)
{
    struct verification *verification = verifier->verification;
    struct plan *plan = verification->plan;
    const uint32_t total = count ? count : plan->plugin->about.impls.count;
    verification->results = calloc(total, sizeof *verification->results);
    if (!verification->results)
        return error_memory(error, total * sizeof *verification->results, "results");
    for (; verification->count < total; verification->count++) {
        const uint32_t i = verification->count;
        struct verify_result *result = &verification->results[i];
        result->impl = count ? named(plan, names[i], error) : &plan->plugin->about.impls.at[i];
        if (!result->impl)
            return error->status;
        judge(verifier, result, steps);
    }
    return 0;
}

/* ---- Comparing ---------------------------------------------------------------------------------------------- */

static void fill_check(struct verify_check *check, const struct comparison *comparison,
                       const struct engine_shape *shape, double tolerance)
{
    check->elements = comparison->elements;
    check->differing = comparison->differing;
    check->deviation = comparison_deviation(comparison);
    check->holds = comparison_holds(comparison, tolerance);
    if (check->differing == 0)
        return;
    element_place(check->field, shape, comparison->first.element, check->place);
    difference_texts(shape->type, &comparison->first, check->is, check->should);
}

static int check_field(struct verify_result *result, const struct state *is, const struct state *should, uint32_t field,
                       bool split, struct engine_error *error)
{
    struct verify_check *check = &result->checks[result->check_count];
    struct comparison comparison;
    if (comparison_open(&comparison, result->promise.tolerance > 0, error) != 0)
        return error->status;
    int status = comparison_add_field(&comparison, is, should, field, error);
    if (status == 0) {
        *check = (struct verify_check){
            .field = &is->plan->plugin->about.fields.at[field], .steps = is->step, .split = split};
        fill_check(check, &comparison, &state_geometry(is, field)->shape, result->promise.tolerance);
        result->check_count++;
    }
    comparison_close(&comparison);
    return status;
}

static int check_states(struct verify_result *result, const struct state *is, const struct state *should, bool split,
                        struct engine_error *error)
{
    for (uint32_t i = 0; i < is->plan->plugin->about.fields.count; i++)
        if (plan_is_result(is->plan->fields[i].about) && check_field(result, is, should, i, split, error) != 0)
            return error->status;
    return 0;
}

/* ---- Trying ------------------------------------------------------------------------------------------------- */

/* A failure of an implementation is its result and ends its checks. */
static void note_failure(struct verify_result *result, const struct engine_error *error)
{
    result->status = error->status;
    snprintf(result->text, sizeof result->text, "%s", error->text);
}

/* Opens a reference with the state and the step of a contender. */
static int open_referee(const struct verifier *verifier, const struct contender *contender, struct contender *referee,
                        struct engine_error *error)
{
    const char *name = verifier->verification->reference->name;
    if (contender_open(verifier->undivided, verifier->registry, name, referee, error) == 0 &&
        contender_follow(referee, contender, error) == 0)
        return 0;
    return error_prefix(error, "the reference: ");
}

/* Compares the last of `steps` steps, from the state that the implementation made of the steps before it. A tolerance
 * is a promise about one step, because the growth of errors over many steps depends on the system. */
static void try_last_step(const struct verifier *verifier, struct verify_result *result, uint64_t steps)
{
    struct contender contender = {0}, referee = {0};
    struct engine_error error;
    if (contender_open(verifier->config, verifier->registry, result->impl->name, &contender, &error) != 0 ||
        contender_advance(&contender, steps - 1, UINT64_MAX, &error) != 0 ||
        open_referee(verifier, &contender, &referee, &error) != 0 || contender_advance(&contender, 1, 1, &error) != 0 ||
        contender_advance(&referee, 1, 1, &error) != 0 ||
        check_states(result, contender.state, referee.state, false, &error) != 0)
        note_failure(result, &error);
    contender_close(&referee);
    contender_close(&contender);
}

static void try_steps(const struct verifier *verifier, struct verify_result *result, uint64_t steps)
{
    const struct contender *oracle =
        result->promise.oracle == verifier->verification->reference ? &verifier->reference : &verifier->exact;
    struct contender contender;
    struct engine_error error;
    if (contender_open(verifier->config, verifier->registry, result->impl->name, &contender, &error) != 0) {
        note_failure(result, &error);
        return;
    }
    if (contender_advance(&contender, steps, UINT64_MAX, &error) != 0 ||
        check_states(result, contender.state, oracle->state, false, &error) != 0)
        note_failure(result, &error);
    contender_close(&contender);
}

/* Compares k steps in as few calls as possible with k calls of one step. */
static void try_split(struct verifier *verifier, struct verify_result *result)
{
    const uint64_t steps = result->counts[result->count_count - 1];
    struct contender whole = {0}, split = {0};
    struct engine_error error;
    if (contender_open(verifier->config, verifier->registry, result->impl->name, &whole, &error) != 0 ||
        contender_advance(&whole, steps, UINT64_MAX, &error) != 0 ||
        contender_open(verifier->config, verifier->registry, result->impl->name, &split, &error) != 0 ||
        contender_advance(&split, steps, 1, &error) != 0 ||
        check_states(result, split.state, whole.state, true, &error) != 0)
        note_failure(result, &error);
    contender_close(&split);
    contender_close(&whole);
}

static bool tries(const struct verify_result *result, uint64_t steps)
{
    for (uint32_t i = 0; i < result->count_count; i++)
        if (result->counts[i] == steps)
            return result->usable && result->status == 0 && result->promise.oracle;
    return false;
}

/* The next number of steps after `steps` that an implementation tries; UINT64_MAX: none. */
static uint64_t next_count(const struct verification *verification, uint64_t steps)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t r = 0; r < verification->count; r++)
        for (uint32_t i = 0; i < verification->results[r].count_count; i++) {
            const uint64_t count = verification->results[r].counts[i];
            if (count > steps && count < next && tries(&verification->results[r], count))
                next = count;
        }
    return next;
}

static int walk_to(struct contender *oracle, uint64_t steps, struct engine_error *error)
{
    if (!oracle->state || contender_advance(oracle, steps - oracle->state->step, UINT64_MAX, error) == 0)
        return 0;
    return error_prefix(error, "the reference: ");
}

static int open_oracles(struct verifier *verifier, struct engine_error *error)
{
    const struct engine_impl *reference = verifier->verification->reference, *exact = verifier->first_exact;
    if (contender_open(verifier->undivided, verifier->registry, reference->name, &verifier->reference, error) != 0)
        return error_prefix(error, "the reference: ");
    if (reference->flags & ENGINE_EXACT || !exact)
        return 0;
    return contender_open(verifier->undivided, verifier->registry, exact->name, &verifier->exact, error);
}

/* Is there an implementation whose bits are compared after `steps` steps? */
static bool compares_bits(const struct verification *verification, uint64_t steps)
{
    for (uint32_t i = 0; i < verification->count; i++)
        if (verification->results[i].promise.tolerance == 0 && tries(&verification->results[i], steps))
            return true;
    return false;
}

static int try_all(struct verifier *verifier, struct engine_error *error)
{
    struct verification *verification = verifier->verification;
    int status = 0;
    for (uint64_t steps = next_count(verification, 0); status == 0 && steps != UINT64_MAX;
         steps = next_count(verification, steps)) {
        context_activity(verification->plan->context, "%s: step %llu", verification->plan->plugin->about.name,
                         (unsigned long long) steps);
        if (compares_bits(verification, steps) && ((status = walk_to(&verifier->reference, steps, error)) != 0 ||
                                                   (status = walk_to(&verifier->exact, steps, error)) != 0))
            break;
        for (uint32_t i = 0; i < verification->count; i++)
            if (tries(&verification->results[i], steps))
                (verification->results[i].promise.tolerance > 0 ? try_last_step : try_steps)(
                    verifier, &verification->results[i], steps);
    }
    return status;
}

int verify_all(const struct config *config, struct registry *registry, char *const *names, uint32_t count,
               uint64_t steps, struct verification *verification, struct engine_error *error)
{
    struct verifier verifier = {.config = config, .registry = registry, .verification = verification};
    *verification = (struct verification){0};
    int status = plan_open(config, registry, &verification->plan, error);
    if (status == 0)
        status = plan_check_init(verification->plan, error);
    if (status == 0)
        plan_warn_empty(verification->plan);
    if (status == 0 && (status = find_oracles(&verifier, error)) == 0 &&
        (status = list_results(&verifier, names, count, steps, error)) == 0 &&
        (status = open_oracles(&verifier, error)) == 0)
        status = try_all(&verifier, error);
    contender_close(&verifier.exact);
    contender_close(&verifier.reference);
    for (uint32_t i = 0; status == 0 && i < verification->count; i++)
        if (verification->results[i].usable && verification->results[i].status == 0)
            try_split(&verifier, &verification->results[i]);
    config_close(verifier.undivided);
    context_idle(registry_context(registry));
    return status;
}

void verify_release(struct verification *verification)
{
    plan_close(verification->plan);
    free(verification->results);
}

const struct verify_check *verify_broken(const struct verify_result *result)
{
    for (uint32_t i = 0; i < result->check_count; i++)
        if (!result->checks[i].holds)
            return &result->checks[i];
    return NULL;
}

const struct verify_result *verify_worst(const struct verification *verification, bool named, int *status)
{
    const struct verify_result *worst = NULL;
    *status = 0;
    for (uint32_t i = 0; i < verification->count; i++) {
        const struct verify_result *result = &verification->results[i];
        const int own = result->status ? result->status : named && !result->usable ? ENGINE_STATUS_PLUGIN : 0;
        if (verify_broken(result)) {
            *status = ENGINE_STATUS_UNVERIFIED;
            return result;
        }
        if (own && !worst) {
            *status = own;
            worst = result;
        }
    }
    return worst;
}
