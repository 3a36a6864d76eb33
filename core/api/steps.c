/* The functions of engine.h for runs that take steps and do nothing else, and what they tell. */
#include "api/handles.h"

#include <string.h>

/* ---- Plans ----------------------------------------------------------------------------------------------------- */

int engine_run_plan_steps(const struct engine_config *config, const char *plugin, struct engine_run **out,
                          struct engine_error *error)
{
    API_NUMBERS;
    struct engine_run *run = api_new_run(config->context, error);
    *out = NULL;
    if (!run)
        return error->status;
    run->run->recorder = NULL;
    run->run->registry = config->context->registry;
    if (config_clone(config->config, &run->run->owned_config, error) != 0 ||
        plan_open_told(run->run->owned_config, run->run->registry, plugin, NULL, &run->run->plan, error) != 0) {
        engine_run_close(run);
        return error->status;
    }
    *out = run;
    return 0;
}

int engine_run_choose(struct engine_run *run, const char *name, struct engine_error *error)
{
    API_NUMBERS;
    if (run->run->recorder || run->run->state)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "engine_run_choose follows engine_run_plan_steps, before engine_run_start");
    const int status = plan_choose(run->run->plan, name, error);
    run->run->plan->impl = status == 0 ? run->run->plan->impl : NULL; /* a plan that is half made is of no use */
    return status;
}

const char *engine_run_missing(struct engine_run *run, const struct engine_impl *impl, struct engine_error *error)
{
    API_NUMBERS;
    const struct plan_verdict verdict = plan_judge(run->run->plan, impl);
    if (verdict.usable)
        return NULL;
    error_set(error, ENGINE_STATUS_PLUGIN, "%s", verdict.reason);
    return error->text;
}

/* What the choice of an implementation has decided. */
static void fill_chosen(const struct plan *plan, struct engine_run_info *info)
{
    info->threads = plan_threads(plan);
    info->device = plan->device->name;
    info->memory = plan->device->memory;
    info->bytes = plan->bytes;
    info->most_steps = plan->most_steps;
    info->work_per_step = plan->work.per_step;
    info->work_unit = plan->work.unit;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        info->kept_bytes += plan_is_result(plan->fields[i].about) ? plan->fields[i].bytes : 0;
}

void engine_run_about(const struct engine_run *run, struct engine_run_info *info)
{
    const struct settings *settings = &run->run->plan->settings;
    struct engine_run_info filled = {
        .size = info->size, .devices = settings->devices, .parts = settings->parts, .device_number = settings->device};
    if (run->run->plan->impl)
        fill_chosen(run->run->plan, &filled);
    memcpy(info, &filled, info->size < sizeof filled ? info->size : sizeof filled);
}

const char *engine_run_size(const struct engine_run *run, uint32_t field, char text[80])
{
    *text = '\0';
    return field < run->run->plan->plugin->about.fields.count ? plan_size_text(run->run->plan, field, text) : text;
}

const char *engine_run_note(const struct engine_run *run, uint32_t index, const char **key)
{
    const struct host *host = run->run->instance ? instance_host(run->run->instance) : NULL;
    if (!host || index >= host->note_count)
        return NULL;
    *key = host->notes[index].key;
    return host->notes[index].text;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

int engine_run_take(struct engine_run *run, uint64_t steps, uint64_t most, struct engine_error *error)
{
    API_NUMBERS;
    if (run_check_state(run->run, error) != 0 || loop_check_steps(run->run->state, steps, error) != 0)
        return error->status;
    struct state *state = run->run->state;
    const uint64_t limit = most > 0 && most < state->plan->most_steps ? most : state->plan->most_steps;
    for (uint64_t taken = 0, now; taken < steps; taken += now) {
        now = steps - taken < limit ? steps - taken : limit;
        if (instance_advance(run->run->instance, now, NULL, error) != 0)
            return error_prefix(error, "at step %llu: ", (unsigned long long) state->step);
    }
    const int status = state_synchronise(state, error);
    state->lost = status != 0; /* nobody knows which steps the device has taken */
    return status;
}

int engine_run_time_exchange(struct engine_run *run, double *seconds, struct engine_error *error)
{
    API_NUMBERS;
    *seconds = 0;
    if (run_check_state(run->run, error) != 0 || instance_time_exchange(run->run->instance, seconds, error) != 0)
        return error->status;
    if (*seconds > 0)
        *seconds /= (double) run->run->plan->parts[0]->slab.steps;
    return 0;
}
