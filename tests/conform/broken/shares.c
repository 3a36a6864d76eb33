/* Particles whose work is shared among parts (ENGINE_TEAMWORK): a sound implementation and, with the parameter `how`,
 * one that is broken. A step sets the level of each particle from the levels of all, and counts the high ones. */
#define ENGINE_MINOR 9 /* for exchange */
#include <engine/plugin.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LEVEL, HIGH };
enum { UNIT = 5 }; /* particles */

enum how {
    RIGHT,
    FORGETS,     /* the second part computes nothing */
    KEEPS,       /* nobody gathers */
    FIRST,       /* the first part alone adds to its copy of the counts */
    REALS,       /* adds up real numbers part by part */
    MEASURES,    /* each part measures its share */
    SIZES,       /* the second part has another number of counts */
    CALLS,       /* the second part gathers where the others reduce */
    SWAPS,       /* the second part exchanges where the others reduce */
    ODD_UNIT,    /* exchanges arrays that have no whole number of units */
    EARLY,       /* the second part returns before it counts */
    LATE,        /* the first part counts twice */
    IGNORES,     /* EARLY, and nobody looks at what the service returns */
    TASKS,       /* calls the service in tasks, from two threads at a time */
    NO_UNIT,     /* gathers units of 0 bytes */
    IN_CREATE,   /* calls the service in create */
    FAILS,       /* the second part fails in the third step, the third one in the fifth */
    FAILS_ALL,   /* all parts fail in the third step, before anything has changed */
    CRASHES,     /* the second part ends the program in the third step */
    OTHER_RESULT /* the second part leaves its result in the other buffer */
};

static const char *const ways[] = {"right",   "forgets",   "keeps",    "first",     "reals",   "measures",     "sizes",
                                   "calls",   "swaps",     "odd-unit", "early",     "late",    "ignores",      "tasks",
                                   "no-unit", "in-create", "fails",    "fails-all", "crashes", "other-result", NULL};

static const struct engine_param params[] = {{ENGINE_CHOICE_PARAM("how", "how it is broken", "right", ways)}};

static enum how how_of(const struct engine_plan *plan)
{
    return (enum how) engine_param_choice(plan, 0);
}

static uint64_t particles(const struct engine_plan *plan)
{
    return engine_field_shape(plan, LEVEL)->extent[0];
}

/* The first particle of a part's share. Shares are of whole units. */
static uint64_t begin_of(const struct engine_plan *plan, uint32_t part)
{
    const uint64_t units = (particles(plan) + UNIT - 1) / UNIT,
                   first = UNIT * engine_share_begin(part, plan->part.count, units);
    return first < particles(plan) ? first : particles(plan);
}

static int create(const struct engine_call *call, void **self)
{
    uint64_t number = 1;
    *self = call->host->scratch(call->host, call->plan->part.count * sizeof(double),
                                ENGINE_HOST_MEMORY); /* the parts' sums */
    if (!*self)
        return ENGINE_NO_MEMORY;
    return how_of(call->plan) == IN_CREATE ? -engine_host_team(call->host)->reduce(call, &number, 1) : 0;
}

/* The sum of all levels; for REALS, that of the parts' sums. */
static double sum_of(const struct engine_call *call, double *sums, const double *level)
{
    const struct engine_plan *plan = call->plan;
    const uint32_t parts = plan->part.count;
    double sum = 0;
    if (how_of(plan) != REALS) {
        for (uint64_t i = 0; i < particles(plan); i++)
            sum += level[i];
        return sum;
    }
    sums[plan->part.index] = 0;
    for (uint64_t i = begin_of(plan, plan->part.index); i < begin_of(plan, plan->part.index + 1); i++)
        sums[plan->part.index] += level[i];
    engine_host_team(call->host)->gather(call, sums, parts * sizeof *sums, sizeof *sums);
    for (uint32_t p = 0; p < parts; p++)
        sum += sums[p];
    return sum;
}

struct twice {
    const struct engine_call *call;
    uint64_t numbers[2];
    int codes[2];
};

static void reduce_task(void *argument, uint64_t index)
{
    struct twice *twice = argument;
    twice->codes[index] = engine_host_team(twice->call->host)->reduce(twice->call, &twice->numbers[index], 1);
}

