#include "formats/arrays/npy_header.h"
#include "base/text.h"
#include "base/type.h"

#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are written as they lie in memory");

enum { AXES_MAX = 4 };

/* NumPy's names of the types. The first character is the byte order; '|' means none, for single bytes. */
static const struct {
    const char *name;
    uint32_t type;
    uint32_t values;
} descriptions[] = {
    {"|u1", ENGINE_U8, 0},    {"|b1", ENGINE_U8, 2},  {"|i1", ENGINE_I8, 0},  {"<u2", ENGINE_U16, 0},
    {"<i2", ENGINE_I16, 0},   {"<u4", ENGINE_U32, 0}, {"<i4", ENGINE_I32, 0}, {"<u8", ENGINE_U64, 0},
    {"<i8", ENGINE_I64, 0},   {"<f4", ENGINE_F32, 0}, {"<f8", ENGINE_F64, 0}, {"<c8", ENGINE_C64, 0},
    {"<c16", ENGINE_C128, 0},
};

/* The content of the dictionary. */
struct npy_header {
    char description[16];
    bool fortran_order;
    uint32_t axes;
    uint64_t extent[AXES_MAX]; /* in the file's order */
    bool has_description, has_order, has_shape;
};

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \n\t\r");
}

/* Moves *at behind `word` and the blanks around it. Returns false where something else is there. */
static bool take(const char **at, const char *word)
{
    skip_blanks(at);
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    skip_blanks(at);
    return true;
}

/* 'text' or "text", without escapes. */
static bool take_text(const char **at, char *out, size_t size)
{
    skip_blanks(at);
    char quote = **at;
    if (quote != '\'' && quote != '"')
        return false;
    const char *text = *at + 1, *end = strchr(text, quote);
    if (end == NULL || (size_t) (end - text) >= size)
        return false;
    memcpy(out, text, (size_t) (end - text));
    out[end - text] = '\0';
    *at = end + 1;
    return true;
}

/* Reads (3, 4) or (3,). Python 2 wrote 3L. */
static int take_shape(const struct engine_file *file, const char **at, struct npy_header *header)
{
    bool more = take(at, "(");
    if (!more)
        return ENGINE_FAIL_FILE(file, "the shape in the header is not a tuple such as (3, 4)");
    while (more && !take(at, ")")) {
        int64_t extent;
        if (**at == '-' || **at == '+' || !text_number(at, &extent))
            return ENGINE_FAIL_FILE(file,
                                    "the shape in the header contains something other than whole numbers below 2^63");
        if (**at == 'L')
            ++*at;
        if (header->axes == AXES_MAX)
            return ENGINE_FAIL_FILE(file,
                                    "the array has more than 4 axes; expected 1 to 3, and one more for components");
        header->extent[header->axes++] = (uint64_t) extent;
        more = take(at, ",");
        if (!more && !take(at, ")"))
            return ENGINE_FAIL_FILE(file, "the shape in the header is not a tuple such as (3, 4)");
    }
    return 0;
}

static int refuse_description(const struct engine_file *file, const char *at)
{
    if (at[0] == '[')
        at = "struct";
    return ENGINE_FAIL_FILE(
        file,
        "elements of type %.24s are not supported; use array.astype('<f4') or another plain type: booleans, "
        "integers, floats or complex numbers in little-endian order",
        at);
}

static int take_item(const struct engine_file *file, const char **at, struct npy_header *header)
{
    char key[32];
    bool known = take_text(at, key, sizeof key) && take(at, ":");
    if (known && strcmp(key, "descr") == 0 && !header->has_description) {
        header->has_description = true;
        return take_text(at, header->description, sizeof header->description) ? 0 : refuse_description(file, *at);
    }
    if (known && strcmp(key, "fortran_order") == 0 && !header->has_order) {
        header->has_order = true;
        header->fortran_order = take(at, "True");
        if (header->fortran_order || take(at, "False"))
            return 0;
    }
    if (known && strcmp(key, "shape") == 0 && !header->has_shape) {
        header->has_shape = true;
        return take_shape(file, at, header);
    }
    return ENGINE_FAIL_FILE(file, "the header is not a dictionary of 'descr', 'fortran_order' and 'shape'");
}

