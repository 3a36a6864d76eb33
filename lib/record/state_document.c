#include "record/state_document.h"
#include "parts/divided.h"
#include "plan/edges.h"
#include "record/asked.h"
#include "record/state_region.h"
#include "tiles/store_tiles.h"
#include "tree/tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- The read buffer ---------------------------------------------------------------------------------------- */

enum { BUFFER = 1 << 16, ELEMENT_BYTES = 16 }; /* elements read at a time, and the bytes of the largest type */

/* The elements read last from a device or from other processes. Many formats are written row by row, and a transfer of
 * a row costs as much as one of many. */
struct read_buffer {
    pthread_mutex_t lock; /* writers read with several threads */
    uint32_t field;
    uint64_t begin, count; /* elements; 0: nothing has been read yet */
    char elements[BUFFER * ELEMENT_BYTES];
};

/* Reads elements of a field, or of its region. */
static int read_elements(const struct state_document *context, uint32_t field, uint64_t begin, uint64_t count,
                         void *out, struct engine_error *error)
{
    return context->selected[field]
               ? state_read_region(context->state, field, &context->region[field], begin, count, out, error)
               : state_read(context->state, field, begin, count, out, error);
}

static struct engine_shape shape_of(const struct state_document *context, uint32_t field)
{
    const struct engine_shape *shape = &state_geometry(context->state, field)->shape;
    return context->selected[field] ? region_shape(&context->region[field], shape) : *shape;
}

static int buffer_fill(struct read_buffer *buffer, const struct state_document *context, uint32_t field, uint64_t begin,
                       struct engine_error *error)
{
    const struct engine_shape shape = shape_of(context, field);
    uint64_t elements;
    shape_elements(&shape, &elements);
    const uint64_t count = elements - begin < BUFFER ? elements - begin : BUFFER;
    const int status = read_elements(context, field, begin, count, buffer->elements, error);
    buffer->field = field, buffer->begin = begin, buffer->count = status == 0 ? count : 0;
    return status;
}

static int buffer_read(struct read_buffer *buffer, const struct state_document *context, uint32_t field, uint64_t begin,
                       uint64_t count, void *out, struct engine_error *error)
{
    const uint64_t bytes = type_bytes(shape_of(context, field).type);
    const bool there =
        buffer->field == field && begin >= buffer->begin && begin + count <= buffer->begin + buffer->count;
    if (!there && buffer_fill(buffer, context, field, begin, error) != 0)
        return error->status;
    memcpy(out, buffer->elements + (begin - buffer->begin) * bytes, count * bytes);
    return 0;
}

/* ---- The document ------------------------------------------------------------------------------------------- */

static int read_field(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                      struct engine_error *error)
{
    const struct state_document *context = document->context;
    struct read_buffer *buffer = context->buffer;
    const uint32_t field = context->field[array];
    int status;
    if (!buffer || count >= BUFFER) {
        status = read_elements(context, field, begin, count, out, error);
    } else {
        pthread_mutex_lock(&buffer->lock);
        status = buffer_read(buffer, context, field, begin, count, out, error);
        pthread_mutex_unlock(&buffer->lock);
    }
    return status != 0 ? status
                       : state_check(context->state, field, &document->arrays[array], begin, count, out, error);
}

static int read_region(struct io_document *document, uint32_t array, const struct region *region, uint64_t begin,
                       uint64_t count, void *out, struct engine_error *error)
{
    const struct state_document *context = document->context;
    const uint32_t field = context->field[array];
    struct region within = *region;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t first = context->selected[field] ? context->region[field].begin[axis] : 0;
        within.begin[axis] += first;
        within.end[axis] += first;
    }
    return state_read_region(context->state, field, &within, begin, count, out, error);
}

/* Finds cells of an unbounded grid. */
static int seek_element(struct io_document *document, uint32_t array, uint64_t begin, uint64_t *at,
                        struct engine_error *error)
{
    const struct state_document *context = document->context;
    const struct region *region = &context->region[context->field[array]];
    const uint64_t width = region->end[0] - region->begin[0], height = region->end[1] - region->begin[1];
    uint64_t cell[3] = {region->begin[0] + begin % width, region->begin[1] + begin / width % height,
                        region->begin[2] + begin / width / height};
    if (tiles_seek(context->state, region, cell, error) != 0)
        return error->status;
    *at = cell[2] >= region->end[2] ? UINT64_MAX
                                    : ((cell[2] - region->begin[2]) * height + cell[1] - region->begin[1]) * width +
                                          cell[0] - region->begin[0];
    return 0;
}

