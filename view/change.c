/* Answers to requests that change the state or the parameters. */
#include "answer.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MOST = 1 << 16, STROKE_MOST = 1 << 22, FILL_CHUNK = 1 << 20 }; /* numbers of a request; bytes */

/* ---- Elements --------------------------------------------------------------------------------------------------- */

#define PUT(type, limit_low, limit_high) \
    { \
        const type element = (type) fmin(fmax(value, limit_low), limit_high); \
        memcpy(at, &element, sizeof element); \
        return; \
    }

/* Writes a number as an element of a type. The largest 64-bit numbers that a double has are below the limits. */
static void put_element(uint32_t type, uint8_t *at, double value)
{
    switch (type) {
    case ENGINE_U8: PUT(uint8_t, 0, UINT8_MAX)
    case ENGINE_I8: PUT(int8_t, INT8_MIN, INT8_MAX)
    case ENGINE_U16: PUT(uint16_t, 0, UINT16_MAX)
    case ENGINE_I16: PUT(int16_t, INT16_MIN, INT16_MAX)
    case ENGINE_U32: PUT(uint32_t, 0, UINT32_MAX)
    case ENGINE_I32: PUT(int32_t, INT32_MIN, INT32_MAX)
    case ENGINE_U64: PUT(uint64_t, 0, 0x1.fffffffffffffp63)
    case ENGINE_I64: PUT(int64_t, -0x1p63, 0x1.fffffffffffffp62)
    case ENGINE_F64: PUT(double, -INFINITY, INFINITY)
    case ENGINE_C128: PUT(double, -INFINITY, INFINITY)
    default: PUT(float, -INFINITY, INFINITY)
    }
}

/* Checks that the field can be changed by hand, and reads the value. */
static int read_value(const struct asked *asked, uint32_t field, double *value, struct engine_error *error)
{
    const struct engine_field *about = &asked->scene->about->fields.at[field];
    *value = asked_number(asked, "value", 0, -INFINITY, INFINITY);
    if (about->kind != ENGINE_GRID || about->role == ENGINE_OUTPUT)
        return fail(error, ENGINE_STATUS_USAGE, "%s is no grid that can be changed", about->name);
    if (about->values > 0 && (*value < 0 || *value >= about->values || *value != floor(*value)))
        return fail(error, ENGINE_STATUS_USAGE, "%s takes the values 0 to %u", about->name, about->values - 1);
    return 0;
}

static int begin_edit(struct asked *asked, uint32_t field, struct engine_error *error)
{
    asked->scene->drew_inputs |= asked->scene->about->fields.at[field].role == ENGINE_INPUT;
    return scene_begin_edit(asked->scene, error);
}

/* ---- draw ------------------------------------------------------------------------------------------------------- */

/* Reads the cells of a stroke. A cell beyond the grid is an error. */
static int read_cells(const struct asked *asked, const struct engine_shape *shape, uint64_t **cells, size_t *count,
                      struct engine_error *error)
{
    struct json_object *array = json_object_object_get(asked->request, "cells");
    *count = json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
    *cells = NULL;
    if (*count == 0 || *count % 3 != 0 || *count > CELLS_MOST)
        return fail(error, ENGINE_STATUS_USAGE, "cells are triples of numbers, at most %d numbers", CELLS_MOST);
    *cells = malloc(*count * sizeof **cells);
    if (!*cells)
        return fail(error, ENGINE_STATUS_DEVICE, "there is no memory for the cells");
    for (size_t i = 0; i < *count; i++) {
        const double place = json_object_get_double(json_object_array_get_idx(array, i));
        if (!(place >= 0 && place < (double) shape->extent[i % 3]))
            return fail(error, ENGINE_STATUS_USAGE, "a cell lies beyond the grid");
        (*cells)[i] = (uint64_t) place;
    }
    return 0;
}

static struct engine_box bounds_of(const uint64_t *cells, size_t count)
{
    struct engine_box box = {{cells[0], cells[1], cells[2]}, {cells[0] + 1, cells[1] + 1, cells[2] + 1}};
    for (size_t i = 3; i < count; i++) {
        const size_t axis = i % 3;
        box.begin[axis] = cells[i] < box.begin[axis] ? cells[i] : box.begin[axis];
        box.end[axis] = cells[i] >= box.end[axis] ? cells[i] + 1 : box.end[axis];
    }
    return box;
}

/* Sets the cells in the array of a box. */
static void put_cells(const struct engine_shape *shape, const struct engine_box *box, const uint64_t *cells,
                      size_t count, double value, uint8_t *array)
{
    const uint64_t bytes = element_bytes(shape->type), width = box->end[0] - box->begin[0],
                   height = box->end[1] - box->begin[1];
    for (size_t i = 0; i < count; i += 3) {
        const uint64_t row = (cells[i + 2] - box->begin[2]) * height + cells[i + 1] - box->begin[1];
        const uint64_t cell = row * width + cells[i] - box->begin[0];
        for (uint64_t c = 0; c < shape->components; c++)
            put_element(shape->type, array + (cell * shape->components + c) * bytes, value);
    }
}

