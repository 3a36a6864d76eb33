/* Chooses an implementation: finds which ones can run the plan, and lays out the fields. */
#include "base/nearest.h"
#include "base/text.h"
#include "memory/devices.h"
#include "plan/divider.h"
#include "plan/edges.h"
#include "plan/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Layouts ------------------------------------------------------------------------------------------------ */

/* Finds the layout: the default or that of the source, as the implementation changes it where there are buffers. */
static int ask_for_layout(struct plan *plan, const struct engine_impl *impl, uint32_t index,
                          struct engine_layout *layout, struct engine_error *error)
{
    const struct source *source = plan->source;
    *layout = source && source->layout ? source->layout(plan, index) : layout_default(&plan->described[index]);
    if (impl->layout && !plan_is_unbounded(plan)) {
        host_enter(&plan->host, "layout");
        const int code = impl->layout(&plan->host.table, &plan->for_plugin, index, layout);
        host_leave(&plan->host);
        if (code != 0)
            return host_error(&plan->host, code, "layout", error);
    }
    return source && source->check_layout ? source->check_layout(plan, index, layout, error) : 0;
}

/* A layout that cannot be made, except one that is too large, is a breach of the interface. */
static int refuse_layout(const struct plan *plan, const struct engine_error *error)
{
    if (error->status == ENGINE_STATUS_PLUGIN)
        context_breach(plan->context);
    return error->status;
}

static int lay_out_field(struct plan *plan, const struct engine_impl *impl, uint32_t index, struct plan_field *out,
                         struct engine_error *error)
{
    const struct engine_field *field = &plan->described[index];
    const struct plan_field *bound = plan->sources[index].bound;
    struct engine_layout layout;
    if (ask_for_layout(plan, impl, index, &layout, error) != 0)
        return error->status;
    if (plan_is_batch(plan) && layout.pack)
        return error_set(error, ENGINE_STATUS_PLUGIN,
                         "it orders the cells of field %s by a function of its own (pack), which takes no batch",
                         field->name);
    if (field->kind == ENGINE_GRID && edges_check_layout(plan, impl, &layout, error) != 0)
        return error->status;
    const struct edges edges = edges_of_field(plan, index);
    *out = (struct plan_field){.about = field};
    for (uint64_t step = 0; step < 2; step++) {
        if (plan_shape_at(plan, index, step, &out->shape[step], error) != 0)
            return error->status;
        const struct engine_shape whole = plan_batch_shape(plan, &out->shape[step]);
        if (geometry_make(field, &whole, &layout, &out->geometry[step], error) != 0)
            return refuse_layout(plan, error);
        geometry_set_edges(&out->geometry[step], &edges);
        out->bytes = out->bytes > out->geometry[step].bytes ? out->bytes : out->geometry[step].bytes;
    }
    out->absent = field->flags & ENGINE_FIELD_OPTIONAL && field->role == ENGINE_INPUT &&
                  plan->settings.source != INIT_GENERATOR && !plan->sources[index].given &&
                  !plan->sources[index].elsewhere && !bound;
    out->converted = plan->source && plan->source->converts && plan->source->converts(plan, index);
    out->buffers = out->absent || (bound && !out->converted)                         ? 0
                   : field->role == ENGINE_STATE && !(impl->flags & ENGINE_IN_PLACE) ? 2
                                                                                     : 1;
    return 0;
}

/* ---- Judging ------------------------------------------------------------------------------------------------ */

struct plan_verdict plan_refused(const char *reason)
{
    struct plan_verdict verdict = {.usable = false};
    snprintf(verdict.reason, sizeof verdict.reason, "%.511s", reason);
    return verdict;
}

