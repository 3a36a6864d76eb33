#include "plugin/extension.h"
#include "config/config.h"

#include <stdio.h>

/* Sets *table to the table of this name in version 1, or to NULL. Every table begins with its size. The registry guards
 * this call of the plugin as it guards constructors. */
static int find(const struct engine_plugin *about, const char *name, size_t least, const void **table,
                struct engine_error *error)
{
    const uint32_t *size = *table = about->extension(name, 1);
    if (size && *size < least)
        return error_set(error, ENGINE_STATUS_PLUGIN, "its extension '%s' has %u bytes, expected at least %zu", name,
                         *size, least);
    return 0;
}

static int read_advice(const struct engine_plugin *about, struct engine_impl *impl, struct engine_error *error)
{
    char name[sizeof ENGINE_ADVICE("") + CONFIG_NAME_MAX];
    const void *found;
    snprintf(name, sizeof name, ENGINE_ADVICE("%s"), impl->name);
    const int status = find(about, name, sizeof(struct engine_advice), &found, error);
    if (status == 0 && found)
        impl->advise = ((const struct engine_advice *) found)->advise;
    return status;
}

int extension_read(struct engine_plugin *about, struct engine_error *error)
{
    if (!about->extension)
        return 0;
    const void *found;
    int status = find(about, ENGINE_COLOURS, sizeof(struct engine_colours), &found, error);
    if (status == 0 && found)
        about->colours = ((const struct engine_colours *) found)->colours;
    status = status ? status : find(about, ENGINE_BOX, sizeof(struct engine_chosen_box), &found, error);
    status = status ? status : find(about, ENGINE_OUTPUTS, sizeof(struct engine_outputs), &found, error);
    struct engine_impl *impls = (struct engine_impl *) (uintptr_t) about->impls.at;
    for (uint32_t i = 0; i < about->impls.count && status == 0; i++)
        status = read_advice(about, &impls[i], error);
    return status;
}
