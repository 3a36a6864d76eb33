/* generations: cellular automata whose live cells take time to die, such as Brian's Brain. The implementation `cpu` is
 * that of engine/stencil_cpu.h. */
#include "generations.h"

#include <common/cost.h>
#include <common/fading.h>
#include <hashlife/bytes.h>
#include <string.h>

#define STENCIL_AXES         2
#define STENCIL_REACH        1
#define STENCIL_CELL(member) member(uint8_t, cells)
#define STENCIL_SUMS         2
#define STENCIL_REFERENCE    0
#define STENCIL_DIVISIBLE
#define STENCIL_UNIFORM
#include <engine/stencil.h>

/* The rule for vectors of bytes: entry n is 255 where n live neighbours make a cell alive, else 0. */
struct rule {
    uint8_t birth[9], survive[9];
    uint8_t last; /* the last state */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct generations_rule masks = generations_plan_rule(plan);
    struct rule rule = {.last = (uint8_t) (masks.states - 1)};
    for (int n = 0; n <= 8; n++) {
        rule.birth[n] = masks.birth >> n & 1 ? 255 : 0;
        rule.survive[n] = masks.survive >> n & 1 ? 255 : 0;
    }
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const uint8_t state = cell->cells;
    uint8_t alive = 0, born = 0, stays = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            alive = (uint8_t) (alive + (engine_at(near, x, y).cells == 1));
    alive = (uint8_t) (alive - (state == 1));
    for (int n = 0; n <= 8; n++) {
        const uint8_t here = alive == n ? 255 : 0;
        born |= here & rule->birth[n];
        stays |= here & rule->survive[n];
    }
    const uint8_t dead = state == 0 ? 255 : 0, kept = (dead & born) | ((state == 1 ? 255 : 0) & stays);
    const uint8_t older = (uint8_t) (state + 1) & (state == rule->last ? 0 : 255);
    cell->cells = (kept & 1) | (older & ~(dead | kept));
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    (void) rule;
    sums[GENERATIONS_ALIVE] += cell->cells == 1;
    sums[GENERATIONS_DYING] += cell->cells > 1;
}

#include <engine/stencil_cpu.h>

/* ---- The tables ---------------------------------------------------------------------------------------------- */

static int check_rule(const struct engine_host *host, const struct engine_value *value)
{
    struct generations_rule rule;
    const char *at, *wrong = generations_parse_at(value->text, &rule, &at);
    if (!wrong)
        return 0;
    return *at ? ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: at character %d, '%c': %s",
                             (int) (at - value->text) + 1, *at, wrong)
               : ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: %s", wrong);
}

static int spell_rule(const char *value, char *text, uint64_t size)
{
    struct generations_rule rule;
    if (size < GENERATIONS_TEXT || generations_parse(value, &rule) != NULL)
        return ENGINE_INVALID;
    generations_write(&rule, text);
    return 0;
}

static int values(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint32_t *values)
{
    (void) host, (void) field;
    *values = generations_plan_rule(plan).states;
    return 0;
}

static int colours(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                   uint8_t (*colours)[3], uint32_t *count)
{
    uint32_t states;
    const int status = values(host, plan, field, &states);
    if (status == 0)
        fading_colours(states, colours, count);
    return status;
}

static const void *extension(const char *name, uint32_t version)
{
    static const struct engine_colours table = {.size = sizeof table, .colours = colours};
    if (version != 1)
        return NULL;
    return strcmp(name, ENGINE_COLOURS) == 0            ? (const void *) &table
           : strcmp(name, ENGINE_TREE("hashlife")) == 0 ? &generations_tree
                                                        : NULL;
}

static const char *const generations_kernels[] = {"auto", "compiled", "numbers", NULL};

static const struct engine_param params[] = {
    [GENERATIONS_RULE] = {ENGINE_TEXT_PARAM("rule",
                                            "survival/birth/states as in 345/2/4, or B2/S345/G4: numbers of live "
                                            "neighbours (0 to 8), and number of states (2 to 256)",
                                            "/2/3"),
                          .check = check_rule, .file_key = "rule", .spell = spell_rule},
    [GENERATIONS_KERNEL] = {ENGINE_CHOICE_PARAM("rule_kernel",
                                                "cuda: compiled: a kernel for the rule is compiled at the start; "
                                                "numbers: a kernel that takes any rule as numbers",
                                                "auto", generations_kernels),
                            .flags = ENGINE_PARAM_TUNING},
    [GENERATIONS_MEMORY] = HASHLIFE_MEMORY_PARAM,
};

static const struct engine_field fields[] = {
    [GENERATIONS_CELLS] = {ENGINE_GRID_FIELD("cells", "0 dead, 1 alive, 2 and above dying", ENGINE_STATE, ENGINE_U8, 2),
                           .values = GENERATIONS_STATES_MAX, .reach = {1, 1, 0}},
};

static const struct engine_metric metrics[] = {
    [GENERATIONS_ALIVE] = {ENGINE_METRIC("alive", "cells", "cells of state 1")},
    [GENERATIONS_DYING] = {ENGINE_METRIC("dying", "cells", "cells of state 2 and above")},
};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, a loop over the neighbours of each cell: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
     .layout = generations_serial_layout, .advance = generations_serial_advance, .measure = generations_serial_measure,
     .cost = cost_of_bytes},
    {ENGINE_STENCIL_CPU_IMPL},
    {ENGINE_HOST_IMPL("hashlife",
                      "all threads, computes equal squares of cells once: for regular patterns and very many steps", 0,
                      ENGINE_EXACT | ENGINE_IN_PLACE),
     .batch = 1 << 14, .probe = hashlife_bytes_probe, .layout = hashlife_bytes_layout,
     .create = generations_hashlife_create, .advance = hashlife_bytes_advance, .measure = generations_serial_measure,
     .destroy = hashlife_close},
    {
        ENGINE_CUDA_IMPL("cuda", "bit planes, 32 cells in a word, several steps in a launch", 20,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM |
                             ENGINE_DEAD_EDGES),
        .batch = GENERATIONS_STEPS,
#ifdef ENGINE_WITH_CUDA
        .layout = generations_cuda_layout,
        .create = generations_cuda_create,
        .advance = generations_cuda_advance,
        .measure = generations_cuda_measure,
        .destroy = generations_cuda_destroy,
        .cost = generations_cuda_cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("generations", "0.1.0", "2D cellular automata whose live cells take time to die"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .values = values,
    .extension = extension,
};
