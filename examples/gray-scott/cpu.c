/* gray-scott on the CPU. */
#include "gray-scott.h"

/* One row. Both fields have ghosts, so x = -1, x = width and the rows above and below exist. */
static void advance_row(void *argument, uint64_t y)
{
    const struct engine_call *call = argument;
    const struct rates rates = rates_of(call->plan);
    const struct engine_buffer *u_field = engine_field_buffer(call, U), *v_field = engine_field_buffer(call, V);
    const int64_t pitch = u_field->row_stride / (int64_t) sizeof(float), width = (int64_t) u_field->shape->extent[0];
    const float *u = engine_row(u_field, call->current, (int64_t) y, 0);
    const float *v = engine_row(v_field, call->current, (int64_t) y, 0);
    float *next_u = engine_row(u_field, call->result, (int64_t) y, 0);
    float *next_v = engine_row(v_field, call->result, (int64_t) y, 0);
#pragma omp simd
    for (int64_t x = 0; x < width; x++) {
        const struct pair next = react(rates, u + x, v + x, pitch);
        next_u[x] = next.u;
        next_v[x] = next.v;
    }
}

/* The ghosts are as deep as one step reaches, so each call takes one step. */
int cpu_advance(void *self, struct engine_call *call)
{
    (void) self;
    call->host->parallel(call->host, engine_field_buffer(call, U)->shape->extent[1], advance_row, call);
    return 0;
}

static double mean_of(const float *field, uint64_t width, uint64_t height, int64_t row_stride)
{
    double sum = 0;
    for (uint64_t y = 0; y < height; y++) {
        const float *row = (const float *) (const void *) ((const char *) field + (int64_t) y * row_stride);
        for (uint64_t x = 0; x < width; x++)
            sum += row[x];
    }
    return sum / ((double) width * (double) height);
}

void means_of(const float *u, const float *v, uint64_t width, uint64_t height, int64_t row_stride, double *values)
{
    values[U] = mean_of(u, width, height, row_stride);
    values[V] = mean_of(v, width, height, row_stride);
}

int cpu_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct engine_buffer *u = engine_field_buffer(call, U), *v = engine_field_buffer(call, V);
    means_of(u->origin[call->current], v->origin[call->current], u->shape->extent[0], u->shape->extent[1],
             u->row_stride, values);
    return 0;
}
