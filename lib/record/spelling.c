#include "record/spelling.h"
#include "formats/patterns/golly.h"
#include "plugin/host.h"

#include <string.h>

/* Does the plugin take such a rule, and spell it in another way? */
static bool spells(const struct engine_context *context, const struct engine_plugin *about, const char *rule,
                   char text[IO_RULE_MAX])
{
    const struct engine_value value = {.text = rule};
    struct host host;
    bool takes = false;
    memset(text, 0, IO_RULE_MAX);
    host_init(&host, &context->context, about->name, 1, NULL);
    const struct param_checker checker = host_param_checker(&host);
    for (uint32_t i = 0; i < about->params.count && !takes; i++) {
        const struct engine_param *param = &about->params.at[i];
        takes = param->file_key && strcmp(param->file_key, "rule") == 0 && param->check && param->spell &&
                !checker.check(checker.context, param, &value) && param->spell(rule, text, IO_RULE_MAX) == 0;
    }
    host_release(&host);
    return takes && text[IO_RULE_MAX - 1] == '\0' && *text && strcmp(text, rule) != 0;
}

/* Can the cells of the plugin's first field be those of the pattern? */
static bool fits(const struct engine_plugin *about, const struct engine_file_array *pattern)
{
    const struct engine_field *cells = about->fields.at;
    return about->fields.count > 0 && cells->kind == ENGINE_GRID && cells->rank == pattern->shape.rank &&
           cells->values >= pattern->values;
}

void spelling_change(struct engine_context *context, struct io_document *document)
{
    const struct engine_file_array *pattern = &document->arrays[0];
    char *rule = document->header.rule, text[IO_RULE_MAX];
    const char *name;
    bool found = *rule == '\0' || golly_is_life(rule) || pattern->kind != ENGINE_GRID;
    for (uint32_t i = 0; !found && (name = registry_name_at(context->registry, i)); i++) {
        const struct plugin *plugin;
        struct engine_error ignored;
        found = registry_find(context->registry, name, &plugin, &ignored) == 0 && fits(&plugin->about, pattern) &&
                spells(context, &plugin->about, rule, text);
        if (found)
            memcpy(rule, text, sizeof text);
    }
}
