#include "base/type.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
} types[TYPE_COUNT] = {
    [ENGINE_U8] = {"uint8", 1},    [ENGINE_I8] = {"int8", 1},       [ENGINE_U16] = {"uint16", 2},
    [ENGINE_I16] = {"int16", 2},   [ENGINE_U32] = {"uint32", 4},    [ENGINE_I32] = {"int32", 4},
    [ENGINE_U64] = {"uint64", 8},  [ENGINE_I64] = {"int64", 8},     [ENGINE_F32] = {"float32", 4},
    [ENGINE_F64] = {"float64", 8}, [ENGINE_C64] = {"complex64", 8}, [ENGINE_C128] = {"complex128", 16},
};

uint32_t type_bytes(uint32_t type)
{
    return type < TYPE_COUNT ? types[type].bytes : 0;
}

const char *type_name(uint32_t type)
{
    return type < TYPE_COUNT ? types[type].name : "no type";
}

bool type_from_name(const char *name, uint32_t *type)
{
    for (uint32_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0) {
            *type = i;
            return true;
        }
    return false;
}

int64_t integer_at(uint32_t type, const void *elements, uint64_t i)
{
    switch (type) {
    case ENGINE_U8:
        return ((const uint8_t *) elements)[i];
    case ENGINE_I8:
        return ((const int8_t *) elements)[i];
    case ENGINE_U16:
        return ((const uint16_t *) elements)[i];
    case ENGINE_I16:
        return ((const int16_t *) elements)[i];
    case ENGINE_U32:
        return ((const uint32_t *) elements)[i];
    case ENGINE_I32:
        return ((const int32_t *) elements)[i];
    default:
        return ((const int64_t *) elements)[i];
    }
}

bool multiply(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product) && *product <= INT64_MAX;
}

bool shape_cells(const struct engine_shape *shape, uint64_t *cells)
{
    return multiply(shape->extent[0], shape->extent[1], cells) && multiply(*cells, shape->extent[2], cells);
}

bool shape_elements(const struct engine_shape *shape, uint64_t *elements)
{
    return shape_cells(shape, elements) && multiply(*elements, shape->components, elements);
}

bool shape_bytes(const struct engine_shape *shape, uint64_t *bytes)
{
    return shape_elements(shape, bytes) && multiply(*bytes, type_bytes(shape->type), bytes);
}

const char *shape_text(const struct engine_field *field, const struct engine_shape *shape, char text[SHAPE_TEXT])
{
    int used = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        const uint32_t axis = field->kind == ENGINE_MATRIX ? shape->rank - 1 - i : i;
        const unsigned long long cells = shape->extent[axis];
        used += cells > 0 ? snprintf(text + used, SHAPE_TEXT - (size_t) used, "%s%llu", i ? " x " : "", cells)
                          : snprintf(text + used, SHAPE_TEXT - (size_t) used, "%sunbounded", i ? " x " : "");
    }
    return text;
}
