#include "ensemble/groups.h"
#include "ensemble/freeze.h"

#include <stdlib.h>
#include <string.h>

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

static bool is_same(const struct sweeps *sweeps, uint32_t index, uint64_t member, uint64_t other)
{
    return strcmp(sweep_value(sweeps, index, member - 1), sweep_value(sweeps, index, other - 1)) == 0;
}

bool group_has(const struct sweeps *sweeps, uint64_t member, uint64_t other)
{
    for (uint32_t i = 0; i < sweeps->count; i++)
        if (!is_initial(&sweeps->at[i]) && !is_same(sweeps, i, member, other))
            return false;
    return true;
}

bool group_follows(const struct sweeps *sweeps, uint64_t member, uint64_t other, uint64_t by)
{
    bool seeds = false;
    for (uint32_t i = 0; i < sweeps->count; i++) {
        if (is_sweep_of(&sweeps->at[i], seed)) {
            const char *first = sweep_value(sweeps, i, member - 1), *second = sweep_value(sweeps, i, other - 1);
            seeds = strtoull(second, NULL, 10) == strtoull(first, NULL, 10) + by;
            if (!seeds)
                return false;
        } else if (!is_same(sweeps, i, member, other))
            return false;
    }
    return seeds;
}

static bool is_by_universe(const struct engine_plugin *about, const struct sweep *sweep)
{
    for (uint32_t k = 0; k < sweep->key_count; k++)
        if (strcmp(sweep->keys[k], seed) != 0 && !(freeze_flags(about, sweep->keys[k]) & ENGINE_PARAM_BY_UNIVERSE))
            return false;
    return true;
}

bool group_joins(const struct engine_plugin *about, const struct sweeps *sweeps, uint64_t member, uint64_t other)
{
    for (uint32_t i = 0; i < sweeps->count; i++)
        if (!is_by_universe(about, &sweeps->at[i]) && !is_same(sweeps, i, member, other))
            return false;
    return true;
}
