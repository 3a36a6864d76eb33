#include "files/init_files.h"
#include "run/init_field.h"

#include <stdlib.h>

/* The array holds the whole field or, for a batch, perhaps one universe, in which all start. A piece has whole cells: a
 * device would have to read a cell before a part of it is written. */
static int copy_source(struct state *state, uint32_t index, struct engine_error *error)
{
    const struct engine_shape *shape = &state_geometry(state, index)->shape;
    const uint32_t type = shape->type;
    const uint64_t count = source_elements(state->plan, index), cells = INIT_PIECE / shape->components;
    const uint64_t most = (cells > 0 ? cells : 1) * shape->components;
    void *held = malloc(most * 16), *piece = malloc(most * 16);
    int status = held && piece ? 0 : error_memory(error, most * 16, "an array");
    for (uint64_t begin = 0; status == 0 && begin < count; begin += most) {
        const uint64_t n = count - begin < most ? count - begin : most;
        status = source_read(state->plan, index, type, begin, n, held, piece, error);
        if (status == 0)
            status = state_write(state, index, begin, n, piece, error);
    }
    free(held);
    free(piece);
    return status == 0 && count < init_element_count(state, index) ? init_repeat_universe(state, index, error) : status;
}

static int init_sources(struct state *state, struct engine_error *error)
{
    for (uint32_t i = 0; i < init_fields(state); i++) {
        const bool given = state->plan->sources[i].given;
        if ((given ? copy_source(state, i, error) : init_default(state, i, error)) != 0)
            return error->status;
    }
    return 0;
}

/* Refuses a frame that is open along an axis along which the first frame is periodic, or the other way round. */
static int check_axes(const struct state *state, const double *box, struct engine_error *error)
{
    const double *first = state->plan->for_plugin.box;
    for (int axis = 0; axis < 3; axis++)
        if ((box[axis] > 0) != (first[axis] > 0))
            return error_set(error, ENGINE_STATUS_INPUT,
                             "the next frame %s along %c, and the first frame %s; expected boxes of one kind in all "
                             "frames, or [particles] box, which takes their place",
                             box[axis] > 0 ? "has a periodic box" : "is open", "xyz"[axis],
                             box[axis] > 0 ? "is open" : "has a periodic box");
    return 0;
}

int init_change_box(struct state *state, const double *box, struct engine_error *error)
{
    const struct settings *settings = &state->plan->settings;
    const double *next = box && !settings->box_given ? box : settings->box;
    return check_axes(state, next, error) == 0 && state_change_box(state, next, error) == 0
               ? 0
               : error_prefix(error, "after %llu frames: ", (unsigned long long) state->step);
}

int init_next_frame(struct state *state, uint64_t by, struct engine_error *error)
{
    if (source_next_frame(state->plan, by, error) != 0 || init_change_box(state, source_box(state->plan), error) != 0)
        return error->status;
    for (uint32_t i = 0; i < init_fields(state); i++)
        if (source_has_frames(state->plan, i) && copy_source(state, i, error) != 0)
            return error->status;
    return 0;
}

int init_files(struct state *state, struct engine_error *error)
{
    return state->plan->found.pattern ? init_pattern(state, error) : init_sources(state, error);
}
