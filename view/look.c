/* Answers to requests that only look. */
#include "answer.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS_MOST = 4096, READ_MOST = 1 << 16, POINTS_MOST = 1 << 18, CHUNK = 1 << 16 };

/* ---- hello ------------------------------------------------------------------------------------------------------ */

static const char *value_of(const struct scene *scene, const struct engine_param *param)
{
    const char *value = engine_config_get(scene->config, scene->about->name, param->name);
    return value ? value : param->initial;
}

static struct json_object *choices_of(const struct engine_param *param)
{
    static const char *const flags[] = {"no", "yes", NULL};
    const char *const *words = param->type == ENGINE_PARAM_FLAG     ? flags
                               : param->type == ENGINE_PARAM_CHOICE ? param->choices
                                                                    : NULL;
    struct json_object *choices = words ? json_object_new_array() : NULL;
    for (; words && *words; words++)
        json_object_array_add(choices, json_object_new_string(*words));
    return choices;
}

static struct json_object *parameters_of(const struct scene *scene)
{
    struct json_object *all = json_object_new_array();
    for (uint32_t i = 0; i < scene->about->params.count; i++) {
        const struct engine_param *param = &scene->about->params.at[i];
        const uint32_t flags = engine_key_flags(scene->about, scene->about->name, param->name);
        if (flags & ENGINE_PARAM_PATH)
            continue;
        struct json_object *one = json_object_new_object();
        answer_add_text(one, "key", param->name);
        answer_add_text(one, "help", param->help);
        answer_add_text(one, "unit", param->unit);
        answer_add_text(one, "value", value_of(scene, param));
        answer_add(one, "choices", choices_of(param));
        answer_add(one, "changes", json_object_new_boolean(!(flags & ENGINE_PARAM_TUNING)));
        json_object_array_add(all, one);
    }
    return all;
}

static struct json_object *implementations_of(const struct scene *scene)
{
    struct json_object *all = json_object_new_array();
    struct engine_error error;
    for (uint32_t i = 0; i < scene->about->impls.count; i++)
        if (!engine_impl_missing(scene->context, &scene->about->impls.at[i], &error))
            json_object_array_add(all, json_object_new_string(scene->about->impls.at[i].name));
    return all;
}

static struct json_object *field_of(const struct scene *scene, uint32_t index)
{
    static const char *const kinds[] = {
        [ENGINE_GRID] = "grid", [ENGINE_PARTICLES] = "particles", [ENGINE_MATRIX] = "matrix", [ENGINE_BINS] = "bins"};
    static const char *const roles[] = {[ENGINE_STATE] = "state", [ENGINE_INPUT] = "input", [ENGINE_OUTPUT] = "output"};
    const struct engine_field *about = &scene->about->fields.at[index];
    struct engine_shape shape = {.size = sizeof shape};
    struct json_object *field = json_object_new_object(), *extent = json_object_new_array();
    char size[80];
    engine_run_shape(scene->run, index, &shape);
    for (int axis = 0; axis < 3; axis++)
        json_object_array_add(extent, json_object_new_int64((int64_t) shape.extent[axis]));
    answer_add_text(field, "name", about->name);
    answer_add_text(field, "help", about->help);
    answer_add_text(field, "kind", kinds[about->kind]);
    answer_add_text(field, "role", roles[about->role]);
    answer_add_text(field, "type", engine_type_name(shape.type));
    answer_add_count(field, "components", shape.components);
    answer_add(field, "extent", extent);
    answer_add_count(field, "rank", about->kind == ENGINE_GRID ? about->rank : shape.rank);
    answer_add(field, "batch",
               json_object_new_boolean(strstr(engine_run_size(scene->run, index, size), "batch") != NULL));
    answer_add_count(field, "values", about->values);
    answer_add(field, "unbounded", json_object_new_boolean(scene_is_unbounded(scene)));
    return field;
}

static struct json_object *fields_of(const struct scene *scene)
{
    struct json_object *all = json_object_new_array();
    for (uint32_t i = 0; i < scene->about->fields.count; i++)
        json_object_array_add(all, field_of(scene, i));
    return all;
}

