#include "record/binding.h"
#include "base/convert.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char *name_of(const struct plan *plan)
{
    return plan->plugin->about.name;
}

static const struct engine_field *field_at(const struct plan *plan, uint32_t index)
{
    return &plan->plugin->about.fields.at[index];
}

static const char *place(const struct plan *plan)
{
    return config_place(plan->config, "analyse", "plugin");
}

/* ---- Finding ------------------------------------------------------------------------------------------------ */

static bool can_be_bound(const struct plan_field *field)
{
    return !field->absent && (field->about->role == ENGINE_STATE || field->about->role == ENGINE_INPUT);
}

static const struct plan_field *find(const struct plan *run, const char *name)
{
    for (uint32_t i = 0; i < run->plugin->about.fields.count; i++)
        if (can_be_bound(&run->fields[i]) && strcmp(run->fields[i].about->name, name) == 0)
            return &run->fields[i];
    return NULL;
}

static int refuse_missing(const struct plan *plan, const struct engine_field *field, struct engine_error *error)
{
    const struct plan *run = plan->run;
    error_set(error, ENGINE_STATUS_USAGE, "%s: [analyse] plugin: %s reads the field %s of the run, but %s has only",
              place(plan), name_of(plan), field->name, name_of(run));
    for (uint32_t i = 0; i < run->plugin->about.fields.count; i++) {
        const size_t length = strlen(error->text);
        if (can_be_bound(&run->fields[i]))
            snprintf(error->text + length, sizeof error->text - length, " %s", run->fields[i].about->name);
    }
    return error->status;
}

static int bind(struct plan *plan, uint32_t index, struct engine_error *error)
{
    static const char *const kinds[] = {"a grid", "particles", "a matrix", "bins"};
    const struct engine_field *field = field_at(plan, index);
    const struct plan_field *found = find(plan->run, field->name);
    if (!found)
        return field->flags & ENGINE_FIELD_OPTIONAL ? 0 : refuse_missing(plan, field, error);
    if (found->about->kind != field->kind)
        return error_set(error, ENGINE_STATUS_USAGE, "%s: [analyse] plugin: %s reads %s as %s; that of %s is %s",
                         place(plan), name_of(plan), field->name, kinds[field->kind], name_of(plan->run),
                         kinds[found->about->kind]);
    plan->sources[index].bound = found;
    return 0;
}

/* Finds the run's field for every input of an analysis: the state or input of the same name and kind. An optional input
 * may have none. */
static int find_all(struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (field_at(plan, i)->role == ENGINE_INPUT && bind(plan, i, error) != 0)
            return error->status;
    return 0;
}

static bool writes(const struct plan *plan, const char *name)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (field_at(plan, i)->role != ENGINE_INPUT && strcmp(field_at(plan, i)->name, name) == 0)
            return true;
    return false;
}

/* Refuses an analysis that writes a field of the same name as the run does, because files are named after fields. */
static int check_names(const struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct engine_field *field = field_at(plan, i);
        if (field->role != ENGINE_INPUT && writes(plan->run, field->name))
            return error_set(
                error, ENGINE_STATUS_USAGE,
                "%s: [analyse] plugin: %s and %s both write a field %s; their files would have the same names",
                place(plan), name_of(plan), name_of(plan->run), field->name);
    }
    return 0;
}

/* Is the input bound to a field of the run that has another type or fewer components, or that lies in the buffers of
 * several parts? */
static bool is_converted(const struct plan *plan, uint32_t field)
{
    const struct plan_field *bound = plan->sources[field].bound;
    const struct engine_shape *shape = &plan->shapes[field];
    return bound && (plan->run->parts || bound->geometry[0].shape.type != shape->type ||
                     bound->geometry[0].shape.components != shape->components);
}

/* An analysis that reads vectors of three components takes those of particles in a plane, with 0 as the third. */
static bool is_of_plane(const struct engine_shape *shape, const struct engine_shape *there, uint32_t kind)
{
    return kind == ENGINE_PARTICLES && shape->components == 3 && there->components == 2;
}

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

static const struct plan_field *first_of_kind(const struct plan *run, uint32_t kind)
{
    for (uint32_t i = 0; i < run->plugin->about.fields.count; i++)
        if (run->fields[i].about->kind == kind)
            return &run->fields[i];
    return NULL;
}

