/* alternate: two-dimensional Life-like cellular automata whose rules take turns. */
#include "turns.h"

#include <life/plugin.h>

static int check_rules(const struct engine_host *host, const struct engine_value *value)
{
    char text[ALTERNATE_TEXT];
    struct life_rule rule;
    size_t place;
    if (strchr(value->text, '|') == NULL)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "expected two or more rules with | between them, such as B3/S23|B36/S125; life2d-bit takes "
                           "single rules");
    if (strlen(value->text) >= sizeof text)
        return ENGINE_FAIL(host, ENGINE_INVALID, "expected fewer than %d characters", ALTERNATE_TEXT);
    for (uint32_t turn = 0; alternate_rule(value->text, turn, text); turn++) {
        const struct engine_value one = {.text = text};
        if (life_check_rule(host, &one) != 0)
            return ENGINE_INVALID;
        if (life_rule_parse(text, &rule, &place) == NULL && rule.wolfram)
            return ENGINE_FAIL(host, ENGINE_INVALID,
                               "rules with W cannot take turns: each row keeps the cells of its step, and the next "
                               "rule would change them");
    }
    return 0;
}

static int spell_rules(const char *value, char *text, uint64_t size)
{
    char one[ALTERNATE_TEXT];
    uint64_t used = 0;
    for (uint32_t turn = 0; alternate_rule(value, turn, one); turn++) {
        if (size - used < LIFE_RULE_TEXT + 1)
            return ENGINE_INVALID;
        if (turn > 0)
            text[used++] = '|';
        if (life_spell_rule(one, text + used, LIFE_RULE_TEXT) != 0)
            return ENGINE_INVALID;
        used += strlen(text + used);
    }
    return 0;
}

static const struct engine_param params[] = {
    {.name = "rule",
     .help = "two or more rules of life2d-bit with | between them, which take turns: B3/S23|B36/S125",
     .type = ENGINE_PARAM_TEXT,
     .initial = "B3/S23|B36/S125",
     .check = check_rules,
     .file_key = "rule",
     .spell = spell_rules}};

static const struct engine_field fields[] = {LIFE_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

enum { EVERYWHERE = ENGINE_EXACT | ENGINE_TIMED | ENGINE_DIVISIBLE | ENGINE_UNIFORM };

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, eight cells at a time: the reference", 1,
                      EVERYWHERE | ENGINE_REFERENCE | ENGINE_SERIAL),
     .layout = alternate_serial_layout, .create = alternate_serial_create, .advance = alternate_advance,
     .measure = alternate_measure, .destroy = alternate_destroy, .cost = alternate_serial_cost},
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions, in place", 10,
                      EVERYWHERE | ENGINE_IN_PLACE | ENGINE_BATCH | ENGINE_DEAD_EDGES),
     .probe = alternate_cpu_probe, .layout = alternate_cpu_layout, .create = alternate_cpu_create,
     .advance = alternate_advance, .measure = alternate_measure, .destroy = alternate_destroy,
     .cost = alternate_cpu_cost},
    {
        ENGINE_CUDA_IMPL("cuda", "tables in shared memory, one step per launch", 20,
                         EVERYWHERE | ENGINE_OVERWRITES | ENGINE_DEAD_EDGES),
#ifdef ENGINE_WITH_CUDA
        .probe = alternate_cuda_probe,
        .layout = alternate_cuda_layout,
        .create = alternate_cuda_create,
        .advance = alternate_advance,
        .measure = alternate_measure,
        .destroy = alternate_destroy,
        .cost = alternate_cuda_cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("alternate", "0.1.0", "2D Life and its relatives with rules that take turns, one bit per cell"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
