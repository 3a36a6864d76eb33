#include "ensemble/exchange_terms.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Keys that make other files, or that end a member before the others. */
static int check_keys(const struct engine_config *config, struct engine_error *error)
{
    static const char *const keys[][2] = {{"output", "every"},      {"output", "formats"},       {"output", "probes"},
                                          {"output", "hash_every"}, {"output", "metrics_every"}, {"analyse", "plugin"},
                                          {"run", "until"},         {"particles", "batch"},      {"grid", "batch"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *text = engine_config_get(config, keys[i][0], keys[i][1]);
        if (text && *text && strcmp(text, "0") != 0)
            return error_set(error, ENGINE_STATUS_USAGE, "[%s] %s: members that exchange take no such key", keys[i][0],
                             keys[i][1]);
    }
    return 0;
}

bool exchange_values(const struct sweeps *sweeps, uint64_t i, double *temperature, uint64_t *seed)
{
    char *end;
    *temperature = strtod(sweep_value(sweeps, 0, i), &end);
    *seed = *end == ':' ? strtoull(end + 1, NULL, 10) : 0;
    return *end == ':' && *temperature > 0;
}

int exchange_check(const struct engine_config *config, const struct sweeps *sweeps, const struct engine_plugin *about,
                   uint32_t *energy, struct engine_error *error)
{
    const struct sweep *sweep = &sweeps->at[0];
    const uint64_t count = sweep_combinations(sweeps);
    const char *name = engine_config_get(config, "ensemble", "energy");
    double temperature;
    uint64_t seed;
    bool right = sweeps->count == 1 && sweep->key_count == 2 && strcmp(sweep->keys[1], "init.seed") == 0 &&
                 count >= 2 && count <= EXCHANGE_MEMBERS_MAX;
    for (uint64_t i = 0; right && i < count; i++)
        right = exchange_values(sweeps, i, &temperature, &seed);
    if (!right)
        return error_set(
            error, ENGINE_STATUS_USAGE,
            "[ensemble] exchange: expected one sweep of 2 to %d temperatures above 0 with a seed for each, "
            "such as section.key:init.seed=0.5:1,0.6:2",
            EXCHANGE_MEMBERS_MAX);
    name = name && *name ? name : "potential";
    for (*energy = 0; *energy < about->metrics.count; (*energy)++)
        if (strcmp(about->metrics.at[*energy].name, name) == 0)
            return check_keys(config, error);
    return error_set(error, ENGINE_STATUS_USAGE, "[ensemble] energy = %s: the plugin has no such metric", name);
}
