/* matrix on the CPU. It is compiled with -ffp-contract=off, as all C files here: a compiler that may contract rounds
 * a * b + c once on one machine and twice on another. */
#include "matrix.h"

#include <common/divide.h>
#include <math.h>

/* IEEE 754 says when a result is NaN, but not which bits it has. Here they are those of NAN. */
#define NUMBER(x) ((x) == (x) ? (x) : NAN)

#define DEFINE_RANGE(name, real, fma) \
    static void name(enum rule rule, uint64_t begin, uint64_t end, const real *a, const real *b, real *c) \
    { \
        if (rule == RULE_ADD) \
            for (uint64_t i = begin; i < end; i++) \
                c[i] = a[i] + b[i]; \
        if (rule == RULE_MAD) \
            for (uint64_t i = begin; i < end; i++) \
                c[i] = a[i] * b[i] + c[i]; \
        if (rule == RULE_FMA) \
            for (uint64_t i = begin; i < end; i++) \
                c[i] = fma(a[i], b[i], c[i]); \
        for (uint64_t i = begin; i < end; i++) \
            c[i] = NUMBER(c[i]); \
    }
DEFINE_RANGE(float_range, float, fmaf)
DEFINE_RANGE(double_range, double, fma)

/* One step for elements [begin, end). Rows are not padded unless a layout asks for it, so a matrix is one array. */
static void range(const struct engine_call *call, uint64_t begin, uint64_t end)
{
    const struct engine_buffer *c = engine_field_buffer(call, FIELD_C);
    const void *a = engine_field_buffer(call, FIELD_A)->origin[0], *b = engine_field_buffer(call, FIELD_B)->origin[0];
    const enum rule rule = matrix_rule(call->plan);
    if (c->shape->type == ENGINE_F32)
        float_range(rule, begin, end, a, b, c->origin[0]);
    else
        double_range(rule, begin, end, a, b, c->origin[0]);
}

int serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    for (uint64_t step = 0; step < call->steps; step++)
        range(call, 0, matrix_elements(call->plan));
    return 0;
}

enum { PIECE = 1 << 13 }; /* elements: they stay in a cache from the first loop to the last */

static void take_piece(void *argument, uint64_t piece)
{
    const struct engine_call *call = argument;
    const uint64_t elements = matrix_elements(call->plan), begin = piece * PIECE;
    range(call, begin, elements - begin < PIECE ? elements : begin + PIECE);
}

int cpu_advance(void *self, struct engine_call *call)
{
    (void) self;
    for (uint64_t step = 0; step < call->steps; step++)
        call->host->parallel(call->host, divide_up(matrix_elements(call->plan), PIECE), take_piece, call);
    return 0;
}
