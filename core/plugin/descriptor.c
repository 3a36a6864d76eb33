#include "plugin/descriptor.h"

#include "base/type.h"
#include "config/keys.h"
#include "config/param.h"
#include "plugin/object.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 4096 }; /* elements of an array */

#define REFUSE(error, ...) error_set((error), ENGINE_STATUS_PLUGIN, __VA_ARGS__)

/* The bytes of a structure up to and including a member: its size in the version whose last member that was. */
#define SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(((type *) NULL)->member))

/* ---- Versions ----------------------------------------------------------------------------------------------- */

int descriptor_check_abi(const struct engine_abi *abi, uint64_t readable, struct engine_error *error)
{
    static const struct object_interface interface = {
        .symbol = "engine_plugin",
        .kind = "plugin",
        .question = "is this a plugin?",
        .magic = ENGINE_MAGIC,
        .major = ENGINE_ABI_MAJOR,
        .minor = ENGINE_ABI_MINOR,
        .first_size = (uint32_t) SIZE_UP_TO(struct engine_plugin, generate),
    };
    return object_check_abi(&interface, abi, readable, error);
}

/* ---- Copies ------------------------------------------------------------------------------------------------- */

struct any_array {
    const void *at;
    uint32_t count, item_size;
};

/* The arrays of a descriptor: the place of each array in it, the size of this host's element, and that of interface
 * 1.0. */
static const struct array_kind {
    const char *name;
    size_t offset, item, first_item;
} kinds[] = {
    {"params", offsetof(struct engine_plugin, params), sizeof(struct engine_param),
     SIZE_UP_TO(struct engine_param, file_key)},
    {"fields", offsetof(struct engine_plugin, fields), sizeof(struct engine_field),
     SIZE_UP_TO(struct engine_field, initial)},
    {"metrics", offsetof(struct engine_plugin, metrics), sizeof(struct engine_metric),
     SIZE_UP_TO(struct engine_metric, help)},
    {"generators", offsetof(struct engine_plugin, generators), sizeof(struct engine_generator),
     SIZE_UP_TO(struct engine_generator, help)},
    {"impls", offsetof(struct engine_plugin, impls), sizeof(struct engine_impl), SIZE_UP_TO(struct engine_impl, cost)},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static int check_array(const struct array_kind *kind, const struct any_array *array, struct engine_error *error)
{
    if (array->count > ITEMS_MAX)
        return REFUSE(error, "its array '%s' has %u elements, at most %d are possible", kind->name, array->count,
                      ITEMS_MAX);
    if (array->count > 0 && !array->at)
        return REFUSE(error, "its array '%s' has %u elements at NULL", kind->name, array->count);
    if (array->count > 0 && array->item_size < kind->first_item)
        return REFUSE(error, "its array '%s' has elements of %u bytes, expected at least %zu: use ENGINE_ARRAY",
                      kind->name, array->item_size, kind->first_item);
    return 0;
}

static int copy_array(const struct array_kind *kind, struct any_array *array, struct engine_error *error)
{
    const char *from = array->at;
    size_t bytes = array->item_size < kind->item ? array->item_size : kind->item;
    char *to = array->count ? calloc(array->count, kind->item) : NULL;
    if (array->count && !to)
        return error_memory(error, array->count * kind->item, "a plugin's tables");
    for (size_t i = 0; i < array->count; i++)
        memcpy(to + i * kind->item, from + i * array->item_size, bytes);
    array->at = to;
    array->item_size = (uint32_t) kind->item;
    return 0;
}

/* Before 1.12, both flags together had the meaning of ENGINE_OWN_ROWS. */
static void join_flags(struct engine_plugin *about)
{
    const uint32_t both = ENGINE_DIVISIBLE | ENGINE_TEAMWORK;
    struct engine_impl *impls = (struct engine_impl *) (uintptr_t) about->impls.at;
    for (uint32_t i = 0; i < about->impls.count; i++)
        if ((impls[i].flags & both) == both)
            impls[i].flags = (impls[i].flags & ~both) | ENGINE_OWN_ROWS;
}

/* All arrays are set to NULL before the first is copied, so that descriptor_release never frees memory of the
 * plugin. */
int descriptor_copy(const struct engine_abi *from, struct engine_plugin *to, struct engine_error *error)
{
    struct any_array arrays[KIND_COUNT];
    memset(to, 0, sizeof *to);
    memcpy(to, from, from->struct_size < sizeof *to ? from->struct_size : sizeof *to);
    to->abi.struct_size = (uint32_t) sizeof *to;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        memcpy(&arrays[i], (char *) to + kinds[i].offset, sizeof arrays[i]);
        memset((char *) to + kinds[i].offset, 0, sizeof arrays[i]);
    }
    for (size_t i = 0; i < KIND_COUNT; i++) {
        int status = check_array(&kinds[i], &arrays[i], error);
        if (status == 0)
            status = copy_array(&kinds[i], &arrays[i], error);
        if (status)
            return status;
        memcpy((char *) to + kinds[i].offset, &arrays[i], sizeof arrays[i]);
    }
    join_flags(to);
    return 0;
}

