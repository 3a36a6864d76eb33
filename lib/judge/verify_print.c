/* The results of a verification as text and as JSON. */
#include "judge/verify_print.h"
#include "base/text.h"

#include <stdio.h>

/* ---- Text ------------------------------------------------------------------------------------------------------ */

static void print_promise(FILE *to, const struct verify_result *result)
{
    if (result->promise.tolerance > 0)
        fprintf(to, "within its tolerance of %g in step ", result->promise.tolerance);
    else
        fprintf(to, "bit-equal after ");
    for (uint32_t i = 0; i < result->count_count; i++)
        fprintf(to, "%s%llu", i ? ", " : "", (unsigned long long) result->counts[i]);
    if (result->promise.tolerance == 0)
        fprintf(to, result->count_count == 1 && result->counts[0] == 1 ? " step" : " steps");
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

static void print_errors(FILE *to, const struct verification *verification, const struct verify_result *result)
{
    const struct engine_field_array *fields = &verification->about->fields;
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct verify_check *check = worst_check(result, &fields->at[i]);
        if (check)
            fprintf(to,
                    "    %-14s error max %.2g, rms %.2g, median %.2g, 99.9th percentile %.2g (step %llu)\n"
                    "                   relative to each element: median %.2g, 99.9th percentile %.2g\n",
                    check->field->name, check->deviation.max, check->deviation.rms, check->deviation.median,
                    check->deviation.p999, (unsigned long long) check->steps, check->deviation.own_median,
                    check->deviation.own_p999);
    }
}

void verify_print_difference(FILE *to, const struct verify_result *result, const struct verify_check *check)
{
    char steps[64], calls[64];
    text_count(check->steps, "step", steps);
    if (check->universe)
        fprintf(to, "universe %llu of the batch after %s: ", (unsigned long long) check->universe - 1, steps);
    else if (check->split)
        fprintf(to, "%s of one step differ from one call of %s: ", text_count(check->steps, "call", calls), steps);
    else
        fprintf(to, "after %s ", steps);
    fprintf(to, "%s %s is %s, %s has %s; %llu of %llu differ", check->field->name, check->place, check->is,
            check->universe ? "its run alone"
            : check->split  ? "one call"
                            : result->promise.oracle->name,
            check->should, (unsigned long long) check->differing, (unsigned long long) check->elements);
    if (result->promise.tolerance > 0)
        fprintf(to, "; the error is %.3g, the tolerance %g", check->deviation.max, result->promise.tolerance);
}

static void print_broken(FILE *to, const struct verify_result *result, const struct verify_check *check)
{
    fprintf(to, "BROKEN: ");
    verify_print_difference(to, result, check);
    fprintf(to, "\n");
}

static void print_held(FILE *to, const struct verification *verification, const struct verify_result *result)
{
    const uint64_t most = result->counts[result->count_count - 1];
    char calls[64], steps[64];
    if (result->promise.oracle) {
        print_promise(to, result);
        if (result->promise.oracle != verification->reference)
            fprintf(to, " of %s", result->promise.oracle->name);
        fprintf(to, "; ");
    } else
        fprintf(to, "the reference; ");
    fprintf(to, "%s of one step = one call of %s%s\n", text_count(most, "call", calls), text_count(most, "step", steps),
            result->check_count && result->checks[result->check_count - 1].universe ? "; each universe = its run alone"
                                                                                    : "");
}

static void print_result(FILE *to, const struct verification *verification, const struct verify_result *result)
{
    const struct verify_check *broken = verify_broken(result);
    fprintf(to, "  %-14s ", result->impl->name);
    if (broken)
        print_broken(to, result, broken);
    else if (!result->usable)
        fprintf(to, "not usable: %s\n", result->text);
    else if (result->status != 0)
        fprintf(to, "failed: %s\n", result->text);
    else
        print_held(to, verification, result);
    if (result->promise.tolerance > 0 && result->status == 0)
        print_errors(to, verification, result);
}

void verify_print(FILE *to, const struct verification *verification, const struct sweeps *sweeps, uint64_t combination)
{
    char sizes[80];
    fprintf(to, "%s", verification->about->name);
    if (verification->parts > 1)
        fprintf(to, " in %u parts", verification->parts);
    fprintf(to, " against %s%s: %s %s%s", verification->reference->name, verification->parts > 1 ? " undivided" : "",
            verification->about->fields.at[0].name, engine_run_size(verification->plan, 0, sizes),
            sweeps->count ? ", " : "");
    sweep_print(to, sweeps, combination);
    fprintf(to, "\n");
    for (uint32_t i = 0; i < verification->count; i++)
        print_result(to, verification, &verification->results[i]);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static struct json_object *check_json(const struct verify_result *result, const struct verify_check *check)
{
    struct json_object *json = json_new_object();
    json_add_text(json, "field", check->field->name);
    if (check->universe)
        json_add_count(json, "universe", check->universe - 1);
    json_add_count(json, "steps", check->steps);
    json_add_text(json, "against",
                  check->universe ? "its run alone"
                  : check->split  ? "calls of one step"
                                  : result->promise.oracle->name);
    json_add(json, "holds", json_new_flag(check->holds));
    json_add_count(json, "elements", check->elements);
    json_add_count(json, "differing", check->differing);
    if (check->differing) {
        json_add_text(json, "first", check->place);
        json_add_text(json, "is", check->is);
        json_add_text(json, "should_be", check->should);
    }
    if (result->promise.tolerance > 0) {
        json_add_real(json, "error_max", check->deviation.max);
        json_add_real(json, "error_rms", check->deviation.rms);
        json_add_real(json, "error_median", check->deviation.median);
        json_add_real(json, "error_p999", check->deviation.p999);
        json_add_real(json, "own_error_median", check->deviation.own_median);
        json_add_real(json, "own_error_p999", check->deviation.own_p999);
    }
    return json;
}

static const char *verdict(const struct verify_result *result)
{
    if (verify_broken(result))
        return "broken";
    return !result->usable ? "not usable" : result->status != 0 ? "failed" : "holds";
}

static struct json_object *result_json(const struct verification *verification, const struct verify_result *result,
                                       struct json_object *swept)
{
    struct json_object *json = json_new_object(), *checks = json_new_array();
    json_add_text(json, "plugin", verification->about->name);
    json_add_text(json, "implementation", result->impl->name);
    json_add(json, "swept", swept);
    json_add(json, "reference", json_new_flag(result->impl == verification->reference));
    json_add(json, "exact", json_new_flag((result->impl->flags & ENGINE_EXACT) != 0));
    json_add_real(json, "tolerance", result->promise.tolerance);
    json_add_text(json, "verdict", verdict(result));
    json_add_known_text(json, "reason", result->text);
    for (uint32_t i = 0; i < result->check_count; i++)
        json_append(checks, check_json(result, &result->checks[i]));
    json_add(json, "checks", checks);
    return json;
}

void verify_append_json(struct json_object *array, const struct verification *verification, const struct sweeps *sweeps,
                        uint64_t combination)
{
    for (uint32_t i = 0; i < verification->count; i++) {
        struct json_object *swept = json_new_object();
        for (uint32_t s = 0; s < sweeps->count; s++)
            json_add_text(swept, sweeps->at[s].name, sweep_value(sweeps, s, combination));
        json_append(array, result_json(verification, &verification->results[i], swept));
    }
}
