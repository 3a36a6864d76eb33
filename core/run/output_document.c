#include "run/output_document.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ahead ---------------------------------------------------------------------------------------------- */

enum { AHEAD = 1 << 16, ELEMENT_MOST = 16 }; /* elements read at a time, and the bytes of the widest */

/* What was read last of a state on a device, in pieces that are worth a transfer: many formats are written by the row.
 */
struct ahead {
    pthread_mutex_t lock; /* writers read with several threads */
    uint32_t field;
    uint64_t begin, count; /* elements; 0: nothing was read yet */
    char elements[AHEAD * ELEMENT_MOST];
};

static struct ahead *ahead_open(void)
{
    struct ahead *ahead = malloc(sizeof *ahead);
    if (!ahead)
        return NULL;
    pthread_mutex_init(&ahead->lock, NULL);
    ahead->count = 0;
    return ahead;
}

static void ahead_close(struct ahead *ahead)
{
    if (ahead)
        pthread_mutex_destroy(&ahead->lock);
    free(ahead);
}

static int ahead_fill(struct ahead *ahead, struct state *state, uint32_t field, uint64_t begin,
                      struct engine_error *error)
{
    uint64_t elements;
    shape_elements(&state_geometry(state, field)->shape, &elements);
    const uint64_t count = elements - begin < AHEAD ? elements - begin : AHEAD;
    const int status = state_read(state, field, begin, count, ahead->elements, error);
    ahead->field = field, ahead->begin = begin, ahead->count = status == 0 ? count : 0;
    return status;
}

static int ahead_read(struct ahead *ahead, struct state *state, uint32_t field, uint64_t begin, uint64_t count,
                      void *out, struct engine_error *error)
{
    const uint64_t bytes = type_bytes(state_geometry(state, field)->shape.type);
    const bool there = ahead->field == field && begin >= ahead->begin && begin + count <= ahead->begin + ahead->count;
    if (!there && ahead_fill(ahead, state, field, begin, error) != 0)
        return error->status;
    memcpy(out, ahead->elements + (begin - ahead->begin) * bytes, count * bytes);
    return 0;
}

/* ---- The document ----------------------------------------------------------------------------------------------- */

static int read_field(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                      struct engine_error *error)
{
    const struct fields *fields = document->context;
    if (!fields->ahead || count >= AHEAD)
        return state_read(fields->state, fields->field[array], begin, count, out, error);
    pthread_mutex_lock(&fields->ahead->lock);
    const int status = ahead_read(fields->ahead, fields->state, fields->field[array], begin, count, out, error);
    pthread_mutex_unlock(&fields->ahead->lock);
    return status;
}

static void close_document(struct io_document *document)
{
    struct fields *fields = document->context;
    ahead_close(fields->ahead);
    free(fields);
    free(document);
}

void output_document_add(struct io_document *document, uint32_t index)
{
    struct fields *fields = document->context;
    struct io_array *array = &document->arrays[document->count];
    const struct engine_field *about = fields->state->plan->fields[index].about;
    snprintf(array->name, sizeof array->name, "%s", about->name);
    array->values = about->values;
    memcpy(array->range, about->range, sizeof array->range);
    array->bins = about->kind == ENGINE_BINS;
    array->shape = state_geometry(fields->state, index)->shape;
    fields->field[document->count++] = index;
}

static void fill_header(struct io_header *header, const struct state *state)
{
    header->step = state->step;
    snprintf(header->rule, sizeof header->rule, "%s", plan_header_text(state->plan, "rule"));
    memcpy(header->grid, state_geometry(state, 0)->shape.extent, sizeof header->grid);
    memcpy(header->box, state->plan->for_plugin.box, sizeof header->box);
    header->placed = true; /* at 0 0 0: it is the whole torus */
}

/* Of a state in host memory nothing is read ahead. */
static struct fields *fields_open(struct state *state)
{
    struct fields *fields = calloc(1, sizeof *fields);
    const bool apart = state->plan->impl->memory != ENGINE_HOST_MEMORY;
    if (fields && apart)
        fields->ahead = ahead_open();
    if (fields && apart && !fields->ahead) {
        free(fields);
        return NULL;
    }
    if (fields)
        fields->state = state;
    return fields;
}

int output_document(struct state *state, struct io_document **out, struct engine_error *error)
{
    struct io_document *document = calloc(1, sizeof *document);
    struct fields *fields = fields_open(state);
    *out = NULL;
    if (!document || !fields) {
        if (fields)
            ahead_close(fields->ahead);
        free(document);
        free(fields);
        return error_memory(error, sizeof *document, "output");
    }
    document->context = fields;
    document->read = read_field;
    document->close = close_document;
    fill_header(&document->header, state);
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count && document->count < IO_ARRAYS_MAX; i++)
        if (plan_is_result(state->plan->fields[i].about))
            output_document_add(document, i);
    *out = document;
    return 0;
}
