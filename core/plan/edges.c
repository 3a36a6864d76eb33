#include "plan/edges.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *edges_word(uint32_t kind)
{
    static const char *const words[] = {
        [ENGINE_EDGE_TORUS] = "torus",         [ENGINE_EDGE_DEAD] = "dead",       [ENGINE_EDGE_FIXED] = "fixed",
        [ENGINE_EDGE_MIRROR] = "mirror",       [ENGINE_EDGE_TWISTED] = "twisted", [ENGINE_EDGE_SPHERE] = "sphere",
        [ENGINE_EDGE_UNBOUNDED] = "unbounded",
    };
    return kind < sizeof words / sizeof words[0] ? words[kind] : NULL;
}

static const struct engine_edges *edges_at(const struct plan *plan)
{
    return &plan->for_plugin.edges;
}

/* The first grid of the plugin, or NULL. All grids of a plan have its edges. */
static const struct engine_shape *grid_of(const struct plan *plan)
{
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].kind == ENGINE_GRID)
            return &plan->shapes[i];
    return NULL;
}

static bool has_kind(const struct plan *plan, uint32_t kind)
{
    const struct engine_shape *grid = grid_of(plan);
    for (uint32_t axis = 0; grid && axis < grid->rank; axis++)
        if (edges_at(plan)->kind[axis] == kind)
            return true;
    return false;
}

bool edges_are_usual(const struct plan *plan)
{
    const struct engine_edges *edges = edges_at(plan);
    return !(edges->kind[0] | edges->kind[1] | edges->kind[2]) && edges->shift[0] == 0 && edges->shift[1] == 0;
}

/* Puts the file, line and key in front of a message. The file is the pattern if it gives the edges. */
static int refuse(const struct plan *plan, const char *key, struct engine_error *error)
{
    if (strcmp(key, "edges") == 0 && !plan->settings.edge_count && plan->found.file)
        return error_prefix(error, "%s: the bounded grid of its rule: ", plan->settings.file);
    return error_prefix(error, "%s: [grid] %s: ", config_place(plan->config, "grid", key), key);
}

#define REFUSE_EDGES(plan, key, error, ...) \
    (error_set(error, ENGINE_STATUS_USAGE, __VA_ARGS__), refuse(plan, key, error))

/* ---- The kinds ----------------------------------------------------------------------------------------------- */

static int read_kinds(struct plan *plan, const struct engine_shape *grid, struct engine_error *error)
{
    const struct settings *settings = &plan->settings;
    struct engine_edges *edges = &plan->for_plugin.edges;
    char count[64];
    if (settings->edge_count > 1 && settings->edge_count != grid->rank)
        return REFUSE_EDGES(plan, "edges", error, "%s; expected one for all axes, or one for each of %u",
                            text_count(settings->edge_count, "word", count), grid->rank);
    for (uint32_t axis = 0; axis < grid->rank; axis++) {
        const bool open = plan->open >> axis & 1;
        const uint32_t kind = settings->edge_count ? settings->edges[settings->edge_count > 1 ? axis : 0]
                                                   : plan->found.edges.kind[axis]; /* or 0, ENGINE_EDGE_TORUS */
        if (open ? settings->edge_count > 1 && kind != ENGINE_EDGE_UNBOUNDED : kind == ENGINE_EDGE_UNBOUNDED)
            return REFUSE_EDGES(plan, "edges", error, "%c is unbounded if its size is 0 or left out, and only then",
                                "xyz"[axis]);
        edges->kind[axis] = open ? ENGINE_EDGE_TORUS : kind;
    }
    for (int axis = 0; axis < 2; axis++)
        edges->shift[axis] = settings->shift_given       ? settings->edge_shift[axis]
                             : settings->edge_count == 0 ? plan->found.edges.shift[axis]
                                                         : 0;
    return 0;
}

static int check_kinds(const struct plan *plan, const struct engine_shape *grid, struct engine_error *error)
{
    const bool sphere = has_kind(plan, ENGINE_EDGE_SPHERE);
    if (grid->rank != 2 && (sphere || has_kind(plan, ENGINE_EDGE_TWISTED)))
        return REFUSE_EDGES(plan, "edges", error, "a %s needs a grid of two axes; this one has %u",
                            sphere ? "sphere" : "twisted edge", grid->rank);
    if (sphere && (edges_at(plan)->kind[0] != edges_at(plan)->kind[1] || grid->extent[0] != grid->extent[1]))
        return REFUSE_EDGES(
            plan, "edges", error,
            "a sphere takes both axes of a square grid; this grid is %llu x %llu, with the edges %s and %s",
            (unsigned long long) grid->extent[0], (unsigned long long) grid->extent[1],
            edges_word(edges_at(plan)->kind[0]), edges_word(edges_at(plan)->kind[1]));
    return 0;
}

