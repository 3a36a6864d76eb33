/* engine verify: does every implementation compute what the reference does? */
#include "base/json.h"
#include "judge/sweep.h"
#include "judge/verify.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Checks that all implementations of a plugin compute the same. Each one that can run the configuration takes 1, 2, "
    "7 steps and the most that one call takes (100 at most) from the first state, and is compared with the plugin's "
    "reference. Besides, many calls of one step each are compared with one call of as many steps.\n"
    "\n"
    "Implementations that promise to be exact are compared bit by bit. Of others the error of the last step is "
    "measured, relative to each field's largest value, and held against the tolerance that they promise.\n";

static const char more[] =
    "Examples:\n"
    "  engine verify gosper-gun.ini\n"
    "  engine verify gosper-gun.ini --impl cpu --set run.threads=3\n"
    "  engine verify soup.ini --sweep life2d-bit.rule=B3/S23,B36/S23 --sweep grid.size='1 1,63 5,1000 37'\n"
    "\n"
    "Exit status: 0 all promises hold, 1 one does not, 2 command line or configuration, 3 input file, 4 plugin, or one "
    "named by --impl cannot run, 5 memory or device.\n";

/* What is tried: a configuration with one combination of the sweeps' values after another. */
struct trials {
    struct sweep sweeps[SWEEPS_MAX];
    uint32_t sweep_count;
    uint64_t combination;
    bool as_json;
    struct json_object *json; /* results so far */
};

static const char *swept_value(const struct trials *trials, uint32_t sweep)
{
    return sweep_value(trials->sweeps, trials->sweep_count, sweep, trials->combination);
}

/* ---- For people --------------------------------------------------------------------------------------------- */

static void print_counts(const struct verify_result *result)
{
    for (uint32_t i = 0; i < result->count_count; i++)
        printf("%s%llu", i ? ", " : "", (unsigned long long) result->counts[i]);
}

static void print_promise(const struct verify_result *result)
{
    if (result->tolerance > 0)
        printf("within its tolerance of %g in step ", result->tolerance);
    else
        printf("bit-equal after ");
    print_counts(result);
    if (result->tolerance == 0)
        printf(" step%s", result->count_count == 1 && result->counts[0] == 1 ? "" : "s");
}

/* The check of a field whose error was the largest. */
static const struct verify_check *worst_check(const struct verify_result *result, const struct engine_field *field)
{
    const struct verify_check *worst = NULL;
    for (uint32_t i = 0; i < result->check_count; i++) {
        const struct verify_check *check = &result->checks[i];
        if (check->field == field && !check->split && (!worst || check->deviation.max > worst->deviation.max))
            worst = check;
    }
    return worst;
}

static void print_errors(const struct verification *verification, const struct verify_result *result)
{
    const struct engine_field_array *fields = &verification->plan->plugin->about.fields;
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct verify_check *check = worst_check(result, &fields->at[i]);
        if (check)
            printf("    %-14s error max %.2g, rms %.2g, median %.2g, 99.9th percentile %.2g (step %llu)\n"
                   "                   of each one's own size: median %.2g, 99.9th percentile %.2g\n",
                   check->field->name, check->deviation.max, check->deviation.rms, check->deviation.median,
                   check->deviation.p999, (unsigned long long) check->steps, check->deviation.own_median,
                   check->deviation.own_p999);
    }
}

static void print_broken(const struct verify_result *result, const struct verify_check *check)
{
    const unsigned long long steps = check->steps;
    printf("BROKEN: ");
    if (check->split)
        printf("%llu steps one by one are not %llu at once: ", steps, steps);
    else
        printf("after %llu step%s ", steps, steps == 1 ? "" : "s");
    printf("%s %s is %s, %s has %s; %llu of %llu differ", check->field->name, check->place, check->is,
           check->split ? "one call" : result->oracle->name, check->should, (unsigned long long) check->differing,
           (unsigned long long) check->elements);
    if (result->tolerance > 0)
        printf("; the error is %.3g, the tolerance %g", check->deviation.max, result->tolerance);
    printf("\n");
}

static const struct verify_check *first_broken(const struct verify_result *result)
{
    for (uint32_t i = 0; i < result->check_count; i++)
        if (!result->checks[i].holds)
            return &result->checks[i];
    return NULL;
}