/* Are the cells outside of the tiles 0, and those of the document single cells? */
static bool can_seek(const struct state_document *context)
{
    const struct tile_map *map = state_tiles(context->state);
    for (uint32_t i = 0; map && i < context->state->plan->plugin->about.fields.count; i++)
        if (!context->selected[i] || region_block_cells(&context->region[i]) > 1 || *map->background[i] != 0 ||
            context->state->plan->shapes[i].type != ENGINE_U8 || context->state->plan->shapes[i].components > 1)
            return false;
    return map;
}

/* Can regions be made where the cells are? Blocks of blocks, and cells of other processes, are read. */
static bool makes_regions(const struct state_document *context)
{
    for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
        if (context->selected[i] && region_block_cells(&context->region[i]) > 1)
            return false;
    return context->buffer && !state_ranks(context->state);
}

static void free_context(struct state_document *context)
{
    if (context && context->buffer)
        pthread_mutex_destroy(&context->buffer->lock);
    if (context) {
        free(context->buffer);
        free(context->rows);
    }
    free(context);
}

static void close_document(struct io_document *document)
{
    free_context(document->context);
    free(document);
}

void state_document_add(struct io_document *document, uint32_t field)
{
    struct state_document *context = document->context;
    struct engine_file_array *array = &document->arrays[document->count];
    struct engine_file_look *look = &document->looks[document->count];
    const struct engine_field *about = context->state->plan->fields[field].about;
    *array = (struct engine_file_array){.name = about->name,
                                        .kind = about->kind,
                                        .values = about->values,
                                        .batch = plan_is_batch(context->state->plan),
                                        .shape = state_geometry(context->state, field)->shape};
    look->colours = (const uint8_t(*)[3]) context->state->plan->colours[field];
    memcpy(look->range, about->range, sizeof look->range);
    plan_describe_plot(context->state->plan, field, &document->plots[document->count]);
    if (context->selected[field])
        selection_describe(&context->region[field], array, look);
    context->field[document->count++] = field;
}

void state_document_add_masses(struct io_document *document)
{
    const struct state_document *context = document->context;
    const struct plan *plan = context->state->plan;
    for (uint32_t i = 0; i < document->count; i++)
        if (strcmp(document->arrays[i].name, "mass") == 0)
            return;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count && document->count < IO_ARRAYS_MAX; i++)
        if (plan->fields[i].about->kind == ENGINE_PARTICLES && !plan->fields[i].absent &&
            strcmp(plan->fields[i].about->name, "mass") == 0)
            state_document_add(document, i);
}

/* Finds the box of the cells that are not background. If only squares hold them all, the region is a cell. */
static int find_box(struct io_document *document, struct region *region, struct engine_error *error)
{
    struct state_document *context = document->context;
    const struct plan *plan = context->state->plan;
    bool given = false;
    if (region_block_cells(region) == 1 && tree_squares(context->state, &context->squares, &given, error) != 0)
        return error->status;
    document->squares = given ? &context->squares : NULL;
    if (!given || !context->squares.wide)
        return tiles_bounds(context->state, region->begin, region->end, error);
    for (int axis = 0; axis < 3; axis++) {
        region->begin[axis] = plan_middle(plan, axis);
        region->end[axis] = region->begin[axis] + 1;
    }
    return 0;
}

int state_document_select(struct io_document *document, const struct selection *selection, struct engine_error *error)
{
    struct state_document *context = document->context;
    const struct plan *plan = context->state->plan;
    const uint32_t count = document->count;
    document->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t field = context->field[i];
        const struct engine_field *about = plan->fields[field].about;
        const bool unbounded = plan_is_unbounded(plan);
        struct region *region = &context->region[field];
        context->selected[field] = about->kind == ENGINE_GRID && (unbounded || !selection_is_whole(selection));
        if (context->selected[field] && selection_find(selection, about, &state_geometry(context->state, field)->shape,
                                                       unbounded, region, error) != 0)
            return error_prefix(error, "[output] ");
        if (context->selected[field] && unbounded && selection->ranges == 0 && find_box(document, region, error) != 0)
            return error->status;
        state_document_add(document, field);
    }
    document->read_region = makes_regions(context) ? read_region : NULL;
    document->seek = can_seek(context) ? seek_element : NULL;
    return 0;
}

