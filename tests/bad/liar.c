/* The second implementation, which `auto` chooses, claims to be exact but computes a wrong last cell. */
#define NAME  "liar"
#define IMPLS ENGINE_ARRAY(two_impls)
#include "base.h"

static int wrong_advance(void *self, struct engine_call *call)
{
    int code = base_advance(self, call);
    if (code)
        return code;
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    uint8_t *last_row =
        (uint8_t *) cells->origin[call->result] + (int64_t) (cells->shape->extent[1] - 1) * cells->row_stride;
    last_row[cells->shape->extent[0] - 1] ^= 1;
    return ENGINE_OK;
}

#undef BASE_IMPLS
#define BASE_IMPLS \
    static const struct engine_impl two_impls[] = { \
        BASE_IMPL("cpu", ENGINE_REFERENCE, ADVANCE), \
        {.name = "cpu-wrong", \
         .help = "one loop and a lie", \
         .flags = ENGINE_EXACT, \
         .rank = 1, \
         .advance = wrong_advance}, \
    };
PLUGIN
