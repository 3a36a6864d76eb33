/* A sound plugin, and one for each way in which an implementation may break the interface: -DBREAK=NAME picks one.
 *
 * Rule: a cell becomes the parity of itself and its four neighbours. "reference" wraps by itself and computes from the
 * rule's words; "cpu" uses ghosts of three cells, and is the one that is broken. */
#include <engine/plugin.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTHING,
    LAST_COLUMN,     /* takes its right neighbour from the same column in the last one */
    CORNER,          /* is wrong in the last cell of the last row only */
    WRITES_SOURCE,   /* clears a cell of the source */
    BEYOND_GHOSTS,   /* reads a cell that no ghost holds */
    SHARED,          /* keeps the row length in a global */
    THREADS,         /* depends on the number of threads */
    CLEAR_SCRATCH,   /* takes scratch to be cleared */
    CLEAR_RESULT,    /* takes the second buffer to be cleared */
    BEHIND_END,      /* writes behind its buffer */
    BEFORE_BEGIN,    /* writes before its buffer */
    FEWER_STEPS,     /* takes two steps where three are asked for */
    STALE,           /* keeps the state from call to call and does not look at ENGINE_CALL_FRESH */
    NO_REASON,       /* refuses odd widths without a word */
    NO_MEMORY,       /* crashes where scratch is refused */
    MEASURE_WRONG,   /* counts one cell too many */
    MEASURE_WRITES,  /* clears a cell of what it measures */
    CRASHES,         /* at one size */
    HANGS,           /* at one size */
    TUNED,           /* a tuning parameter changes the result */
    SAYS_NOTHING,    /* fails without a reason */
    FORGETS_RESULT,  /* says that the result lies in its source */
    OWN_RANGES,      /* its pack takes every range to start at 0 */
    GENERATOR,       /* makes cells by their place in the range */
    COST,            /* that is no number */
    NOT_DETERMINED,  /* a race, or a clock */
    EXITS,           /* ends the program */
};

#ifndef BREAK
#define BREAK NOTHING
#endif
enum { broken = BREAK };

struct parity {
    uint64_t *scratch;
    uint8_t *kept; /* STALE */
};

static int64_t shared_stride;
static unsigned calls_ever;

/* ---- The reference ---------------------------------------------------------------------------------------------------- */

static int wrap_all(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                    struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    return ENGINE_OK;
}

static int one_step(const struct engine_buffer *cells, uint32_t from, uint32_t to)
{
    const uint64_t w = cells->shape->extent[0], h = cells->shape->extent[1];
    const uint8_t *in = cells->origin[from];
    uint8_t *out = cells->origin[to];
    const uint64_t row = (uint64_t) cells->row_stride;
    for (uint64_t y = 0; y < h; y++)
        for (uint64_t x = 0; x < w; x++)
            out[y * row + x] = in[y * row + x] ^ in[y * row + (x + 1) % w] ^ in[y * row + (x + w - 1) % w] ^
                               in[(y + 1) % h * row + x] ^ in[(y + h - 1) % h * row + x];
    return ENGINE_OK;
}

static int reference_advance(void *self, struct engine_call *call)
{
    (void) self;
    uint32_t at = call->current;
    for (uint64_t step = 0; step < call->steps; step++, at = 1 - at)
        one_step(engine_field_buffer(call, 0), at, 1 - at);
    call->result = at;
    return ENGINE_OK;
}

static uint64_t population(const struct engine_buffer *cells, uint32_t which)
{
    uint64_t count = 0;
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++)
        for (uint64_t x = 0; x < cells->shape->extent[0]; x++)
            count += ((const uint8_t *) cells->origin[which])[y * (uint64_t) cells->row_stride + x];
    return count;
}

static int reference_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    values[0] = (double) population(engine_field_buffer(call, 0), call->current);
    return ENGINE_OK;
}

/* ---- The one that may be broken ----------------------------------------------------------------------------------------- */

/* Three cells of ghosts: at most three steps a call. */
static int ghosts(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->ghost[0] = layout->ghost[1] = 3;
    layout->row_align = 16;
    return ENGINE_OK;
}

static void own_pack(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *canonical, void *buffer)
{
    (void) shape;
    memcpy((uint8_t *) buffer + (broken == OWN_RANGES ? 0 : begin), canonical, count);
}

static void own_unpack(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *buffer,
                       void *canonical)
{
    (void) shape;
    memcpy(canonical, (const uint8_t *) buffer + begin, count);
}

static int own_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout)
{
    (void) host;
    const struct engine_shape *shape = engine_field_shape(plan, field);
    layout->own_bytes = shape->extent[0] * shape->extent[1];
    layout->pack = own_pack;
    layout->unpack = own_unpack;
    return ENGINE_OK;
}

static int own_advance(void *self, struct engine_call *call)
{
    (void) self;
    struct engine_buffer dense = *engine_field_buffer(call, 0);
    dense.row_stride = (int64_t) dense.shape->extent[0];
    uint32_t at = call->current;
    for (uint64_t step = 0; step < call->steps; step++, at = 1 - at)
        one_step(&dense, at, 1 - at);
    call->result = at;
    return ENGINE_OK;
}

static int probe(const struct engine_host *host, const struct engine_plan *plan)
{
    (void) host;
    return broken == NO_REASON && engine_field_shape(plan, 0)->extent[0] % 2 ? ENGINE_UNSUPPORTED : ENGINE_OK;
}

