/* Heat conduction in a plate. [grid] edges says what happens at its sides: an edge that is fixed has a temperature, and
 * no heat flows through one that is mirrored. */
#include "plate.h"

#include <engine/stencil_cpu.h>

/* A step reads direct neighbours: the field has a reach of one cell along x and y. */
static const struct engine_field fields[] = {
    [TEMPERATURE] = {ENGINE_GRID_FIELD("temperature", "of the plate", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 1, 0},
                     .range = {0, 1}},
};

/* Above 1/4, a cell gives away more than it has, and Euler's method becomes unstable. */
static const struct engine_param params[] = {
    [DIFFUSIVITY] = {ENGINE_REAL_PARAM("diffusivity", "of the material, times the length of a step", "0.25", 0, 0.25),
                     .unit = "cells^2 a step"},
};

static const struct engine_metric metrics[] = {
    {ENGINE_METRIC("temperature_mean", NULL, "mean temperature")},
};

static const struct engine_impl impls[] = {
    {ENGINE_STENCIL_CPU_IMPL},
    {ENGINE_STENCIL_CUDA_IMPL},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("plate", "0.1.0", "heat conduction in a plate with sides of a given temperature or insulated ones"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