static struct json_object *metrics_of(const struct scene *scene)
{
    struct json_object *all = json_object_new_array();
    for (uint32_t i = 0; i < scene->about->metrics.count; i++) {
        struct json_object *metric = json_object_new_object();
        answer_add_text(metric, "name", scene->about->metrics.at[i].name);
        answer_add_text(metric, "unit", scene->about->metrics.at[i].unit);
        answer_add_text(metric, "help", scene->about->metrics.at[i].help);
        json_object_array_add(all, metric);
    }
    return all;
}

static struct json_object *formats_of(const struct scene *scene)
{
    struct json_object *all = json_object_new_array();
    struct engine_format_info info = {.size = sizeof info};
    struct engine_error error;
    const char *name;
    for (uint32_t i = 0; (name = engine_format_name(scene->context, i)) != NULL; i++) {
        info.format.size = sizeof info.format;
        if (engine_format_find(scene->context, name, &info, &error) != 0 || !info.format.writes)
            continue;
        struct json_object *format = json_object_new_object();
        answer_add_text(format, "name", name);
        answer_add_text(format, "help", info.format.help);
        answer_add_text(format, "endings", info.format.endings);
        json_object_array_add(all, format);
    }
    return all;
}

int answer_hello(struct asked *asked, struct engine_error *error)
{
    struct scene *scene = asked->scene;
    struct engine_run_info about = {.size = sizeof about};
    char *config = NULL;
    engine_run_about(scene->run, &about);
    if (engine_config_print(scene->config, &config, error) != 0)
        return error->status;
    answer_add_text(asked->head, "title", scene->title);
    answer_add_text(asked->head, "plugin", scene->about->name);
    answer_add_text(asked->head, "summary", scene->about->summary);
    answer_add_text(asked->head, "implementation", engine_run_impl(scene->run)->name);
    answer_add_text(asked->head, "device", about.device);
    answer_add_text(asked->head, "config", config);
    answer_add(asked->head, "read_only", json_object_new_boolean(scene->read_only));
    answer_add(asked->head, "parameters", parameters_of(scene));
    answer_add(asked->head, "implementations", implementations_of(scene));
    answer_add(asked->head, "fields", fields_of(scene));
    answer_add(asked->head, "metrics", metrics_of(scene));
    answer_add(asked->head, "formats", formats_of(scene));
    answer_add_marks(asked);
    free(config);
    return 0;
}

/* ---- frame ------------------------------------------------------------------------------------------------------ */

/* Measures. A plugin that cannot gives nulls. */
static void add_metrics(struct asked *asked)
{
    struct scene *scene = asked->scene;
    const uint32_t count = scene->about->metrics.count;
    struct json_object *all = json_object_new_array();
    struct engine_error error;
    double *values = calloc(count + 1, sizeof *values);
    const bool measured = values && count > 0 && engine_run_measure(scene->run, values, count, &error) == 0;
    for (uint32_t i = 0; i < count; i++)
        json_object_array_add(all, measured && isfinite(values[i]) ? json_object_new_double(values[i]) : NULL);
    answer_add(asked->head, "metrics", all);
    free(values);
}

static int read_sight(const struct asked *asked, struct engine_sight *sight, struct engine_error *error)
{
    struct engine_shape shape;
    uint32_t field;
    *sight = (struct engine_sight){.size = sizeof *sight};
    if (asked_field(asked, &field, &shape, error) != 0)
        return error->status;
    sight->field = field + 1;
    sight->axis = (uint32_t) asked_number(asked, "axis", 0, 0, 3);
    sight->plane = (uint64_t) asked_number(asked, "plane", 0, 0, 1e15);
    if (json_object_object_get(asked->request, "bounds") && !asked_numbers(asked, "bounds", 4, sight->bounds))
        return fail(error, ENGINE_STATUS_USAGE, "bounds are four numbers");
    return asked->scene->about->fields.at[field].kind == ENGINE_GRID ? asked_box(asked, &shape, &sight->box, error) : 0;
}