struct plan_verdict plan_judge_undivided(struct plan *plan, const struct engine_impl *impl)
{
    struct device *device;
    struct engine_error error;
    struct plan_field field;
    if (!impl->advance)
        return plan_refused(plugin_impl_missing(impl));
    if (plan->run && impl->memory != plan->run->impl->memory)
        return plan_refused("the fields of the run are in another kind of memory (host or device)");
    if (devices_find(plan->context, impl->memory, plan->settings.device, &device, &error) != 0)
        return plan_refused(error.text);
    host_enter(&plan->host, "probe");
    const int code = impl->probe ? impl->probe(&plan->host.table, &plan->for_plugin) : 0;
    host_leave(&plan->host);
    if (code != 0) {
        const char *reason = host_reason(&plan->host);
        return plan_refused(reason ? reason : "the plugin refuses it without a reason");
    }
    for (uint32_t i = 0; i < plan_about(plan)->fields.count; i++)
        if (lay_out_field(plan, impl, i, &field, &error) != 0)
            return plan_refused(error.text);
    return (struct plan_verdict){.usable = true};
}

struct plan_verdict plan_judge(struct plan *plan, const struct engine_impl *impl)
{
    const struct divider *divider = plan_divider(plan);
    return divider ? divider->judge(plan, impl) : plan_judge_undivided(plan, impl);
}

/* Returns the usable implementation of highest rank among those that `name` means; or NULL, with the reasons of all
 * others in the error. */
static const struct engine_impl *best(struct plan *plan, const char *name, struct engine_error *error)
{
    const struct engine_impl_array *impls = &plan_about(plan)->impls;
    const struct engine_impl *found = NULL;
    char reasons[1024] = "";
    for (uint32_t i = 0; i < impls->count; i++) {
        const struct engine_impl *impl = &impls->at[i];
        if (!plugin_impl_is_of(impl, name) || (found && impl->rank <= found->rank))
            continue;
        struct plan_verdict verdict = plan_judge(plan, impl);
        if (verdict.usable)
            found = impl;
        else {
            size_t length = strlen(reasons);
            snprintf(reasons + length, sizeof reasons - length, "; %s: %.200s", impl->name, verdict.reason);
        }
    }
    if (!found)
        error_set(error, ENGINE_STATUS_PLUGIN, "%s: no implementation can run this%s", plan_about(plan)->name, reasons);
    return found;
}

static const char *choice_name_at(const void *list, uint32_t index)
{
    static const char *const kinds[] = {"auto", "cpu", "cuda"};
    const struct plan *plan = list;
    if (index < 3)
        return kinds[index];
    return index - 3 < plan_about(plan)->impls.count ? plan_about(plan)->impls.at[index - 3].name : NULL;
}

/* Refuses a name, which came from the configuration or from an option. "gpu" is nearer to "cpu" than to its meaning. */
static void refuse_name(const struct plan *plan, const char *name, struct engine_error *error)
{
    char hint[128];
    const char *section = plan->run ? "analyse" : "run";
    nearest_hint(hint, strcmp(name, "gpu") == 0 ? "cuda" : name, choice_name_at, plan);
    error_set(error, ENGINE_STATUS_USAGE,
              "implementation: %s has no implementation '%s'%s; expected auto, cpu, cuda, or one of",
              plan_about(plan)->name, name, hint);
    for (uint32_t i = 0; i < plan_about(plan)->impls.count; i++) {
        const size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length, " %s", plan_about(plan)->impls.at[i].name);
    }
    if (strcmp(name, plan->settings.implementation) == 0)
        error_prefix(error, "%s: [%s] ", config_place(plan->config, section, "implementation"), section);
}

static const struct engine_impl *find(struct plan *plan, const char *name, struct engine_error *error)
{
    const struct engine_impl *impl = plugin_impl(plan->plugin, name);
    if (!impl && (strcmp(name, "auto") == 0 || strcmp(name, "cpu") == 0 || strcmp(name, "cuda") == 0))
        return best(plan, name, error);
    if (!impl) {
        refuse_name(plan, name, error);
        return NULL;
    }
    struct plan_verdict verdict = plan_judge(plan, impl);
    if (verdict.usable)
        return impl;
    const bool chosen = strcmp(name, plan->settings.implementation) == 0; /* not an option that names several */
    error_set(error, ENGINE_STATUS_PLUGIN, "%s/%s cannot run this: %s%s", plan_about(plan)->name, name, verdict.reason,
              chosen ? "; implementation = auto chooses one that can" : "");
    return NULL;
}

