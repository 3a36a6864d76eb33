/* JSON for standard output: json-c's objects, made, filled and printed so that memory that fails on the way ends in an
 * error and not in an object with something left out. One at a time: json_print ends it. */
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

/* Prints the whole on stdout and frees it. STATUS_DEVICE, with nothing printed, where memory failed in any of these
 * functions since the last one was printed. */
int json_print(struct json_object *whole, struct error *error);

#endif
