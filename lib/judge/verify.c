#include "judge/verify.h"
#include "base/error.h"
#include "judge/candidate.h"
#include "judge/universe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One, an even number, an odd one. The fourth number is the most steps. */
static const uint64_t usual_counts[VERIFY_COUNTS - 1] = {1, 2, 7};

/* The inputs, and the two runs that others are compared with: the reference and, where that is not exact, the first
 * exact implementation. Both advance from one number of steps to the next. */
struct verifier {
    const struct engine_config *config;
    struct engine_config *undivided; /* the same undivided, in which the reference and other oracles run */
    struct verification *verification;
    const struct engine_impl *first_exact; /* that can run; NULL: none */
    struct engine_run *reference, *exact;  /* the second is open only where the reference is not exact */
};

/* ---- Implementations and oracles --------------------------------------------------------------------------- */

/* The numbers of steps. The last one: the most steps of one call, but at least 7, and no more than asked for. */
static void choose_counts(struct verify_result *result, const struct engine_run *plan, uint64_t steps)
{
    struct engine_run_info info = {.size = sizeof info};
    engine_run_about(plan, &info);
    uint64_t most = info.most_steps < usual_counts[2] ? usual_counts[2] : info.most_steps;
    most = most < steps ? most : steps;
    for (int i = 0; i < VERIFY_COUNTS - 1 && usual_counts[i] < most; i++)
        result->counts[result->count_count++] = usual_counts[i];
    result->counts[result->count_count++] = most;
}

static int judge(const struct verifier *verifier, struct verify_result *result, uint64_t steps,
                 struct engine_error *error)
{
    const struct verification *verification = verifier->verification;
    const uint32_t checks = (VERIFY_COUNTS + 1 + VERIFY_UNIVERSES) * verification->about->fields.count;
    struct engine_error why;
    result->checks = calloc(checks, sizeof *result->checks);
    if (!result->checks)
        return error_memory(error, checks * sizeof *result->checks, "results");
    result->promise = promise_of(verification->reference, result->impl, verifier->first_exact);
    if (!result->promise.oracle && verification->parts > 1)
        result->promise.oracle = result->impl; /* the parts of the reference are compared with the whole */
    result->usable = !engine_run_missing(verification->plan, result->impl, &why) &&
                     engine_run_choose(verification->plan, result->impl->name, &why) == 0;
    if (result->usable)
        choose_counts(result, verification->plan, steps);
    else
        snprintf(result->text, sizeof result->text, "%s", why.text);
    return 0;
}

static int find_oracles(struct verifier *verifier, struct engine_error *error)
{
    const struct engine_impl_array *impls = &verifier->verification->about->impls;
    struct engine_error ignored;
    struct engine_run *plan;
    if (engine_config_copy(verifier->config, &verifier->undivided, error) != 0 ||
        engine_config_set(verifier->undivided, "run.devices=1", error) != 0 ||
        engine_config_set(verifier->undivided, "run.parts=1", error) != 0 ||
        engine_run_plan_steps(verifier->undivided, NULL, &plan, error) != 0)
        return error->status;
    const int status = engine_run_choose(plan, verifier->verification->reference->name, error);
    if (status != 0)
        error_prefix(error, "the reference: ");
    for (uint32_t i = 0; status == 0 && i < impls->count && !verifier->first_exact; i++)
        if (impls->at[i].flags & ENGINE_EXACT && !engine_run_missing(plan, &impls->at[i], &ignored))
            verifier->first_exact = &impls->at[i];
    engine_run_close(plan);
    return status;
}

/* Finds an implementation by its name, even if it cannot run. Returns NULL and an error where there is none. */
static const struct engine_impl *named(const struct verification *verification, const char *name,
                                       struct engine_error *error)
{
    const struct engine_impl_array *impls = &verification->about->impls;
    for (uint32_t i = 0; i < impls->count; i++)
        if (strcmp(impls->at[i].name, name) == 0)
            return &impls->at[i];
    return engine_run_choose(verification->plan, name, error) == 0 ? engine_run_impl(verification->plan) : NULL;
}