void descriptor_release(struct engine_plugin *about)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        struct any_array array;
        memcpy(&array, (char *) about + kinds[i].offset, sizeof array);
        free((void *) (uintptr_t) array.at);
        memset((char *) about + kinds[i].offset, 0, sizeof array);
    }
}

/* ---- Names -------------------------------------------------------------------------------------------------- */

/* Is it a lower-case letter, followed by lower-case letters, digits and characters of `more`? */
static bool is_name(const char *name, const char *more)
{
    size_t length = 0;
    while (islower((unsigned char) name[length]) || isdigit((unsigned char) name[length]) ||
           (name[length] && strchr(more, name[length])))
        length++;
    return length <= CONFIG_NAME_MAX && name[length] == '\0' && islower((unsigned char) name[0]);
}

static const char *const metrics_reserved[] = {"step", NULL}; /* the first column of metrics.csv */
static const char *const impls_reserved[] = {"auto", NULL};

/* The arrays whose elements begin with a name: what an element is called, which characters its name may have besides
 * letters and digits, the places of the array and of the help, and the names that are reserved. */
static const struct named_table {
    const char *what, *more;
    size_t offset, help_offset;
    const char *const *reserved; /* ended by NULL; NULL: no name is reserved */
    const char *taker;           /* what has the reserved names already */
} tables[] = {
    {"parameter", "_", offsetof(struct engine_plugin, params), offsetof(struct engine_param, help), NULL, NULL},
    {"field", "_", offsetof(struct engine_plugin, fields), offsetof(struct engine_field, help), NULL, NULL},
    {"metric", "_", offsetof(struct engine_plugin, metrics), offsetof(struct engine_metric, help), metrics_reserved,
     "the first column of metrics.csv"},
    {"generator", "_-", offsetof(struct engine_plugin, generators), offsetof(struct engine_generator, help),
     keys_init_sources, "a source of the engine in [init] source"},
    {"implementation", "-", offsetof(struct engine_plugin, impls), offsetof(struct engine_impl, help), impls_reserved,
     "the choice of the engine in [run] implementation"},
};

static const char *text_at(const struct any_array *array, uint32_t index, size_t offset)
{
    const char *text;
    memcpy(&text, (const char *) array->at + (size_t) index * array->item_size + offset, sizeof text);
    return text;
}

bool descriptor_is_plugin_name(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char) name[length]) || name[length] == '-' || name[length] == '_')
        length++;
    return length > 0 && length <= CONFIG_NAME_MAX && name[length] == '\0';
}

static int check_name(const struct named_table *table, const struct any_array *array, uint32_t index,
                      struct engine_error *error)
{
    const char *name = text_at(array, index, 0);
    if (!name)
        return REFUSE(error, "%s %u has no name", table->what, index);
    if (!is_name(name, table->more))
        return REFUSE(
            error,
            "%s name '%.80s': expected a lower-case letter, followed by lower-case letters, digits or any of '%s'",
            table->what, name, table->more);
    for (const char *const *reserved = table->reserved; reserved && *reserved; reserved++)
        if (strcmp(name, *reserved) == 0)
            return REFUSE(error, "%s name '%s' is taken by %s; choose another name", table->what, name, table->taker);
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(name, text_at(array, i, 0)) == 0)
            return REFUSE(error, "%s '%s' is listed twice", table->what, name);
    return text_at(array, index, table->help_offset) ? 0 : REFUSE(error, "%s '%s' has no help", table->what, name);
}

static int check_tables(const struct engine_plugin *about, struct engine_error *error)
{
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        struct any_array array;
        memcpy(&array, (const char *) about + tables[t].offset, sizeof array);
        for (uint32_t i = 0; i < array.count; i++) {
            int status = check_name(&tables[t], &array, i, error);
            if (status)
                return status;
        }
    }
    return 0;
}

/* The plugin's section may not be one of the engine's, except [matrix], which also holds the keys of the plugin of that
 * name. */
