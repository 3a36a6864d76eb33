/* JSON to be written: json-c's objects, made, filled and printed so that memory that fails on the way ends in an error,
 * and not in a text with something left out. A thread makes one at a time: taking its text ends it. */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include "error.h"

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

/* Put a member or an element in; it belongs to the object or array then, even where memory failed. */
void json_add(struct json_object *object, const char *key, struct json_object *member);
void json_append(struct json_object *array, struct json_object *element);

/* STATUS_DEVICE where memory failed in any of these functions since this thread asked last, or took a text. */
int json_check(struct error *error);

/* The text of the whole, in json-c's style (JSON_C_TO_STRING_…), to be freed; frees the whole. STATUS_DEVICE, and no
 * text, where json_check would say so. */
int json_take_text(struct json_object *whole, int style, char **text, struct error *error);

/* The same, printed on stdout as lines. */
int json_print(struct json_object *whole, struct error *error);

#endif
