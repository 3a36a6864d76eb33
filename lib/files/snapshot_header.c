/* The header of a snapshot: a line that names the format, and a JSON object. */
#include "files/snapshot_header.h"
#include "base/text.h"
#include "files/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGINNING "engine snapshot "

static const char *const roles[] = {[ENGINE_STATE] = "state", [ENGINE_INPUT] = "input", [ENGINE_OUTPUT] = "output"};

/* The keys that are texts, in the file's order, and their members of the structure. */
static const struct {
    const char *key;
    size_t offset;
} texts[] = {
    {"plugin", offsetof(struct snapshot_header, plugin)},
    {"plugin_version", offsetof(struct snapshot_header, plugin_version)},
    {"implementation", offsetof(struct snapshot_header, implementation)},
    {"rule", offsetof(struct snapshot_header, rule)},
    {"engine", offsetof(struct snapshot_header, engine)},
    {"host", offsetof(struct snapshot_header, host)},
    {"device", offsetof(struct snapshot_header, device)},
};

enum { TEXTS = sizeof texts / sizeof texts[0] };

static const char **text_in(struct snapshot_header *header, size_t index)
{
    return (const char **) (void *) ((char *) header + texts[index].offset);
}

/* ---- Printing ----------------------------------------------------------------------------------------------- */

static struct json_object *field_json(const struct engine_file_array *field, uint32_t role)
{
    struct json_object *object = json_new_object(), *extent = json_new_array();
    json_add_text(object, "name", field->name);
    json_add_text(object, "role", roles[role]);
    json_add_text(object, "type", type_name(field->shape.type));
    json_add_count(object, "values", field->values);
    json_add_count(object, "components", field->shape.components);
    for (uint32_t axis = 0; axis < field->shape.rank; axis++)
        json_append(extent, json_new_count(field->shape.extent[axis]));
    json_add(object, "extent", extent);
    json_add(object, "bins", json_new_flag(field->kind == ENGINE_BINS));
    if (field->batch)
        json_add(object, "batch", json_new_flag(true));
    json_add_text(object, "order", geometry_has_columns(&field->shape, field->values) ? "columns" : "elements");
    return object;
}

/* A text that is not known is "" in the file. */
static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

static struct json_object *header_json(const struct snapshot_header *header)
{
    struct json_object *object = json_new_object(), *box = json_new_array(), *fields = json_new_array();
    struct snapshot_header copy = *header;
    for (size_t i = 0; i < TEXTS; i++)
        json_add_text(object, texts[i].key, text_or_empty(*text_in(&copy, i)));
    json_add_count(object, "step", header->step);
    json_add_count(object, "seed", header->seed);
    for (int i = 0; i < 6; i++)
        json_append(box, json_new_real(header->box[i]));
    json_add(object, "box", box);
    for (uint32_t i = 0; i < header->count; i++)
        json_append(fields, field_json(&header->fields[i], header->roles[i]));
    json_add(object, "fields", fields);
    json_add_lines(object, "config", header->config); /* so that people can read it in the file */
    json_add_text(object, "extra", text_or_empty(header->extra));
    return object;
}

char *snapshot_header_print(const struct snapshot_header *header, struct engine_error *error)
{
    char *json, *text = NULL;
    if (json_take_text(header_json(header), JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED, &json, error) != 0)
        return NULL;
    if (asprintf(&text, BEGINNING "%d\n%s\n", SNAPSHOT_VERSION, json) < 0) {
        text = NULL;
        error_memory(error, strlen(json), "a snapshot's header");
    }
    free(json);
    return text;
}

/* ---- Parsing ------------------------------------------------------------------------------------------------ */

/* The object that is parsed, and where errors go. */
struct parsing {
    struct json_object *object;
    struct engine_error *error;
};

static int refuse(const struct parsing *parsing, const char *key)
{
    return error_set(parsing->error, ENGINE_STATUS_INPUT,
                     "its header has no valid \"%s\": the file is damaged, or another program wrote it", key);
}