/* ---- The choice --------------------------------------------------------------------------------------------- */

/* Refuses a run that does not fit into memory, before the system kills processes for it. */
static int check_memory(const struct plan *plan, struct engine_error *error)
{
    const uint64_t taken = plan->run ? plan->run->device_bytes : 0;
    if (plan->device_bytes + taken <= plan->device->bytes)
        return 0;
    char needed[32], missing[32];
    return error_set(error, ENGINE_STATUS_DEVICE, "%s/%s needs %sB of memory for its buffers%s, %sB more than %s has",
                     plan_about(plan)->name, plan->impl->name, text_si((double) plan->device_bytes, needed),
                     plan->settings.devices > 1 ? " on one device" : "",
                     text_si((double) (plan->device_bytes + taken - plan->device->bytes), missing),
                     plan->device->memory == ENGINE_HOST_MEMORY ? "this machine" : plan->device->name);
}

static int find_work(struct plan *plan, struct engine_error *error)
{
    static const char *const units[] = {[ENGINE_GRID] = "cell updates",
                                        [ENGINE_PARTICLES] = "particle updates",
                                        [ENGINE_MATRIX] = "element updates",
                                        [ENGINE_BINS] = "bin updates"};
    uint64_t cells;
    shape_cells(&plan->shapes[0], &cells);
    plan->work = (struct engine_work){.size = sizeof plan->work,
                                      .unit = plan->tiling ? "steps" : units[plan_about(plan)->fields.at[0].kind],
                                      .per_step = plan->tiling ? 1 : (double) cells};
    if (plan_about(plan)->work && !plan->tiling) {
        host_enter(&plan->host, "work");
        const int code = plan_about(plan)->work(&plan->host.table, &plan->for_plugin, &plan->work);
        host_leave(&plan->host);
        if (code != 0)
            return host_error(&plan->host, code, plan_about(plan)->name, error);
    }
    plan->work.per_step *= (double) plan->settings.universes;
    snprintf(plan->work_unit, sizeof plan->work_unit, "%s", plan->work.unit);
    plan->work.unit = plan->work_unit;
    return 0;
}

int plan_lay_out_undivided(struct plan *plan, struct engine_error *error)
{
    plan->most_steps = UINT64_MAX;
    plan->bytes = plan->device_bytes = 0;
    for (uint32_t i = 0; i < plan_about(plan)->fields.count; i++) {
        struct plan_field *field = &plan->fields[i];
        if (lay_out_field(plan, plan->impl, i, field, error) != 0)
            return error->status;
        uint64_t most = geometry_most_steps(field->about, &field->geometry[0]);
        plan->most_steps = field->about->role == ENGINE_STATE && most < plan->most_steps ? most : plan->most_steps;
        plan->bytes += field->buffers * field->bytes;
    }
    plan->device_bytes = plan->bytes;
    return 0;
}

int plan_choose(struct plan *plan, const char *name, struct engine_error *error)
{
    const struct divider *divider = plan_divider(plan);
    if (divider)
        divider->close(plan);
    plan->impl = find(plan, name, error);
    if (!plan->impl)
        return error->status;
    if (devices_find(plan->context, plan->impl->memory, plan->settings.device, &plan->device, error) != 0 ||
        plan_lay_out_undivided(plan, error) != 0 || (divider && divider->lay_out(plan, error) != 0))
        return error->status;
    return check_memory(plan, error) != 0 ? error->status : find_work(plan, error);
}
