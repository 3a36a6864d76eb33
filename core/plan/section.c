#include "plan/section.h"
#include "base/type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int section_values(const struct reading *reading, const struct engine_section *section, struct engine_value *values)
{
    const struct engine_plugin *about = &reading->plugin->about;
    const bool of_plugin = strcmp(about->name, section->name) == 0;
    return param_read_section(reading->config, section->name, &section->keys, of_plugin ? &about->params : NULL, NULL,
                              values, reading->error);
}

int section_prefix_batch(const struct config *config, const struct plugin *plugin, struct engine_error *error)
{
    const char *section = batch_section(&plugin->about);
    return error_prefix(error, "%s: [%s] batch = %s: ", config_place(config, section, "batch"), section,
                        config_get(config, section, "batch"));
}

uint32_t section_reals(const char *text, double *numbers, uint32_t most)
{
    uint32_t count = 0;
    while (*text) {
        char *end;
        if (count == most || text[strspn(text, "-+.eE0123456789")] > ' ')
            return 0;
        numbers[count] = strtod(text, &end);
        if (end == text || (*end && *end != ' ' && *end != '\t') || !isfinite(numbers[count]))
            return 0;
        count++;
        text = end + strspn(end, " \t");
    }
    return count;
}
