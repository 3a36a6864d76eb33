#include "files/json.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its address stands for an object for which there was no memory, and marks an object that lacks a member. */
static const char lack = 0;

static struct json_object *lacking(void)
{
    return (struct json_object *) (uintptr_t) &lack;
}

static struct json_object *made(struct json_object *json)
{
    return json ? json : lacking();
}

static void put(struct json_object *json)
{
    if (json != lacking())
        json_object_put(json);
}

static void mark(struct json_object *container)
{
    if (container != lacking())
        json_object_set_userdata(container, lacking(), NULL);
}

struct json_object *json_new_object(void)
{
    return made(json_object_new_object());
}

struct json_object *json_new_array(void)
{
    return made(json_object_new_array());
}

struct json_object *json_new_text(const char *text)
{
    return text ? json_new_part(text, strlen(text)) : NULL;
}

struct json_object *json_new_part(const char *text, size_t length)
{
    char *copy = text_to_utf8(text, length);
    struct json_object *json = copy ? json_object_new_string(copy) : NULL;
    free(copy);
    return made(json);
}

struct json_object *json_new_count(uint64_t value)
{
    return made(json_object_new_uint64(value));
}

struct json_object *json_new_integer(int64_t value)
{
    return made(json_object_new_int64(value));
}

struct json_object *json_new_real(double value)
{
    return isfinite(value) ? made(json_object_new_double(value)) : NULL;
}

struct json_object *json_new_flag(bool value)
{
    return made(json_object_new_boolean(value));
}

void json_add(struct json_object *object, const char *key, struct json_object *member)
{
    if (object != lacking() && member != lacking() && json_object_object_add(object, key, member) == 0)
        return;
    mark(object);
    put(member);
}

void json_append(struct json_object *array, struct json_object *element)
{
    if (array != lacking() && element != lacking() && json_object_array_add(array, element) == 0)
        return;
    mark(array);
    put(element);
}

void json_add_text(struct json_object *object, const char *key, const char *text)
{
    json_add(object, key, json_new_text(text));
}

void json_add_known_text(struct json_object *object, const char *key, const char *text)
{
    json_add_text(object, key, text && *text ? text : NULL);
}

void json_add_count(struct json_object *object, const char *key, uint64_t value)
{
    json_add(object, key, json_new_count(value));
}

void json_add_lines(struct json_object *object, const char *key, const char *text)
{
    struct json_object *array = json_new_array();
    while (text && *text) {
        const size_t length = strcspn(text, "\n");
        json_append(array, json_new_part(text, length));
        text += length + (text[length] == '\n');
    }
    json_add(object, key, array);
}

void json_add_real(struct json_object *object, const char *key, double value)
{
    json_add(object, key, json_new_real(value));
}

/* Is the object, or one in it, marked? */
static bool lacks(struct json_object *json)
{
    if (json == lacking() || json_object_get_userdata(json) == lacking())
        return true;
    if (json_object_is_type(json, json_type_object)) {
        json_object_object_foreach(json, key, member)
        {
            (void) key;
            if (lacks(member))
                return true;
        }
    }
    const size_t count = json_object_is_type(json, json_type_array) ? json_object_array_length(json) : 0;
    for (size_t i = 0; i < count; i++)
        if (lacks(json_object_array_get_idx(json, i)))
            return true;
    return false;
}

static int no_memory(struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_DEVICE, "no memory for a JSON text");
}

int json_check(struct json_object **whole, struct engine_error *error)
{
    if (!lacks(*whole))
        return 0;
    put(*whole);
    *whole = NULL;
    return no_memory(error);
}

int json_take_text(struct json_object *whole, int style, char **text, struct engine_error *error)
{
    *text = NULL;
    if (json_check(&whole, error) != 0)
        return error->status;
    /* json-c also leaves out text for which it has no memory, and only errno tells. */
    errno = 0;
    const char *found = json_object_to_json_string_ext(whole, style | JSON_C_TO_STRING_NOSLASHESCAPE);
    *text = found && errno != ENOMEM ? strdup(found) : NULL;
    json_object_put(whole);
    return *text ? 0 : no_memory(error);
}

int json_take_lines(struct json_object *whole, char **text, struct engine_error *error)
{
    char *json;
    *text = NULL;
    if (json_take_text(whole, JSON_C_TO_STRING_PRETTY, &json, error) != 0)
        return error->status;
    if (asprintf(text, "%s\n", json) < 0)
        *text = NULL;
    free(json);
    return *text ? 0 : no_memory(error);
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* Counts the objects and arrays of a text. Returns false where the text has what JSON lacks and json-c takes: comments,
 * single quotes, NaN, True, a control character in a string, or a comma before a closing bracket. json-c 0.18 cannot be
 * asked for this: JSON_TOKENER_STRICT refuses every byte above 0x7f there (its issue 875). */
static bool is_strict(const char *text, size_t length, size_t *count)
{
    static const char outside[] = "{}[]:,\" \t\n\r+-.0123456789Eaeflnrstu"; /* strings */
    bool strict = true, quoted = false, comma = false; /* quoted: inside a string; comma: the last character is one */
    *count = 0;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (quoted ? (unsigned char) c < 0x20 : !memchr(outside, c, sizeof outside - 1))
            strict = false;
        if (comma && (c == '}' || c == ']'))
            strict = false;
        *count += !quoted && (c == '{' || c == '[');
        comma = !quoted && (c == ',' || (comma && strchr(" \t\n\r", c)));
        i += quoted && c == '\\';
        quoted = quoted != (c == '"');
    }
    return strict;
}

int json_parse_object(const char *text, size_t length, struct json_object **json, struct engine_error *error)
{
    size_t count;
    const bool strict = is_strict(text, length, &count);
    *json = NULL;
    if (length > INT_MAX || count > JSON_CONTAINERS_MAX)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "has %zu JSON objects and arrays, expected at most %d: the file is damaged, or "
                         "another program wrote it",
                         count, JSON_CONTAINERS_MAX);
    struct json_tokener *tokener = json_tokener_new();
    if (!tokener)
        return no_memory(error);
    errno = 0;
    *json = strict ? json_tokener_parse_ex(tokener, text, (int) length) : NULL;
    const bool whole = json_object_is_type(*json, json_type_object) && json_tokener_get_parse_end(tokener) == length;
    json_tokener_free(tokener);
    if (whole)
        return 0;
    json_object_put(*json);
    *json = NULL;
    return errno == ENOMEM ? no_memory(error)
                           : error_set(error, ENGINE_STATUS_INPUT,
                                       "is not a JSON object: the file is damaged, or another program wrote it");
}

struct json_object *json_member(struct json_object *object, const char *key, enum json_type type)
{
    struct json_object *member;
    return json_object_object_get_ex(object, key, &member) && json_object_is_type(member, type) ? member : NULL;
}
