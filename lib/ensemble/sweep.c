#include "ensemble/sweep.h"
#include "base/error.h"
#include "base/text.h"
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int malformed(const char *text, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_USAGE,
                     "%.1000s: expected section.key=v1,v2,… with at most %d values, as in run.threads=1,2,4, a "
                     "range of integers, as in init.seed=1..100, or several keys that change together, as in "
                     "grid.size:run.steps=64 64:100,128 128:50",
                     text, SWEEP_VALUES_MAX);
}

static uint32_t count_of(char wanted, const char *text)
{
    uint32_t count = 0;
    for (; *text; text++)
        count += *text == wanted;
    return count;
}

static bool has_dots(const struct sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->key_count; i++)
        if (!strchr(sweep->keys[i], '.'))
            return false;
    return true;
}

/* ---- Ranges ---------------------------------------------------------------------------------------------------- */

enum { NUMBER = 24 };

/* Is it two integers with .. between them? Other texts with dots are values: paths, for instance. */
static bool is_range(const char *value, int64_t *first, int64_t *last)
{
    return text_number(&value, first) && value[0] == '.' && value[1] == '.' &&
           (value += 2, text_number(&value, last)) && *value == '\0';
}

/* The number of values that a part of the list stands for; 0: a range without any. */
static uint64_t values_of(const char *part)
{
    int64_t first, last;
    if (!is_range(part, &first, &last))
        return 1;
    return last < first                                            ? 0
           : (uint64_t) last - (uint64_t) first < SWEEP_VALUES_MAX ? (uint64_t) (last - first) + 1
                                                                   : SWEEP_VALUES_MAX + 1;
}

static int check_count(const char *part, uint64_t count, const char *text, struct engine_error *error)
{
    if (values_of(part) == 0)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%.1000s: the range %.64s is empty; expected the smaller number first", text, part);
    if (count > SWEEP_VALUES_MAX)
        return error_set(error, ENGINE_STATUS_USAGE, "%.1000s: more than %d values", text, SWEEP_VALUES_MAX);
    return 0;
}

