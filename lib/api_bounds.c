/* engine_run_bounds: where a grid in tiles has cells other than the background. */
#include "api/handles.h"
#include "tiles/store_tiles.h"

int engine_run_bounds(const struct engine_run *run, uint32_t field, struct engine_box *box, struct engine_error *error)
{
    API_NUMBERS;
    struct engine_shape shape = {.size = sizeof shape};
    *box = (struct engine_box){{0}, {0}};
    if (run_check_state(run->run, error) != 0)
        return error->status;
    engine_run_shape(run, field, &shape);
    for (int axis = 0; axis < 3; axis++)
        box->end[axis] = shape.extent[axis];
    return state_tiles(run->run->state) ? tiles_bounds(run->run->state, box->begin, box->end, error) : 0;
}
