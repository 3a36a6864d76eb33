/* A plugin of one rule, which bench.py includes before this file. */
#ifdef NEIGHBOURS_AXES
#include <engine/neighbours_cpu.h>
static const struct engine_impl impls[] = {{ENGINE_NEIGHBOURS_CPU_IMPL}};
#else
#include <engine/stencil_cpu.h>
static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}};
#endif

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN(NAME, "0.1.0", "a rule that the bench compares with a loop in Numba"),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
};
