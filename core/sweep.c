#include "sweep.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int malformed(const char *text, struct error *error)
{
    return error_set(error, STATUS_USAGE,
                     "--sweep %s: expected section.key=v1,v2,… with at most %d values, as in run.threads=1,2,4", text,
                     SWEEP_VALUES_MAX);
}

int sweep_read(struct sweep *sweep, const char *text, struct error *error)
{
    *sweep = (struct sweep){.text = strdup(text)};
    if (!sweep->text)
        return error_memory(error, strlen(text), "a sweep");
    char *values = strchr(sweep->text, '=');
    if (!values)
        return malformed(text, error);
    *values++ = '\0';
    sweep->key = sweep->text;
    sweep->count = split_at_commas(values, sweep->values, SWEEP_VALUES_MAX);
    if (sweep->count == 0 || !strchr(sweep->key, '.'))
        return malformed(text, error);
    if (strcmp(sweep->key, "run.implementation") == 0)
        return error_set(error, STATUS_USAGE, "--sweep %s: implementations are chosen with --impl a,b,c", text);
    return 0;
}

void sweep_release(struct sweep *sweep)
{
    free(sweep->text);
    *sweep = (struct sweep){0};
}

uint64_t sweep_combinations(const struct sweep *sweeps, uint32_t count)
{
    uint64_t combinations = 1; /* at most 64^8 */
    for (uint32_t i = 0; i < count; i++)
        combinations *= sweeps[i].count;
    return combinations;
}

const char *sweep_value(const struct sweep *sweeps, uint32_t count, uint32_t index, uint64_t combination)
{
    for (uint32_t i = count - 1; i > index; i--)
        combination /= sweeps[i].count;
    return sweeps[index].values[combination % sweeps[index].count];
}

int sweep_set(const struct sweep *sweeps, uint32_t count, uint64_t combination, struct config *config,
              struct error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        char assignment[1024];
        snprintf(assignment, sizeof assignment, "%s=%s", sweeps[i].key, sweep_value(sweeps, count, i, combination));
        if (config_set(config, assignment, error) != 0)
            return error->status;
    }
    return 0;
}
