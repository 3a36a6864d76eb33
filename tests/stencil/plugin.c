/* A plugin of one rule of this folder, RULE, with the name NAME: the implementations that the stencil headers make, and
 * a plain one, which is the reference. */
#include "plain.h"

#define STENCIL_REFERENCE 0
#include RULE
#include <engine/stencil_cpu.h>

/* The metrics of the table. A mistaken rule has another number of sums. */
#ifndef METRICS
#define METRICS STENCIL_SUMS
#endif

/* emulated.cpp runs the CUDA implementation on the host. */
#ifdef EMULATED
#undef ENGINE_CUDA_IMPL
#define ENGINE_CUDA_IMPL ENGINE_HOST_IMPL
#undef ENGINE_STENCIL_ENQUEUES
#define ENGINE_STENCIL_ENQUEUES 0
#endif

static int plain_advance(void *self, struct engine_call *call)
{
    const uint64_t *extent = engine_field_shape(call->plan, 0)->extent;
    (void) self;
    for (uint64_t z = 0; z < extent[2]; z++)
        for (uint64_t y = 0; y < extent[1]; y++)
            for (uint64_t x = 0; x < extent[0]; x++) {
                const struct place place = {call, (int64_t) x, (int64_t) y, (int64_t) z};
                plain(&place);
            }
    return 0;
}

#if METRICS > 0
/* The sum of the first numbers, and the cells where they are even. */
static const struct engine_metric metrics[] = {
    {ENGINE_METRIC("total", NULL, "sum of the first numbers")},
    {ENGINE_METRIC("even", "cells", "cells whose first number is even")},
};

static int plain_measure(void *self, const struct engine_call *call, double *values)
{
    const uint64_t *extent = engine_field_shape(call->plan, 0)->extent;
    (void) self;
    values[0] = values[1] = 0;
    for (uint64_t i = 0; i < extent[0] * extent[1]; i++) {
        const struct place place = {call, (int64_t) (i % extent[0]), (int64_t) (i / extent[0]), 0};
        const double value = plain_read(&place, 0, 0, 0, 0, 0);
        values[0] += value;
        values[1] += (int64_t) value % 2 == 0;
    }
    return 0;
}
#endif

/* [init] source = random gives values to states alone. This generator gives random ones to inputs too: integers that
 * the field may have, and real numbers from 0 to 1. */
static const struct engine_generator generators[] = {{ENGINE_GENERATOR("noise", "random values in all fields")}};

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    const uint32_t type = engine_field_shape(plan, field)->type, values = fields[field].values;
    (void) generator;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t word;
        host->random(host, plan->seed, (UINT64_C(1) << 41) + field, begin + i, 1, &word);
        if (type == ENGINE_F64)
            ((double *) out)[i] = word * 0x1p-32;
        else if (type == ENGINE_F32)
            ((float *) out)[i] = (float) (word >> 8) * 0x1p-24f;
        else if (type == ENGINE_U32)
            ((uint32_t *) out)[i] = word;
        else if (type == ENGINE_U16 || type == ENGINE_I16)
            ((uint16_t *) out)[i] = (uint16_t) word;
        else
            ((uint8_t *) out)[i] = (uint8_t) (values ? word % values : word);
    }
    return 0;
}

static const struct engine_impl impls[] = {
    {
        ENGINE_HOST_IMPL("plain", "one cell after the other", 1,
                         ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_STENCIL_FLAGS),
        .advance = plain_advance,
#if METRICS > 0
        .measure = plain_measure,
#endif
    },
    {ENGINE_STENCIL_CPU_IMPL},
    {ENGINE_STENCIL_CUDA_IMPL},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN(NAME, "0.1.0", "tests the stencil headers"),
    .fields = ENGINE_ARRAY(fields),
#if METRICS > 0
    .metrics = ENGINE_ARRAY(metrics),
#endif
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .generate = generate,
};
