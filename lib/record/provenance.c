#include "record/provenance.h"
#include "base/machine.h"
#include "base/text.h"
#include "files/plan_config.h"
#include "files/plan_use.h"
#include "files/source_files.h"
#include "record/state_document.h"
#include "run/state_hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Is it a section of the engine, or of a plugin of this run? Other plugins' sections decide nothing, and may have
 * paths. */
static bool is_used(const struct plan *plan, const char *section, const char *key)
{
    const struct plan *const plans[] = {plan, plan->run, plan->analysis};
    bool used = strcasecmp(section, "init") == 0 || keys_flags(plan->context, section, key);
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        used = used || (plans[i] && strcasecmp(section, plans[i]->plugin->about.name) == 0);
    return used;
}

/* Prints the keys of a configuration that determine the state, with the headings of their sections. */
static int put_determining(FILE *out, const struct plan *plan, const struct config *config, struct engine_error *error)
{
    const char *section, *key;
    for (uint32_t i = 0; (section = config_section_at(config, i)); i++) {
        bool opened = false;
        for (uint32_t k = 0; (key = config_key_at(config, section, k)); k++) {
            if (!is_used(plan, section, key) ||
                !(plugin_key_flags(plan->context, &plan->plugin->about, section, key) & KEY_SUBJECT))
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

/* Spells parameters that are in the headers of files as the headers do, where the rule of a file has no folder. */
static int spell_params(const struct plan *plan, struct config *config, struct engine_error *error)
{
    const struct engine_plugin *about = &plan->plugin->about;
    char text[PLAN_HEADER_MAX];
    for (uint32_t i = 0; i < about->params.count; i++) {
        const struct engine_param *param = &about->params.at[i];
        if (!param->file_key || !param->spell)
            continue;
        plan_header_text(plan, param->file_key, text);
        if (config_put(config, about->name, param->name, text, error) != 0)
            return error->status;
    }
    return plan->run ? spell_params(plan->run, config, error) : 0;
}

static int print_config(const struct plan *plan, char **text, struct engine_error *error)
{
    struct config *config;
    char *put = NULL;
    size_t length = 0;
    if (plan_config_copy(plan, &config, error) != 0)
        return error->status;
    FILE *out = open_memstream(&put, &length);
    int status = plan_config_hide_folders(plan, config, error);
    if (status == 0)
        status = spell_params(plan, config, error);
    if (status == 0 && out)
        status = put_determining(out, plan, config, error);
    config_close(config);
    *text = out && text_stream_close(out, &put) && status == 0
                ? text_to_utf8(put, length) /* the name of a file may be anything, and XML and PNG hold UTF-8 */
                : NULL;
    free(put);
    return status != 0 || *text ? status : error_memory(error, length, "the configuration's text");
}

/* Is the line of a comment a note that a run has written, about an earlier state? */
static bool is_of_run(const char *line)
{
    static const char *const keys[] = {"Engine: ", "Plugin: ", "Seed: ", "Hash: ", "Config: ", "Region: "};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strncmp(line, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

/* Copies the lines that are not of a run. */
static char *author_lines(const char *text)
{
    char *lines = malloc(strlen(text) + 1), *to = lines;
    for (size_t length; lines && *text; text += length) {
        length = strcspn(text, "\n");
        length += text[length] == '\n';
        if (!is_of_run(text)) {
            memcpy(to, text, length);
            to += length;
        }
    }
    if (lines)
        *to = '\0';
    return lines;
}

/* Takes the notes of the file from which the run starts: its name, its author, and comments. */
static int take_author(const struct plan *plan, struct provenance *provenance, struct engine_error *error)
{
    const struct source_files *files = source_files_of(plan);
    const struct io_header *header = files && files->pattern ? &files->pattern->header : NULL;
    for (uint32_t i = 0; header && i < header->notes && i < PROVENANCE_AUTHOR; i++) {
        char *text = author_lines(header->note[i].text);
        if (!text)
            return error_memory(error, strlen(header->note[i].text), "the comments of a file");
        if (*text)
            provenance->author[provenance->author_notes++] = (struct engine_file_note){header->note[i].key, text};
        else
            free(text);
    }
    return 0;
}

int provenance_open(const struct state *state, struct provenance *provenance, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    memset(provenance, 0, sizeof *provenance);
    snprintf(provenance->engine, sizeof provenance->engine, "%s", machine_version());
    snprintf(provenance->plugin, sizeof provenance->plugin, "%s %s", plan->plugin->about.name,
             plan->plugin->about.version);
    if (plan_uses_init(plan, KEY_INIT_SEED))
        snprintf(provenance->seed, sizeof provenance->seed, "%llu", (unsigned long long) plan->settings.seed);
    if (take_author(plan, provenance, error) != 0 || print_config(plan, &provenance->config, error) != 0)
        return error->status;
    return state_hash(state, HASH_RESULTS, provenance->hash, error);
}

void provenance_close(struct provenance *provenance)
{
    for (uint32_t i = 0; i < provenance->author_notes; i++)
        free((char *) provenance->author[i].text);
    provenance->author_notes = 0;
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
    header->notes = provenance->author_notes;
    memcpy(header->note, provenance->author, sizeof provenance->author);
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if (notes[i].text && *notes[i].text)
            header->note[header->notes++] = notes[i];
}