static void print_held(const struct verification *verification, const struct verify_result *result)
{
    const unsigned long long most = result->counts[result->count_count - 1];
    if (result->oracle) {
        print_promise(result);
        if (result->oracle != verification->reference)
            printf(" of %s", result->oracle->name);
        printf("; ");
    } else
        printf("the reference; ");
    printf("%llu step%s one by one = %llu at once\n", most, most == 1 ? "" : "s", most);
}

static void print_result(const struct verification *verification, const struct verify_result *result)
{
    const struct verify_check *broken = first_broken(result);
    printf("  %-14s ", result->impl->name);
    if (broken)
        print_broken(result, broken);
    else if (!result->usable)
        printf("not usable: %s\n", result->text);
    else if (result->status != 0)
        printf("failed: %s\n", result->text);
    else
        print_held(verification, result);
    if (result->tolerance > 0 && result->status == 0)
        print_errors(verification, result);
}

static void print_swept(FILE *to, const struct trials *trials)
{
    for (uint32_t i = 0; i < trials->sweep_count; i++)
        fprintf(to, "%s%s=%s", i ? ", " : "", trials->sweeps[i].name, swept_value(trials, i));
}

static void print_text(const struct trials *trials, const struct verification *verification)
{
    const struct plan *plan = verification->plan;
    const struct engine_shape *shape = &plan->shapes[0];
    printf("%s against %s: %s", plan->plugin->about.name, verification->reference->name,
           plan->plugin->about.fields.at[0].name);
    for (uint32_t axis = 0; axis < shape->rank; axis++)
        printf("%s%llu", axis ? " x " : " ", (unsigned long long) shape->extent[axis]);
    printf("%s", trials->sweep_count ? ", " : "");
    print_swept(stdout, trials);
    printf("\n");
    for (uint32_t i = 0; i < verification->count; i++)
        print_result(verification, &verification->results[i]);
}

/* ---- For programs ------------------------------------------------------------------------------------------- */

static void add_text(struct json_object *object, const char *key, const char *text)
{
    json_add(object, key, text && *text ? json_new_text(text) : NULL);
}

/* null: JSON has no infinities. */
static void add_number(struct json_object *object, const char *key, double value)
{
    json_add(object, key, isfinite(value) ? json_new_real(value) : NULL);
}

static struct json_object *check_json(const struct verify_result *result, const struct verify_check *check)
{
    struct json_object *json = json_new_object();
    add_text(json, "field", check->field->name);
    json_add(json, "steps", json_new_count(check->steps));
    add_text(json, "against", check->split ? "calls of one step" : result->oracle->name);
    json_add(json, "holds", json_new_flag(check->holds));
    json_add(json, "elements", json_new_count(check->elements));
    json_add(json, "differing", json_new_count(check->differing));
    if (check->differing) {
        add_text(json, "first", check->place);
        add_text(json, "is", check->is);
        add_text(json, "should_be", check->should);
    }
    if (result->tolerance > 0) {
        add_number(json, "error_max", check->deviation.max);
        add_number(json, "error_rms", check->deviation.rms);
        add_number(json, "error_median", check->deviation.median);
        add_number(json, "error_p999", check->deviation.p999);
        add_number(json, "own_error_median", check->deviation.own_median);
        add_number(json, "own_error_p999", check->deviation.own_p999);
    }
    return json;
}

static const char *verdict(const struct verify_result *result)
{
    if (!verify_holds(result))
        return "broken";
    return !result->usable ? "not usable" : result->status != 0 ? "failed" : "holds";
}

static struct json_object *swept_json(const struct trials *trials)
{
    struct json_object *json = json_new_object();
    for (uint32_t i = 0; i < trials->sweep_count; i++)
        add_text(json, trials->sweeps[i].name, swept_value(trials, i));
    return json;
}

static struct json_object *result_json(const struct trials *trials, const struct verification *verification,
                                       const struct verify_result *result)
{
    struct json_object *json = json_new_object(), *checks = json_new_array();
    add_text(json, "plugin", verification->plan->plugin->about.name);
    add_text(json, "implementation", result->impl->name);
    json_add(json, "swept", swept_json(trials));
    json_add(json, "reference", json_new_flag(result->impl == verification->reference));
    json_add(json, "exact", json_new_flag((result->impl->flags & ENGINE_EXACT) != 0));
    add_number(json, "tolerance", result->tolerance);
    add_text(json, "verdict", verdict(result));
    add_text(json, "reason", result->text);
    for (uint32_t i = 0; i < result->check_count; i++)
        json_append(checks, check_json(result, &result->checks[i]));
    json_add(json, "checks", checks);
    return json;
}

