#include "elements.h"

uint64_t box_elements(const struct engine_box *box, const struct engine_shape *shape)
{
    uint64_t count = shape->components;
    for (int axis = 0; axis < 3; axis++)
        count *= box->end[axis] - box->begin[axis];
    return count;
}

uint32_t element_bytes(uint32_t type)
{
    static const uint32_t bytes[] = {
        [ENGINE_U8] = 1,  [ENGINE_I8] = 1,  [ENGINE_U16] = 2, [ENGINE_I16] = 2, [ENGINE_U32] = 4, [ENGINE_I32] = 4,
        [ENGINE_U64] = 8, [ENGINE_I64] = 8, [ENGINE_F32] = 4, [ENGINE_F64] = 8, [ENGINE_C64] = 8, [ENGINE_C128] = 16};
    return type < sizeof bytes / sizeof bytes[0] ? bytes[type] : 0;
}