/* The shape of the run's field to which a field is bound, otherwise that of the run's first field of the same kind. Type
 * and components are those of the field itself. */
static int shape_of(const struct plan *plan, uint32_t index, uint64_t step, struct engine_shape *shape,
                    struct engine_error *error)
{
    const struct engine_field *field = field_at(plan, index);
    const struct plan_field *bound = plan->sources[index].bound;
    const struct plan_field *like = bound ? bound : first_of_kind(plan->run, field->kind);
    *shape = (struct engine_shape){.size = sizeof *shape, .rank = 1, .extent = {1, 1, 1}};
    if (like && (bound || field->kind != ENGINE_BINS))
        *shape = like->geometry[step % 2].shape;
    else if (field->kind != ENGINE_BINS)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [analyse] plugin: field %s of %s takes its size from a field of the run, but %s has no "
                         "field of that kind",
                         place(plan), field->name, name_of(plan), name_of(plan->run));
    if (field->type != ENGINE_CONFIGURED)
        shape->type = field->type;
    shape->components = field->components;
    return 0;
}

/* Types may differ if one can be converted to the other (base/convert.h). */
static int check_shape(const struct plan *plan, uint32_t index, uint64_t step, const struct engine_shape *shape,
                       struct engine_error *error)
{
    const struct plan_field *bound = plan->sources[index].bound;
    const struct engine_shape *there = bound ? &bound->geometry[step % 2].shape : shape;
    const bool types =
        bound && is_converted(plan, index) ? convert_possible(there->type, shape->type) : shape->type == there->type;
    const bool components =
        shape->components == there->components || is_of_plane(shape, there, field_at(plan, index)->kind);
    if (types && components && shape->rank == there->rank &&
        memcmp(shape->extent, there->extent, sizeof shape->extent) == 0)
        return 0;
    const bool elements = !types || !components;
    char is[64], of_run[64];
    return elements ? error_set(error, ENGINE_STATUS_USAGE,
                                "%s: [analyse] plugin: %s reads %s as %s of %s; that of %s is %s of %s", place(plan),
                                name_of(plan), field_at(plan, index)->name, type_name(shape->type),
                                text_count(shape->components, "component", is), name_of(plan->run),
                                type_name(there->type), text_count(there->components, "component", of_run))
                    : error_set(error, ENGINE_STATUS_USAGE,
                                "%s: [analyse] plugin: %s reads %s with another shape than %s has", place(plan),
                                name_of(plan), field_at(plan, index)->name, name_of(plan->run));
}

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/* The run's field whose memory the analysis reads; NULL: the field has memory of its own. */
static const struct plan_field *read_in_place(const struct plan *plan, uint32_t index)
{
    return is_converted(plan, index) ? NULL : plan->sources[index].bound;
}

static struct engine_layout layout_of(const struct plan *plan, uint32_t index)
{
    const struct plan_field *bound = read_in_place(plan, index);
    if (!bound)
        return layout_default(field_at(plan, index));
    struct engine_layout layout = bound->geometry[0].layout;
    if (layout.planar)
        layout.component_stride = 0; /* as implementations ask for it: planar and a stride exclude each other */
    return layout;
}

/* An implementation of the analysis may only accept the layout of the run's field which it reads in place. */
static int check_layout(const struct plan *plan, uint32_t index, const struct engine_layout *layout,
                        struct engine_error *error)
{
    if (!read_in_place(plan, index))
        return 0;
    const struct engine_layout there = layout_of(plan, index);
    if (memcmp(&there, layout, sizeof there) != 0)
        return error_set(
            error, ENGINE_STATUS_PLUGIN,
            "layout of field %s: it is bound to that of %s/%s and read without a copy, so the function layout "
            "must accept the layout or refuse it",
            field_at(plan, index)->name, name_of(plan->run), plan->run->impl->name);
    if (there.pack)
        return error_set(error, ENGINE_STATUS_PLUGIN,
                         "field %s: %s/%s stores it in a private order, which no other plugin can read; choose another "
                         "[run] implementation",
                         field_at(plan, index)->name, name_of(plan->run), plan->run->impl->name);
    return 0;
}

const struct source binding_source = {.open = find_all,
                                      .shape = shape_of,
                                      .check_shape = check_shape,
                                      .converts = is_converted,
                                      .layout = layout_of,
                                      .check_layout = check_layout,
                                      .check = check_names};