/* Reads the box around the cells, changes them in it, and writes it back. */
static int change_cells(struct asked *asked, uint32_t field, const struct engine_shape *shape, const uint64_t *cells,
                        size_t count, double value, struct engine_error *error)
{
    const struct engine_box box = bounds_of(cells, count);
    const uint64_t bytes = box_elements(&box, shape) * element_bytes(shape->type);
    if (bytes > STROKE_MOST)
        return fail(error, ENGINE_STATUS_USAGE, "the cells of one request lie too far apart");
    uint8_t *array = calloc(1, bytes);
    if (!array)
        return fail(error, ENGINE_STATUS_DEVICE, "there is no memory for the cells");
    int status = engine_run_read(asked->scene->run, field, &box, array, bytes, error);
    if (status == 0) {
        put_cells(shape, &box, cells, count, value, array);
        status = engine_run_write(asked->scene->run, field, &box, array, bytes, error);
    }
    free(array);
    return status;
}

int answer_draw(struct asked *asked, struct engine_error *error)
{
    struct engine_shape shape;
    uint64_t *cells = NULL;
    uint32_t field;
    size_t count;
    double value;
    if (asked_field(asked, &field, &shape, error) != 0 || read_value(asked, field, &value, error) != 0)
        return error->status;
    int status = read_cells(asked, &shape, &cells, &count, error);
    if (status == 0)
        status = begin_edit(asked, field, error);
    if (status == 0)
        status = change_cells(asked, field, &shape, cells, count, value, error);
    if (status == 0)
        scene_end_edit(asked->scene);
    free(cells);
    answer_add_marks(asked);
    return status;
}

/* ---- fill ------------------------------------------------------------------------------------------------------- */

/* Fills rows [first, end) of a plane of the box. */
static int fill_rows(struct asked *asked, uint32_t field, const struct engine_box *box,
                     const struct engine_shape *shape, uint64_t z, uint64_t first, uint64_t end, const uint8_t *array,
                     struct engine_error *error)
{
    const struct engine_box rows = {{box->begin[0], first, z}, {box->end[0], end, z + 1}};
    return engine_run_write(asked->scene->run, field, &rows, array,
                            box_elements(&rows, shape) * element_bytes(shape->type), error);
}

static int fill_box(struct asked *asked, uint32_t field, const struct engine_box *box, const struct engine_shape *shape,
                    double value, struct engine_error *error)
{
    const uint64_t bytes = element_bytes(shape->type);
    const uint64_t row = (box->end[0] - box->begin[0]) * shape->components;
    const uint64_t rows = row * bytes < FILL_CHUNK ? FILL_CHUNK / (row * bytes) : 1;
    uint8_t *array = malloc(rows * row * bytes);
    int status = array ? 0 : fail(error, ENGINE_STATUS_DEVICE, "there is no memory for the cells");
    for (uint64_t i = 0; array && i < rows * row; i++)
        put_element(shape->type, array + i * bytes, value);
    for (uint64_t z = box->begin[2]; status == 0 && z < box->end[2]; z++)
        for (uint64_t y = box->begin[1]; status == 0 && y < box->end[1]; y += rows)
            status = fill_rows(asked, field, box, shape, z, y, y + rows < box->end[1] ? y + rows : box->end[1], array,
                               error);
    free(array);
    return status;
}

int answer_fill(struct asked *asked, struct engine_error *error)
{
    struct engine_shape shape;
    struct engine_box box;
    uint32_t field;
    double value;
    if (asked_field(asked, &field, &shape, error) != 0 || asked_box(asked, &shape, &box, error) != 0 ||
        read_value(asked, field, &value, error) != 0 || begin_edit(asked, field, error) != 0)
        return error->status;
    const int status = fill_box(asked, field, &box, &shape, value, error);
    scene_end_edit(asked->scene); /* some rows may be filled, also after an error */
    answer_add_marks(asked);
    return status;
}

/* ---- set -------------------------------------------------------------------------------------------------------- */

/* A parameter of the plugin that is no path, or the implementation. */
static bool can_change(const struct scene *scene, const char *key, const char **section, const char **name)
{
    *section = scene->about->name;
    *name = key;
    if (strcmp(key, "run.implementation") == 0) {
        *section = "run";
        *name = "implementation";
        return true;
    }
    for (uint32_t i = 0; i < scene->about->params.count; i++)
        if (strcmp(scene->about->params.at[i].name, key) == 0)
            return !(engine_key_flags(scene->about, *section, key) & ENGINE_PARAM_PATH);
    return false;
}

/* Exact implementations give the same results. */
static bool is_exact(const struct scene *scene)
{
    return engine_run_impl(scene->run)->flags & ENGINE_EXACT;
}

/* Plans the run anew with the value, and goes on from the state. */
int answer_set(struct asked *asked, struct engine_error *error)
{
    struct scene *scene = asked->scene;
    struct engine_config *config;
    const char *section, *name, *key = asked_text(asked, "key");
    if (!can_change(scene, key, &section, &name))
        return fail(error, ENGINE_STATUS_USAGE, "'%.60s' is not a key that a view changes", key);
    const bool tunes = engine_key_flags(scene->about, section, name) & ENGINE_PARAM_TUNING, was_exact = is_exact(scene);
    const bool playing = scene->playing;
    if (engine_config_copy(scene->config, &config, error) != 0)
        return error->status;
    if (engine_config_put(config, section, name, asked_text(asked, "value"), error) != 0) {
        engine_config_close(config);
        return error->status;
    }
    if (scene_replace(scene, config, true, error) != 0)
        return error->status;
    int status = 0;
    if (!tunes && !(strcmp(section, "run") == 0 && was_exact && is_exact(scene))) {
        status = scene_begin_edit(scene, error);
        scene_end_edit(scene);
    }
    scene_set_playing(scene, playing, scene->speed);
    answer_add_marks(asked);
    return status;
}
