/* Reads the head of a classic NetCDF file: CDF-1, CDF-2 with offsets of 8 bytes, and CDF-5 with numbers of 8 bytes too.
 * All numbers are big-endian, and what is written stands on multiples of 4 bytes:
 *
 *     "CDF", version, number of records
 *     dimensions   a list: name and length. The length of the axis of records is 0
 *     attributes   of the file, a list: name, type, number of values, values
 *     variables    a list: name, number of axes, the number of the dimension of each axis, attributes, type, bytes, and
 *                  the offset where its numbers begin
 *
 * A list is a tag and a number of entries. A name is a number of bytes and the bytes. A record has the numbers of all
 * variables whose first axis is that of records, one variable after another.
 *
 * https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html, https://ambermd.org/netcdf/nctraj.xhtml */
#include "cdf.h"

#include <stdio.h>

const char *const cdf_names[CDF_KEPT] = {
    [NC_POSITION] = "coordinates", [NC_VELOCITY] = "velocities", [NC_FORCE] = "forces", [NC_TIME] = "time",
    [NC_LENGTHS] = "cell_lengths", [NC_ANGLES] = "cell_angles",
};

/* Where the head is read. */
struct cursor {
    const struct engine_file *file;
    uint64_t at;
    uint32_t wide, wide_offset; /* bytes of numbers, and of offsets in the file */
    uint64_t *dimensions, dimension_count;
};

struct attributes {
    double scale;
    char unit[CDF_NAME];
};

static uint64_t pad(uint64_t bytes)
{
    return (bytes + 3) & ~UINT64_C(3);
}

static int take(struct cursor *cursor, uint32_t wide, uint64_t *number)
{
    unsigned char bytes[8] = {0};
    if (cursor->file->read(cursor->file, cursor->at, wide, bytes + 8 - wide) != 0)
        return ENGINE_INVALID;
    cursor->at += wide;
    *number = (uint64_t) word_at(bytes) << 32 | word_at(bytes + 4);
    return 0;
}

/* Steps over bytes and their padding. */
static int skip(struct cursor *cursor, uint64_t bytes)
{
    if (cursor->at > cursor->file->bytes || bytes > cursor->file->bytes - cursor->at)
        return ENGINE_FAIL_BYTE(cursor->file, cursor->at, "the file ends within its head");
    cursor->at += pad(bytes);
    return 0;
}

/* Reads a text, of which at most CDF_NAME - 1 bytes are kept. */
static int take_text(struct cursor *cursor, uint64_t bytes, char text[CDF_NAME])
{
    const uint64_t at = cursor->at, kept = bytes < CDF_NAME - 1 ? bytes : CDF_NAME - 1;
    memset(text, 0, CDF_NAME);
    const int code = skip(cursor, bytes);
    return code == 0 ? cursor->file->read(cursor->file, at, kept, text) : code;
}

static int take_name(struct cursor *cursor, char name[CDF_NAME])
{
    uint64_t bytes;
    const int code = take(cursor, cursor->wide, &bytes);
    return code == 0 ? take_text(cursor, bytes, name) : code;
}

/* Reads the tag and the number of entries of a list. An entry has 8 bytes at least. */
static int begin_list(struct cursor *cursor, uint64_t tag, uint64_t *count)
{
    const uint64_t at = cursor->at;
    uint64_t found;
    if (take(cursor, 4, &found) != 0 || take(cursor, cursor->wide, count) != 0)
        return ENGINE_INVALID;
    if ((found != tag && (found != 0 || *count != 0)) || *count > cursor->file->bytes / 8)
        return ENGINE_FAIL_BYTE(cursor->file, at, "found the tag %llu and %llu entries; expected the tag %llu",
                                (unsigned long long) found, (unsigned long long) *count, (unsigned long long) tag);
    return 0;
}

static uint64_t size_of(uint64_t type)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    return type < sizeof sizes ? sizes[type] : 0;
}

static int take_type(struct cursor *cursor, uint64_t *type)
{
    const uint64_t at = cursor->at;
    const int code = take(cursor, 4, type);
    return code != 0 || size_of(*type) > 0
               ? code
               : ENGINE_FAIL_BYTE(cursor->file, at, "%llu is not a type of numbers", (unsigned long long) *type);
}

static int take_attribute(struct cursor *cursor, struct attributes *attributes)
{
    char name[CDF_NAME];
    unsigned char real[8];
    uint64_t type, count;
    if (take_name(cursor, name) != 0 || take_type(cursor, &type) != 0 || take(cursor, cursor->wide, &count) != 0)
        return ENGINE_INVALID;
    if (count > cursor->file->bytes)
        return ENGINE_FAIL_BYTE(cursor->file, cursor->at, "an attribute has more bytes than the file");
    if (strcmp(name, "units") == 0 && type == CDF_CHAR)
        return take_text(cursor, count, attributes->unit);
    if (strcmp(name, "scale_factor") == 0 && (type == CDF_FLOAT || type == CDF_DOUBLE) && count == 1) {
        if (cursor->file->read(cursor->file, cursor->at, size_of(type), real) != 0)
            return ENGINE_INVALID;
        attributes->scale = real_at(real, size_of(type));
    }
    return skip(cursor, count * size_of(type));
}

static int take_attributes(struct cursor *cursor, struct attributes *attributes)
{
    uint64_t count;
    *attributes = (struct attributes){.scale = 1};
    int code = begin_list(cursor, CDF_ATTRIBUTES, &count);
    for (uint64_t i = 0; code == 0 && i < count; i++)
        code = take_attribute(cursor, attributes);
    if (code == 0 && !(attributes->scale - attributes->scale == 0))
        return ENGINE_FAIL_BYTE(cursor->file, cursor->at, "a scale_factor is infinite or not a number");
    return code;
}