/* A pattern that reaches beyond the plane of pictures has no box. */
static void add_bounds(struct asked *asked, uint32_t field)
{
    struct json_object *array;
    struct engine_error ignored;
    struct engine_box box;
    if (!scene_is_unbounded(asked->scene) || engine_run_bounds(asked->scene->run, field, &box, &ignored) != 0)
        return;
    array = json_object_new_array();
    for (int i = 0; i < 6; i++)
        json_object_array_add(array, json_object_new_int64((int64_t) (i < 3 ? box.begin[i] : box.end[i - 3])));
    answer_add(asked->head, "bounds", array);
}

static int draw(struct asked *asked, struct engine_error *error)
{
    struct engine_picture *picture = &asked->scene->picture;
    struct engine_sight sight;
    if (read_sight(asked, &sight, error) != 0)
        return error->status;
    picture->most_columns = (uint64_t) asked_number(asked, "columns", 512, 1, PIXELS_MOST);
    picture->most_rows = (uint64_t) asked_number(asked, "rows", 512, 1, PIXELS_MOST);
    picture->sight = &sight;
    const int status = engine_run_picture(asked->scene->run, picture, error);
    picture->sight = NULL;
    const size_t count = (size_t) (picture->columns * picture->rows) * (picture->colours ? 3 : 1);
    if (status != 0 || answer_allocate(asked, count, error) != 0)
        return error->status;
    memcpy(asked->bytes, picture->colours ? picture->colours : picture->shades, count);
    answer_add_count(asked->head, "columns", picture->columns);
    answer_add_count(asked->head, "rows", picture->rows);
    answer_add_count(asked->head, "block", picture->block);
    answer_add(asked->head, "coloured", json_object_new_boolean(picture->colours != NULL));
    add_bounds(asked, sight.field - 1);
    return 0;
}

int answer_frame(struct asked *asked, struct engine_error *error)
{
    const bool same = asked_number(asked, "seen", -1, -1, 1e18) == (double) asked->scene->state;
    if (same)
        answer_add(asked->head, "same", json_object_new_boolean(true));
    else if (draw(asked, error) != 0)
        return error->status;
    if (!same && asked_flag(asked, "measure"))
        add_metrics(asked);
    return 0;
}

/* ---- read ------------------------------------------------------------------------------------------------------- */

int answer_read(struct asked *asked, struct engine_error *error)
{
    struct engine_shape shape;
    struct engine_box box;
    uint32_t field;
    if (asked_field(asked, &field, &shape, error) != 0 || asked_box(asked, &shape, &box, error) != 0)
        return error->status;
    const uint64_t elements = box_elements(&box, &shape);
    if (elements > READ_MOST)
        return fail(error, ENGINE_STATUS_USAGE, "a request reads at most %d elements", READ_MOST);
    if (answer_allocate(asked, elements * element_bytes(shape.type), error) != 0 ||
        engine_run_read(asked->scene->run, field, &box, asked->bytes, asked->count, error) != 0)
        return error->status;
    answer_add_text(asked->head, "type", engine_type_name(shape.type));
    answer_add_count(asked->head, "components", shape.components);
    return 0;
}

/* ---- points ----------------------------------------------------------------------------------------------------- */

/* The positions, and the masses if there are any. */
struct points {
    uint32_t field, mass; /* the fields; mass UINT32_MAX: there is none */
    struct engine_shape shape, mass_shape;
    uint64_t stride; /* one of so many is taken */
    double low[3], high[3];
};

static double real_of(uint32_t type, const uint8_t *at)
{
    float single;
    double value;
    memcpy(&single, at, sizeof single);
    if (type == ENGINE_F32)
        return (double) single;
    memcpy(&value, at, sizeof value);
    return value;
}

static bool is_real(const struct engine_shape *shape)
{
    return shape->type == ENGINE_F32 || shape->type == ENGINE_F64;
}