static int count_high(const struct engine_call *call, const double *level)
{
    const struct engine_plan *plan = call->plan;
    const struct engine_team *team = engine_host_team(call->host);
    const enum how how = how_of(plan);
    const bool second = plan->part.index == 1;
    uint64_t count[2] = {0, 0}, *high = engine_field_buffer(call, HIGH)->origin[0];
    for (uint64_t i = begin_of(plan, plan->part.index); i < begin_of(plan, plan->part.index + 1); i++)
        count[0] += level[i] >= 1;
    if (second && (how == EARLY || how == IGNORES))
        return 0;
    if (how == TASKS && plan->part.index == 0) {
        struct twice twice = {.call = call};
        call->host->parallel(call->host, 2, reduce_task, &twice);
        return twice.codes[0] ? twice.codes[0] : twice.codes[1];
    }
    if (how == LATE && plan->part.index == 0 && team->reduce(call, count, 1) != 0)
        return -ENGINE_INTERNAL;
    uint64_t in[2];
    int status = second && how == CALLS   ? team->gather(call, count, 16, 8)
                 : second && how == SWAPS ? team->exchange(call, count, in, 16, 8)
                 : how == ODD_UNIT        ? team->exchange(call, count, in, 12, 8)
                                          : team->reduce(call, count, how == SIZES && second ? 2 : 1);
    if (how == IGNORES)
        status = 0;
    if (status == 0 && (how != FIRST || plan->part.index == 0))
        high[0] += count[0];
    return status;
}

static int fail(const struct engine_call *call, uint64_t step)
{
    const uint32_t part = call->plan->part.index;
    const enum how how = how_of(call->plan);
    if (how == CRASHES && part == 1 && step == 2)
        exit(0);
    if (how == FAILS_ALL && step == 2)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "all levels are wrong");
    if (how == FAILS && ((part == 1 && step == 2) || (part == 2 && step == 4)))
        return ENGINE_FAIL(call->host, -ENGINE_INTERNAL, "part %u finds wrong levels in step %u", part + 1,
                           (unsigned) step + 1);
    return 0;
}

static int take_step(double *scratch, const struct engine_call *call, double *level)
{
    const struct engine_plan *plan = call->plan;
    const uint64_t count = particles(plan);
    const enum how how = how_of(plan);
    const double mean = sum_of(call, scratch, level) / (double) count;
    for (uint64_t i = begin_of(plan, plan->part.index); i < begin_of(plan, plan->part.index + 1); i++)
        if (how != FORGETS || plan->part.index != 1)
            level[i] = 0.5 * level[i] + 0.3 * mean + 0.1 * sqrt((double) (i + 1));
    const int status =
        how == KEEPS ? 0
                     : engine_host_team(call->host)
                           ->gather(call, level, count * sizeof *level, how == NO_UNIT ? 0 : UNIT * sizeof *level);
    return status ? status : count_high(call, level);
}

static int advance(void *self, struct engine_call *call)
{
    double *level = engine_field_buffer(call, LEVEL)->origin[call->current];
    int status = 0;
    for (uint64_t step = 0; status == 0 && step < call->steps; step++)
        if ((status = fail(call, call->first_step + step)) == 0)
            status = take_step(self, call, level);
    if (how_of(call->plan) == OTHER_RESULT && call->plan->part.index == 1)
        call->result = 1 - call->result;
    return status;
}

/* The mean of the levels. */
static int measure(void *self, const struct engine_call *call, double *values)
{
    const struct engine_plan *plan = call->plan;
    const double *level = engine_field_buffer(call, LEVEL)->origin[call->current];
    const bool share = how_of(plan) == MEASURES;
    (void) self;
    for (uint64_t i = share ? begin_of(plan, plan->part.index) : 0;
         i < (share ? begin_of(plan, plan->part.index + 1) : particles(plan)); i++)
        values[0] += level[i];
    return 0;
}

static const struct engine_field fields[] = {
    [LEVEL] = {ENGINE_PARTICLE_FIELD("level", "", ENGINE_STATE, ENGINE_F64, 1), .initial = 1},
    [HIGH] = {ENGINE_BIN_FIELD("high", "", ENGINE_U64)},
};

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape)
{
    (void) host, (void) plan, (void) step;
    if (field == HIGH)
        shape->extent[0] = 1;
    return 0;
}

static const struct engine_metric metrics[] = {{ENGINE_METRIC("sum", NULL, "of all levels")}};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "", 1, ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_TEAMWORK),
     .create = create, .advance = advance, .measure = measure}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("shares", "1", "levels"), .params = ENGINE_ARRAY(params), .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),       .impls = ENGINE_ARRAY(impls),   .shape = shape};
