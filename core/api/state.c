/* The functions of engine.h that read, write, view, measure and hash the state of a run. */
#include "api/handles.h"
#include "base/convert.h"
#include "run/state_hash.h"

#include <string.h>

static const struct engine_plugin *about(const struct engine_run *run)
{
    return &run->run->plan->plugin->about;
}

/* Checks that there is a state: that engine_run_prepare has made it, or that the run has started. */
static int check_filled(const struct engine_run *run, struct engine_error *error)
{
    return run->prepared ? 0 : run_check_state(run->run, error);
}

/* Checks that the field has memory, that it exists and is not absent. */
static int check_field(const struct engine_run *run, uint32_t field, struct engine_error *error)
{
    if (check_filled(run, error) != 0)
        return error->status;
    if (field >= about(run)->fields.count)
        return error_set(error, ENGINE_STATUS_USAGE, "%s has no field %u; expected 0 to %u", about(run)->name, field,
                         about(run)->fields.count - 1);
    if (run->run->plan->fields[field].absent)
        return error_set(error, ENGINE_STATUS_USAGE, "field %s is absent from this run",
                         about(run)->fields.at[field].name);
    return 0;
}

/* ---- Fields ---------------------------------------------------------------------------------------------------- */

static const char *field_at(const void *list, uint32_t index)
{
    const struct engine_plugin *plugin = list;
    return index < plugin->fields.count ? plugin->fields.at[index].name : NULL;
}

int engine_run_field(const struct engine_run *run, const char *name, uint32_t *field, struct engine_error *error)
{
    char hint[128];
    for (*field = 0; *field < about(run)->fields.count; ++*field)
        if (strcmp(about(run)->fields.at[*field].name, name) == 0)
            return 0;
    return error_set(error, ENGINE_STATUS_USAGE, "%s has no field '%s'%s", about(run)->name, name,
                     engine_nearest(hint, name, field_at, about(run)));
}

static struct engine_shape shape_of(const struct engine_run *run, uint32_t field)
{
    if (field >= about(run)->fields.count)
        return (struct engine_shape){0};
    return run->run->state ? state_geometry(run->run->state, field)->shape : plan_whole_shape(run->run->plan, field);
}

void engine_run_shape(const struct engine_run *run, uint32_t field, struct engine_shape *shape)
{
    struct engine_shape filled = shape_of(run, field);
    filled.size = shape->size;
    memcpy(shape, &filled, shape->size < sizeof filled ? shape->size : sizeof filled);
}

/* Checks the box against the shape, and the caller's bytes against the box. */
static int check_box(const struct engine_run *run, uint32_t field, const struct engine_box *box, uint64_t bytes,
                     struct engine_error *error)
{
    const struct engine_shape shape = shape_of(run, field);
    const char *name = about(run)->fields.at[field].name;
    uint64_t wanted = (uint64_t) shape.components * type_bytes(shape.type);
    for (int axis = 0; axis < 3; axis++) {
        if (box->begin[axis] >= box->end[axis] || box->end[axis] > shape.extent[axis])
            return error_set(error, ENGINE_STATUS_USAGE,
                             "field %s: the box [%llu, %llu) is empty or exceeds the %llu cells along %c", name,
                             (unsigned long long) box->begin[axis], (unsigned long long) box->end[axis],
                             (unsigned long long) shape.extent[axis], "xyz"[axis]);
        wanted *= box->end[axis] - box->begin[axis];
    }
    if (wanted != bytes)
        return error_set(error, ENGINE_STATUS_USAGE, "field %s: the array has %llu bytes, expected %llu", name,
                         (unsigned long long) bytes, (unsigned long long) wanted);
    return 0;
}

/* Checks that the caller's elements are values of the field. The box has been checked. */
static int check_values(const struct engine_run *run, uint32_t field, const void *in, uint64_t bytes,
                        struct engine_error *error)
{
    const struct engine_field *about_field = &run->run->plan->described[field];
    const uint32_t type = shape_of(run, field).type;
    const uint64_t count = bytes / type_bytes(type);
    if (about_field->values == 0)
        return 0;
    const uint64_t wrong = convert_within(type, in, count, about_field->values - 1);
    return wrong == count ? 0
                          : error_set(error, ENGINE_STATUS_USAGE,
                                      "field %s: element %llu of the array is not one of its values, 0 to %u",
                                      about_field->name, (unsigned long long) wrong, about_field->values - 1);
}

