/* matrix: c = a + b, or c = a * b + c, with one rounding or with two. */
#include "matrix.h"

static const struct engine_field fields[] = {
    [FIELD_C] = {.name = "c",
                 .help = "the result; for mad also the addend",
                 .kind = ENGINE_MATRIX,
                 .role = ENGINE_STATE,
                 .type = ENGINE_CONFIGURED,
                 .components = 1},
    [FIELD_A] = {.name = "a",
                 .help = "first operand",
                 .kind = ENGINE_MATRIX,
                 .role = ENGINE_INPUT,
                 .type = ENGINE_CONFIGURED,
                 .components = 1},
    [FIELD_B] = {.name = "b",
                 .help = "second operand",
                 .kind = ENGINE_MATRIX,
                 .role = ENGINE_INPUT,
                 .type = ENGINE_CONFIGURED,
                 .components = 1},
};

static const char *const operations[] = {"add", "mad", NULL};

static const struct engine_param params[] = {
    [PARAM_OPERATION] = {.name = "operation",
                         .help = "a step: c = a + b (add), or c = a * b + c (mad)",
                         .type = ENGINE_PARAM_CHOICE,
                         .initial = "add",
                         .choices = operations},
    [PARAM_FUSED] = {.name = "fused",
                     .help = "mad: round once, after the addition (yes), or the product, too (no)",
                     .type = ENGINE_PARAM_FLAG,
                     .initial = "no"},
};

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint32_t type = engine_field_shape(plan, FIELD_C)->type;
    if (type == ENGINE_F32 || type == ENGINE_F64)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "[matrix] element must be float32 or float64");
}

enum rule matrix_rule(const struct engine_plan *plan)
{
    if (engine_param_value(plan, PARAM_OPERATION)->integer == 0)
        return RULE_ADD;
    return engine_param_value(plan, PARAM_FUSED)->integer ? RULE_FMA : RULE_MAD;
}

uint64_t matrix_elements(const struct engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, FIELD_C)->extent;
    return extent[0] * extent[1] * extent[2];
}

/* Bytes read and written, so that `engine bench` prints GB/s and the share of a copy. */
static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *out)
{
    (void) host;
    const double element = engine_field_shape(plan, FIELD_C)->type == ENGINE_F32 ? 4 : 8;
    out->unit = "B";
    out->per_step = (matrix_rule(plan) == RULE_ADD ? 3 : 4) * element * (double) matrix_elements(plan);
    return 0;
}

static int cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *out)
{
    (void) host, (void) plan;
    out->bytes = 1; /* the unit of work is a byte */
    return 0;
}

static const struct engine_impl impls[] = {
    {.name = "cpu-serial",
     .help = "one loop: the reference",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE,
     .rank = 1,
     .advance = serial_advance,
     .cost = cost},
    {.name = "cpu",
     .help = "the loop in pieces for all threads",
     .flags = ENGINE_EXACT | ENGINE_IN_PLACE,
     .rank = 10,
     .advance = cpu_advance,
     .cost = cost},
    {
        .name = "cuda",
        .help = "a thread an element",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_ENQUEUES,
        .rank = 20,
#ifdef ENGINE_WITH_CUDA
        .advance = cuda_advance,
        .cost = cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "matrix",
    .version = "0.1.0",
    .summary = "matrix addition and multiply-add, rounded once or twice, the same on every machine",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .work = work,
};
