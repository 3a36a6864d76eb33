#include "ensemble/initial.h"
#include "base/error.h"
#include "base/type.h"
#include "ensemble/states.h"

#include <stdlib.h>
#include <string.h>

struct initial {
    const struct ensemble *ensemble;
    struct engine_context *context;
    uint32_t most;
    char impl[64];
    uint64_t member, count; /* the states of members `member` to `member + count - 1` */
    struct states states;   /* of the run that has them; or NULL */
};

static const char seed[] = "init.seed", density[] = "init.density";

/* Does a sweep change this key alone? */
static bool is_sweep_of(const struct sweep *sweep, const char *key)
{
    return sweep->key_count == 1 && strcmp(sweep->keys[0], key) == 0;
}

static bool is_initial(const struct sweep *sweep)
{
    for (uint32_t k = 0; k < sweep->key_count; k++)
        if (strcmp(sweep->keys[k], seed) != 0 && strcmp(sweep->keys[k], density) != 0)
            return false;
    return true;
}

static bool is_same(const struct ensemble *ensemble, uint32_t index, uint64_t member, uint64_t other)
{
    return strcmp(sweep_value(&ensemble->sweeps, index, member - 1),
                  sweep_value(&ensemble->sweeps, index, other - 1)) == 0;
}

bool initial_is_group(const struct ensemble *ensemble, uint64_t member, uint64_t other)
{
    for (uint32_t i = 0; i < ensemble->sweeps.count; i++)
        if (!is_initial(&ensemble->sweeps.at[i]) && !is_same(ensemble, i, member, other))
            return false;
    return true;
}

int initial_open(const struct ensemble *ensemble, struct engine_context *context, uint32_t most, const char *impl,
                 struct initial **out, struct engine_error *error)
{
    struct initial *initial = *out = calloc(1, sizeof *initial);
    if (!initial)
        return error_memory(error, sizeof *initial, "initial states");
    *initial = (struct initial){.ensemble = ensemble, .context = context, .most = most};
    snprintf(initial->impl, sizeof initial->impl, "%s", impl);
    return 0;
}

void initial_close(struct initial *initial)
{
    if (initial)
        engine_run_close(initial->states.run);
    free(initial);
}

bool initial_follows(const struct ensemble *ensemble, uint64_t member, uint64_t other, uint64_t by)
{
    bool seeds = false;
    if (other > ensemble->count)
        return false;
    for (uint32_t i = 0; i < ensemble->sweeps.count; i++) {
        if (is_sweep_of(&ensemble->sweeps.at[i], seed)) {
            const char *first = sweep_value(&ensemble->sweeps, i, member - 1);
            const char *second = sweep_value(&ensemble->sweeps, i, other - 1);
            seeds = strtoull(second, NULL, 10) == strtoull(first, NULL, 10) + by;
            if (!seeds)
                return false;
        } else if (!is_same(ensemble, i, member, other))
            return false;
    }
    return seeds;
}

/* The number of members from this one on whose seeds are consecutive. */
static uint32_t count_from(const struct initial *initial, uint64_t member)
{
    uint32_t count = 1;
    while (count < initial->most && initial_follows(initial->ensemble, member, member + count, count))
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
static int make(struct initial *initial, uint64_t member, struct engine_error *error)
{
    struct engine_config *config;
    engine_run_close(initial->states.run);
    initial->states.run = NULL;
    initial->member = member;
    initial->count = count_from(initial, member);
    int status = ensemble_config(initial->ensemble, member, initial->context, &config, error);
    if (status == 0)
        status = prepare(initial, config, error);
    engine_config_close(config);
    if (status != 0)
        initial->count = 0;
    return status;
}

int initial_state(struct initial *initial, uint64_t member, char *state, struct engine_error *error)
{
    if ((member < initial->member || member >= initial->member + initial->count) && make(initial, member, error) != 0)
        return error->status;
    return states_read(&initial->states, member - initial->member, 1, state, error);
}
