/* JSON to be written: json-c's objects. Memory that fails on the way ends in an error, and not in a text with something
 * left out. An object or array that lacks a member for want of memory carries a mark until its text is taken. */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include "base/error.h"

#include <json-c/json.h>
#include <stdbool.h>

struct json_object *json_new_object(void);
struct json_object *json_new_array(void);
struct json_object *json_new_text(const char *text); /* NULL: null */
struct json_object *json_new_part(const char *text, size_t length);
struct json_object *json_new_count(uint64_t value);
struct json_object *json_new_integer(int64_t value);
struct json_object *json_new_real(double value);
struct json_object *json_new_flag(bool value);

/* Put a member or an element in. It belongs to the object or array then, even where memory failed. */
void json_add(struct json_object *object, const char *key, struct json_object *member);
void json_append(struct json_object *array, struct json_object *element);

/* ENGINE_STATUS_DEVICE where memory failed for *whole or anything in it. *whole is then freed, and NULL. */
int json_check(struct json_object **whole, struct engine_error *error);

/* The text of the whole in json-c's style (JSON_C_TO_STRING_…), which the caller frees. Frees the whole.
 * ENGINE_STATUS_DEVICE, and no text, where json_check would say so. */
int json_take_text(struct json_object *whole, int style, char **text, struct engine_error *error);

/* The same as lines for people, each ended by a line feed. */
int json_take_lines(struct json_object *whole, char **text, struct engine_error *error);

#endif
