#include "record/provenance.h"
#include "base/machine.h"
#include "base/text.h"
#include "files/plan_config.h"
#include "run/state_hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the keys of a configuration that determine the state, with the headings of their sections. */
static int put_determining(FILE *out, const struct plan *plan, const struct config *config, struct engine_error *error)
{
    const char *section, *key;
    for (uint32_t i = 0; (section = config_section_at(config, i)); i++) {
        bool opened = false;
        for (uint32_t k = 0; (key = config_key_at(config, section, k)); k++) {
            if (!(plugin_key_flags(plan->context, &plan->plugin->about, section, key) & KEY_SUBJECT))
                continue;
            if (!opened)
                fprintf(out, "[%s]\n", section);
            opened = true;
            if (plan_config_key(out, section, key, config_get(config, section, key), error) != 0)
                return error->status;
        }
    }
    return 0;
}

static int print_config(const struct plan *plan, char **text, struct engine_error *error)
{
    struct config *config;
    char *put = NULL;
    size_t length = 0;
    if (plan_config_copy(plan, &config, error) != 0)
        return error->status;
    FILE *out = open_memstream(&put, &length);
    const int status = out ? put_determining(out, plan, config, error) : 0;
    config_close(config);
    *text = out && text_stream_close(out, &put) && status == 0
                ? text_to_utf8(put, length) /* the name of a file may be anything, and XML and PNG hold UTF-8 */
                : NULL;
    free(put);
    return status != 0 || *text ? status : error_memory(error, length, "the configuration's text");
}

int provenance_open(const struct state *state, struct provenance *provenance, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    snprintf(provenance->engine, sizeof provenance->engine, "%s", machine_version());
    snprintf(provenance->plugin, sizeof provenance->plugin, "%s %s", plan->plugin->about.name,
             plan->plugin->about.version);
    snprintf(provenance->seed, sizeof provenance->seed, "%llu", (unsigned long long) plan->settings.seed);
    provenance->config = NULL;
    if (print_config(plan, &provenance->config, error) != 0)
        return error->status;
    return state_hash(state, provenance->hash, error);
}

void provenance_close(struct provenance *provenance)
{
    free(provenance->config);
    provenance->config = NULL;
}

void provenance_note(const struct provenance *provenance, struct io_header *header)
{
    const struct engine_file_note notes[] = {{"Engine", provenance->engine},
                                             {"Plugin", provenance->plugin},
                                             {"Seed", provenance->seed},
                                             {"Hash", provenance->hash},
                                             {"Config", provenance->config}};
    header->notes = sizeof notes / sizeof notes[0];
    memcpy(header->note, notes, sizeof notes);
}
