/* The implementation cpu-fortran: gives bands of rows to wave_rows, on all threads. */
#include "wave.h"

/* In wave.f90. */
void wave_rows(int64_t nx, int64_t ny, int64_t pitch, int64_t first, int64_t last, float square, const float *height,
               const float *velocity, float *next_height, float *next_velocity);

/* The address of the ghost cell before the first cell and the first row: element (0, 0) of the array in Fortran. */
static float *corner(const struct engine_call *call, uint32_t field, uint32_t which)
{
    return (float *) engine_row(engine_field_buffer(call, field), which, -1, 0) - 1;
}

enum { BAND = 16 };

static void take_band(void *argument, uint64_t band)
{
    const struct engine_call *call = argument;
    const struct engine_buffer *cells = engine_field_buffer(call, HEIGHT); /* that of VELOCITY has the same strides */
    const int64_t nx = (int64_t) cells->shape->extent[0], ny = (int64_t) cells->shape->extent[1];
    const int64_t pitch = cells->row_stride / (int64_t) sizeof(float);
    const int64_t first = BAND * (int64_t) band + 1, last = first + BAND - 1 < ny ? first + BAND - 1 : ny;
    wave_rows(nx, ny, pitch, first, last, rule_of(call->plan).square, corner(call, HEIGHT, call->current),
              corner(call, VELOCITY, call->current), corner(call, HEIGHT, call->result),
              corner(call, VELOCITY, call->result));
}

int fortran_advance(void *self, struct engine_call *call)
{
    const uint64_t rows = engine_field_shape(call->plan, HEIGHT)->extent[1];
    (void) self;
    call->host->parallel(call->host, (rows + BAND - 1) / BAND, take_band, call);
    return 0;
}