/* ---- The shift ----------------------------------------------------------------------------------------------- */

/* The edges of axis `a` are shifted along axis `b`. */
static int check_shift(const struct plan *plan, const struct engine_shape *grid, int a, int b,
                       struct engine_error *error)
{
    const struct engine_edges *edges = edges_at(plan);
    if (edges->shift[b] == 0)
        return 0;
    if (grid->rank != 2 || edges->kind[b] != ENGINE_EDGE_TORUS || edges->shift[a] != 0 ||
        (edges->kind[a] != ENGINE_EDGE_TORUS && edges->kind[a] != ENGINE_EDGE_TWISTED))
        return REFUSE_EDGES(
            plan, "edge_shift", error,
            "a shift along %c needs a grid of two axes, of which %c is a torus and %c a torus or twisted, "
            "and no other shift",
            "xy"[b], "xy"[b], "xy"[a]);
    if (edges->kind[a] == ENGINE_EDGE_TWISTED && (edges->shift[b] != 1 || grid->extent[b] % 2 != 0))
        return REFUSE_EDGES(
            plan, "edge_shift", error,
            "the shift of a twisted edge is 1, along an axis with an even number of cells; other shifts "
            "give the same surface as 0 or 1");
    return 0;
}

/* ---- The values ---------------------------------------------------------------------------------------------- */

static bool has_value(const struct engine_field *field)
{
    return field->kind == ENGINE_GRID && field->role != ENGINE_OUTPUT;
}

/* Writes a number as an element. Returns false if the type or the field does not take it. */
static bool make_element(const struct engine_field *field, uint32_t type, double value, uint8_t out[EDGES_PATTERN])
{
    const uint32_t bytes = type_bytes(type);
    const double complex_number[2] = {value, 0};
    const float single[2] = {(float) value, 0};
    if (type < ENGINE_F32 && (value != floor(value) || (field->values > 0 && !(value >= 0 && value < field->values))))
        return false;
    if (type < ENGINE_F32 &&
        !(value >= (type & 1 ? -ldexp(1, (int) bytes * 8 - 1) : 0) && value < ldexp(1, (int) (bytes * 8 - (type & 1)))))
        return false;
    if (type == ENGINE_F64 || type == ENGINE_C128)
        memcpy(out, complex_number, bytes);
    else if (type >= ENGINE_F32)
        memcpy(out, single, bytes);
    else if (type & 1)
        memcpy(out, &(int64_t){(int64_t) value}, bytes);
    else
        memcpy(out, &(uint64_t){(uint64_t) value}, bytes);
    for (uint32_t i = bytes; i < EDGES_PATTERN; i++)
        out[i] = out[i - bytes];
    return true;
}

static int read_values(struct plan *plan, struct engine_error *error)
{
    const struct settings *settings = &plan->settings;
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    uint32_t index = 0, wanted = 0;
    for (uint32_t i = 0; i < fields->count; i++)
        wanted += has_value(&fields->at[i]);
    if (!has_kind(plan, ENGINE_EDGE_FIXED))
        return settings->edge_value_count == 0
                   ? 0
                   : REFUSE_EDGES(
                         plan, "edge_value", error,
                         "nothing uses this key, because no edge is fixed; give [grid] edges = fixed, or leave "
                         "the key out");
    if (settings->edge_value_count != 1 && settings->edge_value_count != wanted)
        return REFUSE_EDGES(plan, "edge_value", error,
                            "%u numbers for fixed edges; expected one, or one for each of the %u states and inputs",
                            settings->edge_value_count, wanted);
    for (uint32_t i = 0; i < fields->count; i++) {
        uint8_t element[EDGES_PATTERN];
        if (!has_value(&fields->at[i]))
            continue;
        plan->edge_values[i] = settings->edge_values[settings->edge_value_count > 1 ? index++ : 0];
        if (!make_element(&plan->described[i], plan->shapes[i].type, plan->edge_values[i], element))
            return REFUSE_EDGES(plan, "edge_value", error, "field %s, of %s, cannot hold %.17g", fields->at[i].name,
                                type_name(plan->shapes[i].type), plan->edge_values[i]);
    }
    return 0;
}

