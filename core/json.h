/* JSON for standard output: json-c's objects, made, filled and printed so that memory that fails on the way ends in an
 * error and not in an object with something left out. One at a time: taking its text ends it. */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include "error.h"

#include <json-c/json.h>
#include <stdbool.h>

struct json_object *json_new_object(void);
struct json_object *json_new_array(void);
struct json_object *json_new_text(const char *text); /* NULL: null */
struct json_object *json_new_count(uint64_t value);
struct json_object *json_new_integer(int64_t value);
struct json_object *json_new_real(double value);
struct json_object *json_new_flag(bool value);

/* Put a member or an element in; it belongs to the object or array then, even where memory failed. */
void json_add(struct json_object *object, const char *key, struct json_object *member);
void json_append(struct json_object *array, struct json_object *element);

/* The text of the whole, with a line's end, to be freed; frees the whole. STATUS_DEVICE, and no text, where memory failed
 * in any of these functions since the last text was taken. */
int json_take_text(struct json_object *whole, char **text, struct error *error);

/* The same, printed on stdout. */
int json_print(struct json_object *whole, struct error *error);

#endif
