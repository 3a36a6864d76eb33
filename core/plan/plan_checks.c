/* Checks what the configuration asks of the fields. */
#include "base/text.h"
#include "plan/binding.h"
#include "plan/source.h"

#include <stdio.h>
#include <string.h>

static const struct engine_plugin *about(const struct plan *plan)
{
    return &plan->plugin->about;
}

/* Checks that the pattern fits into the field that it is the initial state of. */
static int check_pattern(const struct plan *plan, struct engine_error *error)
{
    const struct engine_field *field = &about(plan)->fields.at[0];
    const struct engine_shape *grid = &plan->shapes[0], *pattern = &plan->pattern->arrays[0].shape;
    const char *file = plan->settings.file;
    char there[64], wanted[64];
    if (plan->pattern->count != 1 || field->role != ENGINE_STATE || field->kind != ENGINE_GRID)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s does not start from a pattern file", file,
                         about(plan)->name);
    if (pattern->type != grid->type || pattern->components != grid->components)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: contains %s of %s; field %s is %s of %s", file,
                         type_name(pattern->type), text_count(pattern->components, "component", there), field->name,
                         type_name(grid->type), text_count(grid->components, "component", wanted));
    if (pattern->rank > grid->rank)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: the pattern has %u axes; field %s has %u", file,
                         pattern->rank, field->name, grid->rank);
    for (int axis = 0; axis < 3; axis++) {
        if (pattern->extent[axis] > grid->extent[axis])
            return error_set(error, ENGINE_STATUS_INPUT,
                             "%s: the pattern has %s along %c, but the grid has %llu; give a larger [grid] size", file,
                             text_count(pattern->extent[axis], "cell", there), "xyz"[axis],
                             (unsigned long long) grid -> extent[axis]);
    }
    return 0;
}

static bool field_is_written(const struct plan *plan, const struct io_format *format)
{
    for (uint32_t i = 0; i < about(plan)->fields.count; i++) {
        const struct engine_field *field = &about(plan)->fields.at[i];
        struct io_array array = {.values = field->values, .bins = field->kind == ENGINE_BINS, .shape = plan->shapes[i]};
        snprintf(array.name, sizeof array.name, "%s", field->name);
        if ((field->role == ENGINE_STATE || field->role == ENGINE_OUTPUT) && format->writes(&array))
            return true;
    }
    return false;
}

/* Does the format write a field of the plan or, for an analysis, of the run? */
static bool is_written(const struct plan *plan, const struct io_format *format)
{
    return format->write && (field_is_written(plan, format) || (plan->run && field_is_written(plan->run, format)));
}

static int refuse_format(const struct plan *plan, const struct io_format *refused, struct engine_error *error)
{
    const struct io_format *format;
    error_set(error, ENGINE_STATUS_USAGE, "%s: [output] formats: %s cannot hold any field of %s; expected some of",
              config_place(plan->config, "output", "formats"), refused->name, about(plan)->name);
    for (uint32_t i = 0; (format = io_format_at(i)); i++) {
        const size_t length = strlen(error->text);
        if (is_written(plan, format))
            snprintf(error->text + length, sizeof error->text - length, " %s", format->name);
    }
    return error->status;
}

static int check_formats(const struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; i < plan->settings.format_count; i++)
        if (!is_written(plan, plan->settings.formats[i]))
            return refuse_format(plan, plan->settings.formats[i], error);
    return 0;
}

/* Refuses a slice outside the grid here; the first picture would find it only during the run. */
static int check_slice(const struct plan *plan, struct engine_error *error)
{
    const struct io_options *how = &plan->settings.how;
    for (uint32_t i = 0; how->view == IO_SLICE && i < about(plan)->fields.count; i++) {
        const uint64_t there = plan->shapes[i].extent[2 - how->axis];
        if (plan->shapes[i].rank == 3 && how->slice != IO_MIDDLE && (uint64_t) how->slice >= there)
            return error_set(
                error, ENGINE_STATUS_USAGE, "%s: [output] slice = %lld: %s has %llu cells along %c; expected 0 to %llu",
                config_place(plan->config, "output", "slice"), (long long) how->slice, about(plan)->fields.at[i].name,
                (unsigned long long) there, "zyx"[how->axis], (unsigned long long) there - 1);
    }
    return 0;
}

/* Where there is an analysis, its plan checks [output] for both. */
static int check_output(const struct plan *plan, struct engine_error *error)
{
    if (!plan->run && *plan->settings.analyse.plugin)
        return check_slice(plan, error);
    return check_formats(plan, error) != 0 ? error->status : check_slice(plan, error);
}

int plan_check_fields(const struct plan *plan, struct engine_error *error)
{
    const bool from_pattern = plan->pattern && !source_is_arrays(plan);
    if ((from_pattern ? check_pattern(plan, error) : source_check_all(plan, error)) != 0)
        return error->status;
    return binding_check_names(plan, error);
}

int plan_check_output(const struct plan *run, const struct plan *analysis, struct engine_error *error)
{
    if (check_output(run, error) != 0)
        return error->status;
    return analysis ? check_output(analysis, error) : 0;
}
