#include "parts/stepper_parts.h"
#include "parts/halo_exchange.h"
#include "parts/parts.h"
#include "parts/stepper_universes.h"

#include <stdlib.h>
#include <string.h>

static int create_part(struct stepper_parts *parts, uint32_t index, stepper_parts_join *join,
                       struct engine_error *error)
{
    struct state *state = state_parts(parts->stepper.state)[index];
    state->step = parts->stepper.state->step;
    memcpy(state->for_plugin.box, parts->stepper.state->for_plugin.box, sizeof state->for_plugin.box);
    if (!parts_is_here(parts->stepper.state->plan, index))
        return 0;
    if (stepper_here_open(state, &parts->parts[index], error) != 0)
        return error->status;
    struct stepper *part = parts->parts[index];
    return join && join(parts, part, index, error) != 0 ? error->status : part->table->create(part, error);
}

int stepper_parts_create(struct stepper_parts *parts, stepper_parts_join *join, struct engine_error *error)
{
    struct state *state = parts->stepper.state;
    const uint32_t count = state->plan->settings.parts;
    state->fresh = true;
    parts->parts = calloc(count, sizeof *parts->parts);
    if (!parts->parts)
        return error_memory(error, count * sizeof *parts->parts, "the instances of the parts");
    if (halo_exchange_open(state, error) != 0 || halo_exchange(state, true, error) != 0 ||
        halo_exchange_wait(state, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < count; i++)
        if (create_part(parts, i, join, error) != 0)
            return error_prefix(error, "part %u of %u: ", i + 1, count);
    return 0;
}

void stepper_parts_destroy(struct stepper_parts *parts)
{
    for (uint32_t i = 0; parts->parts && i < parts->stepper.state->plan->settings.parts; i++)
        stepper_close(parts->parts[i]);
    free(parts->parts);
    parts->parts = NULL;
}

struct host *stepper_parts_host(struct stepper *stepper)
{
    struct stepper_parts *parts = (struct stepper_parts *) stepper;
    for (uint32_t i = 0; parts->parts && i < stepper->state->plan->settings.parts; i++)
        if (parts->parts[i])
            return parts->parts[i]->table->host(parts->parts[i]);
    return &parts->none;
}

int stepper_parts_take(struct stepper_parts *parts, uint32_t index, uint64_t steps, bool *lost,
                       struct engine_error *error)
{
    struct stepper *part = parts->parts[index];
    const uint64_t most = part->state->plan->most_steps;
    for (uint64_t n, left = steps; left > 0; left -= n) {
        n = left < most ? left : most;
        if (part->table->advance(part, n, lost, error) != 0) {
            *lost = *lost || left < steps;
            return error->status;
        }
    }
    return 0;
}
