#include "judge/sweep.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int malformed(const char *text, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_USAGE,
                     "--sweep %s: expected section.key=v1,v2,… with at most %d values, as in run.threads=1,2,4, or "
                     "several keys that change together, as in grid.size:run.steps=64 64:100,128 128:50",
                     text, SWEEP_VALUES_MAX);
}

static uint32_t count_colons(const char *text)
{
    uint32_t count = 0;
    for (; *text; text++)
        count += *text == ':';
    return count;
}

static int check_keys(const struct sweep *sweep, const char *text, struct engine_error *error)
{
    for (uint32_t i = 0; i < sweep->key_count; i++) {
        if (!strchr(sweep->keys[i], '.'))
            return malformed(text, error);
        if (strcmp(sweep->keys[i], "run.implementation") == 0)
            return error_set(error, ENGINE_STATUS_USAGE, "--sweep %s: implementations are chosen with --impl a,b,c",
                             text);
    }
    return 0;
}

static int read_sweep(struct sweep *sweep, const char *text, struct engine_error *error)
{
    const char *values = strchr(text, '=');
    *sweep = (struct sweep){0};
    if (!values)
        return malformed(text, error);
    sweep->name = strndup(text, strcspn(text, " ="));
    sweep->text = strdup(text);
    if (!sweep->name || !sweep->text)
        return error_memory(error, strlen(text), "a sweep");
    sweep->text[values - text] = '\0';
    sweep->key_count = text_split(':', sweep->text, sweep->keys, SWEEP_KEYS_MAX);
    sweep->count = text_split(',', sweep->text + (values + 1 - text), sweep->values, SWEEP_VALUES_MAX);
    if (sweep->key_count == 0 || sweep->count == 0)
        return malformed(text, error);
    for (uint32_t i = 0; sweep->key_count > 1 && i < sweep->count; i++)
        if (count_colons(sweep->values[i]) != sweep->key_count - 1)
            return malformed(text, error);
    return check_keys(sweep, text, error);
}

int sweeps_read(struct sweeps *sweeps, const char *const *texts, uint32_t count, struct engine_error *error)
{
    *sweeps = (struct sweeps){0};
    if (count > SWEEPS_MAX)
        return error_set(error, ENGINE_STATUS_USAGE, "%u sweeps are given, expected at most %d", count, SWEEPS_MAX);
    sweeps->count = count; /* those that are not read are empty */
    for (uint32_t i = 0; i < count; i++)
        if (read_sweep(&sweeps->at[i], texts[i], error) != 0) {
            sweeps_release(sweeps);
            return error->status;
        }
    return 0;
}

void sweeps_release(struct sweeps *sweeps)
{
    for (uint32_t i = 0; i < sweeps->count; i++) {
        free(sweeps->at[i].name);
        free(sweeps->at[i].text);
    }
    *sweeps = (struct sweeps){0};
}

uint64_t sweep_combinations(const struct sweeps *sweeps)
{
    uint64_t combinations = 1; /* at most 64^8 */
    for (uint32_t i = 0; i < sweeps->count; i++)
        combinations *= sweeps->at[i].count;
    return combinations;
}

const char *sweep_value(const struct sweeps *sweeps, uint32_t index, uint64_t combination)
{
    for (uint32_t i = sweeps->count - 1; i > index; i--)
        combination /= sweeps->at[i].count;
    return sweeps->at[index].values[combination % sweeps->at[index].count];
}

/* With one key, the value is the whole text. With several, each key has its part. */
static int set_keys(const struct sweep *sweep, const char *value, struct config *config, struct engine_error *error)
{
    for (uint32_t i = 0; i < sweep->key_count; i++) {
        const int length = (int) (sweep->key_count > 1 ? strcspn(value, ":") : strlen(value));
        char assignment[1024];
        snprintf(assignment, sizeof assignment, "%s=%.*s", sweep->keys[i], length, value);
        if (config_set(config, assignment, error) != 0)
            return error->status;
        value += length + 1;
    }
    return 0;
}

int sweep_set(const struct sweeps *sweeps, uint64_t combination, struct config *config, struct engine_error *error)
{
    for (uint32_t i = 0; i < sweeps->count; i++)
        if (set_keys(&sweeps->at[i], sweep_value(sweeps, i, combination), config, error) != 0)
            return error->status;
    return 0;
}

void sweep_print(FILE *to, const struct sweeps *sweeps, uint64_t combination)
{
    for (uint32_t i = 0; i < sweeps->count; i++)
        fprintf(to, "%s%s=%s", i ? ", " : "", sweeps->at[i].name, sweep_value(sweeps, i, combination));
}
