/* A complete plugin with one 2D field of two values. Each file of this folder differs from it in one way.
 *
 * A file defines the macros that differ (always NAME), includes this header, defines its own functions and ends with
 * PLUGIN. Rule: a cell becomes left XOR above, which needs ghost cells on both axes and at the corner. */
#ifndef BAD_BASE_H
#define BAD_BASE_H

#include <engine/plugin.h>

#ifndef ABI
#define ABI ENGINE_ABI(0)
#endif
#ifndef PARAMS
#define PARAMS ENGINE_ARRAY(base_params)
#endif
#ifndef IMPLS
#define IMPLS ENGINE_ARRAY(base_impls)
#endif
#ifndef PROBE
#define PROBE NULL
#endif
#ifndef LAYOUT
#define LAYOUT NULL
#endif
#ifndef CREATE
#define CREATE NULL
#endif
#ifndef ADVANCE
#define ADVANCE base_advance
#endif

/* One step, as ghosts of one cell allow. */
static inline int base_advance(void *self, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    (void) self;
    if (call->steps != 1)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "%llu steps asked of ghosts for one",
                           (unsigned long long) call->steps);
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++) {
        const uint8_t *from = (const uint8_t *) cells->origin[call->current] + (int64_t) y * cells->row_stride;
        uint8_t *to = (uint8_t *) cells->origin[1 - call->current] + (int64_t) y * cells->row_stride;
        for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++)
            to[x] = from[x - 1] ^ from[x - cells->row_stride];
    }
    call->result = 1 - call->current;
    return ENGINE_OK;
}

#define BASE_PARAMS \
    static const struct engine_param base_params[] = { \
        {.name = "width", .help = "does nothing", .type = ENGINE_PARAM_INTEGER, .initial = "4", .min = 1, .max = 9}, \
    };

#define BASE_FIELDS \
    static const struct engine_field base_fields[] = { \
        {.name = "cells", .help = "0 or 1", .components = 1, .rank = 2, .values = 2, .reach = {1, 1, 0}}, \
    };

#define BASE_IMPL(called, flag, function) \
    { \
        .name = (called), .help = "one loop", .flags = ENGINE_EXACT | (flag), .probe = PROBE, .layout = LAYOUT, \
        .create = CREATE, .advance = (function) \
    }

#define BASE_IMPLS static const struct engine_impl base_impls[] = {BASE_IMPL("cpu", ENGINE_REFERENCE, ADVANCE)};

#define DESCRIPTOR \
    { \
        .abi = ABI, .name = NAME, .version = "1.0", .summary = "left XOR above", .params = PARAMS, \
        .fields = ENGINE_ARRAY(base_fields), .impls = IMPLS \
    }

#define PLUGIN BASE_PARAMS BASE_FIELDS BASE_IMPLS const struct engine_plugin engine_plugin = DESCRIPTOR;

#endif
