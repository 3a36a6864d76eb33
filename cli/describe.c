#include "describe.h"

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

void describe_choices(const struct engine_param *param, char *text, size_t size)
{
    for (uint32_t i = 0; param->choices[i]; i++) {
        const size_t used = i ? strlen(text) : 0;
        snprintf(text + used, size - used, "%s%s", i ? ", " : "one of ", param->choices[i]);
    }
}
