#include "record/provenance.h"
#include "base/machine.h"
#include "base/text.h"
#include "files/plan_config.h"
#include "run/state_hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the lines of a configuration whose keys determine the state, with the headings of their sections. */
static void put_determining(FILE *out, const struct plan *plan, char *text)
{
    char *section = NULL, *rest = NULL;
    bool opened = false;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '[') {
            section = line + 1;
            section[strcspn(section, "]")] = '\0';
            opened = false;
            continue;
        }
        char key[128];
        snprintf(key, sizeof key, "%.*s", (int) strcspn(line, " "), line);
        if (!section || !(plugin_key_flags(plan->context, &plan->plugin->about, section, key) & KEY_SUBJECT))
            continue;
        if (!opened)
            fprintf(out, "[%s]\n", section);
        opened = true;
        fprintf(out, "%s\n", line);
    }
}

static int print_config(const struct plan *plan, char **config, struct engine_error *error)
{
    char *text, *put = NULL;
    size_t length = 0;
    if (plan_config(plan, &text, error) != 0)
        return error->status;
    FILE *out = open_memstream(&put, &length);
    if (out)
        put_determining(out, plan, text);
    free(text);
    char *printed = NULL;
    if (out && text_stream_close(out, &put))
        printed = text_to_utf8(put, length); /* the name of a file may be anything, and XML and PNG hold UTF-8 */
    free(put);
    *config = printed;
    return printed ? 0 : error_memory(error, length, "the configuration's text");
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