static int list_results(const struct verifier *verifier, char *const *names, uint32_t count, uint64_t steps,
                        struct engine_error *error)
{
    struct verification *verification = verifier->verification;
    const uint32_t total = count ? count : verification->about->impls.count;
    verification->results = calloc(total, sizeof *verification->results);
    if (!verification->results)
        return error_memory(error, total * sizeof *verification->results, "results");
    for (uint32_t i = 0; i < total; i++) {
        struct verify_result *result = &verification->results[verification->count++];
        result->impl = count ? named(verification, names[i], error) : &verification->about->impls.at[i];
        if (!result->impl || judge(verifier, result, steps, error) != 0)
            return error->status;
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

static int check_field(const struct verification *verification, struct verify_result *result,
                       const struct engine_run *is, const struct engine_run *should, uint32_t field, bool split,
                       struct engine_error *error)
{
    struct verify_check *check = &result->checks[result->check_count];
    struct comparison comparison;
    if (comparison_open(&comparison, result->promise.tolerance > 0, error) != 0)
        return error->status;
    int status = comparison_add_field(&comparison, is, should, field, error);
    if (status == 0) {
        struct engine_shape shape = {.size = sizeof shape};
        engine_run_shape(is, field, &shape);
        *check = (struct verify_check){
            .field = &verification->about->fields.at[field], .steps = engine_run_step(is), .split = split};
        fill_check(check, &comparison, &shape, result->promise.tolerance);
        result->check_count++;
    }
    comparison_close(&comparison);
    return status;
}

static int check_runs(const struct verification *verification, struct verify_result *result,
                      const struct engine_run *is, const struct engine_run *should, bool split,
                      struct engine_error *error)
{
    const struct engine_field_array *fields = &verification->about->fields;
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].role != ENGINE_INPUT && check_field(verification, result, is, should, i, split, error) != 0)
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

static int open_candidate(const struct verifier *verifier, struct verify_result *result, struct engine_run **candidate,
                          struct engine_error *error)
{
    if (candidate_open(verifier->config, result->impl->name, candidate, error) != 0)
        return error->status;
    result->began = true;
    return 0;
}

/* Opens a reference with the state and the step of a candidate. */
static int open_referee(const struct verifier *verifier, const struct engine_run *candidate,
                        struct engine_run **referee, struct engine_error *error)
{
    if (candidate_open(verifier->undivided, verifier->verification->reference->name, referee, error) == 0 &&
        engine_run_copy(*referee, candidate, error) == 0)
        return 0;
    return error_prefix(error, "the reference: ");
}

/* Compares the last of `steps` steps, from the state that the implementation made of the steps before it. A tolerance
 * is a promise about one step, because the growth of errors over many steps depends on the system. */
static void try_last_step(const struct verifier *verifier, struct verify_result *result, uint64_t steps)
{
    struct engine_run *candidate = NULL, *referee = NULL;
    struct engine_error error;
    if (open_candidate(verifier, result, &candidate, &error) != 0 ||
        engine_run_take(candidate, steps - 1, UINT64_MAX, &error) != 0 ||
        open_referee(verifier, candidate, &referee, &error) != 0 || engine_run_take(candidate, 1, 1, &error) != 0 ||
        engine_run_take(referee, 1, 1, &error) != 0 ||
        check_runs(verifier->verification, result, candidate, referee, false, &error) != 0)
        note_failure(result, &error);
    engine_run_close(referee);
    engine_run_close(candidate);
}

static void try_steps(const struct verifier *verifier, struct verify_result *result, uint64_t steps)
{
    const struct engine_run *oracle =
        result->promise.oracle == verifier->verification->reference ? verifier->reference : verifier->exact;
    struct engine_run *candidate;
    struct engine_error error;
    if (open_candidate(verifier, result, &candidate, &error) != 0 ||
        engine_run_take(candidate, steps, UINT64_MAX, &error) != 0 ||
        check_runs(verifier->verification, result, candidate, oracle, false, &error) != 0)
        note_failure(result, &error);
    engine_run_close(candidate);
}

/* Compares k steps in as few calls as possible with k calls of one step. */
static void try_split(const struct verifier *verifier, struct verify_result *result)
{
    const uint64_t steps = result->counts[result->count_count - 1];
    struct engine_run *whole = NULL, *split = NULL;
    struct engine_error error;
    if (open_candidate(verifier, result, &whole, &error) != 0 ||
        engine_run_take(whole, steps, UINT64_MAX, &error) != 0 ||
        open_candidate(verifier, result, &split, &error) != 0 || engine_run_take(split, steps, 1, &error) != 0 ||
        check_runs(verifier->verification, result, split, whole, true, &error) != 0)
        note_failure(result, &error);
    engine_run_close(split);
    engine_run_close(whole);
}

/* Compares a universe with its run alone. `start` and `end` are the batch before and after the steps. */
static int check_universe(const struct verifier *verifier, struct verify_result *result, const struct engine_run *start,
                          const struct engine_run *end, uint64_t universe, struct engine_error *error)
{
    const struct engine_field_array *fields = &verifier->verification->about->fields;
    struct engine_run *alone;
    int status = universe_open(verifier->undivided, result->impl->name, start, universe, &alone, error);
    if (status == 0)
        status = engine_run_take(alone, engine_run_step(end), UINT64_MAX, error);
    for (uint32_t i = 0; status == 0 && i < fields->count; i++) {
        struct comparison comparison = {0};
        struct engine_shape shape = {.size = sizeof shape};
        if (fields->at[i].role == ENGINE_INPUT ||
            (status = universe_compare(&comparison, end, alone, universe, i, error)) != 0)
            continue;
        struct verify_check *check = &result->checks[result->check_count++];
        engine_run_shape(alone, i, &shape);
        *check =
            (struct verify_check){.field = &fields->at[i], .steps = engine_run_step(end), .universe = universe + 1};
        fill_check(check, &comparison, &shape, 0);
    }
    engine_run_close(alone);
    return status;
}

/* The first universes of a batch of the reference, and the last one. The other implementations are compared with the
 * reference. */
static void try_batch(const struct verifier *verifier, struct verify_result *result)
{
    const uint64_t steps = result->counts[result->count_count - 1],
                   universes = universe_count(verifier->verification->plan),
                   most = universes < VERIFY_UNIVERSES ? universes : VERIFY_UNIVERSES;
    struct engine_run *start = NULL, *end = NULL;
    struct engine_error error;
    if (universes < 2)
        return;
    int status = candidate_open(verifier->undivided, result->impl->name, &start, &error);
    if (status == 0 && (status = candidate_open(verifier->undivided, result->impl->name, &end, &error)) == 0)
        status = engine_run_take(end, steps, UINT64_MAX, &error);
    for (uint64_t i = 0; status == 0 && i < most; i++)
        status = check_universe(verifier, result, start, end, i + 1 < most ? i : universes - 1, &error);
    if (status != 0)
        note_failure(result, &error);
    engine_run_close(end);
    engine_run_close(start);
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

static int walk_to(struct engine_run *oracle, uint64_t steps, struct engine_error *error)
{
    if (!oracle || engine_run_take(oracle, steps - engine_run_step(oracle), UINT64_MAX, error) == 0)
        return 0;
    return error_prefix(error, "the reference: ");
}

static int open_oracles(struct verifier *verifier, struct engine_error *error)
{
    const struct engine_impl *reference = verifier->verification->reference, *exact = verifier->first_exact;
    if (candidate_open(verifier->undivided, reference->name, &verifier->reference, error) != 0)
        return error_prefix(error, "the reference: ");
    if (reference->flags & ENGINE_EXACT || !exact)
        return 0;
    return candidate_open(verifier->undivided, exact->name, &verifier->exact, error);
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
        char activity[128];
        snprintf(activity, sizeof activity, "%s: step %llu", verification->about->name, (unsigned long long) steps);
        engine_activity(engine_config_context(verifier->config), activity);
        if (compares_bits(verification, steps) && ((status = walk_to(verifier->reference, steps, error)) != 0 ||
                                                   (status = walk_to(verifier->exact, steps, error)) != 0))
            break;
        for (uint32_t i = 0; i < verification->count; i++)
            if (tries(&verification->results[i], steps))
                (verification->results[i].promise.tolerance > 0 ? try_last_step : try_steps)(
                    verifier, &verification->results[i], steps);
    }
    return status;
}

static int open_plan(const struct engine_config *config, struct verification *verification, struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_run_info info = {.size = sizeof info};
    if (engine_run_plan_steps(config, NULL, &verification->plan, error) != 0 ||
        engine_run_check_init(verification->plan, error) != 0)
        return error->status;
    engine_run_plugin(verification->plan, &plugin);
    engine_run_about(verification->plan, &info);
    verification->about = plugin.about;
    verification->reference = plugin.reference;
    verification->parts = info.parts;
    return 0;
}

int verify_all(const struct engine_config *config, char *const *names, uint32_t count, uint64_t steps,
               struct verification *verification, struct engine_error *error)
{
    struct verifier verifier = {.config = config, .verification = verification};
    *verification = (struct verification){0};
    int status = open_plan(config, verification, error);
    if (status == 0 && (status = find_oracles(&verifier, error)) == 0 &&
        (status = list_results(&verifier, names, count, steps, error)) == 0 &&
        (status = open_oracles(&verifier, error)) == 0) {
        verification->began = true;
        status = try_all(&verifier, error);
    }
    engine_run_close(verifier.exact);
    engine_run_close(verifier.reference);
    for (uint32_t i = 0; status == 0 && i < verification->count; i++)
        if (verification->results[i].usable && verification->results[i].status == 0) {
            try_split(&verifier, &verification->results[i]);
            if (verification->results[i].impl == verification->reference)
                try_batch(&verifier, &verification->results[i]);
        }
    engine_config_close(verifier.undivided);
    engine_activity(engine_config_context(config), NULL);
    return status;
}

void verify_release(struct verification *verification)
{
    engine_run_close(verification->plan);
    for (uint32_t i = 0; i < verification->count; i++)
        free(verification->results[i].checks);
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
