/* Brian's Brain: the descriptor. */
#define ENGINE_MINOR 12 /* for engine_plugin.extension */
#include "brians-brain.h"

#include <engine/pictures.h>
#include <engine/stencil_cpu.h>

#include <string.h>

static const struct engine_field fields[] = {
    [CELLS] = {ENGINE_GRID_FIELD("cells", "0 ready, 1 firing, 2 tired", ENGINE_STATE, ENGINE_U8, 2), .values = 3,
               .reach = {1, 1, 0}},
};

static const struct engine_metric metrics[] = {
    [FIRING_CELLS] = {ENGINE_METRIC("firing", "cells", "cells that fire")},
    [TIRED_CELLS] = {ENGINE_METRIC("tired", "cells", "cells that fired one step before")},
};

static int colours(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                   uint8_t (*colours)[3], uint32_t *count)
{
    static const uint8_t all[3][3] = {{0, 0, 0}, {255, 250, 205}, {200, 50, 45}}; /* of 0, 1, 2 */
    (void) host, (void) plan, (void) field;
    memcpy(colours, all, sizeof all);
    *count = 3;
    return 0;
}

ENGINE_COLOURS_EXTENSION(colours)

static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("brians-brain", "0.1.0", "Brian's Brain: cells that fire, tire and recover"),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .extension = extension,
};