/* Elements of a box that are contiguous in the field's canonical array. */
struct span {
    uint64_t begin, count;
};

/* Calls `move` for every span of the box, with the position in the caller's array. Whole rows and whole planes are
 * joined to one span. */
static int for_spans(const struct engine_shape *shape, const struct engine_box *box, char *array,
                     int (*move)(void *context, struct span span, void *part, struct engine_error *error),
                     void *context, struct engine_error *error)
{
    const uint64_t *begin = box->begin, *end = box->end, *extent = shape->extent;
    const bool rows = end[0] - begin[0] == extent[0], planes = rows && end[1] - begin[1] == extent[1];
    const uint64_t joined_y = rows ? end[1] - begin[1] : 1, joined_z = planes ? end[2] - begin[2] : 1;
    const uint64_t count = (end[0] - begin[0]) * joined_y * joined_z * shape->components;
    for (uint64_t z = begin[2]; z < end[2]; z += joined_z)
        for (uint64_t y = begin[1]; y < end[1]; y += joined_y) {
            const struct span span = {((z * extent[1] + y) * extent[0] + begin[0]) * shape->components, count};
            if (move(context, span, array, error) != 0)
                return error->status;
            array += count * type_bytes(shape->type);
        }
    return 0;
}

/* The state and the field of a call of engine_run_read or engine_run_write. */
struct target {
    struct state *state;
    uint32_t field;
};

static int read_span(void *context, struct span span, void *part, struct engine_error *error)
{
    const struct target *target = context;
    return state_read(target->state, target->field, span.begin, span.count, part, error);
}

static int write_span(void *context, struct span span, void *part, struct engine_error *error)
{
    const struct target *target = context;
    return state_write(target->state, target->field, span.begin, span.count, part, error);
}

/* Checks the field and the box, and puts the box of the whole field in the place of NULL. */
static int choose_box(const struct engine_run *run, uint32_t field, const struct engine_box *box, uint64_t bytes,
                      struct engine_box *chosen, struct engine_error *error)
{
    if (check_field(run, field, error) != 0)
        return error->status;
    const struct engine_shape shape = shape_of(run, field);
    *chosen = box ? *box : (struct engine_box){{0, 0, 0}, {shape.extent[0], shape.extent[1], shape.extent[2]}};
    return check_box(run, field, chosen, bytes, error);
}

int engine_run_read(const struct engine_run *run, uint32_t field, const struct engine_box *box, void *out,
                    uint64_t bytes, struct engine_error *error)
{
    API_NUMBERS;
    struct target target = {run->run->state, field};
    struct engine_box chosen = {{0, 0, 0}, {0, 0, 0}};
    if (choose_box(run, field, box, bytes, &chosen, error) != 0)
        return error->status;
    const struct engine_shape shape = shape_of(run, field);
    return for_spans(&shape, &chosen, out, read_span, &target, error);
}

int engine_run_write(struct engine_run *run, uint32_t field, const struct engine_box *box, const void *in,
                     uint64_t bytes, struct engine_error *error)
{
    API_NUMBERS;
    struct target target = {run->run->state, field};
    struct engine_box chosen = {{0, 0, 0}, {0, 0, 0}};
    if (choose_box(run, field, box, bytes, &chosen, error) != 0 || check_values(run, field, in, bytes, error) != 0)
        return error->status;
    /* write_span only reads from the array. */
    const struct engine_shape shape = shape_of(run, field);
    const int status = for_spans(&shape, &chosen, (void *) (uintptr_t) in, write_span, &target, error);
    engine_run_changed(run);
    if (run->run->instance && about(run)->fields.at[field].role == ENGINE_INPUT)
        instance_input_written(run->run->instance);
    return status;
}