static bool take_text(const struct parsing *parsing, const char *key, const char **text)
{
    struct json_object *value;
    if (!json_object_object_get_ex(parsing->object, key, &value) || !json_object_is_type(value, json_type_string))
        return false;
    *text = json_object_get_string(value);
    return strlen(*text) == (size_t) json_object_get_string_len(value);
}

/* Reads a whole number from 0 to `most`. */
static bool as_number(struct json_object *value, uint64_t most, uint64_t *number)
{
    if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
        return false;
    *number = json_object_get_uint64(value);
    return *number <= most;
}

static bool take_number(const struct parsing *parsing, const char *key, uint64_t most, uint64_t *number)
{
    struct json_object *value;
    return json_object_object_get_ex(parsing->object, key, &value) && as_number(value, most, number);
}

static struct json_object *take_array(const struct parsing *parsing, const char *key, size_t least, size_t most)
{
    struct json_object *value;
    if (!json_object_object_get_ex(parsing->object, key, &value) || !json_object_is_type(value, json_type_array))
        return NULL;
    const size_t length = json_object_array_length(value);
    return length >= least && length <= most ? value : NULL;
}

static int parse_box(const struct parsing *parsing, double box[6])
{
    struct json_object *array = take_array(parsing, "box", 6, 6);
    for (size_t i = 0; array && i < 6; i++) {
        struct json_object *value = json_object_array_get_idx(array, i);
        if (!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int))
            return refuse(parsing, "box");
        box[i] = json_object_get_double(value);
        if (!isfinite(box[i]) || (i < 3 && box[i] < 0))
            return refuse(parsing, "box");
    }
    return array ? 0 : refuse(parsing, "box");
}

static bool parse_extent(const struct parsing *parsing, struct engine_shape *shape)
{
    struct json_object *extent = take_array(parsing, "extent", 1, 3);
    shape->extent[0] = shape->extent[1] = shape->extent[2] = 1;
    shape->rank = extent ? (uint32_t) json_object_array_length(extent) : 0;
    for (uint32_t axis = 0; axis < shape->rank; axis++)
        if (!as_number(json_object_array_get_idx(extent, axis), INT64_MAX, &shape->extent[axis]) ||
            shape->extent[axis] == 0)
            return false;
    return shape->rank > 0;
}

static bool parse_role(const char *text, uint32_t *role)
{
    for (*role = 0; *role < sizeof roles / sizeof roles[0]; ++*role)
        if (strcmp(roles[*role], text) == 0)
            return true;
    return false;
}

static int parse_names(const struct parsing *parsing, struct engine_file_array *field, uint32_t *role)
{
    const char *type, *role_name;
    char name[32];
    if (!take_text(parsing, "name", &field->name) || strlen(field->name) >= sizeof name)
        return refuse(parsing, "name");
    snprintf(name, sizeof name, "%s", field->name);
    text_make_printable(name);
    if (strcmp(field->name, name) != 0)
        return refuse(parsing, "name");
    if (!take_text(parsing, "role", &role_name) || !parse_role(role_name, role))
        return refuse(parsing, "role");
    if (!take_text(parsing, "type", &type) || !type_from_name(type, &field->shape.type))
        return refuse(parsing, "type");
    return 0;
}

static int parse_shape(const struct parsing *parsing, struct engine_file_array *field)
{
    uint64_t values, components;
    struct json_object *bins, *batch;
    if (!take_number(parsing, "values", UINT32_MAX, &values) || values == 1)
        return refuse(parsing, "values");
    if (!take_number(parsing, "components", UINT32_MAX, &components) || components == 0)
        return refuse(parsing, "components");
    if (!parse_extent(parsing, &field->shape))
        return refuse(parsing, "extent");
    if (!json_object_object_get_ex(parsing->object, "bins", &bins) || !json_object_is_type(bins, json_type_boolean))
        return refuse(parsing, "bins");
    /* Files of older engines do not say this. */
    field->batch = json_object_object_get_ex(parsing->object, "batch", &batch) && json_object_get_boolean(batch);
    field->values = (uint32_t) values;
    field->kind = json_object_get_boolean(bins) ? ENGINE_BINS : ENGINE_GRID;
    field->shape.size = sizeof field->shape;
    field->shape.components = (uint32_t) components;
    return 0;
}

