#include "plan/search.h"
#include "base/modules.h"
#include "plan/settings.h"

int plan_search_open(struct plan_search *search, const struct config *config, struct registry *registry,
                     struct engine_error *error)
{
    const char *folder = config_get(config, "run", "plugins");
    const struct context *context = registry_context(registry);
    char path[SETTINGS_PATH_MAX];
    *search = (struct plan_search){.registry = registry};
    if (!folder || !*folder)
        return 0;
    if (context)
        search->context = *context;
    search->context.formats = NULL;
    const struct modules *modules = search->context.modules;
    if (registry_open_with(&search->context, config_resolve(config, folder, path, sizeof path), registry, &search->own,
                           error) == 0 &&
        (!modules || !modules->open || modules->open(&search->context, search->own, error) == 0)) {
        search->registry = search->own;
        return 0;
    }
    return error_prefix(error, "%s: [run] plugins: ", config_place(config, "run", "plugins"));
}

void plan_search_close(struct plan_search *search)
{
    if (search->context.modules && search->context.modules->close)
        search->context.modules->close(&search->context);
    registry_close(search->own);
}