/* Checks the field, and that its canonical array has these elements. */
static int check_range(const struct engine_run *run, uint32_t field, uint64_t begin, uint64_t count,
                       struct engine_error *error)
{
    uint64_t elements = 0;
    if (check_field(run, field, error) != 0)
        return error->status;
    const struct engine_shape shape = shape_of(run, field);
    shape_elements(&shape, &elements);
    return begin <= elements && count <= elements - begin
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE, "field %s: %llu elements from %llu on exceed its %llu elements",
                           about(run)->fields.at[field].name, (unsigned long long) count, (unsigned long long) begin,
                           (unsigned long long) elements);
}

int engine_run_fetch(const struct engine_run *run, uint32_t field, uint64_t begin, uint64_t count, void *out,
                     struct engine_error *error)
{
    API_NUMBERS;
    return check_range(run, field, begin, count, error) != 0
               ? error->status
               : state_read(run->run->state, field, begin, count, out, error);
}

int engine_run_feed(struct engine_run *run, uint32_t field, uint64_t begin, uint64_t count, const void *in,
                    struct engine_error *error)
{
    API_NUMBERS;
    if (check_range(run, field, begin, count, error) != 0 ||
        check_values(run, field, in, count * type_bytes(shape_of(run, field).type), error) != 0)
        return error->status;
    if (run->run->instance)
        instance_state_changed(run->run->instance);
    return state_write(run->run->state, field, begin, count, in, error);
}

int engine_run_view(const struct engine_run *run, uint32_t field, struct engine_view *view, struct engine_error *error)
{
    if (run_check_started(run->run, error) != 0 || check_field(run, field, error) != 0)
        return error->status;
    struct engine_view filled = {.size = view->size};
    if (state_view(run->run->state, field, &filled, error) != 0)
        return error->status;
    struct instance *const instance = run->run->instance;
    instance->inputs_shared = instance->inputs_shared || about(run)->fields.at[field].role == ENGINE_INPUT;
    memcpy(view, &filled, view->size < sizeof filled ? view->size : sizeof filled);
    return 0;
}

int engine_run_wait(struct engine_run *run, void *stream, struct engine_error *error)
{
    API_NUMBERS;
    if (run_check_started(run->run, error) != 0)
        return error->status;
    struct device *device = run->run->plan->device;
    return device->wait(device, stream ? stream : device->stream, error);
}

void engine_run_changed(struct engine_run *run)
{
    if (run->run->instance)
        run_state_changed(run->run);
}

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

static int refuse_to_measure(const struct engine_run *run, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_PLUGIN, "%s/%s measures no metrics; choose another [run] implementation",
                     about(run)->name, run->run->plan->impl->name);
}

/* Checks that the caller's array has room for so many metrics. */
static int check_room(const struct engine_run *run, uint64_t count, uint64_t universes, struct engine_error *error)
{
    if (run_check_state(run->run, error) != 0)
        return error->status;
    return count >= universes * about(run)->metrics.count
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE, "%s has %llu metrics, and the array has room for %llu",
                           about(run)->name, (unsigned long long) (universes * about(run)->metrics.count),
                           (unsigned long long) count);
}

int engine_run_measure(struct engine_run *run, double *values, uint32_t count, struct engine_error *error)
{
    API_NUMBERS;
    bool measured = false;
    if (check_room(run, count, 1, error) != 0 || instance_measure(run->run->instance, values, &measured, error) != 0)
        return error->status;
    return measured ? 0 : refuse_to_measure(run, error);
}

int engine_run_measure_universes(struct engine_run *run, double *values, uint64_t count, struct engine_error *error)
{
    API_NUMBERS;
    const uint64_t universes = run->run->plan->settings.universes;
    const double *measured;
    if (check_room(run, count, universes, error) != 0 ||
        instance_measure_universes(run->run->instance, &measured, error) != 0)
        return error->status;
    if (!measured)
        return refuse_to_measure(run, error);
    memcpy(values, measured, universes * about(run)->metrics.count * sizeof *values);
    return 0;
}

int engine_run_hash(const struct engine_run *run, char hash[ENGINE_HASH_SIZE], struct engine_error *error)
{
    API_NUMBERS;
    return check_filled(run, error) != 0 ? error->status : state_hash(run->run->state, HASH_RESULTS, hash, error);
}
