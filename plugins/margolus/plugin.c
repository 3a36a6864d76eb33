/* margolus: two-dimensional block cellular automata in the Margolus neighbourhood. */
#include "margolus.h"

#include <common/cost.h>
#include <common/isa_choice.h>
#include <hashlife/bytes.h>
#include <life/population.h>
#include <string.h>

static int check_rule(const struct engine_host *host, const struct engine_value *value)
{
    struct margolus_rule rule;
    const char *at, *wrong = margolus_parse_at(value->text, &rule, &at);
    if (!wrong)
        return 0;
    return *at ? ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: at character %d, '%c': %s",
                             (int) (at - value->text) + 1, *at, wrong)
               : ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: at its end: %s", wrong);
}

static int spell_rule(const char *value, char *text, uint64_t size)
{
    struct margolus_rule rule;
    if (size < MARGOLUS_TEXT || margolus_parse(value, &rule) != NULL)
        return ENGINE_INVALID;
    margolus_write(&rule, text);
    return 0;
}

/* Blocks that cross an edge must be whole on both sides. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const struct engine_edges *edges = engine_plan_edges(plan);
    for (uint32_t axis = 0; axis < 2; axis++) {
        const uint32_t edge = engine_plan_edge(plan, axis);
        if (edge == ENGINE_EDGE_TWISTED || edge == ENGINE_EDGE_SPHERE)
            return ENGINE_FAIL(
                host, ENGINE_INVALID,
                "[grid] edges: a block that crosses such an edge is turned, so it would be two different "
                "blocks; the plugin takes torus, dead, fixed and mirror edges");
        if (edge == ENGINE_EDGE_TORUS && plan->part.whole[axis] % 2 != 0)
            return ENGINE_FAIL(
                host, ENGINE_INVALID,
                "[grid] size: blocks of 2 x 2 cells do not fit on a torus of %llu cells along %c; give an "
                "even number, or edges = dead",
                (unsigned long long) plan->part.whole[axis], "xy"[axis]);
        if (edges && edges->shift[axis] % 2 != 0)
            return ENGINE_FAIL(host, ENGINE_INVALID, "[grid] shift: blocks of 2 x 2 cells need an even shift, not %lld",
                               (long long) edges->shift[axis]);
    }
    return 0;
}

static const struct engine_param params[] = {
    [MARGOLUS_RULE] = {ENGINE_TEXT_PARAM(
                           "rule",
                           "M and 16 numbers: what becomes of each block, of which upper left is 1, upper "
                           "right 2, lower left 4 and lower right 8; or a name, such as BBM or Critters",
                           "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15"),
                       .check = check_rule, .file_key = "rule", .spell = spell_rule},
    [MARGOLUS_STEPS] = {ENGINE_INTEGER_PARAM("steps_per_pass", "cpu: steps that one pass over the grid takes; 0: 16",
                                             "0", 0, 256),
                        .unit = "steps", .flags = ENGINE_PARAM_TUNING},
    [MARGOLUS_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(ENGINE_PARAM_TUNING),
    [MARGOLUS_MEMORY] = HASHLIFE_MEMORY_PARAM,
};

static const struct engine_field fields[] = {
    [MARGOLUS_CELLS] = {ENGINE_GRID_FIELD("cells", "1 alive, 0 dead", ENGINE_STATE, ENGINE_U8, 2), .values = 2,
                        .reach = {1, 1, 0}},
};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, one cell at a time: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_DIVISIBLE | ENGINE_TIMED),
     .advance = margolus_serial_advance, .measure = life_measure, .cost = cost_of_bytes},
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions, many steps per pass, in place", 10,
                      ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_DIVISIBLE | ENGINE_SEPARATE_EDGES | ENGINE_TIMED),
     .batch = 16, .probe = margolus_cpu_probe, .layout = margolus_bits_layout, .create = margolus_cpu_create,
     .advance = margolus_cpu_advance, .measure = life_measure, .cost = margolus_cpu_cost},
    {ENGINE_HOST_IMPL(
         "hashlife",
         "all threads, computes equal squares of cells once: for unbounded grids, regular patterns and very "
         "many steps",
         0, ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_TIMED),
     .batch = 1 << 14, .probe = hashlife_bytes_probe, .layout = hashlife_bytes_layout,
     .create = margolus_hashlife_create, .advance = margolus_hashlife_advance, .measure = life_measure,
     .destroy = hashlife_close},
    {
        ENGINE_CUDA_IMPL("cuda", "one bit a cell, several steps in a launch, in registers", 20,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_TIMED),
        .batch = 16,
#ifdef ENGINE_WITH_CUDA
        .layout = margolus_bits_layout,
        .create = margolus_cuda_create,
        .advance = margolus_cuda_advance,
        .measure = margolus_cuda_measure,
        .cost = margolus_cuda_cost,
#endif
    },
};

static const void *extension(const char *name, uint32_t version)
{
    return version == 1 && strcmp(name, ENGINE_TREE("hashlife")) == 0 ? &margolus_tree : NULL;
}

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("margolus", "0.1.0", "2D block cellular automata in the Margolus neighbourhood, one bit per cell"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .extension = extension,
};