static int take_dimensions(struct cursor *cursor)
{
    uint64_t count;
    char name[CDF_NAME];
    if (begin_list(cursor, CDF_DIMENSIONS, &count) != 0)
        return ENGINE_INVALID;
    cursor->dimensions = cursor->file->allocate(cursor->file, count * sizeof *cursor->dimensions);
    if (!cursor->dimensions)
        return ENGINE_NO_MEMORY;
    cursor->dimension_count = count;
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < count; i++) {
        code = take_name(cursor, name);
        if (code == 0)
            code = take(cursor, cursor->wide, &cursor->dimensions[i]);
    }
    return code;
}

/* Reads the axes of a variable, and sets the bytes of its numbers, those of a record if it grows. */
static int take_axes(struct cursor *cursor, struct cdf_variable *variable, uint64_t *numbers)
{
    uint64_t axes, dimension;
    *numbers = 1;
    if (take(cursor, cursor->wide, &axes) != 0)
        return ENGINE_INVALID;
    variable->axes = axes < UINT32_MAX ? (uint32_t) axes : UINT32_MAX;
    for (uint64_t i = 0; i < axes; i++) {
        if (take(cursor, cursor->wide, &dimension) != 0)
            return ENGINE_INVALID;
        const uint64_t extent = dimension < cursor->dimension_count ? cursor->dimensions[dimension] : 0;
        if (i == 0 && extent == 0 && dimension < cursor->dimension_count)
            variable->grows = true;
        else if (extent == 0 || __builtin_mul_overflow(*numbers, extent, numbers))
            return ENGINE_FAIL_BYTE(cursor->file, cursor->at, "an axis of a variable is not one of the file");
        if (i < CDF_AXES)
            variable->extent[i] = extent;
    }
    return 0;
}

/* The number under which a variable is kept, or CDF_KEPT. */
static size_t find_kept(const char *name)
{
    size_t k = 0;
    while (k < CDF_KEPT && strcmp(cdf_names[k], name) != 0)
        k++;
    return k;
}

/* Notes a variable that is not read, unless it is one of the names of axes, which all files have. */
static void note_skipped(struct cdf *cdf, const char *name)
{
    const size_t used = strlen(cdf->skipped);
    for (const char *c = name; *c; c++)
        if (*c <= ' ' || *c > '~')
            name = "of odd names";
    if (strcmp(name, "spatial") == 0 || strncmp(name, "cell_", 5) == 0 || used + CDF_NAME + 16 > sizeof cdf->skipped)
        return;
    snprintf(cdf->skipped + used, sizeof cdf->skipped - used, "%s%.*s", used ? ", " : "the variables ", CDF_NAME, name);
}

/* Reads a variable, and adds its bytes to those of a record. *alone are its bytes without padding. */
static int take_variable(struct cursor *cursor, struct cdf *cdf, uint64_t *alone, uint64_t *grown)
{
    struct cdf_variable variable = {0};
    struct attributes attributes;
    char name[CDF_NAME];
    uint64_t numbers, type, bytes, ignored;
    if (take_name(cursor, name) != 0 || take_axes(cursor, &variable, &numbers) != 0 ||
        take_attributes(cursor, &attributes) != 0 || take_type(cursor, &type) != 0 ||
        take(cursor, cursor->wide, &ignored) != 0 || take(cursor, cursor->wide_offset, &variable.begin) != 0)
        return ENGINE_INVALID;
    if (__builtin_mul_overflow(numbers, size_of(type), &bytes) || bytes > INT64_MAX - 3 ||
        (variable.grows && __builtin_add_overflow(cdf->record_bytes, pad(bytes), &cdf->record_bytes)))
        return ENGINE_FAIL_BYTE(cursor->file, cursor->at, "a variable has more than 2^63 bytes");
    if (variable.grows)
        *alone = bytes, ++*grown;
    const size_t kept = find_kept(name);
    if (kept == CDF_KEPT) {
        note_skipped(cdf, name);
        return 0;
    }
    variable.type = (uint32_t) type;
    variable.count = numbers;
    variable.scale = attributes.scale;
    memcpy(variable.unit, attributes.unit, sizeof variable.unit);
    cdf->variables[kept] = variable;
    return 0;
}

static int take_variables(struct cursor *cursor, struct cdf *cdf)
{
    uint64_t count, alone = 0, grown = 0;
    int code = begin_list(cursor, CDF_VARIABLES, &count);
    for (uint64_t i = 0; code == 0 && i < count; i++)
        code = take_variable(cursor, cdf, &alone, &grown);
    if (grown == 1) /* a record of one variable has no padding */
        cdf->record_bytes = alone;
    return code;
}

int cdf_read(const struct engine_file *file, struct cdf *cdf)
{
    unsigned char magic[4];
    struct cursor cursor = {.file = file, .at = sizeof magic};
    struct attributes ignored;
    memset(cdf, 0, sizeof *cdf);
    if (file->read(file, 0, sizeof magic, magic) != 0)
        return ENGINE_INVALID;
    cursor.wide = magic[3] == 5 ? 8 : 4;
    cursor.wide_offset = magic[3] == 1 ? 4 : 8;
    int code = take(&cursor, cursor.wide, &cdf->records);
    if (code == 0)
        code = take_dimensions(&cursor);
    if (code == 0)
        code = take_attributes(&cursor, &ignored);
    if (code == 0)
        code = take_variables(&cursor, cdf);
    if (cdf->records == (cursor.wide == 8 ? UINT64_MAX : UINT32_MAX))
        cdf->records = UINT64_MAX; /* the writer did not know it: as many as the file has */
    file->release(file, cursor.dimensions);
    return code;
}
