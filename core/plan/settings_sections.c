/* What the readers of the sections share. */
#include "plan/settings_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int section_read(const struct reading *reading, const char *section, const struct engine_param *keys, size_t count,
                 struct engine_value *values)
{
    const struct engine_param_array table = {keys, (uint32_t) count, sizeof *keys};
    const struct engine_plugin *about = &reading->plugin->about;
    return param_read_shared(reading->config, section, &table,
                             strcmp(about->name, section) == 0 ? &about->params : NULL, NULL, values, reading->error);
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
