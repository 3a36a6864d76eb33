#include "answer.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>

double asked_number(const struct asked *asked, const char *key, double otherwise, double low, double high)
{
    struct json_object *member;
    if (!json_object_object_get_ex(asked->request, key, &member) ||
        !(json_object_is_type(member, json_type_int) || json_object_is_type(member, json_type_double)))
        return otherwise;
    const double number = json_object_get_double(member);
    return isnan(number) ? otherwise : fmin(fmax(number, low), high);
}

bool asked_flag(const struct asked *asked, const char *key)
{
    struct json_object *member;
    return json_object_object_get_ex(asked->request, key, &member) && json_object_is_type(member, json_type_boolean) &&
           json_object_get_boolean(member);
}

const char *asked_text(const struct asked *asked, const char *key)
{
    struct json_object *member;
    return json_object_object_get_ex(asked->request, key, &member) && json_object_is_type(member, json_type_string)
               ? json_object_get_string(member)
               : "";
}

bool asked_numbers(const struct asked *asked, const char *key, uint32_t count, double *numbers)
{
    struct json_object *member;
    if (!json_object_object_get_ex(asked->request, key, &member) || !json_object_is_type(member, json_type_array) ||
        json_object_array_length(member) != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct json_object *element = json_object_array_get_idx(member, i);
        if (!json_object_is_type(element, json_type_int) && !json_object_is_type(element, json_type_double))
            return false;
        numbers[i] = json_object_get_double(element);
    }
    return true;
}

int asked_field(const struct asked *asked, uint32_t *field, struct engine_shape *shape, struct engine_error *error)
{
    *field = (uint32_t) asked_number(asked, "field", 0, 0, 1000);
    *shape = (struct engine_shape){.size = sizeof *shape};
    if (*field < asked->scene->about->fields.count)
        engine_run_shape(asked->scene->run, *field, shape);
    return shape->components > 0 ? 0 : fail(error, ENGINE_STATUS_USAGE, "there is no field %u", *field);
}

int asked_box(const struct asked *asked, const struct engine_shape *shape, struct engine_box *box,
              struct engine_error *error)
{
    double numbers[6] = {0, 0, 0, INFINITY, INFINITY, INFINITY};
    if (scene_is_unbounded(asked->scene) && !json_object_object_get(asked->request, "box"))
        return engine_run_bounds(asked->scene->run, 0, box, error);
    if (json_object_object_get(asked->request, "box") && !asked_numbers(asked, "box", 6, numbers))
        return fail(error, ENGINE_STATUS_USAGE, "a box has six numbers");
    for (int axis = 0; axis < 3; axis++) {
        const double extent = (double) shape->extent[axis];
        const double first = fmin(fmax(floor(numbers[axis]), 0), extent);
        const double end = fmin(fmax(ceil(numbers[axis + 3]), 0), extent);
        if (!(first < end))
            return fail(error, ENGINE_STATUS_USAGE, "the box has no cells of the grid");
        box->begin[axis] = (uint64_t) first;
        box->end[axis] = (uint64_t) end;
    }
    return 0;
}

int answer_allocate(struct asked *asked, size_t count, struct engine_error *error)
{
    free(asked->bytes);
    asked->bytes = malloc(count + !count);
    asked->count = asked->bytes ? count : 0;
    return asked->bytes ? 0 : fail(error, ENGINE_STATUS_DEVICE, "there is no memory for the answer");
}

void answer_add(struct json_object *object, const char *key, struct json_object *member)
{
    if (json_object_object_add(object, key, member) != 0)
        json_object_put(member);
}

void answer_add_text(struct json_object *object, const char *key, const char *text)
{
    answer_add(object, key, text ? json_object_new_string(text) : NULL);
}

void answer_add_number(struct json_object *object, const char *key, double number)
{
    answer_add(object, key, isfinite(number) ? json_object_new_double(number) : NULL);
}

void answer_add_count(struct json_object *object, const char *key, uint64_t number)
{
    answer_add(object, key, json_object_new_int64(number > INT64_MAX ? INT64_MAX : (int64_t) number));
}

void answer_add_marks(struct asked *asked)
{
    const struct scene *scene = asked->scene;
    struct json_object *marks = json_object_new_array();
    for (uint32_t i = 0; i < scene->marks; i++) {
        struct json_object *mark = json_object_new_object();
        answer_add_count(mark, "id", scene->mark[i].id);
        answer_add_count(mark, "step", scene->mark[i].step);
        answer_add_text(mark, "name", scene->mark[i].name);
        json_object_array_add(marks, mark);
    }
    answer_add(asked->head, "marks", marks);
}
