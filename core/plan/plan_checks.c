/* Checks what the configuration asks of the fields. */
#include "plan/source.h"

#include <stdio.h>
#include <string.h>

static const struct engine_plugin *about(const struct plan *plan)
{
    return &plan->plugin->about;
}

static int refuse_batch(const struct plan *plan, struct engine_error *error)
{
    return error_prefix(error, "%s: [grid] batch = %llu: ", config_place(plan->config, "grid", "batch"),
                        (unsigned long long) plan->settings.universes);
}

/* The batch is one more axis of every field, and arrays have at most three. */
int plan_check_batch(const struct plan *plan, struct engine_error *error)
{
    const struct engine_field_array *fields = &about(plan)->fields;
    uint64_t bytes;
    for (uint32_t i = 0; plan_is_batch(plan) && i < fields->count; i++) {
        if (fields->at[i].kind != ENGINE_GRID || fields->at[i].rank > 2) {
            error_set(error, ENGINE_STATUS_USAGE,
                      "a batch takes plugins whose fields are grids of one axis or two; field %s of %s is not one",
                      fields->at[i].name, about(plan)->name);
            return refuse_batch(plan, error);
        }
        const struct engine_shape whole = plan_whole_shape(plan, i);
        if (!shape_bytes(&whole, &bytes)) {
            error_set(error, ENGINE_STATUS_USAGE, "the universes together exceed the address space");
            return refuse_batch(plan, error);
        }
    }
    return 0;
}

int plan_check_fields(const struct plan *plan, struct engine_error *error)
{
    return plan->source && plan->source->check ? plan->source->check(plan, error) : 0;
}

int plan_check_by_plugin(struct plan *plan, struct engine_error *error)
{
    if (!about(plan)->check)
        return 0;
    host_enter(&plan->host, "check");
    const int code = about(plan)->check(&plan->host.table, &plan->for_plugin);
    host_leave(&plan->host);
    char who[160];
    snprintf(who, sizeof who, "%s: check", about(plan)->name);
    return code == 0 ? 0 : host_error(&plan->host, code, who, error);
}

/* ---- [run] until -------------------------------------------------------------------------------------------- */

bool plan_waits_for(const struct plan *plan, enum until_kind kind)
{
    for (uint32_t i = 0; i < plan->settings.until_count; i++)
        if (plan->settings.until[i].kind == kind)
            return true;
    return false;
}

static bool has_state(const struct plan *plan)
{
    for (uint32_t i = 0; i < about(plan)->fields.count; i++)
        if (about(plan)->fields.at[i].role == ENGINE_STATE)
            return true;
    return false;
}

int plan_check_until(const struct plan *run, struct engine_error *error)
{
    const char *place = config_place(run->config, "run", "until"), *name = about(run)->name;
    const bool compares = plan_waits_for(run, UNTIL_REPEATS) || plan_waits_for(run, UNTIL_UNCHANGED);
    if (plan_waits_for(run, UNTIL_METRIC) && !run->impl->measure)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [run] until: %s/%s does not measure metrics; choose another [run] implementation", place,
                         name, run->impl->name);
    if (compares && !has_state(run))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [run] until: %s has no state that could repeat; compare a metric with a number, or leave "
                         "the key out",
                         place, name);
    if (compares && run->impl->flags & ENGINE_SEEDED)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [run] until: the steps of %s/%s use random numbers, so a state that was seen before does "
                         "not repeat what followed it; compare a metric with a number, or leave the key out",
                         place, name, run->impl->name);
    return 0;
}
