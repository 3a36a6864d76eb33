#include "run/stepper.h"

#include <stdlib.h>

struct stepper *stepper_new(size_t bytes, const struct stepper_table *table, struct state *state,
                            struct engine_error *error)
{
    struct stepper *stepper = calloc(1, bytes);
    if (!stepper) {
        error_memory(error, bytes, "an instance");
        return NULL;
    }
    *stepper = (struct stepper){.table = table, .state = state};
    return stepper;
}

struct stepper_place stepper_place_current(const struct stepper *stepper)
{
    return (struct stepper_place){.buffers = stepper->state->current};
}

void stepper_go_current(struct stepper *stepper, struct stepper_place place)
{
    stepper->state->current = (uint32_t) place.buffers;
}

void stepper_close(struct stepper *stepper)
{
    if (!stepper)
        return;
    stepper->table->destroy(stepper);
    stepper->table->close(stepper);
}
