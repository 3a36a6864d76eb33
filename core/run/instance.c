#include "run/instance.h"

#include <stdlib.h>

/* ---- Opening and closing -------------------------------------------------------------------------------------- */

int instance_open_on(struct stepper *stepper, struct instance **out, struct engine_error *error)
{
    struct instance *instance = calloc(1, sizeof *instance);
    *out = NULL;
    if (!instance) {
        stepper->table->close(stepper);
        return error_memory(error, sizeof *instance, "an instance");
    }
    instance->state = stepper->state;
    instance->stepper = stepper;
    if (stepper->table->create(stepper, error) != 0) {
        instance_close(instance);
        return error->status;
    }
    *out = instance;
    return 0;
}

void instance_close(struct instance *instance)
{
    if (!instance)
        return;
    stepper_close(instance->stepper);
    free(instance->values);
    free(instance);
}

int instance_renew(struct instance *instance, struct engine_error *error)
{
    struct stepper *stepper = instance->stepper;
    if (!instance->inputs_written)
        return 0;
    stepper->table->destroy(stepper);
    const int status = stepper->table->create(stepper, error);
    instance->inputs_written = status != 0;
    return status;
}

const struct host *instance_host(const struct instance *instance)
{
    return instance->stepper->table->host(instance->stepper);
}

void instance_state_changed(struct instance *instance)
{
    instance->state->fresh = true;
}

void instance_input_written(struct instance *instance)
{
    instance->state->fresh = instance->inputs_written = true;
}

/* ---- Running ------------------------------------------------------------------------------------------------ */

int instance_advance(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = instance->state;
    bool ignored = false;
    lost = lost ? lost : &ignored;
    *lost = false;
    int status = instance_renew(instance, error);
    if (status != 0)
        return status;
    status = instance->stepper->table->advance(instance->stepper, steps, lost, error);
    state->lost = state->lost || (status != 0 && *lost);
    return status;
}

bool instance_overlaps(const struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    return plan->impl->settle && plan->device->upload_beside && plan->frames > 1 && instance->stepper->table->settle;
}

int instance_start(struct instance *instance, uint64_t steps, struct engine_error *error)
{
    if (instance_renew(instance, error) != 0)
        return error->status;
    instance->stepper->unsettled = true;
    const int status = instance_advance(instance, steps, NULL, error);
    instance->stepper->unsettled = false;
    return status;
}

int instance_settle(struct instance *instance, uint64_t first, uint64_t steps, struct engine_error *error)
{
    const int status = instance->stepper->table->settle(instance->stepper, first, steps, error);
    instance->state->lost = instance->state->lost || status != 0; /* the device may have taken the next call too */
    return status;
}

/* ---- What else a stepper tells -------------------------------------------------------------------------------- */

int instance_time_exchange(struct instance *instance, double *seconds, struct engine_error *error)
{
    struct stepper *stepper = instance->stepper;
    *seconds = 0;
    if (!stepper->table->time_exchange)
        return 0;
    if (instance_renew(instance, error) != 0)
        return error->status;
    return stepper->table->time_exchange(stepper, seconds, error);
}

int instance_advise(struct instance *instance, uint64_t steps, char *text, uint64_t size, struct engine_error *error)
{
    struct stepper *stepper = instance->stepper;
    *text = '\0';
    return stepper->table->advise ? stepper->table->advise(stepper, steps, text, size, error) : 0;
}
