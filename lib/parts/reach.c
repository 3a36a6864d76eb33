#include "parts/reach.h"

#include <engine/parts.h>

uint32_t parts_reach(const struct plan *plan, uint32_t axis)
{
    const struct engine_plugin *about = &plan->plugin->about;
    const struct engine_reach *table = about->extension ? about->extension(ENGINE_REACH, 1) : NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < about->fields.count; i++) {
        const uint32_t *largest = about->fields.at[i].reach;
        uint32_t reach[3] = {largest[0], largest[1], largest[2]};
        if (table && table->size >= sizeof *table)
            table->reach(&plan->for_plugin, i, reach);
        const uint32_t own = reach[axis] < largest[axis] ? reach[axis] : largest[axis];
        most = own > most ? own : most;
    }
    return most;
}
