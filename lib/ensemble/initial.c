#include "ensemble/initial.h"
#include "base/error.h"
#include "base/type.h"
#include "ensemble/groups.h"
#include "ensemble/states.h"

#include <stdlib.h>
#include <string.h>

struct initial {
    const struct ensemble *ensemble;
    struct engine_context *context;
    char impl[64];
    uint64_t member, count; /* the states of members `member` to `member + count - 1` */
    struct states states;   /* of the run that has them; or NULL */
};

int initial_open(const struct ensemble *ensemble, struct engine_context *context, const char *impl,
                 struct initial **out, struct engine_error *error)
{
    struct initial *initial = *out = calloc(1, sizeof *initial);
    if (!initial)
        return error_memory(error, sizeof *initial, "initial states");
    *initial = (struct initial){.ensemble = ensemble, .context = context};
    snprintf(initial->impl, sizeof initial->impl, "%s", impl);
    return 0;
}

void initial_close(struct initial *initial)
{
    if (initial)
        engine_run_close(initial->states.run);
    free(initial);
}

/* The number of members from this one on whose seeds are consecutive, up to `most`. */
static uint32_t count_from(const struct initial *initial, uint64_t member, uint32_t most)
{
    uint32_t count = 1;
    while (count < most && member + count <= initial->ensemble->count &&
           group_follows(&initial->ensemble->sweeps, member, member + count, count))
        count++;
    return count;
}

static int prepare(struct initial *initial, struct engine_config *config, struct engine_error *error)
{
    char count[32];
    snprintf(count, sizeof count, "%llu", (unsigned long long) initial->count);
    if (engine_config_put(config, batch_section(initial->ensemble->measured[0].about), "batch", count, error) != 0 ||
        engine_run_plan_steps(config, NULL, &initial->states.run, error) != 0 ||
        engine_run_choose(initial->states.run, initial->impl, error) != 0 ||
        engine_run_prepare(initial->states.run, 0, error) != 0)
        return error->status;
    return states_open(&initial->states, initial->states.run, initial->count)
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE, "the plugin has too many fields");
}

/* Makes the states of a member and of those that follow. */
static int make(struct initial *initial, uint64_t member, uint32_t most, struct engine_error *error)
{
    struct engine_config *config;
    engine_run_close(initial->states.run);
    initial->states.run = NULL;
    initial->member = member;
    initial->count = count_from(initial, member, most);
    int status = ensemble_config(initial->ensemble, member, initial->context, &config, error);
    if (status == 0)
        status = prepare(initial, config, error);
    engine_config_close(config);
    if (status != 0)
        initial->count = 0;
    return status;
}

int initial_state(struct initial *initial, uint64_t member, uint32_t most, char *state, struct engine_error *error)
{
    if ((member < initial->member || member >= initial->member + initial->count) &&
        make(initial, member, most, error) != 0)
        return error->status;
    return states_read(&initial->states, member - initial->member, 1, state, error);
}
