/* Reading and writing JSON with json-c's objects.
 *
 * Writing: where memory fails, the caller gets an error and never a text with a member missing. An object or array that
 * lacks a member is marked until its text is taken, so only json_check and json_take_… return errors. */
#ifndef LIB_FILES_JSON_H
#define LIB_FILES_JSON_H

#include "base/error.h"

#include <json-c/json.h>
#include <stdbool.h>

struct json_object *json_new_object(void);
struct json_object *json_new_array(void);
struct json_object *json_new_text(const char *text); /* NULL: null. A byte that is not UTF-8 becomes U+FFFD. */
struct json_object *json_new_part(const char *text, size_t length);
struct json_object *json_new_count(uint64_t value);
struct json_object *json_new_integer(int64_t value);
struct json_object *json_new_real(double value); /* infinite or NaN, which JSON cannot express: null */
struct json_object *json_new_flag(bool value);

/* Add a member or an element. The object or array owns it from then on, even where memory failed. */
void json_add(struct json_object *object, const char *key, struct json_object *member);
void json_append(struct json_object *array, struct json_object *element);

/* Add a new member. json_add_known_text: null where the text is NULL or "". */
void json_add_text(struct json_object *object, const char *key, const char *text);
void json_add_known_text(struct json_object *object, const char *key, const char *text);
void json_add_count(struct json_object *object, const char *key, uint64_t value);
void json_add_lines(struct json_object *object, const char *key, const char *text); /* an array; NULL: an empty one */
void json_add_real(struct json_object *object, const char *key, double value);

/* Returns ENGINE_STATUS_DEVICE where memory failed for *whole or anything in it. *whole is then freed and NULL. */
int json_check(struct json_object **whole, struct engine_error *error);

/* Prints the whole in a style of json-c (JSON_C_TO_STRING_…) and frees it. The caller frees the text. Returns
 * ENGINE_STATUS_DEVICE, with *text NULL, where memory failed. */
int json_take_text(struct json_object *whole, int style, char **text, struct engine_error *error);

/* Prints the whole as indented lines, the last of which ends in a line feed, and otherwise does the same. */
int json_take_lines(struct json_object *whole, char **text, struct engine_error *error);

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* The number of objects and arrays that a text may have. json-c takes about 800 bytes for each, even for the two
 * characters {}. The texts of the engine have fewer than a hundred. The record of a checkpoint has two more for each
 * time that a resumed run changed [output]. */
enum { JSON_CONTAINERS_MAX = 1 << 12 };

/* Parses a text, which anybody may have written: one object in strict JSON. *json is NULL after an error. The caller
 * calls json_object_put. Errors come without the name of a file: ENGINE_STATUS_INPUT, ENGINE_STATUS_DEVICE where memory
 * failed. */
int json_parse_object(const char *text, size_t length, struct json_object **json, struct engine_error *error);

/* The member of an object that has this key and this type, or NULL. `object` may be NULL. */
struct json_object *json_member(struct json_object *object, const char *key, enum json_type type);

#endif