/* ---- The verb ----------------------------------------------------------------------------------------------- */

/* A broken promise first, then what failed, then what was asked for by name and cannot run. */
static int status_of(const struct verification *verification, bool named)
{
    int status = ENGINE_STATUS_DONE;
    for (uint32_t i = 0; i < verification->count; i++) {
        const struct verify_result *result = &verification->results[i];
        if (!verify_holds(result))
            return ENGINE_STATUS_UNVERIFIED;
        if (status == ENGINE_STATUS_DONE)
            status = result->status             ? result->status
                     : named && !result->usable ? ENGINE_STATUS_PLUGIN
                                                : ENGINE_STATUS_DONE;
    }
    return status;
}

/* What failed is in the rows; once on stderr for those who look at the exit status. */
static void report_failed(const struct verification *verification, int status)
{
    for (uint32_t i = 0; status != ENGINE_STATUS_DONE && i < verification->count; i++) {
        const struct verify_result *result = &verification->results[i];
        if (result->status == status) {
            fprintf(stderr, "engine: %s: %s\n", result->impl->name, result->text);
            return;
        }
    }
}

static void show(struct trials *trials, const struct verification *verification)
{
    if (!trials->as_json)
        print_text(trials, verification);
    for (uint32_t i = 0; trials->as_json && i < verification->count; i++)
        json_append(trials->json, result_json(trials, verification, &verification->results[i]));
}

/* What keeps a combination from being tried is said once, and the others are tried all the same. */
static int refuse(const struct trials *trials, const struct engine_error *error)
{
    fprintf(stderr, "engine: ");
    print_swept(stderr, trials);
    fprintf(stderr, "%s%s\n", trials->sweep_count ? ": " : "", error->text);
    return error->status;
}

static int verify_config(const struct options *options, const struct config *config, struct registry *registry,
                         struct trials *trials)
{
    struct verification verification;
    struct engine_error error;
    int status = verify_all(config, registry, options->impls, options->impl_count,
                            options->steps ? options->steps : VERIFY_STEPS, &verification, &error);
    if (status != 0)
        status = refuse(trials, &error);
    else {
        status = status_of(&verification, options->impl_count > 0);
        report_failed(&verification, status);
        show(trials, &verification);
    }
    verify_release(&verification);
    return status;
}

static int verify_combination(const struct options *options, struct registry *registry, struct trials *trials)
{
    struct config *config = NULL;
    struct engine_error error;
    int status = options_config(options, options->words[0], &config, &error);
    if (status == 0)
        status = sweep_set(trials->sweeps, trials->sweep_count, trials->combination, config, &error);
    status = status == 0 ? verify_config(options, config, registry, trials) : refuse(trials, &error);
    config_close(config);
    return status;
}

/* The status of all: a broken promise, or else the first failure. */
static int verify_combinations(const struct options *options, struct registry *registry, struct trials *trials)
{
    const uint64_t count = sweep_combinations(trials->sweeps, trials->sweep_count);
    int status = ENGINE_STATUS_DONE;
    for (; trials->combination < count; trials->combination++) {
        const int one = verify_combination(options, registry, trials);
        if (one == ENGINE_STATUS_UNVERIFIED || status == ENGINE_STATUS_DONE)
            status = one;
    }
    return status;
}

static int verify_all_trials(const struct options *options, struct trials *trials, struct engine_error *error)
{
    struct registry *registry = NULL;
    if (sweeps_read(trials->sweeps, &trials->sweep_count, options->sweeps, options->sweep_count, error) != 0 ||
        options_registry(options, &registry, error) != 0)
        return report(error);
    trials->as_json = options->json;
    trials->json = options->json ? json_new_array() : NULL;
    const int status = verify_combinations(options, registry, trials);
    registry_close(registry);
    return trials->as_json && json_print(trials->json, error) != 0 ? report(error) : status;
}

static int verify(int count, char **words)
{
    struct options options;
    struct trials trials = {0};
    struct engine_error error;
    if (options_read(&verb_verify, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    const int status = verify_all_trials(&options, &trials, &error);
    sweeps_release(trials.sweeps, trials.sweep_count);
    return finish_stdout(status);
}

const struct verb verb_verify = {
    .name = "verify",
    .summary = "compares all implementations with the reference",
    .words = "CONFIG",
    .least = 1,
    .most = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_VERIFY,
    .help = help,
    .more = more,
    .run = verify,
};
