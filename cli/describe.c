#include "describe.h"
#include "help.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *describe_reference(const struct engine_plugin_info *plugin, const struct engine_impl *impl)
{
    const bool says_so = impl->help && impl->advance && strstr(impl->help, "the reference");
    return impl == plugin->reference && !says_so ? " (the reference)" : "";
}

const char *describe_edges(const struct engine_impl *impl)
{
    const uint32_t flags = impl->advance ? impl->flags : 0;
    return flags & ENGINE_SEPARATE_EDGES ? "; fast with dead, fixed and mirror edges"
           : flags & ENGINE_DEAD_EDGES   ? "; fast with dead edges"
                                         : "";
}

/* "one of auto, plain, pairs" */
static void format_choices(const struct engine_param *param, char *text, size_t size)
{
    for (uint32_t i = 0; param->choices[i]; i++) {
        const size_t used = i ? strlen(text) : 0;
        snprintf(text + used, size - used, "%s%s", i ? ", " : "one of ", param->choices[i]);
    }
}

/* "a whole number from 1 to 4096", "one of auto, plain, pairs", …; "" for a text, which may be anything. A limit of 1e15
 * or more is no limit. */
static void format_range(const struct engine_param *param, char *text, size_t size)
{
    static const char *const numbers[] = {[ENGINE_PARAM_INTEGER] = "a whole number", [ENGINE_PARAM_REAL] = "a number"};
    text[0] = '\0';
    if (param->type == ENGINE_PARAM_FLAG)
        snprintf(text, size, "yes or no");
    else if (param->type == ENGINE_PARAM_CHOICE)
        format_choices(param, text, size);
    else if (param->type <= ENGINE_PARAM_REAL && param->min < param->max && fabs(param->max) < 1e15)
        snprintf(text, size, "%s from %.15g to %.15g", numbers[param->type], param->min, param->max);
    else if (param->type <= ENGINE_PARAM_REAL && param->min < param->max && param->min > -1e15)
        snprintf(text, size, "%s of at least %.15g", numbers[param->type], param->min);
    else if (param->type <= ENGINE_PARAM_REAL)
        snprintf(text, size, "%s", numbers[param->type]);
}

void describe_param(const struct engine_param *param, int column)
{
    char assignment[256], range[512], text[1536];
    snprintf(assignment, sizeof assignment, "%s = %s", param->name, param->initial);
    format_range(param, range, sizeof range);
    const char *unit = param->unit ? param->unit : "";
    snprintf(text, sizeof text, "%s%s%s%s%s%s", param->help ? param->help : "", *range || *unit ? " (" : "", range,
             *range && *unit ? ", unit: "
             : *unit         ? "unit: "
                             : "",
             unit, *range || *unit ? ")" : "");
    printf("  %-*s", column - 2, assignment);
    if (strlen(assignment) > (size_t) column - 3)
        printf("\n%*s", column, "");
    help_print_text(stdout, text, column);
}
