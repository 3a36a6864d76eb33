#include "json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local bool failed; /* since the last text was taken */

static struct json_object *made(struct json_object *json)
{
    failed = failed || !json;
    return json;
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
    return text ? made(json_object_new_string(text)) : NULL;
}

struct json_object *json_new_part(const char *text, size_t length)
{
    return made(json_object_new_string_len(text, (int) length));
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
    return made(json_object_new_double(value));
}

struct json_object *json_new_flag(bool value)
{
    return made(json_object_new_boolean(value));
}

void json_add(struct json_object *object, const char *key, struct json_object *member)
{
    if (object && json_object_object_add(object, key, member) == 0)
        return;
    failed = true;
    json_object_put(member);
}

void json_append(struct json_object *array, struct json_object *element)
{
    if (array && json_object_array_add(array, element) == 0)
        return;
    failed = true;
    json_object_put(element);
}

int json_check(struct error *error)
{
    const bool failed_then = failed;
    failed = false;
    return failed_then ? error_set(error, STATUS_DEVICE, "no memory for a JSON text") : 0;
}

/* json-c drops what it has no memory for from the text as well, and only errno tells. */
static const char *text_of(struct json_object *whole, int style)
{
    errno = 0;
    const char *text = json_object_to_json_string_ext(whole, style | JSON_C_TO_STRING_NOSLASHESCAPE);
    return errno == ENOMEM ? NULL : text;
}

int json_take_text(struct json_object *whole, int style, char **text, struct error *error)
{
    const char *found = failed ? NULL : text_of(whole, style);
    *text = found ? strdup(found) : NULL;
    failed = !*text;
    json_object_put(whole);
    return json_check(error);
}

int json_print(struct json_object *whole, struct error *error)
{
    char *text;
    if (json_take_text(whole, JSON_C_TO_STRING_PRETTY, &text, error) != 0)
        return error->status;
    puts(text);
    free(text);
    return 0;
}