static int create(const struct engine_call *call, void **self)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    struct parity *parity = call->host->scratch(call->host, sizeof *parity, ENGINE_HOST_MEMORY);
    if (!parity && broken != NO_MEMORY)
        return ENGINE_NO_MEMORY;
    memset(parity, 0, sizeof *parity);
    parity->scratch = call->host->scratch(call->host, 4096, ENGINE_HOST_MEMORY);
    parity->kept = call->host->scratch(call->host, 2 * cells->bytes, ENGINE_HOST_MEMORY);
    if (!parity->scratch || !parity->kept)
        return ENGINE_NO_MEMORY;
    if (broken != CLEAR_SCRATCH)
        parity->scratch[0] = 0;
    shared_stride = cells->row_stride;
    *self = parity;
    return ENGINE_OK;
}

struct rows {
    const struct engine_buffer *cells;
    const uint8_t *in;
    uint8_t *out;
    int64_t reach, stride;
};

/* A row, `reach` cells beyond the grid on each side. */
static void row_task(void *argument, uint64_t index)
{
    const struct rows *rows = argument;
    const int64_t w = (int64_t) rows->cells->shape->extent[0], s = rows->stride;
    const int64_t y = (int64_t) index - rows->reach;
    const uint8_t *in = rows->in + y * s;
    uint8_t *out = rows->out + y * s;
    for (int64_t x = -rows->reach; x < w + rows->reach; x++) {
        uint8_t right = broken == LAST_COLUMN && x == w - 1 ? in[x] : in[x + 1];
        uint8_t cell = in[x] ^ in[x - 1] ^ right ^ in[x - s] ^ in[x + s];
        if (broken == BEYOND_GHOSTS && x == 0 && rows->reach == 0)
            cell ^= in[-4] & 1;
        out[x] = broken == CLEAR_RESULT ? out[x] | cell : cell;
    }
}

static void step_with_ghosts(const struct engine_call *call, uint32_t from, uint32_t to, int64_t reach)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    struct rows rows = {cells, cells->origin[from], cells->origin[to], reach,
                        broken == SHARED ? shared_stride : cells->row_stride};
    call->host->parallel(call->host, cells->shape->extent[1] + 2 * (uint64_t) reach, row_task, &rows);
}

/* What goes wrong with the result. */
static void spoil(struct parity *parity, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const uint64_t w = cells->shape->extent[0], h = cells->shape->extent[1];
    uint8_t *out = cells->origin[call->result], *in = cells->origin[call->current];
    uint8_t *last = out + (int64_t) (h - 1) * cells->row_stride + (w - 1);
    uint8_t *begin = out - 3 * cells->row_stride - 16; /* three rows, and three cells aligned to 16 */
    if (broken == CORNER)
        *last ^= 1;
    if (broken == WRITES_SOURCE)
        in[0] = 0;
    if (broken == THREADS && call->plan->threads > 2)
        *last ^= 1;
    if (broken == CLEAR_SCRATCH)
        out[0] ^= (uint8_t) (parity->scratch[0] & 1);
    if (broken == BEHIND_END)
        begin[cells->bytes] = 0;
    if (broken == BEFORE_BEGIN)
        begin[-1] = 0;
    if (broken == TUNED && engine_param_value(call->plan, 0)->integer > 2)
        *last ^= 1;
    if (broken == NOT_DETERMINED && ++calls_ever == 2)
        *last ^= 1;
}

static int misbehave(struct engine_call *call)
{
    const uint64_t *extent = engine_field_buffer(call, 0)->shape->extent;
    if (broken == CRASHES && extent[0] == 65)
        abort();
    while (broken == HANGS && extent[0] == 65)
        ;
    if (broken == EXITS && extent[0] == 65)
        exit(0);
    return broken == SAYS_NOTHING && extent[0] == 65 ? ENGINE_INTERNAL : ENGINE_OK;
}

/* Goes on from what it computed last, whatever the buffer holds. */
static void use_kept(struct parity *parity, struct engine_call *call, bool save)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const uint64_t h = cells->shape->extent[1], w = cells->shape->extent[0];
    for (uint64_t y = 0; y < h; y++) {
        uint8_t *kept = parity->kept + y * w;
        uint8_t *row = (uint8_t *) cells->origin[save ? call->result : call->current] + (int64_t) y * cells->row_stride;
        if (save)
            memcpy(kept, row, w);
        else if (call->first_step > 0 && parity->scratch[0])
            memcpy(row, kept, w);
    }
    parity->scratch[0] = save;
}

static int advance(void *self, struct engine_call *call)
{
    struct parity *parity = self;
    const uint64_t steps = broken == FEWER_STEPS && call->steps == 3 ? 2 : call->steps;
    uint32_t at = call->current;
    const int code = misbehave(call);
    if (code)
        return code;
    if (broken == STALE)
        use_kept(parity, call, false);
    if (broken == CLEAR_SCRATCH || steps < 2) {
        for (uint64_t step = 0; step < steps; step++, at = 1 - at)
            step_with_ghosts(call, at, 1 - at, (int64_t) (steps - 1 - step));
    } else
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "not reached: see advance_many");
    call->result = broken == FORGETS_RESULT ? call->current : at;
    spoil(parity, call);
    if (broken == STALE)
        use_kept(parity, call, true);
    return ENGINE_OK;
}
