/* The layout has no ghost cells on an axis along which a step reads neighbours, and the implementation does not wrap
 * this axis. */
#define NAME   "short_layout"
#define LAYOUT short_layout
#include "base.h"

static int short_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                        struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->ghost[0] = 0;
    return ENGINE_OK;
}

PLUGIN
