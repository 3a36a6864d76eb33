#include "plan/section.h"

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

int section_refuse_batch(const struct reading *reading, const char *why)
{
    error_set(reading->error, ENGINE_STATUS_USAGE, "%s", why);
    return error_prefix(reading->error, "%s: [grid] batch = %llu: ", config_place(reading->config, "grid", "batch"),
                        (unsigned long long) reading->settings->universes);
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