/* Makes the values of a list, each part of which is a value or a range. */
static int expand(struct sweep *sweep, char *const *parts, uint32_t count, const char *text, struct engine_error *error)
{
    uint64_t values = 0;
    for (uint32_t i = 0; i < count; i++)
        if (check_count(parts[i], values += values_of(parts[i]), text, error) != 0)
            return error->status;
    sweep->values = calloc(values, sizeof *sweep->values);
    sweep->numbers = malloc(values * NUMBER);
    if (!sweep->values || !sweep->numbers)
        return error_memory(error, values * NUMBER, "a sweep");
    for (uint32_t i = 0; i < count; i++) {
        int64_t number = 0, last = 0;
        const bool range = is_range(parts[i], &number, &last);
        for (uint64_t left = values_of(parts[i]); left > 0; left--, number++) {
            char *place = sweep->numbers + (size_t) sweep->count * NUMBER;
            if (range)
                snprintf(place, NUMBER, "%lld", (long long) number);
            sweep->values[sweep->count++] = range ? place : parts[i];
        }
    }
    return 0;
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

static int read_values(struct sweep *sweep, char *list, const char *text, struct engine_error *error)
{
    const uint32_t most = count_of(',', list) + 1;
    char **parts = calloc(most, sizeof *parts);
    if (!parts)
        return error_memory(error, most * sizeof *parts, "a sweep");
    const uint32_t count = text_split(',', list, parts, most);
    int status = count == 0 ? malformed(text, error) : 0;
    for (uint32_t i = 0; status == 0 && sweep->key_count > 1 && i < count; i++)
        if (count_of(':', parts[i]) != sweep->key_count - 1)
            status = malformed(text, error);
    if (status == 0)
        status = expand(sweep, parts, count, text, error);
    free(parts);
    return status;
}

static int read_sweep(struct sweep *sweep, const char *text, struct engine_error *error)
{
    const char *values = strchr(text, '=');
    *sweep = (struct sweep){0};
    if (!values)
        return malformed(text, error);
    sweep->name = strndup(text, strcspn(text, " ="));
    sweep->given = strdup(text);
    sweep->text = strdup(text);
    if (!sweep->name || !sweep->given || !sweep->text)
        return error_memory(error, strlen(text), "a sweep");
    sweep->text[values - text] = '\0';
    sweep->key_count = text_split(':', sweep->text, sweep->keys, SWEEP_KEYS_MAX);
    if (sweep->key_count == 0 || !has_dots(sweep))
        return malformed(text, error);
    return read_values(sweep, sweep->text + (values + 1 - text), text, error);
}

static int check_combinations(const struct sweeps *sweeps, struct engine_error *error)
{
    uint64_t combinations = 1;
    for (uint32_t i = 0; i < sweeps->count; i++) {
        combinations *= sweeps->at[i].count;
        if (combinations > SWEEP_COMBINATIONS_MAX)
            return error_set(error, ENGINE_STATUS_USAGE, "the sweeps have more than %d combinations",
                             SWEEP_COMBINATIONS_MAX);
    }
    return 0;
}

/* Refuses a key that occurs twice: only the last of its values would count. */
static int check_keys(const struct sweeps *sweeps, struct engine_error *error)
{
    const char *seen[SWEEPS_MAX * SWEEP_KEYS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < sweeps->count; i++)
        for (uint32_t k = 0; k < sweeps->at[i].key_count; k++) {
            const char *key = sweeps->at[i].keys[k];
            for (uint32_t s = 0; s < count; s++)
                if (strcasecmp(seen[s], key) == 0)
                    return error_set(error, ENGINE_STATUS_USAGE,
                                     "%.200s: this key is swept twice; list all its values in one sweep", key);
            seen[count++] = key;
        }
    return 0;
}

int sweeps_read(struct sweeps *sweeps, const char *const *texts, uint32_t count, struct engine_error *error)
{
    int status = 0;
    *sweeps = (struct sweeps){0};
    if (count > SWEEPS_MAX)
        return error_set(error, ENGINE_STATUS_USAGE, "%u sweeps are given, expected at most %d", count, SWEEPS_MAX);
    sweeps->count = count; /* those that are not read are empty */
    for (uint32_t i = 0; i < count && status == 0; i++)
        status = read_sweep(&sweeps->at[i], texts[i], error);
    if (status == 0)
        status = check_combinations(sweeps, error);
    if (status == 0)
        status = check_keys(sweeps, error);
    if (status != 0)
        sweeps_release(sweeps);
    return status;
}

int sweeps_read_list(struct sweeps *sweeps, const char *list, struct engine_error *error)
{
    static const char between[] = " and ";
    char *copy = strdup(list), *next = copy;
    const char *texts[SWEEPS_MAX + 1];
    uint32_t count = 0;
    if (!copy)
        return error_memory(error, strlen(list), "sweeps");
    while (next && count <= SWEEPS_MAX) {
        texts[count++] = next;
        if ((next = strstr(next, between))) {
            *next = '\0';
            next += strlen(between);
        }
    }
    const int status = sweeps_read(sweeps, texts, count, error);
    free(copy);
    return status;
}

void sweeps_release(struct sweeps *sweeps)
{
    for (uint32_t i = 0; i < sweeps->count; i++) {
        free(sweeps->at[i].name);
        free(sweeps->at[i].given);
        free(sweeps->at[i].text);
        free(sweeps->at[i].values);
        free(sweeps->at[i].numbers);
    }
    *sweeps = (struct sweeps){0};
}

bool sweeps_key(const struct sweeps *sweeps, const char *key)
{
    for (uint32_t i = 0; i < sweeps->count; i++)
        for (uint32_t k = 0; k < sweeps->at[i].key_count; k++)
            if (strcasecmp(sweeps->at[i].keys[k], key) == 0)
                return true;
    return false;
}

uint64_t sweep_combinations(const struct sweeps *sweeps)
{
    uint64_t combinations = 1;
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
static int set_keys(const struct sweep *sweep, const char *value, struct engine_config *config,
                    struct engine_error *error)
{
    for (uint32_t i = 0; i < sweep->key_count; i++) {
        const int length = (int) (sweep->key_count > 1 ? strcspn(value, ":") : strlen(value));
        char assignment[2 * CONFIG_LINE_MAX];
        const int bytes = snprintf(assignment, sizeof assignment, "%s=%.*s", sweep->keys[i], length, value);
        if (bytes < 0 || (size_t) bytes >= sizeof assignment)
            return error_set(error, ENGINE_STATUS_USAGE, "%.200s: a value is longer than a line of a file can be",
                             sweep->keys[i]);
        if (engine_config_set(config, assignment, error) != 0)
            return error->status;
        value += length + 1;
    }
    return 0;
}

int sweep_set(const struct sweeps *sweeps, uint64_t combination, struct engine_config *config,
              struct engine_error *error)
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