static int check_identity(const struct engine_plugin *about, const char *stem, struct engine_error *error)
{
    if (!about->name || !about->version || !about->summary)
        return REFUSE(error, "its %s is NULL", !about->name ? "name" : !about->version ? "version" : "summary");
    if (!descriptor_is_plugin_name(about->name))
        return REFUSE(error, "plugin name '%.80s': expected 1 to %d letters, digits, '-' or '_'", about->name,
                      CONFIG_NAME_MAX);
    if (strcmp(about->name, stem) != 0)
        return REFUSE(error, "it contains the plugin '%s'; name the file %s.so", about->name, about->name);
    const struct engine_section *section = keys_section_named(about->name);
    if (section && !keys_of_plugin(about->name))
        return REFUSE(error, "plugin name '%s' is reserved for the engine's section [%s]", about->name, section->name);
    return 0;
}

/* ---- Parameters --------------------------------------------------------------------------------------------- */

static int check_choices(const struct engine_param *param, struct engine_error *error)
{
    if (!param->choices || !param->choices[0])
        return REFUSE(error, "parameter '%s' has no choices", param->name);
    for (uint32_t i = 0; param->choices[i]; i++)
        for (uint32_t k = 0; k < i; k++)
            if (i == ITEMS_MAX || strcmp(param->choices[i], param->choices[k]) == 0)
                return REFUSE(error, "parameter '%s' has the choice '%.80s' twice, or more than %d", param->name,
                              param->choices[i], ITEMS_MAX);
    return 0;
}

/* Checks a parameter. Its default is read like a user's text, but the plugin's own check is not called. */
static int check_param(const struct engine_plugin *about, uint32_t index, struct engine_error *error)
{
    const struct engine_param *param = &about->params.at[index];
    struct engine_value value;
    if (param->type > ENGINE_PARAM_CHOICE)
        return REFUSE(error, "parameter '%s' has the unknown type %u", param->name, param->type);
    if (!param->initial)
        return REFUSE(error, "parameter '%s' has no default", param->name);
    if (!(param->min <= param->max))
        return REFUSE(error, "parameter '%s' has the range %g to %g", param->name, param->min, param->max);
    if (param->type == ENGINE_PARAM_CHOICE && check_choices(param, error))
        return error->status;
    if (param_parse(param, param->initial, NULL, &value, error)) {
        error->status = ENGINE_STATUS_PLUGIN;
        return error_prefix(error, "the default of a parameter is wrong: ");
    }
    return 0;
}

/* ---- Fields ------------------------------------------------------------------------------------------------- */

/* The range of each integer element type; zeros for the others. */
static const struct {
    double min, max;
} whole[TYPE_COUNT] = {
    [ENGINE_U8] = {0, UINT8_MAX},      [ENGINE_I8] = {INT8_MIN, INT8_MAX},
    [ENGINE_U16] = {0, UINT16_MAX},    [ENGINE_I16] = {INT16_MIN, INT16_MAX},
    [ENGINE_U32] = {0, UINT32_MAX},    [ENGINE_I32] = {INT32_MIN, INT32_MAX},
    [ENGINE_U64] = {0, 0x1p64 - 2048}, [ENGINE_I64] = {-0x1p63, 0x1p63 - 1024},
};

static bool is_whole(uint32_t type)
{
    return type < TYPE_COUNT && whole[type].max > 0;
}

static int check_field_values(const struct engine_field *field, struct engine_error *error)
{
    const char *type = field->type == ENGINE_CONFIGURED ? "configured" : type_name(field->type);
    if (field->values > 0 && (!is_whole(field->type) || field->values - 1 > whole[field->type].max))
        return REFUSE(error, "field '%s' has %u values, too many for type %s", field->name, field->values, type);
    double least = field->values ? 0 : is_whole(field->type) ? whole[field->type].min : 0;
    double most = field->values ? field->values - 1 : is_whole(field->type) ? whole[field->type].max : 0;
    bool fits = field->initial >= least && field->initial <= most && floor(field->initial) == field->initial;
    if (is_whole(field->type) && !fits)
        return REFUSE(error, "field '%s' starts at %g, expected a whole number from %.0f to %.0f", field->name,
                      field->initial, least, most);
    return 0;
}

/* [init] has a key for each field that a file can give, besides its own keys. Outputs start at 0, so they have no key
 * there. */
