/* engine_run_picture: draws what a program wants to see of a state. */
#include "api/handles.h"
#include "record/preview_batch.h"
#include "record/section_output.h"
#include "record/state_document.h"
#include "tiles/section_tiles.h"

#include <stdlib.h>
#include <string.h>

#define HAS(picture, member) ((picture)->size >= offsetof(struct engine_picture, member) + sizeof(picture)->member)

/* ---- What is shown --------------------------------------------------------------------------------------------- */

/* Leaves the field of the sight in the document, or else the first one that a picture can show. */
static int choose_field(struct io_document *document, const struct engine_sight *sight, struct engine_error *error)
{
    struct state_document *context = document->context;
    for (uint32_t i = 0; sight->field > 0 && i < document->count; i++)
        if (context->field[i] == sight->field - 1) {
            document->count = 0;
            state_document_add(document, sight->field - 1);
            return 0;
        }
    const int shown = preview_array(document);
    if (sight->field > 0 || shown < 0)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "a picture shows a state or an output, and the plugin has no such "
                         "field of that number");
    const uint32_t field = context->field[shown];
    document->count = 0;
    state_document_add(document, field);
    return 0;
}

/* Chooses the cells of the box. An axis without extent in the box is shown whole. */
static int choose_box(struct io_document *document, const struct engine_sight *sight, struct engine_error *error)
{
    struct selection selection = {.ranges = document->arrays[0].shape.rank, .reduce = REGION_FIRST};
    if (document->arrays[0].kind != ENGINE_GRID || document->arrays[0].batch)
        return 0;
    for (int axis = 0; axis < 3; axis++) {
        const struct state_document *context = document->context;
        const bool whole = sight->box.end[axis] <= sight->box.begin[axis];
        const uint64_t middle = plan_middle(context->state->plan, axis);
        selection.begin[axis] = whole ? 0 : (int64_t) (sight->box.begin[axis] - middle);
        selection.end[axis] = whole ? INT64_MAX : (int64_t) (sight->box.end[axis] - middle);
    }
    return state_document_select(document, &selection, error);
}

/* Sets what the sight chooses, and keeps the rest. */
static void choose_view(struct io_options *how, const struct engine_sight *sight)
{
    const bool bounded = sight->bounds[0] < sight->bounds[1] && sight->bounds[2] < sight->bounds[3];
    if (sight->axis >= 1 && sight->axis <= 3) {
        how->axis = sight->axis - 1;
        how->view = sight->plane > 0 ? IO_SLICE : IO_PROJECTION;
        how->slice = (int64_t) sight->plane - 1;
    }
    if (bounded && memcmp(how->bounds, sight->bounds, sizeof how->bounds) != 0) {
        memcpy(how->bounds, sight->bounds, sizeof how->bounds);
        how->white = 0;
    }
}

/* The part that [output] region says. The picture makes blocks of its own. */
static int choose_output(struct io_document *document, const struct plan *plan, struct engine_error *error)
{
    struct selection shown = output_settings(plan)->selection;
    shown.strides = 0, shown.reduce = REGION_FIRST;
    return state_document_select(document, &shown, error);
}

static int choose(struct io_document *document, const struct plan *plan, const struct engine_picture *picture,
                  struct engine_error *error)
{
    struct preview *preview = picture->memory;
    const struct engine_sight *sight = HAS(picture, sight) ? picture->sight : NULL;
    if (!sight)
        return choose_output(document, plan, error);
    choose_view(&preview->how, sight);
    return choose_field(document, sight, error) != 0 ? error->status : choose_box(document, sight, error);
}

/* ---- Pictures -------------------------------------------------------------------------------------------------- */

static int remember(struct engine_picture *picture, const struct plan *plan, struct engine_error *error)
{
    struct preview *preview = picture->memory;
    if (preview)
        return 0;
    picture->memory = preview = calloc(1, sizeof *preview);
    if (!preview)
        return error_memory(error, sizeof *preview, "a picture");
    preview->how = output_settings(plan)->how;
    return 0;
}

static void describe(struct engine_picture *picture)
{
    const struct preview *preview = picture->memory;
    picture->columns = preview->columns;
    picture->rows = preview->rows;
    picture->shades = preview->shades;
    picture->scale = preview->scale;
    picture->exact = preview->exact;
    if (HAS(picture, colours))
        picture->colours = preview->tints;
    if (HAS(picture, block))
        picture->block = preview->block;
}

int engine_run_picture(struct engine_run *run, struct engine_picture *picture, struct engine_error *error)
{
    API_NUMBERS;
    const struct preview_space space = {picture->most_columns, picture->most_rows, picture->exact_columns,
                                        picture->exact_rows};
    struct io_document *document;
    if (run_check_state(run->run, error) != 0)
        return error->status;
    if (picture->most_columns == 0 || picture->most_rows == 0)
        return error_set(error, ENGINE_STATUS_USAGE, "a picture has at least one column and one row");
    if (remember(picture, run->run->plan, error) != 0 || state_document_open(run->run->state, &document, error) != 0)
        return error->status;
    int status = choose(document, run->run->plan, picture, error);
    if (status == 0) {
        state_document_add_masses(document);
        status = preview_batch_take(picture->memory, document, &space, error);
        describe(picture);
    }
    document->close(document);
    return status;
}

void engine_picture_release(struct engine_picture *picture)
{
    if (picture->memory)
        preview_release(picture->memory);
    free(picture->memory);
    picture->memory = NULL;
    picture->shades = NULL;
    if (HAS(picture, colours))
        picture->colours = NULL;
}
