#include "record/until.h"
#include "base/context.h"
#include "record/edge.h"
#include "record/rerun.h"
#include "record/section_output.h"
#include "record/settled_search.h"
#include "run/state_hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS_MOST = 1024 };

/* A look that has not found the present state. */
struct past_look {
    uint64_t step;
    char hash[HASH_TEXT];
};

struct until {
    struct instance *instance;
    struct rerun_start start;
    struct until_memory memory;
    double *values;  /* the metrics */
    char ended[256]; /* "": no condition holds */
    uint64_t apart;  /* every how many looks one is kept, so that there are at most LOOKS_MOST */
    uint32_t kept;
    struct past_look looks[LOOKS_MOST]; /* of this process, in their order: they narrow the search for a cycle */
};

static const struct plan *plan_of(const struct until *until)
{
    return until->instance->state->plan;
}

static bool compares_states(const struct plan *plan)
{
    return plan_needs_start(plan) || plan_waits_for(plan, UNTIL_UNCHANGED);
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* Starts to wait for a repeated state at the present step. */
static int begin_repeats(struct until *until, struct engine_error *error)
{
    struct until_memory *memory = &until->memory;
    memory->start = until->instance->state->step;
    memory->looked = UINT64_MAX;
    memory->again = false;
    memory->hash[0] = memory->kept_hash[0] = '\0';
    return rerun_keep_start(until->instance, &until->start, error);
}

/* Goes on with what the checkpoint remembers, or starts. A resumed run that was not told to wait for a repeated state
 * before starts to do so at the step where it goes on. */
static int begin(struct until *until, const struct until_memory *past, struct engine_error *error)
{
    const struct plan *plan = plan_of(until);
    const bool waited = past && *past->kept_hash;
    const struct until_memory none = {.start = until->instance->state->step, .looked = UINT64_MAX};
    bool found = false;
    until->memory = past ? *past : none;
    until->start.step = until->memory.start;
    if (!plan_needs_start(plan))
        return 0;
    if (waited && folder_has(until->start.folder, FOLDER_START, &found, error) != 0)
        return error->status;
    if (waited && !found)
        context_message(plan->context, ENGINE_LOG_WARNING,
                        "%s/" FOLDER_START " is missing, so 'repeats' and 'settled' find no step before %llu",
                        until->start.folder->path, (unsigned long long) none.start);
    return found ? 0 : begin_repeats(until, error);
}

int until_open(struct instance *instance, const struct folder *folder, const struct until_memory *past,
               struct until **out, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    const uint32_t metrics = plan->plugin->about.metrics.count;
    *out = NULL;
    if (output_settings(plan)->until.count == 0)
        return 0;
    struct until *until = calloc(1, sizeof *until);
    if (!until)
        return error_memory(error, sizeof *until, "the conditions of [run] until");
    until->instance = instance;
    until->apart = 1;
    until->start.folder = folder;
    until->values = calloc(metrics + 1, sizeof *until->values);
    if (!until->values)
        error_memory(error, metrics * sizeof *until->values, "metrics");
    else if (begin(until, past, error) == 0) {
        *out = until;
        return 0;
    }
    until_close(until);
    return error->status;
}

void until_close(struct until *until)
{
    if (until) {
        rerun_drop_start(until->instance, &until->start);
        free(until->values);
    }
    free(until);
}

/* ---- When --------------------------------------------------------------------------------------------------- */

static bool is_regular(const struct until *until, uint64_t step)
{
    return step % output_until_every(plan_of(until)) == 0;
}

uint64_t until_next(const struct until *until)
{
    if (!until)
        return UINT64_MAX;
    const uint64_t step = until->instance->state->step, every = output_until_every(plan_of(until));
    return until->memory.again && until->memory.looked == step ? step + 1 : (step / every + 1) * every;
}

static bool is_due(const struct until *until)
{
    const struct until_memory *memory = &until->memory;
    const uint64_t step = until->instance->state->step;
    return memory->looked != step &&
           (step == memory->start || is_regular(until, step) || (memory->again && step == memory->looked + 1));
}

/* ---- Equal states -------------------------------------------------------------------------------------------- */

/* Do the shapes of states differ between even and odd steps, as those of a matrix that is transposed? */
static bool shapes_alternate(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (plan->plugin->about.fields.at[i].role == ENGINE_STATE &&
            memcmp(plan->fields[i].geometry[0].shape.extent, plan->fields[i].geometry[1].shape.extent,
                   sizeof plan->fields[i].geometry[0].shape.extent) != 0)
            return true;
    return false;
}

/* Are the states with these hashes, so many steps apart, the same? */
static bool are_equal(const struct plan *plan, const char *hash, const char *other, uint64_t apart)
{
    return strcmp(hash, other) == 0 && (apart % 2 == 0 || !shapes_alternate(plan));
}

/* ---- The cycle ------------------------------------------------------------------------------------------------- */

/* What looks for the cycle after a state was seen again. */
struct search {
    struct rerun rerun;
    const struct until *until;
    uint64_t seen;                        /* the step whose state the present one is */
    char hash[HASH_TEXT];                 /* of the present state */
    uint64_t period, first;               /* what is found */
    char hashes[RERUN_POINTS][HASH_TEXT]; /* of the steps of a pass */
};

static const struct plan *plan_of_search(const struct search *search)
{
    return search->rerun.instance->state->plan;
}

/* Takes the steps up to `target` and hashes the state there. */
static int hash_at(struct search *search, uint64_t target, char hash[HASH_TEXT], struct engine_error *error)
{
    if (rerun_to(&search->rerun, target, error) != 0)
        return error->status;
    return search->rerun.abandoned ? 0 : state_hash(search->rerun.instance->state, HASH_STATES, hash, error);
}

/* The distance of two equal states of a cycle is a multiple of the period, so the period is the least divisor of it
 * after which the state is there again. */
static int find_period(struct search *search, struct engine_error *error)
{
    const uint64_t step = search->rerun.step, distance = step - search->seen;
    char hash[HASH_TEXT];
    for (uint64_t n = 1; n <= distance && !search->rerun.abandoned && search->period == 0; n++) {
        if (distance % n != 0)
            continue;
        if (hash_at(search, step + n, hash, error) != 0)
            return error->status;
        if (!search->rerun.abandoned && are_equal(plan_of_search(search), hash, search->hash, n))
            search->period = n;
    }
    return search->period != 0 || search->rerun.abandoned
               ? 0
               : error_set(error, ENGINE_STATUS_PLUGIN,
                           "[run] until: the state of step %llu is that of step %llu, but what follows differs: the "
                           "steps of %s depend on more than the state; do not use 'repeats' with this plugin",
                           (unsigned long long) step, (unsigned long long) search->seen,
                           plan_of_search(search)->plugin->about.name);
}

/* Compares the states at the steps with those one period later. Is a rerun_pass. */
static int compare_points(void *self, uint64_t low, uint64_t high, uint64_t stride, uint64_t *found,
                          struct engine_error *error)
{
    struct search *search = self;
    const uint64_t count = (high - low + stride - 1) / stride;
    uint64_t early = 0; /* of the steps themselves, the number that was reached; *found: of those a period later */
    *found = 0;
    while (*found < count) {
        const uint64_t here = low + early * stride, later = low + *found * stride + search->period;
        char hash[HASH_TEXT];
        if (hash_at(search, early < count && here < later ? here : later, hash, error) != 0)
            return error->status;
        if (search->rerun.abandoned)
            return 0;
        const uint64_t step = search->rerun.instance->state->step;
        if (early < count && step == here)
            memcpy(search->hashes[early++], hash, HASH_TEXT);
        if (step != later)
            continue;
        if (are_equal(plan_of_search(search), hash, search->hashes[*found], search->period))
            return 0;
        ++*found;
    }
    return 0;
}

/* Looks that have seen the present state are in the cycle. Those before whose steps are whole periods away are not. */
static void narrow(const struct search *search, uint64_t *low, uint64_t *high)
{
    const uint64_t step = search->rerun.step;
    *low = search->rerun.start->step;
    *high = search->seen;
    for (uint32_t i = 0; i < search->until->kept && search->until->looks[i].step < *high; i++) {
        const struct past_look *look = &search->until->looks[i];
        if (are_equal(plan_of_search(search), look->hash, search->hash, step - look->step))
            *high = look->step;
        else if ((step - look->step) % search->period == 0)
            *low = look->step + 1;
    }
}

/* Finds the cycle, and puts the state back. Its first step is the first one whose state is there again after a period. */
static int find_cycle(struct search *search, struct engine_error *error)
{
    struct engine_error ignored;
    uint64_t low, high;
    if (rerun_begin(&search->rerun, error) != 0)
        return error->status;
    int status = find_period(search, error);
    if (status == 0 && !search->rerun.abandoned) {
        narrow(search, &low, &high);
        status = rerun_find_first(&search->rerun, low, high, compare_points, search, &search->first, error);
    }
    const int restored = rerun_end(&search->rerun, status == 0 ? error : &ignored);
    return status ? status : restored;
}

/* ---- Conditions ---------------------------------------------------------------------------------------------- */

/* A look at the present state. */
struct look {
    struct until *until;
    struct search search;
    struct until_memory next; /* what the memory is after it */
    bool seen;                /* the state was seen before */
    bool unchanged;           /* the state is that of the step before */
};

static bool holds(const struct until_condition *condition, double value)
{
    switch (condition->comparison) {
    case UNTIL_BELOW:
        return value < condition->number;
    case UNTIL_AT_MOST:
        return value <= condition->number;
    case UNTIL_ABOVE:
        return value > condition->number;
    case UNTIL_AT_LEAST:
        return value >= condition->number;
    case UNTIL_EQUAL:
        return value == condition->number;
    default:
        return value != condition->number;
    }
}

static int check_cycle(struct look *look, struct engine_error *error)
{
    struct until *until = look->until;
    if (!look->seen)
        return 0;
    if (find_cycle(&look->search, error) != 0)
        return error->status;
    if (!look->search.rerun.abandoned)
        snprintf(until->ended, sizeof until->ended, "repeats: period %llu, first seen at step %llu",
                 (unsigned long long) look->search.period, (unsigned long long) look->search.first);
    return 0;
}

static int check_settled(struct look *look, struct engine_error *error)
{
    struct until *until = look->until;
    struct settled_found found;
    if (!settled_is_due(look->next.start, look->search.rerun.step, output_until_every(plan_of(until))))
        return 0;
    if (settled_search(&look->search.rerun, &found, error) != 0)
        return error->status;
    if (found.settled)
        snprintf(until->ended, sizeof until->ended, "settled: at step %llu, with %llu live cells, period %llu%s",
                 (unsigned long long) found.first, (unsigned long long) found.cells, (unsigned long long) found.period,
                 found.spaceships ? ", and spaceships that depart" : "");
    return 0;
}

static int check_edge(struct look *look, struct engine_error *error)
{
    struct until *until = look->until;
    bool met;
    if (edge_is_met(until->instance->state, UINT32_MAX, &met, error) != 0)
        return error->status;
    if (met)
        snprintf(until->ended, sizeof until->ended, "edge: live cells are at an edge of the grid");
    return 0;
}

/* The metric, or its relative change since the start. */
static double value_of(const struct look *look, const struct until_condition *condition)
{
    const double value = look->until->values[condition->metric];
    if (!condition->error)
        return value;
    const double first = condition->metric < look->next.metrics ? look->next.first[condition->metric] : NAN;
    return fabs(value - first) / fabs(first);
}

static int check(struct look *look, const struct until_condition *condition, struct engine_error *error)
{
    struct until *until = look->until;
    if (condition->kind == UNTIL_REPEATS)
        return check_cycle(look, error);
    if (condition->kind == UNTIL_SETTLED)
        return check_settled(look, error);
    if (condition->kind == UNTIL_EDGE)
        return check_edge(look, error);
    const double value = value_of(look, condition);
    if (condition->kind == UNTIL_METRIC && holds(condition, value))
        snprintf(until->ended, sizeof until->ended, "%s: it is %.12g", condition->text, value);
    if (condition->kind == UNTIL_UNCHANGED && look->unchanged)
        snprintf(until->ended, sizeof until->ended, "unchanged: the state is that of step %llu",
                 (unsigned long long) look->search.rerun.step - 1);
    return 0;
}

/* Brent's method: compares the state with one that is kept, and keeps another one after 1, 2, 4, 8, … looks. */
static void compare_with_kept(struct look *look)
{
    struct until_memory *next = &look->next;
    const uint64_t step = look->search.rerun.step;
    look->seen =
        *next->kept_hash && are_equal(plan_of(look->until), look->search.hash, next->kept_hash, step - next->kept);
    look->search.seen = next->kept;
    if (*next->kept_hash && ++next->looks < next->limit)
        return;
    next->limit = *next->kept_hash ? 2 * next->limit : 1;
    next->looks = 0;
    next->kept = step;
    memcpy(next->kept_hash, look->search.hash, HASH_TEXT);
}

static void keep_look(struct until *until, const struct look *look)
{
    const uint64_t step = look->search.rerun.step;
    if (step / output_until_every(plan_of(until)) % until->apart != 0)
        return;
    if (until->kept == LOOKS_MOST) {
        until->apart *= 2;
        for (until->kept = 0; until->kept < LOOKS_MOST / 2; until->kept++)
            until->looks[until->kept] = until->looks[2 * until->kept];
    }
    until->looks[until->kept].step = step;
    memcpy(until->looks[until->kept++].hash, look->search.hash, HASH_TEXT);
}

static void compare_with_last(struct look *look)
{
    struct until_memory *next = &look->next;
    const uint64_t step = look->search.rerun.step, apart = step - next->looked;
    const bool equal = *next->hash && are_equal(plan_of(look->until), look->search.hash, next->hash, apart);
    look->unchanged = equal && apart == 1;
    next->again = equal && apart > 1;
}

static int take(struct look *look, struct engine_error *error)
{
    struct until *until = look->until;
    const struct plan *plan = plan_of(until);
    const uint64_t step = look->search.rerun.step;
    bool measured;
    if ((plan_waits_for(plan, UNTIL_METRIC) &&
         instance_measure(until->instance, until->values, &measured, error) != 0) ||
        (compares_states(plan) && state_hash(until->instance->state, HASH_STATES, look->search.hash, error) != 0))
        return error->status;
    if (look->next.metrics == 0 && plan_waits_for(plan, UNTIL_METRIC)) {
        const uint32_t count = plan->plugin->about.metrics.count;
        look->next.metrics = count < UNTIL_ERRORS_MAX ? count : UNTIL_ERRORS_MAX;
        memcpy(look->next.first, until->values, look->next.metrics * sizeof until->values[0]);
    }
    if (plan_waits_for(plan, UNTIL_UNCHANGED))
        compare_with_last(look);
    if (plan_needs_start(plan) && (step == look->next.start || is_regular(until, step)))
        compare_with_kept(look);
    if (plan_waits_for(plan, UNTIL_REPEATS) && !look->seen)
        keep_look(until, look);
    look->next.looked = step;
    memcpy(look->next.hash, look->search.hash, HASH_TEXT);
    int status = 0;
    for (uint32_t i = 0; i < output_settings(plan)->until.count && status == 0 && !*until->ended; i++)
        status = check(look, &output_settings(plan)->until.at[i], error);
    return status;
}

/* The memory stays as it was where the run ends or the look is abandoned, so that a run which is resumed at this step
 * looks again and finds the same. */
int until_look(struct until *until, struct pace *pace, bool (*stopped)(void *context), void *context,
               struct engine_error *error)
{
    if (!until || !is_due(until))
        return 0;
    struct look *look = calloc(1, sizeof *look);
    if (!look)
        return error_memory(error, sizeof *look, "a look at the state");
    look->until = until;
    look->next = until->memory;
    look->search.rerun = (struct rerun){.instance = until->instance,
                                        .start = &until->start,
                                        .pace = pace,
                                        .stopped = stopped,
                                        .context = context,
                                        .step = until->instance->state->step};
    look->search.until = until;
    const int status = take(look, error);
    if (status == 0 && !*until->ended && !look->search.rerun.abandoned)
        until->memory = look->next;
    free(look);
    return status;
}

const char *until_ended(const struct until *until)
{
    return until && *until->ended ? until->ended : NULL;
}

const struct until_memory *until_memory(const struct until *until)
{
    return until ? &until->memory : NULL;
}

/* ---- As an observer ----------------------------------------------------------------------------------------- */

static uint64_t observer_next(void *self)
{
    return until_next(self);
}

static int observer_see(void *self, enum moment moment, const struct loop_view *view, struct engine_error *error)
{
    return moment <= MOMENT_DUE ? until_look(self, view->pace, view->stopped, view->loop, error) : 0;
}

static const char *observer_ended(void *self)
{
    return until_ended(self);
}

struct observer until_observer(struct until *until)
{
    return (struct observer){.self = until, .next = observer_next, .see = observer_see, .ended = observer_ended};
}
