#include "memory/allocate.h"
#include "run/state.h"

/* The bytes before a buffer in its allocation. Allocations begin at the same offset of a page. A processor that
 * compares the low twelve bits of addresses first takes the load of a cell for one that depends on the stores just made
 * to the other buffer, and waits for them (4K aliasing): a loop that reads one buffer and writes the other lost half of
 * its speed. */
static uint64_t skew(const struct plan *plan, uint32_t field, uint32_t buffer)
{
    enum { LINE = 64, PAGE = 4096 };
    const struct geometry *geometry = plan->fields[field].geometry;
    const bool skewed = plan->device->memory == ENGINE_HOST_MEMORY && !context_memory(plan->context) &&
                        geometry[0].layout.row_align <= LINE && geometry[1].layout.row_align <= LINE;
    return skewed ? (buffer * 33 + field * 17) * LINE % PAGE : 0;
}

static int allocate_field(struct state *state, uint32_t index, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const struct plan_field *field = &plan->fields[index];
    for (uint32_t i = 0; i < field->buffers; i++) {
        const uint64_t before = skew(plan, index, i);
        void *memory;
        if (memory_allocate(plan->context, plan->device, before + field->bytes, &memory, error) != 0)
            return error_prefix(error, "field %s: ", field->about->name);
        state->memory[index][i] = (char *) memory + before;
    }
    if (field->buffers == 1)
        state->memory[index][1] = state->memory[index][0];
    return 0;
}

static int allocate_fields(struct state *state, struct engine_error *error)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        if (allocate_field(state, i, error) != 0)
            return error->status;
    return 0;
}

static void free_fields(struct state *state)
{
    const struct plan *plan = state->plan;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        for (uint32_t b = 0; b < plan->fields[i].buffers; b++)
            if (state->memory[i][b]) {
                const uint64_t before = skew(plan, i, b);
                memory_release(plan->context, plan->device, (char *) state->memory[i][b] - before,
                               before + plan->fields[i].bytes);
            }
}

static int move(const struct state *state, uint64_t step, uint32_t field, uint64_t begin, uint64_t count, void *out,
                const void *in, struct engine_error *error)
{
    struct device *device = state->plan->device;
    const struct geometry *geometry = &state->plan->fields[field].geometry[step % 2];
    void *buffer = state_buffer(state, field);
    return out ? device->read(device, geometry, buffer, begin, count, out, error)
               : device->write(device, geometry, buffer, begin, count, in, error);
}

static int copy(const struct state *state, uint32_t field, void *out, const void *in, struct engine_error *error)
{
    struct device *device = state->plan->device;
    const uint64_t bytes = state_geometry(state, field)->bytes;
    const uint32_t threads = state->plan->for_plugin.threads;
    void *buffer = state_buffer(state, field);
    const int status = out ? device->download(device, out, buffer, bytes, threads, error)
                           : device->upload(device, buffer, in, bytes, threads, error);
    return status != 0 ? status : device->synchronise(device, error);
}

static int make_rows(const struct state *state, uint32_t field, const struct region *region, uint64_t row,
                     uint64_t rows, void *out, struct engine_error *error)
{
    struct device *device = state->plan->device;
    return device->make_rows(device, state_geometry(state, field), state_buffer(state, field), region, row, rows,
                             state->plan->for_plugin.threads, out, error);
}

static int view(const struct state *state, uint32_t field, struct engine_view *view, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const bool is_state = plan->fields[field].about->role == ENGINE_STATE;
    (void) error;
    view->memory = plan->device->memory;
    view->device = plan->settings.device;
    view->stream = plan->device->stream;
    view->buffer = state->views[field];
    view->origin = state->views[field].origin[is_state ? state->current : 0];
    view->buffer.shape = &state_geometry(state, field)->shape; /* with the axis of a batch */
    return 0;
}

static int fill_edges(struct state *state, struct engine_error *error)
{
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &state->plan->fields[i];
        if (!field->absent && field->about->kind == ENGINE_GRID &&
            device->wrap(device, state_geometry(state, i), state_buffer(state, i), state->plan->for_plugin.threads,
                         error) != 0)
            return error->status;
    }
    return 0;
}

static int synchronise(const struct state *state, struct engine_error *error)
{
    struct device *device = state->plan->device;
    return device->synchronise(device, error);
}

const struct store store_whole = {
    .open = allocate_fields,
    .close = free_fields,
    .move = move,
    .copy = copy,
    .rows = make_rows,
    .view = view,
    .fill_edges = fill_edges,
    .synchronise = synchronise,
};
