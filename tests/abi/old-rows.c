/* old-rows: a plugin for interface 1.11, as old-brain. Its implementation states ENGINE_DIVISIBLE and ENGINE_TEAMWORK
 * together: each part has rows of its own. Do not change it.
 *
 * Each step transposes a matrix of 32-bit elements. */
#define ENGINE_MINOR 11
#include <engine/plugin.h>

#include <string.h>

static const struct engine_field fields[] = {
    {ENGINE_MATRIX_FIELD("matrix", "is transposed", ENGINE_STATE, ENGINE_CONFIGURED)},
};

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *out)
{
    const uint64_t columns = out->extent[0], rows = out->extent[1];
    (void) host, (void) plan, (void) field;
    if (step % 2)
        out->extent[0] = rows, out->extent[1] = columns;
    return 0;
}

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    return engine_field_shape(plan, 0)->type == ENGINE_I32 && engine_field_shape(plan, 0)->extent[2] == 1
               ? 0
               : ENGINE_FAIL(host, ENGINE_INVALID, "expected one matrix of int32");
}

/* Columns of the widest part. */
static uint64_t width_of(const struct engine_part *part, uint64_t columns)
{
    return (columns + part->count - 1) / part->count;
}

static int create(const struct engine_call *call, void **self)
{
    const struct engine_part *part = &call->plan->part;
    const uint64_t side = part->whole[0] > part->whole[1] ? part->whole[0] : part->whole[1];
    *self = call->host->scratch(call->host, 2 * sizeof(int32_t) * (side + part->count) * (side + part->count),
                                ENGINE_HOST_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

/* Sends every part the columns that are its rows after this step. Rows follow each other without padding, because no
 * layout was asked for. */
static int take_step(int32_t *in, const struct engine_call *call, uint32_t buffer, uint64_t rows, uint64_t columns)
{
    const struct engine_part *part = &call->plan->part;
    int32_t *const *origin = (int32_t *const *) engine_field_buffer(call, 0)->origin;
    const uint64_t row = engine_share_begin(part->index, part->count, rows), width = width_of(part, columns);
    const uint64_t own = engine_share_begin(part->index + 1, part->count, rows) - row;
    int32_t *out = in + rows * width;
    for (uint32_t to = 0; to < part->count; to++) {
        const uint64_t first = engine_share_begin(to, part->count, columns);
        const uint64_t bytes = 4 * (engine_share_begin(to + 1, part->count, columns) - first);
        for (uint64_t y = 0; y < own; y++)
            memcpy(to == part->index ? in + (row + y) * width : out + (to * own + y) * width,
                   origin[buffer] + y * columns + first, bytes);
    }
    const int status = engine_host_team(call->host)->exchange(call, out, in, 4 * rows * width, 4 * width);
    const uint64_t mine = engine_share_begin(part->index + 1, part->count, columns) -
                          engine_share_begin(part->index, part->count, columns);
    for (uint64_t y = 0; y < mine && status == 0; y++)
        for (uint64_t x = 0; x < rows; x++)
            origin[1 - buffer][y * rows + x] = in[x * width + y];
    return status;
}

static int advance(void *self, struct engine_call *call)
{
    const uint64_t *whole = call->plan->part.whole;
    uint32_t from = call->current;
    for (uint64_t step = call->first_step; step < call->first_step + call->steps; step++, from = 1 - from) {
        const int status = take_step(self, call, from, whole[1 - step % 2], whole[step % 2]);
        if (status)
            return status;
    }
    call->result = from;
    return 0;
}

static const struct engine_impl impls[] = {{ENGINE_HOST_IMPL("cpu", "two loops", 1,
                                                             ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_OVERWRITES |
                                                                 ENGINE_SERIAL | ENGINE_DIVISIBLE | ENGINE_TEAMWORK),
                                            .create = create, .advance = advance}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("old-rows", "1.11", "transposes, for interface 1.11"),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
    .check = check,
};
