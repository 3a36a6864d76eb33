/* Particles that look at all others: a correct plugin without `work`, so that nothing says that the time of a step
 * follows the square of their number. A step turns each particle to the mean direction of those within a distance of 1,
 * and moves it. In a box whose edges are longer than 2, it refuses particles that all lie in one corner. */
#include <engine/plugin.h>
#include <math.h>
#include <stdbool.h>

enum { POSITION, VELOCITY };

static double distance(const double *a, const double *b, const double *box)
{
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        double d = a[c] - b[c];
        if (box[c] > 0 && fabs(d) > box[c] / 2)
            d -= copysign(box[c], d);
        sum += d * d;
    }
    return sum;
}

static int create(const struct engine_call *call, void **self)
{
    const struct engine_buffer *position = engine_field_buffer(call, POSITION);
    const double *r = position->origin[call->current], *box = call->plan->box;
    const uint64_t count = position->shape->extent[0];
    bool spread = box[0] <= 2 || count < 10;
    for (uint64_t i = 0; i < count; i++)
        spread = spread || r[3 * i] > box[0] / 2;
    (void) self;
    return spread ? 0 : ENGINE_FAIL(call->host, ENGINE_INVALID, "all particles lie in one corner of the box");
}

static void take_step(const struct engine_call *call, uint32_t from, uint32_t to)
{
    const struct engine_buffer *position = engine_field_buffer(call, POSITION),
                               *velocity = engine_field_buffer(call, VELOCITY);
    const double *r = position->origin[from], *v = velocity->origin[from];
    double *moved = position->origin[to], *turned = velocity->origin[to];
    const uint64_t count = position->shape->extent[0];
    for (uint64_t i = 0; i < count; i++) {
        double sum[3] = {0}, near = 0;
        for (uint64_t k = 0; k < count; k++)
            if (distance(r + 3 * i, r + 3 * k, call->plan->box) < 1) {
                near++;
                for (uint64_t c = 0; c < 3; c++)
                    sum[c] += v[3 * k + c];
            }
        for (uint64_t c = 0; c < 3; c++) {
            turned[3 * i + c] = sum[c] / near;
            moved[3 * i + c] = r[3 * i + c] + 0.01 * turned[3 * i + c];
        }
    }
}

static int advance(void *self, struct engine_call *call)
{
    uint32_t at = call->current;
    (void) self;
    for (uint64_t step = 0; step < call->steps; step++, at = 1 - at)
        take_step(call, at, 1 - at);
    call->result = at;
    return 0;
}

static const struct engine_field fields[] = {
    [POSITION] = {ENGINE_PARTICLE_FIELD("position", "", ENGINE_STATE, ENGINE_F64, 3)},
    [VELOCITY] = {ENGINE_PARTICLE_FIELD("velocity", "", ENGINE_STATE, ENGINE_F64, 3)},
};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "two loops", 1, ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_OVERWRITES), .create = create,
     .advance = advance}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("crowd", "1", "particles that fly as their neighbours do"), .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls)};
