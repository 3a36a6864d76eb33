/* An analysis that counts the particles with floor(x) = 0, 1, 2 and so on. Each step adds one frame to the counts.
 * Macros make variants that the engine cannot bind. */
#include <engine/plugin.h>

#ifndef NAME
#define NAME "census"
#endif
#ifndef INPUT
#define INPUT "position"
#endif
#ifndef TYPE
#define TYPE ENGINE_F32
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif
#ifndef COMPONENTS
#define COMPONENTS 3
#endif
#ifndef KIND
#define KIND ENGINE_PARTICLES
#endif

enum { BINS };
static const struct engine_param params[] = {
    [BINS] =
        {.name = "bins", .help = "number of bins", .type = ENGINE_PARAM_INTEGER, .initial = "4", .min = 1, .max = 100},
};

enum { POSITION, SPECIES, X, MEAN, COUNTS, FRAMES };
static const struct engine_field fields[] = {
    [POSITION] = {.name = INPUT,
                  .help = "x y z",
                  .kind = KIND,
                  .role = ENGINE_INPUT,
                  .type = TYPE,
                  .components = COMPONENTS,
                  .initial = 7 /* of no use: it is always given */},
    [SPECIES] = {.name = "species",
                 .help = "0 or 1",
                 .kind = ENGINE_PARTICLES,
                 .role = ENGINE_INPUT,
                 .type = ENGINE_U8,
                 .components = 1,
                 .flags = ENGINE_FIELD_OPTIONAL},
    [X] = {.name = "x",
           .help = "middle",
           .kind = ENGINE_BINS,
           .role = ENGINE_OUTPUT,
           .type = ENGINE_F64,
           .components = 1},
    [MEAN] = {.name = "mean",
              .help = "a frame",
              .kind = ENGINE_BINS,
              .role = ENGINE_OUTPUT,
              .type = ENGINE_F64,
              .components = 2},
    [COUNTS] = {.name = "counts",
                .help = "of each species",
                .kind = ENGINE_BINS,
                .role = ENGINE_OUTPUT,
                .type = ENGINE_U64,
                .components = 2,
                .reduction = ENGINE_REDUCE_SUM},
    [FRAMES] = {.name = "frames",
                .help = "frames, species given, periods",
                .kind = ENGINE_BINS,
                .role = ENGINE_OUTPUT,
                .type = ENGINE_F64,
                .components = 1,
                .reduction = ENGINE_REDUCE_SUM},
};

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *out)
{
    (void) host, (void) step;
    if (field == FRAMES)
        out->extent[0] = 3;
    else if (field > SPECIES)
        out->extent[0] = (uint64_t) engine_param_value(plan, BINS)->integer;
    return ENGINE_OK;
}

/* LAYOUT is what a variant changes of the layout that it is given. */
static int layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *out)
{
    (void) host, (void) plan, (void) field, (void) out;
#ifdef LAYOUT
    if (field == POSITION)
        LAYOUT;
#endif
    return ENGINE_OK;
}

/* Whatever the layout: x is the first component, one cell's pitch from the next. */
static ELEMENT x_of(const struct engine_buffer *position, uint64_t particle)
{
    const uint64_t pitch = position->layout->planar ? 1 : position->layout->component_stride;
    return ((const ELEMENT *) position->origin[0])[particle * pitch];
}

static int advance(void *self, struct engine_call *call)
{
    const struct engine_buffer *position = engine_field_buffer(call, POSITION);
    const uint8_t *species = (const uint8_t *) engine_field_buffer(call, SPECIES)->origin[0];
    const uint64_t bins = (uint64_t) engine_param_value(call->plan, BINS)->integer;
    double *x = (double *) engine_field_buffer(call, X)->origin[0];
    double *mean = (double *) engine_field_buffer(call, MEAN)->origin[0];
    double *totals = (double *) engine_field_buffer(call, FRAMES)->origin[0];
    uint64_t *counts = (uint64_t *) engine_field_buffer(call, COUNTS)->origin[0];
    (void) self;
    if (!(call->flags & ENGINE_CALL_FRESH) || call->steps != 1)
        return -ENGINE_FAIL(call->host, ENGINE_INTERNAL, "not one fresh frame");
    for (uint64_t i = 0; i < position->shape->extent[0]; i++) {
        const ELEMENT at = x_of(position, i);
        if (at >= 0 && at < (ELEMENT) bins)
            counts[2 * (uint64_t) at + (species ? species[i] % 2 : 0)]++;
    }
    totals[0] += 1;
    totals[1] += species != NULL;
    totals[2] += call->plan->box[0];
    for (uint64_t b = 0; b < bins; b++) {
        x[b] = (double) b + 0.5;
        mean[2 * b] = (double) counts[2 * b] / totals[0];
        mean[2 * b + 1] = (double) counts[2 * b + 1] / totals[0];
    }
    return ENGINE_OK;
}

static const struct engine_metric metrics[] = {{"sum_x", NULL, "of all places along x, now"}};

static int measure(void *self, const struct engine_call *call, double *values)
{
    const struct engine_buffer *position = engine_field_buffer(call, POSITION);
    (void) self;
    values[0] = 0;
    for (uint64_t i = 0; i < position->shape->extent[0]; i++)
        values[0] += (double) x_of(position, i);
    return ENGINE_OK;
}

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    if (plan->box[0] > 50)
        return ENGINE_FAIL(host, ENGINE_INVALID, "a box of %g is too long", plan->box[0]);
    return ENGINE_OK;
}

static const struct engine_impl impls[] = {
    {.name = "slow",
     .help = "one loop",
     .flags = ENGINE_EXACT,
     .rank = 1,
     .layout = layout,
     .advance = advance,
     .measure = measure},
    {.name = "cpu",
     .help = "the same loop",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 2,
     .layout = layout,
     .advance = advance,
     .measure = measure},
    {.name = "cuda", .help = "not here", .flags = ENGINE_EXACT, .memory = ENGINE_CUDA_MEMORY, .rank = 3},
};

const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = NAME,
    .version = "1.0",
    .summary = "particles counted along x",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
    .check = check,
};
