#include "provenance.h"
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sections that are not about what is computed; of [run] the plugin alone is. */
static const char *const left_out[] = {"output", "checkpoint", "bench", NULL};

static bool is_tuning(const struct plan *plan, const char *key)
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    for (uint32_t i = 0; i < params->count; i++)
        if (strcmp(params->at[i].name, key) == 0)
            return params->at[i].flags & ENGINE_PARAM_TUNING;
    return false;
}

/* Does the key decide what the state is? */
static bool decides(void *context, const char *section, const char *key)
{
    const struct plan *plan = context;
    for (uint32_t i = 0; left_out[i] != NULL; i++)
        if (strcmp(section, left_out[i]) == 0)
            return false;
    if (strcmp(section, "run") == 0)
        return strcmp(key, "plugin") == 0;
    return strcmp(section, plan->plugin->about.name) != 0 || !is_tuning(plan, key);
}

int provenance_open(const struct state *state, struct provenance *provenance, struct error *error)
{
    struct plan *plan = state->plan;
    machine_engine(provenance->engine);
    snprintf(provenance->plugin, sizeof provenance->plugin, "%s %s", plan->plugin->about.name,
             plan->plugin->about.version);
    snprintf(provenance->seed, sizeof provenance->seed, "%llu", (unsigned long long) plan->settings.seed);
    provenance->config = config_text(plan->config, decides, plan);
    if (provenance->config == NULL)
        return error_memory(error, 1, "the configuration's text");
    return state_hash(state, provenance->hash, error);
}

void provenance_close(struct provenance *provenance)
{
    free(provenance->config);
    provenance->config = NULL;
}

void provenance_note(const struct provenance *provenance, struct io_header *header)
{
    const struct io_note notes[] = {{"Engine", provenance->engine},
                                    {"Plugin", provenance->plugin},
                                    {"Seed", provenance->seed},
                                    {"Hash", provenance->hash},
                                    {"Config", provenance->config}};
    header->notes = sizeof notes / sizeof notes[0];
    memcpy(header->note, notes, sizeof notes);
}
