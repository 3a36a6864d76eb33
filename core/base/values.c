#include "base/values.h"
#include "base/convert.h"
#include "base/type.h"

#include <stdio.h>

/* Writes where an element is: "cell 5 7" of a grid, otherwise "element 12". */
static void print_place(const struct engine_file_array *array, uint64_t element, char *text, size_t size)
{
    const uint32_t axes = array->kind == ENGINE_GRID ? array->shape.rank : 0;
    uint64_t cell = element / array->shape.components;
    int used = snprintf(text, size, axes > 0 ? "cell" : "element %llu", (unsigned long long) element);
    for (uint32_t axis = 0; axis < axes; axis++) {
        const uint64_t stride = array->stride[axis] > 0 ? array->stride[axis] : 1;
        const uint64_t at = array->first[axis] + cell % array->shape.extent[axis] * stride;
        used += snprintf(text + used, size - (size_t) used, " %llu", (unsigned long long) at);
        cell /= array->shape.extent[axis];
    }
}

int values_check(const struct engine_file_array *array, uint64_t begin, uint64_t count, const void *elements,
                 struct engine_error *error)
{
    char place[80];
    double value = 0;
    if (array->values == 0)
        return 0;
    const uint64_t good = convert_within(array->shape.type, elements, count, array->values - 1);
    if (good == count)
        return 0;
    print_place(array, begin + good, place, sizeof place);
    convert_elements(array->shape.type, (const char *) elements + good * type_bytes(array->shape.type), 1, ENGINE_F64,
                     &value);
    return error_set(error, ENGINE_STATUS_PLUGIN,
                     "field %s: %s holds the value %.0f, and the plugin declares the values 0 to %u", array->name,
                     place, value, array->values - 1);
}