static int check_field_name(const struct engine_field *field, struct engine_error *error)
{
    const struct engine_param_array *keys = &keys_sections[KEYS_INIT].keys;
    for (uint32_t i = 0; i < keys->count; i++)
        if (field->role != ENGINE_OUTPUT && strcmp(field->name, keys->at[i].name) == 0)
            return REFUSE(
                error,
                "field name '%s' is taken by the engine's key [init] %s (%s); [init] gets a key for each state "
                "and input, so choose another name",
                field->name, field->name, keys->at[i].help);
    return 0;
}

static int check_field_shape(const struct engine_field *field, struct engine_error *error)
{
    bool grid = field->kind == ENGINE_GRID;
    if (grid ? field->rank < 1 || field->rank > 3 : field->rank != 0)
        return REFUSE(error, "field '%s' has rank %u, expected %s", field->name, field->rank,
                      grid ? "1, 2 or 3" : "0 because it is not a grid");
    for (uint32_t axis = field->rank; axis < 3; axis++)
        if (field->reach[axis] != 0)
            return REFUSE(error, "field '%s' has a reach along axis %c, which it does not have", field->name,
                          "xyz"[axis]);
    return 0;
}

static int check_field(const struct engine_plugin *about, uint32_t index, struct engine_error *error)
{
    const struct engine_field *field = &about->fields.at[index];
    const struct {
        const char *name;
        uint32_t value;
        bool legal;
    } members[] = {
        {"kind", field->kind, field->kind <= ENGINE_BINS},
        {"role", field->role, field->role <= ENGINE_OUTPUT},
        {"type", field->type, field->type < TYPE_COUNT || field->type == ENGINE_CONFIGURED},
        {"components", field->components, field->components >= 1},
        {"reduction", field->reduction,
         field->reduction <= (field->role == ENGINE_OUTPUT ? ENGINE_REDUCE_SUM : ENGINE_REDUCE_NONE)},
        {"flags (optional)", field->flags, field->role == ENGINE_INPUT || !(field->flags & ENGINE_FIELD_OPTIONAL)},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!members[i].legal)
            return REFUSE(error, "field '%s' has the illegal %s %u", field->name, members[i].name, members[i].value);
    if (field->kind == ENGINE_BINS && !about->shape)
        return REFUSE(error, "field '%s' is made of bins, but the plugin has no shape function that says how many",
                      field->name);
    if (check_field_name(field, error) != 0 || check_field_shape(field, error) != 0)
        return error->status;
    return check_field_values(field, error);
}

/* ---- Implementations ---------------------------------------------------------------------------------------- */

static int check_impl(const struct engine_plugin *about, uint32_t index, struct engine_error *error)
{
    const struct engine_impl *impl = &about->impls.at[index];
    bool exact = impl->flags & ENGINE_EXACT;
    if (impl->memory > ENGINE_CUDA_MEMORY)
        return REFUSE(error, "implementation '%s' asks for the unknown memory %u", impl->name, impl->memory);
    if (exact && impl->tolerance != 0)
        return REFUSE(error, "implementation '%s' is exact but has the tolerance %g", impl->name, impl->tolerance);
    if (!exact && !(impl->tolerance > 0 && isfinite(impl->tolerance)))
        return REFUSE(error, "implementation '%s' is not exact and has the tolerance %g, expected more than 0",
                      impl->name, impl->tolerance);
    for (uint32_t i = 0; i < index; i++)
        if (about->impls.at[i].flags & impl->flags & ENGINE_REFERENCE)
            return REFUSE(error, "implementations '%s' and '%s' are both the reference", about->impls.at[i].name,
                          impl->name);
    return 0;
}

/* ---- All of it ---------------------------------------------------------------------------------------------- */

static int check_each(const struct engine_plugin *about, uint32_t count,
                      int (*check)(const struct engine_plugin *, uint32_t, struct engine_error *),
                      struct engine_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        int status = check(about, i, error);
        if (status)
            return status;
    }
    return 0;
}

int descriptor_check(const struct engine_plugin *about, const char *stem, struct engine_error *error)
{
    if (check_identity(about, stem, error) || check_tables(about, error) ||
        check_each(about, about->params.count, check_param, error) ||
        check_each(about, about->fields.count, check_field, error) ||
        check_each(about, about->impls.count, check_impl, error))
        return error->status;
    if (about->fields.count == 0 || about->impls.count == 0)
        return REFUSE(error, "it has no %s", about->fields.count == 0 ? "fields" : "implementations");
    if (about->generators.count > 0 && !about->generate)
        return REFUSE(error, "it has generators but no generate function");
    return 0;
}