/* Lengths of an analysis are in the unit of the run. */
static const struct plan *plan_of_lengths(const struct plan *plan)
{
    return plan->run ? plan->run : plan;
}

/* "sigma" if the plugin has such a parameter, a length, and its value or the first of its values is 1; otherwise NULL. */
static const char *name_length(const struct plan *plan)
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    for (uint32_t i = 0; i < params->count; i++)
        if (strcmp(params->at[i].name, "sigma") == 0 && params->at[i].unit && strcmp(params->at[i].unit, "length") == 0)
            return strtod(plan->values[i].text, NULL) == 1 ? "sigma" : NULL;
    return NULL;
}

static void fill_header(struct io_header *header, const struct state *state)
{
    const struct plan *run = plan_of_lengths(state->plan);
    const struct edges edges = edges_of_field(state->plan, 0);
    struct engine_file_pattern *pattern = &header->pattern;
    header->frame.step = state->step;
    plan_header_text(state->plan, "rule", header->rule);
    memcpy(pattern->grid, state_geometry(state, 0)->shape.extent, sizeof pattern->grid);
    memcpy(pattern->edges, edges.kind, sizeof pattern->edges);
    memcpy(pattern->shift, edges.shift, sizeof pattern->shift);
    memcpy(header->frame.box, state->for_plugin.box, sizeof header->frame.box);
    header->length = run->settings.length ? run->settings.length : run->found.lengths.stated;
    for (int axis = 0; axis < 3; axis++)
        if (state->plan->open >> axis & 1)
            pattern->edges[axis] = ENGINE_EDGE_UNBOUNDED;
    pattern->placed = 1; /* at 0 0 0, since it is the whole grid */
}

/* Names the plugin, the run that it analyses, and their size: "rdf of pairs, position 4000". */
static void put_title(char title[IO_TITLE_MAX], const struct plan *plan)
{
    char size[SHAPE_TEXT];
    const bool of = plan->run != NULL;
    snprintf(title, IO_TITLE_MAX, "%s%s%s, %s %s", plan->plugin->about.name, of ? " of " : "",
             of ? plan->run->plugin->about.name : "", plan->plugin->about.fields.at[0].name,
             plan_size_text(plan, 0, size));
}

static struct state_document *make_context(struct state *state)
{
    struct state_document *context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    context->state = state;
    if (state->plan->tiling || (state->plan->impl->memory == ENGINE_HOST_MEMORY && !state_ranks(state)))
        return context;
    context->buffer = malloc(sizeof *context->buffer);
    if (!context->buffer) {
        free(context);
        return NULL;
    }
    pthread_mutex_init(&context->buffer->lock, NULL);
    context->buffer->count = 0;
    return context;
}

int state_document_open(struct state *state, struct io_document **out, struct engine_error *error)
{
    struct io_document *document = calloc(1, sizeof *document);
    struct state_document *context = make_context(state);
    *out = NULL;
    if (!document || !context) {
        free_context(context);
        free(document);
        return error_memory(error, sizeof *document, "output");
    }
    document->context = context;
    document->row = context->rows = plan_row_names(state->plan, &document->rows);
    document->read = read_field;
    document->read_region = makes_regions(context) ? read_region : NULL;
    document->close = close_document;
    fill_header(&document->header, state);
    put_title(document->title, state->plan);
    document->unit = name_length(plan_of_lengths(state->plan));
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count && document->count < IO_ARRAYS_MAX; i++)
        if (plan_is_result(state->plan->fields[i].about))
            state_document_add(document, i);
    *out = document;
    return 0;
}

/* ---- Headers ----------------------------------------------------------------------------------------------------- */

/* The spelling that files get of a parameter's value. */
static void spell(const struct engine_param *param, const char *value, char text[PLAN_HEADER_MAX])
{
    memset(text, 0, PLAN_HEADER_MAX);
    if (!param->spell || param->spell(value, text, PLAN_HEADER_MAX) != 0 || text[PLAN_HEADER_MAX - 1] != '\0' || !*text)
        snprintf(text, PLAN_HEADER_MAX, "%s", value);
}

void plan_header_text(const struct plan *plan, const char *file_key, char text[PLAN_HEADER_MAX])
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    *text = '\0';
    for (uint32_t i = 0; i < params->count && !*text; i++)
        if (params->at[i].file_key && strcmp(params->at[i].file_key, file_key) == 0)
            spell(&params->at[i], plan->values[i].text, text);
}
