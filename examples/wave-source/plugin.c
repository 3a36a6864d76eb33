/* wave-source: the descriptor. */
#include "wave-source.h"

#include <engine/stencil_cpu.h>

static const struct engine_field fields[] = {
    [HEIGHT] = {ENGINE_GRID_FIELD("height", "of the surface", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 1, 0},
                .range = {-0.2, 0.2}},
    [VELOCITY] = {ENGINE_GRID_FIELD("velocity", "change of the height in a step", ENGINE_STATE, ENGINE_F32, 2),
                  .reach = {1, 1, 0}, .range = {-0.1, 0.1}},
};

/* Faster waves are unstable. */
static const struct engine_param params[] = {
    [SPEED] = {ENGINE_REAL_PARAM("speed", "of long waves", "0.5", 0, 0.7071), .unit = "cells a step"},
    [LENGTH] = {ENGINE_REAL_PARAM("length", "of the pulse of the source", "60", 1, 1e6), .unit = "steps"},
    [X] = {ENGINE_REAL_PARAM("x", "place of the source / width of the grid", "0.5", 0, 0.999999)},
    [Y] = {ENGINE_REAL_PARAM("y", "place of the source / height of the grid", "0.5", 0, 0.999999)},
};

static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("wave-source", "0.1.0", "the wave equation with a point source"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
};
