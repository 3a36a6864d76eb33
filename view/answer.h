/* Requests while they are answered: reading the members of a request, and what its answer consists of. */
#ifndef VIEW_ANSWER_H
#define VIEW_ANSWER_H

#include "elements.h"
#include "scene.h"

#include <json-c/json.h>

struct asked {
    struct scene *scene;
    struct json_object *request; /* an object */
    const uint8_t *with;         /* the bytes behind it */
    size_t with_bytes;

    struct json_object *head; /* of the answer, an object */
    uint8_t *bytes;           /* allocated; the bytes behind it */
    size_t count;
};

/* The function that answers a request, and returns a status of engine.h. */
typedef int answer_function(struct asked *asked, struct engine_error *error);

/* Requests that look: look.c. */
answer_function answer_hello, answer_frame, answer_points, answer_read;
/* Those that play: messages.c. Those that change or save: change.c and files.c. */
answer_function answer_draw, answer_fill, answer_paste, answer_set, answer_open, answer_save;

/* A number of the request that is at least `low` and at most `high`; `otherwise` if the request has no such member.
 * Numbers beyond the limits become the limits. */
double asked_number(const struct asked *asked, const char *key, double otherwise, double low, double high);
bool asked_flag(const struct asked *asked, const char *key);
const char *asked_text(const struct asked *asked, const char *key); /* "": there is none */

/* Reads `count` numbers of an array; false if the member is no array of so many numbers. */
bool asked_numbers(const struct asked *asked, const char *key, uint32_t count, double *numbers);

/* The field of the request, and its shape. ENGINE_STATUS_USAGE. */
int asked_field(const struct asked *asked, uint32_t *field, struct engine_shape *shape, struct engine_error *error);

/* The box of the request, within the shape; without a box the whole, or what an unbounded grid has. ENGINE_STATUS_USAGE: it
 * is empty. */
int asked_box(const struct asked *asked, const struct engine_shape *shape, struct engine_box *box,
              struct engine_error *error);

/* Allocates the bytes of the answer. ENGINE_STATUS_DEVICE. */
int answer_allocate(struct asked *asked, size_t count, struct engine_error *error);

void answer_add(struct json_object *object, const char *key, struct json_object *member);
void answer_add_text(struct json_object *object, const char *key, const char *text); /* NULL: null */
void answer_add_number(struct json_object *object, const char *key, double number);  /* not finite: null */
void answer_add_count(struct json_object *object, const char *key, uint64_t number);
void answer_add_marks(struct asked *asked);

#endif
