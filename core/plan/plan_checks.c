/* Checks what the configuration asks of the fields. */
#include "plan/section.h"
#include "plan/source.h"

#include <stdio.h>
#include <string.h>

/* The batch is one more axis of every field, and arrays have at most three. */
int plan_check_batch(const struct plan *plan, struct engine_error *error)
{
    const struct engine_field_array *fields = &plan_about(plan)->fields;
    uint64_t bytes;
    for (uint32_t i = 0; plan_is_batch(plan) && i < fields->count; i++) {
        const struct engine_field *field = &fields->at[i];
        if (field->kind != ENGINE_PARTICLES && (field->kind != ENGINE_GRID || field->rank > 2))
            return REFUSE_BATCH(plan, error,
                                "a batch takes plugins whose fields are particles, or grids of one axis or two; "
                                "field %s of %s is neither",
                                field->name, plan_about(plan)->name);
        const struct engine_shape whole = plan_whole_shape(plan, i);
        if (!shape_bytes(&whole, &bytes))
            return REFUSE_BATCH(plan, error, "the universes together exceed the address space");
    }
    return 0;
}

int plan_check_fields(const struct plan *plan, struct engine_error *error)
{
    return plan->source && plan->source->check ? plan->source->check(plan, error) : 0;
}

int plan_check_by_plugin(const struct plan *plan, struct host *host, const struct engine_plan *for_plugin,
                         struct engine_error *error)
{
    if (!plan_about(plan)->check)
        return 0;
    host_enter(host, "check");
    const int code = plan_about(plan)->check(&host->table, for_plugin);
    host_leave(host);
    char who[160];
    snprintf(who, sizeof who, "%s: check", plan_about(plan)->name);
    return code == 0 ? 0 : host_error(host, code, who, error);
}