int edges_make(struct plan *plan, struct engine_error *error)
{
    const struct engine_shape *grid = grid_of(plan);
    plan->for_plugin.edges.value = plan->edge_values;
    if (plan->run) {
        memcpy(plan->for_plugin.edges.kind, plan->run->for_plugin.edges.kind, sizeof plan->for_plugin.edges.kind);
        memcpy(plan->for_plugin.edges.shift, plan->run->for_plugin.edges.shift, sizeof plan->for_plugin.edges.shift);
        return 0;
    }
    if (!grid)
        return 0;
    if (read_kinds(plan, grid, error) != 0 || check_kinds(plan, grid, error) != 0 ||
        check_shift(plan, grid, 0, 1, error) != 0 || check_shift(plan, grid, 1, 0, error) != 0)
        return error->status;
    for (int axis = 0; axis < 2; axis++) {
        const int64_t extent = (int64_t) grid->extent[axis];
        int64_t *shift = &plan->for_plugin.edges.shift[axis];
        *shift = (*shift % extent + extent) % extent;
    }
    return read_values(plan, error);
}

struct edges edges_of_field(const struct plan *plan, uint32_t index)
{
    const struct engine_field *field = &plan->described[index];
    struct edges edges = {.kind = {0}};
    if (field->kind != ENGINE_GRID)
        return edges;
    memcpy(edges.kind, edges_at(plan)->kind, sizeof edges.kind);
    memcpy(edges.shift, edges_at(plan)->shift, sizeof edges.shift);
    for (int axis = 0; has_value(field) && axis < 3; axis++)
        if (edges.kind[axis] == ENGINE_EDGE_FIXED)
            make_element(field, plan->shapes[index].type, plan->edge_values[index], edges.beyond[axis]);
    return edges;
}

int edges_check_layout(const struct plan *plan, const struct engine_impl *impl, const struct engine_layout *layout,
                       struct engine_error *error)
{
    const struct engine_edges *edges = edges_at(plan);
    const uint32_t wraps = layout->pack ? ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z : layout->wraps;
    const uint32_t last =
        impl->flags & ENGINE_SEPARATE_EDGES ? ENGINE_EDGE_MIRROR : !!(impl->flags & ENGINE_DEAD_EDGES);
    static const char *const known[] = {"as a torus", "as a torus or with dead edges", "", "as the axis alone says"};
    char text[EDGES_TEXT];
    for (uint32_t axis = 0; axis < 3; axis++) {
        const bool shifted = axis < 2 && (edges->shift[0] || edges->shift[1]);
        if ((edges->kind[axis] <= last && !shifted) || !(wraps & 1u << axis))
            continue;
        return error_set(error, ENGINE_STATUS_PLUGIN,
                         "it wraps the grid along %c itself, %s; the edges of this grid are: %s%s", "xyz"[axis],
                         known[last], edges_text(plan, text), shifted ? ", shifted" : "");
    }
    const struct edges all = edges_of_field(plan, 0);
    if (impl->memory != ENGINE_HOST_MEMORY && !edges_are_separate(&all))
        return error_set(
            error, ENGINE_STATUS_PLUGIN,
            "edges that are twisted or shifted, or those of a sphere, need an implementation in host memory");
    return 0;
}

/* ---- As text ------------------------------------------------------------------------------------------------- */

const char *edges_text(const struct plan *plan, char text[EDGES_TEXT])
{
    const struct engine_shape *grid = grid_of(plan);
    int used = 0;
    text[0] = '\0';
    for (uint32_t axis = 0; grid && !edges_are_usual(plan) && axis < grid->rank; axis++)
        used += snprintf(text + used, EDGES_TEXT - (size_t) used, "%s%s", axis ? " " : "",
                         edges_word(plan->open >> axis & 1 ? ENGINE_EDGE_UNBOUNDED : edges_at(plan)->kind[axis]));
    return text;
}

const char *edges_shift_text(const struct plan *plan, char text[EDGES_TEXT])
{
    const int64_t *shift = edges_at(plan)->shift;
    text[0] = '\0';
    if (shift[0] || shift[1])
        snprintf(text, EDGES_TEXT, "%lld %lld", (long long) shift[0], (long long) shift[1]);
    return text;
}

const char *edges_value_text(const struct plan *plan, char text[EDGES_TEXT])
{
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    int used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; has_kind(plan, ENGINE_EDGE_FIXED) && i < fields->count; i++)
        if (has_value(&fields->at[i]))
            used += snprintf(text + used, EDGES_TEXT - (size_t) used, "%s%.17g", used ? " " : "", plan->edge_values[i]);
    return text;
}
