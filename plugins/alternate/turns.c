/* Each rule has an instance of an implementation of life2d-bit or life2d-lut, with a plan of its own. All of them work on
 * the same buffers, and a call takes single steps of one after the other. */
#include "turns.h"

#include <life/population.h>
#include <life2d-lut/life2dlut.h>

struct turn {
    char rule[ALTERNATE_TEXT];
    struct engine_value values[LIFE2D_SETTLED + 1]; /* the parameters of the other plugin */
    struct engine_plan plan;                        /* that of the run, with these parameters */
    void *self;
};

struct alternate {
    const struct engine_impl *life;
    uint32_t count;
    struct turn turns[];
};

/* ---- Plans -------------------------------------------------------------------------------------------------- */

/* Makes the plan of a turn. Settled regions are not skipped: an instance sees the result of its own steps alone.
 * life2d-lut reads the first two parameters, its rule and its table. The latter is 0, which means auto. */
static bool plan_turn(const struct engine_plan *plan, uint32_t index, struct turn *turn)
{
    static const struct engine_value usual[LIFE2D_SETTLED + 1] = {
        [LIFE2D_STEPS_PER_PASS] = {.integer = 1},
        [LIFE2D_INSTRUCTIONS] = {.text = "auto"},
        [LIFE2D_SETTLED] = {.text = "no"},
    };
    if (!alternate_rule(engine_param_text(plan, 0), index, turn->rule))
        return false;
    memcpy(turn->values, usual, sizeof usual);
    turn->values[LIFE2D_RULE].text = turn->rule;
    turn->plan = *plan;
    turn->plan.params = (struct engine_value_array) ENGINE_ARRAY(turn->values);
    turn->self = NULL;
    return true;
}

static int probe(const struct engine_impl *life, const struct engine_host *host, const struct engine_plan *plan)
{
    struct turn turn;
    int status = 0;
    for (uint32_t i = 0; status == 0 && life->probe && plan_turn(plan, i, &turn); i++)
        status = life->probe(host, &turn.plan);
    return status;
}

/* All rules find the cells in the same layout. Rules of life2d-bit that count neighbours take universes of a batch in any
 * layout, and others in that of one universe. */
static int layout_cells(const struct engine_impl *life, const struct engine_host *host, const struct engine_plan *plan,
                        uint32_t field, struct engine_layout *layout)
{
    struct turn turn;
    plan_turn(plan, 0, &turn);
    turn.plan.universes = 1;
    return life->layout(host, &turn.plan, field, layout);
}

static int set_cost(const struct engine_impl *life, const struct engine_host *host, const struct engine_plan *plan,
                    struct engine_cost *cost)
{
    struct turn turn;
    plan_turn(plan, 0, &turn);
    return life->cost(host, &turn.plan, cost);
}

/* ---- Instances ---------------------------------------------------------------------------------------------- */

void alternate_destroy(void *self)
{
    struct alternate *own = self;
    for (uint32_t i = 0; i < own->count && own->life->destroy; i++)
        own->life->destroy(own->turns[i].self);
}

static int create(const struct engine_impl *life, const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    struct turn turn;
    uint32_t count = 0;
    int status = 0;
    while (plan_turn(call->plan, count, &turn))
        count++;
    struct alternate *own = host->scratch(host, sizeof *own + count * sizeof turn, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    own->life = life;
    for (own->count = 0; status == 0 && own->count < count; own->count += status == 0) {
        struct turn *made = &own->turns[own->count];
        struct engine_call one = *call;
        plan_turn(call->plan, own->count, made);
        one.plan = &made->plan;
        status = life->create ? life->create(&one, &made->self) : 0;
    }
    *self = own;
    if (status != 0)
        alternate_destroy(own);
    return status;
}

int alternate_advance(void *self, struct engine_call *call)
{
    const struct alternate *own = self;
    const uint32_t other = call->current ^ call->result; /* 0: there is one buffer */
    struct engine_call one = *call;
    one.steps = 1;
    for (uint64_t step = 0; step < call->steps; step++) {
        const struct turn *turn = &own->turns[(call->first_step + step) % own->count];
        one.plan = &turn->plan;
        one.first_step = call->first_step + step;
        one.result = one.current ^ other;
        const int status = own->life->advance(turn->self, &one);
        if (status != 0)
            return status > 0 && step > 0 ? -status : status; /* the steps before have changed the state */
        one.current = one.result;
    }
    call->result = one.current;
    return 0;
}

int alternate_measure(void *self, const struct engine_call *call, double *values)
{
    const struct alternate *own = self;
    struct engine_call one = *call;
    one.plan = &own->turns[0].plan;
    return own->life->measure(own->turns[0].self, &one, values);
}

/* ---- The implementations ------------------------------------------------------------------------------------ */

#define IMPLEMENTATION(name) \
    int alternate_##name##_probe(const struct engine_host *host, const struct engine_plan *plan) \
    { \
        return probe(&name, host, plan); \
    } \
    int alternate_##name##_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, \
                                  struct engine_layout *layout) \
    { \
        return layout_cells(&name, host, plan, field, layout); \
    } \
    int alternate_##name##_create(const struct engine_call *call, void **self) \
    { \
        return create(&name, call, self); \
    } \
    int alternate_##name##_cost(const struct engine_host *host, const struct engine_plan *plan, \
                                struct engine_cost *cost) \
    { \
        return set_cost(&name, host, plan, cost); \
    }

static const struct engine_impl serial = {.layout = life2d_bytes_layout,
                                          .advance = life2d_serial_advance,
                                          .measure = life_measure,
                                          .cost = life2d_serial_cost};
IMPLEMENTATION(serial)

static const struct engine_impl cpu = {.probe = life2d_cpu_probe,
                                       .layout = life2d_cpu_layout,
                                       .create = life2d_cpu_create,
                                       .advance = life2d_cpu_advance,
                                       .measure = life2d_cpu_measure,
                                       .destroy = life2d_cpu_destroy,
                                       .cost = life2d_cpu_cost};
IMPLEMENTATION(cpu)

#ifdef ENGINE_WITH_CUDA
static const struct engine_impl cuda = {.probe = lut_cuda_probe,
                                        .layout = lut_cuda_layout,
                                        .create = lut_cuda_create,
                                        .advance = lut_cuda_advance,
                                        .measure = lut_cuda_measure,
                                        .cost = lut_cuda_cost};
IMPLEMENTATION(cuda)
#endif