static int take_dictionary(const struct engine_file *file, const char *at, const char *end, struct npy_header *header)
{
    int status = 0;
    bool more = take(&at, "{");
    bool closed = false;
    while (status == 0 && more && !(closed = take(&at, "}"))) {
        status = take_item(file, &at, header);
        more = status == 0 && take(&at, ",");
        if (status == 0 && !more)
            closed = take(&at, "}");
    }
    if (status != 0)
        return status;
    if (!closed || at != end || !header->has_description || !header->has_order || !header->has_shape)
        return ENGINE_FAIL_FILE(
            file, "the header is not a dictionary of 'descr', 'fortran_order' and 'shape', and nothing else");
    return 0;
}

static int set_type(const struct engine_file *file, const struct npy_header *header, struct engine_file_array *array)
{
    const char *name = header->description;
    for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++) {
        const char *known = descriptions[i].name;
        if (strcmp(name, known) != 0 && !(known[0] == '|' && name[0] != '\0' && strcmp(name + 1, known + 1) == 0))
            continue;
        array->shape.type = descriptions[i].type;
        array->values = descriptions[i].values;
        return 0;
    }
    return refuse_description(file, name);
}

/* The last axis of the file is x; a fourth axis numbers components. */
static int set_shape(const struct engine_file *file, const struct npy_header *header, struct engine_shape *shape)
{
    uint32_t axes = header->axes, rank = axes < AXES_MAX ? axes : 3;
    uint64_t bytes;
    if (axes == 0)
        return ENGINE_FAIL_FILE(file, "the array is a single number without axes; expected 1 to 3 axes");
    shape->components = 1;
    if (axes == AXES_MAX) {
        shape->components = header->extent[3] <= UINT32_MAX ? (uint32_t) header->extent[3] : 0;
        if (shape->components == 0)
            return ENGINE_FAIL_FILE(file,
                                    "the fourth axis of the array has %llu elements; expected 1 to 2^32 - 1 components",
                                    (unsigned long long) header->extent[3]);
    }
    shape->size = sizeof *shape;
    shape->rank = rank;
    for (uint32_t i = 0; i < 3; i++)
        shape->extent[i] = i < rank ? header->extent[rank - 1 - i] : 1;
    if (!shape_bytes(shape, &bytes))
        return ENGINE_FAIL_FILE(file, "the array has more than 2^63 bytes");
    return bytes != 0 ? 0 : ENGINE_FAIL_FILE(file, "the array has no elements: one of its axes has length 0");
}

int npy_parse_header(const struct engine_file *file, const char *text, uint64_t length, struct engine_file_array *array)
{
    struct npy_header header = {0};
    int status = take_dictionary(file, text, text + length, &header);
    if (status != 0)
        return status;
    status = set_type(file, &header, array);
    if (status == 0 && header.fortran_order)
        status = ENGINE_FAIL_FILE(
            file, "the array is in Fortran order; save it with numpy.save(file, numpy.ascontiguousarray(array))");
    return status != 0 ? status : set_shape(file, &header, &array->shape);
}

static const char *description_of(uint32_t type)
{
    for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++)
        if (descriptions[i].type == type)
            return descriptions[i].name;
    return "";
}

uint64_t npy_make_header(const struct engine_shape *shape, char *out, uint64_t size)
{
    char axes[128] = "";
    int used = 0;
    for (uint32_t i = shape->rank; i-- > 0;)
        used += snprintf(axes + used, sizeof axes - (size_t) used, "%llu,%s", (unsigned long long) shape->extent[i],
                         i > 0 || shape->components > 1 ? " " : "");
    if (shape->components > 1)
        snprintf(axes + used, sizeof axes - (size_t) used, "%u", shape->components);
    else if (shape->rank > 1)
        axes[used - 1] = '\0'; /* only a tuple of one element ends in a comma */
    int length = snprintf(out + 10, size - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                          description_of(shape->type), axes);
    uint64_t total = (10 + (uint64_t) length + 1 + 63) / 64 * 64; /* elements are aligned to 64 bytes */
    memset(out + 10 + length, ' ', total - 10 - (uint64_t) length);
    memcpy(out, NPY_MAGIC "\x01\x00", 8);
    out[8] = (char) ((total - 10) & 255);
    out[9] = (char) ((total - 10) >> 8);
    out[total - 1] = '\n';
    return total;
}