static int parse_field(const struct parsing *parsing, struct engine_file_array *field, uint32_t *role)
{
    const char *order;
    if (parse_names(parsing, field, role) != 0 || parse_shape(parsing, field) != 0)
        return parsing->error->status;
    const char *wanted = geometry_has_columns(&field->shape, field->values) ? "columns" : "elements";
    return take_text(parsing, "order", &order) && strcmp(order, wanted) == 0 ? 0 : refuse(parsing, "order");
}

static int parse_fields(const struct parsing *parsing, struct snapshot_header *header)
{
    struct json_object *array = take_array(parsing, "fields", 1, IO_ARRAYS_MAX);
    header->count = array ? (uint32_t) json_object_array_length(array) : 0;
    for (uint32_t i = 0; i < header->count; i++) {
        const struct parsing field = {json_object_array_get_idx(array, i), parsing->error};
        if (!json_object_is_type(field.object, json_type_object))
            return refuse(parsing, "fields");
        if (parse_field(&field, &header->fields[i], &header->roles[i]) != 0)
            return parsing->error->status;
    }
    return array ? 0 : refuse(parsing, "fields");
}

static int parse_lines(const struct parsing *parsing, char **text)
{
    struct json_object *array = take_array(parsing, "config", 0, SNAPSHOT_HEADER_MAX);
    size_t size = 1, used = 0;
    const size_t count = array ? json_object_array_length(array) : 0;
    for (size_t i = 0; i < count; i++) {
        struct json_object *line = json_object_array_get_idx(array, i);
        if (!json_object_is_type(line, json_type_string))
            return refuse(parsing, "config");
        size += (size_t) json_object_get_string_len(line) + 1;
    }
    if (!array || !(*text = calloc(1, size)))
        return array ? error_memory(parsing->error, size, "a configuration") : refuse(parsing, "config");
    for (size_t i = 0; i < count; i++)
        used += (size_t) sprintf(*text + used, "%s\n", json_object_get_string(json_object_array_get_idx(array, i)));
    return 0;
}

static int parse_object(const struct parsing *parsing, struct snapshot_header *header, char **config)
{
    for (size_t i = 0; i < TEXTS; i++)
        if (!take_text(parsing, texts[i].key, text_in(header, i)))
            return refuse(parsing, texts[i].key);
    if (!take_text(parsing, "extra", &header->extra))
        return refuse(parsing, "extra");
    if (!take_number(parsing, "step", INT64_MAX, &header->step))
        return refuse(parsing, "step");
    if (!take_number(parsing, "seed", UINT64_MAX, &header->seed))
        return refuse(parsing, "seed");
    if (parse_box(parsing, header->box) != 0 || parse_fields(parsing, header) != 0 || parse_lines(parsing, config) != 0)
        return parsing->error->status;
    header->config = *config;
    return 0;
}

/* Moves *text behind the first line. */
static int parse_beginning(const char **text, const char *end, struct engine_error *error)
{
    const size_t length = strlen(BEGINNING);
    char *rest;
    if ((size_t) (end - *text) <= length || memcmp(*text, BEGINNING, length) != 0)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "is not a snapshot: its header does not begin with \"" BEGINNING "\"");
    const unsigned long version = strtoul(*text + length, &rest, 10);
    if (rest == *text + length || *rest != '\n')
        return error_set(error, ENGINE_STATUS_INPUT, "is not a snapshot: its header has no version");
    if (version != SNAPSHOT_VERSION)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "is a snapshot of format %lu and this engine reads format %d; use a newer engine", version,
                         SNAPSHOT_VERSION);
    *text = rest + 1;
    return 0;
}

int snapshot_header_parse(const char *text, size_t length, struct snapshot_header *header, struct json_object **json,
                          char **config, struct engine_error *error)
{
    const char *end = text + length;
    if (parse_beginning(&text, end, error) != 0)
        return error->status;
    if (json_parse_object(text, (size_t) (end - text), json, error) != 0)
        return error_prefix(error, "its header ");
    return parse_object(&(struct parsing){*json, error}, header, config);
}
