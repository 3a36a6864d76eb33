/* matrix: c = a + b, or c = a * b + c, with one rounding or with two. */
#define ENGINE_MINOR 5 /* for ENGINE_DIVISIBLE */
#include "matrix.h"

static const struct engine_field fields[] = {
    [FIELD_C] = {ENGINE_MATRIX_FIELD("c", "the result, and for mad also the addend", ENGINE_STATE, ENGINE_CONFIGURED)},
    [FIELD_A] = {ENGINE_MATRIX_FIELD("a", "first operand", ENGINE_INPUT, ENGINE_CONFIGURED)},
    [FIELD_B] = {ENGINE_MATRIX_FIELD("b", "second operand", ENGINE_INPUT, ENGINE_CONFIGURED)},
};

static const char *const operations[] = {"add", "mad", NULL};

static const struct engine_param params[] = {
    [PARAM_OPERATION] = {ENGINE_CHOICE_PARAM(
        "operation", "what a step computes: add: c = a + b; mad: c = a * b + c, element by element", "add",
        operations)},
    [PARAM_FUSED] = {ENGINE_FLAG_PARAM("fused", "mad: yes: round once, after the addition; no: also round the product",
                                       "no")},
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
    if (engine_param_choice(plan, PARAM_OPERATION) == 0)
        return RULE_ADD;
    return engine_param_flag(plan, PARAM_FUSED) ? RULE_FMA : RULE_MAD;
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
    {ENGINE_HOST_IMPL("cpu-serial", "one loop: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_SERIAL | ENGINE_DIVISIBLE),
     .advance = serial_advance, .cost = cost},
    {ENGINE_HOST_IMPL("cpu", "the same loop, divided among all threads", 10,
                      ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_DIVISIBLE),
     .advance = cpu_advance, .cost = cost},
    {
        ENGINE_CUDA_IMPL("cuda", "one thread per element", 20, ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_ENQUEUES),
#ifdef ENGINE_WITH_CUDA
        .advance = cuda_advance,
        .cost = cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("matrix", "0.1.0", "matrix addition and multiply-add, with the same bits on every machine"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .work = work,
};
