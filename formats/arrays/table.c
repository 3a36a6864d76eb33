#include "formats/arrays/table.h"
#include "base/type.h"
#include "files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int table_holds(const struct engine_file_array *array)
{
    const bool real = array->shape.type < ENGINE_C64;
    return real && ((array->kind == ENGINE_BINS && array->shape.rank >= 1 && array->shape.rank <= 2) ||
                    (array->shape.rank == 1 && array->name[0] == '\0'));
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static int add_part(const struct engine_file *file, const struct engine_file_array *array, struct table *table)
{
    struct table_part *part = &table->part[table->count];
    uint64_t elements, bytes;
    if (!shape_elements(&array->shape, &elements) || !shape_bytes(&array->shape, &bytes))
        return ENGINE_FAIL_FILE(file, "the array has more than 2^63 elements");
    *part = (struct table_part){.type = array->shape.type,
                                .columns = elements / table->rows,
                                .components = array->shape.components,
                                .elements = file->allocate(file, bytes)};
    const struct io_document *document = file_document(file);
    part->names = part->columns == document->rows && part->columns > 1 ? document->row : NULL;
    for (uint32_t i = 0; i < document->count; i++)
        if (strcmp(document->arrays[i].name, array->name) == 0)
            part->plot = document->plots[i];
    const char *name = strcmp(array->name, "counts") == 0 ? "count" : array->name;
    snprintf(part->name, sizeof part->name, "%s", *name == '\0' ? "value" : name);
    if (part->elements == NULL)
        return ENGINE_NO_MEMORY;
    return file->get(file, table->count++, 0, elements, part->elements);
}

int table_open(const struct engine_file *file, const struct engine_file_content *content, struct table *table)
{
    int code = 0;
    *table = (struct table){.rows = content->arrays.at[0].shape.extent[0]};
    for (uint32_t i = 0; code == 0 && i < content->arrays.count; i++)
        code = add_part(file, &content->arrays.at[i], table);
    return code;
}

uint64_t table_element(const struct table *table, const struct table_part *part, uint64_t row, uint64_t column)
{
    return (column / part->components * table->rows + row) * part->components + column % part->components;
}

/* ---- Names and numbers -------------------------------------------------------------------------------------- */

const char *table_name(const struct table_part *part, uint64_t column, char out[TABLE_NAME])
{
    if (part->columns == 1)
        snprintf(out, TABLE_NAME, "%s", part->name);
    else if (part->names)
        snprintf(out, TABLE_NAME, "%s_%s", part->name, part->names[column]);
    else
        snprintf(out, TABLE_NAME, "%s_%llu", part->name, (unsigned long long) column);
    return out;
}

double table_number(const struct table_part *part, uint64_t element)
{
    if (part->type == ENGINE_F64)
        return ((const double *) part->elements)[element];
    if (part->type == ENGINE_F32)
        return (double) ((const float *) part->elements)[element];
    const int64_t integer = integer_at(part->type, part->elements, element);
    return part->type == ENGINE_U64 ? (double) (uint64_t) integer : (double) integer;
}

/* Prints a number with the fewest digits that give the same bits again: 0.05, not 0.050000000000000003. */
static void shortest(double number, bool is_float, char out[32])
{
    for (int digits = is_float ? 6 : 15; digits <= (is_float ? 9 : 17); digits++) {
        snprintf(out, 32, "%.*g", digits, number);
        if (is_float ? strtof(out, NULL) == (float) number : strtod(out, NULL) == number)
            return;
    }
}

const char *table_text(const struct table_part *part, uint64_t element, char out[32])
{
    if (part->type == ENGINE_F32 || part->type == ENGINE_F64)
        shortest(table_number(part, element), part->type == ENGINE_F32, out);
    else if (part->type == ENGINE_U64)
        snprintf(out, 32, "%llu", (unsigned long long) integer_at(part->type, part->elements, element));
    else
        snprintf(out, 32, "%lld", (long long) integer_at(part->type, part->elements, element));
    return out;
}