static int find_points(const struct asked *asked, struct points *points, struct engine_error *error)
{
    const struct engine_field_array *fields = &asked->scene->about->fields;
    *points = (struct points){.mass = UINT32_MAX};
    if (asked_field(asked, &points->field, &points->shape, error) != 0)
        return error->status;
    if (fields->at[points->field].kind != ENGINE_PARTICLES || points->shape.components > 3 || !is_real(&points->shape))
        return fail(error, ENGINE_STATUS_USAGE, "the field %s does not hold positions", fields->at[points->field].name);
    for (uint32_t i = 0; i < fields->count; i++) {
        struct engine_shape shape = {.size = sizeof shape};
        engine_run_shape(asked->scene->run, i, &shape);
        if (strcmp(fields->at[i].name, "mass") == 0 && fields->at[i].kind == ENGINE_PARTICLES &&
            shape.components == 1 && is_real(&shape) && shape.extent[0] == points->shape.extent[0])
            points->mass = i, points->mass_shape = shape;
    }
    return 0;
}

/* Puts the components of some particles, from `begin` on, into their places in the answer. */
static int put_components(struct asked *asked, struct points *points, uint32_t field, const struct engine_shape *shape,
                          uint64_t begin, uint32_t place, uint8_t *chunk, struct engine_error *error)
{
    const uint64_t bytes = element_bytes(shape->type), cell = bytes * shape->components;
    const uint64_t end = begin + CHUNK < shape->extent[0] ? begin + CHUNK : shape->extent[0];
    const struct engine_box box = {{begin, 0, 0}, {end, 1, 1}};
    if (engine_run_read(asked->scene->run, field, &box, chunk, (end - begin) * cell, error) != 0)
        return error->status;
    for (uint64_t i = (begin + points->stride - 1) / points->stride * points->stride; i < end; i += points->stride)
        for (uint32_t c = 0; c < shape->components; c++) {
            const double value = real_of(shape->type, chunk + (i - begin) * cell + c * bytes);
            const float single = (float) value;
            memcpy(asked->bytes + (i / points->stride * 4 + place + c) * sizeof single, &single, sizeof single);
            if (place == 0 && isfinite(value)) {
                points->low[c] = fmin(points->low[c], value);
                points->high[c] = fmax(points->high[c], value);
            }
        }
    return 0;
}

static int put_points(struct asked *asked, struct points *points, uint8_t *chunk, struct engine_error *error)
{
    for (uint64_t begin = 0; begin < points->shape.extent[0]; begin += CHUNK)
        if (put_components(asked, points, points->field, &points->shape, begin, 0, chunk, error) != 0 ||
            (points->mass != UINT32_MAX &&
             put_components(asked, points, points->mass, &points->mass_shape, begin, 3, chunk, error) != 0))
            return error->status;
    return 0;
}

static struct json_object *numbers_of(const double numbers[3])
{
    struct json_object *all = json_object_new_array();
    for (int i = 0; i < 3; i++)
        json_object_array_add(all, json_object_new_double(isfinite(numbers[i]) ? numbers[i] : 0));
    return all;
}

int answer_points(struct asked *asked, struct engine_error *error)
{
    struct points points;
    if (find_points(asked, &points, error) != 0)
        return error->status;
    const uint64_t all = points.shape.extent[0], most = (uint64_t) asked_number(asked, "most", 5e4, 1, POINTS_MOST);
    points.stride = (all + most - 1) / most;
    const uint64_t count = (all + points.stride - 1) / points.stride;
    for (uint32_t c = 0; c < 3; c++)
        points.low[c] = c < points.shape.components ? INFINITY : 0,
        points.high[c] = c < points.shape.components ? -INFINITY : 0;
    uint8_t *chunk = malloc((size_t) CHUNK * 3 * sizeof(double));
    int status = chunk ? answer_allocate(asked, count * 4 * sizeof(float), error)
                       : fail(error, ENGINE_STATUS_DEVICE, "there is no memory for the particles");
    if (status == 0) {
        memset(asked->bytes, 0, asked->count);
        status = put_points(asked, &points, chunk, error);
    }
    free(chunk);
    answer_add_count(asked->head, "count", count);
    answer_add_count(asked->head, "of", all);
    answer_add(asked->head, "low", numbers_of(points.low));
    answer_add(asked->head, "high", numbers_of(points.high));
    answer_add(asked->head, "masses", json_object_new_boolean(points.mass != UINT32_MAX));
    return status;
}
